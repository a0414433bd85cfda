# SPDX-License-Identifier: MIT
#
# A function of the scripts that write public headers.

# Prints "text" as a comment, at most 79 columns wide.
function comment(text,    words, n, k, line) {
    n = split(text, words, " ")
    line = "/*"
    for (k = 1; k <= n; k++) {
        if (length(line) + 1 + length(words[k]) > 76) {
            print line
            line = " *"
        }
        line = line " " words[k]
    }
    print line " */"
}
