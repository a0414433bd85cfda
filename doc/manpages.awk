# SPDX-License-Identifier: MIT
#
# Writes the manual page of a public header: its comments, in its order, each
# with what it is about. "page" is the file to write, "name" the page, "header"
# how the header is included, "version" that of Ilex; "links" gets a line for
# each function, "function.3 page".
#
# It relies on the form of the headers: a comment at the left margin is about
# the lines behind it, up to an empty one; "---- title ----" begins a section;
# comments within declarations are part of them.

# "text" with what troff would read as its own put aside. In code "-" is the
# character that C has.
function escape(text, code) {
    gsub(/\\/, "\\e", text)
    if (code)
        gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}
function out(line) {
    print line >page
    fresh = line ~ /^\.S[HS] /
}

# Begins a paragraph, unless a section does.
function paragraph() {
    if (!fresh)
        out(".PP")
}

# A line of a comment without the star before it.
function bare(line) {
    sub(/ *\*\/$/, "", line)
    sub(/^(\/\*| \*) ?/, "", line)
    return line
}

# Prints lines of a comment: paragraphs, and examples where they are indented.
function prose(lines, n,    k, example, begun) {
    example = begun = 0
    for (k = 1; k <= n; k++) {
        if (lines[k] == "") {
            if (begun && !example && k < n && lines[k + 1] !~ /^    /)
                paragraph()
            else if (example && lines[k + 1] ~ /^    /)
                out("")
            continue
        }
        if (lines[k] ~ /^    / && !example) {
            paragraph(); out(".in +4n"); out(".nf")
            example = 1
        } else if (lines[k] !~ /^    / && example) {
            out(".fi"); out(".in"); out(".PP")
            example = 0
        }
        out(escape(example ? substr(lines[k], 5) : lines[k], example))
        begun = 1
    }
    if (example) {
        out(".fi"); out(".in")
    }
}

# The first sentence of the comment on top says what the page is called.
function heading(    k, text, end) {
    for (k = 1; k <= ncomment; k++)
        if (comment[k] !~ /^SPDX/ && (text != "" || comment[k] != "")) {
            if (comment[k] == "") break
            text = text (text == "" ? "" : " ") comment[k]
        }
    end = match(text, /\.( |$)/)
    text = end ? substr(text, 1, end - 1) : text
    out(".\\\" Written by doc/manpages.awk.")
    out(".TH " toupper(name) " 3 \"\" \"Ilex " version "\" \"Ilex\"")
    out(".SH NAME")
    out(name " \\- " escape(text, 0))
    out(".SH SYNOPSIS")
    out(".B #include <" header ">")
    paragraph()
    out("Link with")
    out(".BR \\-lilex ,")
    out("or with what `pkg\\-config \\-\\-cflags \\-\\-libs ilex` prints.")
    out(".SH DESCRIPTION")
    for (k = 1; k <= ncomment && (comment[k] ~ /^SPDX/ || comment[k] == ""); k++)
        ;
    shift(k - 1)
    prose(comment, ncomment)
    titled = 1
}

# Drops the first "n" lines of the comment.
function shift(n,    k) {
    for (k = 1; k + n <= ncomment; k++)
        comment[k] = comment[k + n]
    ncomment -= n
}

# A section, or nothing yet: the comment belongs to what follows.
function section(    text, rest) {
    text = comment[1]
    sub(/^-+ */, "", text)
    while (text !~ /----/ && ncomment > 1) {
        shift(1)
        text = text " " comment[1]
    }
    sub(/ *-+ *$/, "", text)
    shift(1)
    out(".SS " toupper(substr(escape(text, 0), 1, 1)) substr(escape(text, 0), 2))
    while (ncomment > 0 && comment[1] == "")
        shift(1)
    prose(comment, ncomment)
    ncomment = 0
}

# The functions that are declared in the lines of code.
function note_functions(    k, text) {
    text = ""
    for (k = 1; k <= ncode; k++)
        text = text " " code[k]
    gsub(/\/\*[^*]*\*\//, "", text)
    while (match(text, /(^|[ *])ilex_[a-z0-9_]+\(/)) {
        function_name = substr(text, RSTART, RLENGTH - 1)
        sub(/^[ *]/, "", function_name)
        if (substr(text, 1, RSTART) ~ /(ILEX_API|static inline)[^;{]*$/)
            print function_name ".3", name ".3" >>links
        text = substr(text, RSTART + RLENGTH)
    }
}

# Prints what was declared and what the comment before it says.
function declaration(    k, line) {
    if (ncode == 0) {
        if (ncomment > 0) {
            paragraph()
            prose(comment, ncomment)
        }
        ncomment = 0
        return
    }
    note_functions()
    paragraph()
    out(".nf")
    for (k = 1; k <= ncode; k++) {
        line = code[k]
        if (sub(/^ILEX_API /, "", line))
            function_open = 1
        else if (function_open)
            sub(/^         /, "", line) # as long as ILEX_API
        if (line ~ /;$/)
            function_open = 0
        sub(/[ ]+\\$/, " \\", line)
        out(line == "" ? "" : "\\fB" escape(line, 1) "\\fR")
    }
    out(".fi")
    if (ncomment > 0) {
        out(".RS 4")
        prose(comment, ncomment)
        out(".RE")
    }
    ncomment = ncode = 0
}

# Takes a line of a comment.
function take_comment(line) {
    comment[++ncomment] = bare(line)
    if (line !~ /\*\/$/)
        return
    in_comment = 0
    if (comment[ncomment] == "")
        ncomment--
    if (!titled) {
        heading()
        ncomment = 0
    } else if (comment[1] ~ /^----/) {
        section()
    }
}

# How much deeper in braces a line ends than it begins.
function deeper(line) { return gsub(/{/, "{", line) - gsub(/}/, "}", line) }

# Is the line nothing that users read: guards, includes, what only C++ reads, the
# machinery of tables? What a macro of a table makes is said by the comment
# before it.
function machinery(line) {
    if (line == "#ifdef __cplusplus" || in_cxx) {
        in_cxx = line !~ /^#(else|endif)/
        return 1
    }
    if (continued) {
        continued = line ~ /\\$/
        return 1
    }
    if (line ~ /^#define ILEX_(API|STRUCT|OP|REDUCTION|ERROR|DTYPE|EAGER_[123])/ ||
        (line ~ /^#/ && line !~ /^#define/)) {
        continued = line ~ /\\$/
        return 1
    }
    return line ~ /^#define .*_H_?$/
}

in_comment { take_comment($0); next }
/^\/\*/ && depth == 0 {
    declaration()
    in_comment = 1
    take_comment($0)
    next
}
/^#include "[a-z]*\.def"/ && depth > 0 {
    match($0, /[a-z]*\.def/)
    code[++ncode] = "    ... /* those of " substr($0, RSTART, RLENGTH) \
        "; see ilex(7) */"
    next
}
machinery($0) { next }
$0 == "" && depth == 0 { declaration(); next }
{
    code[++ncode] = $0
    depth += deeper($0)
}
END { declaration() }
