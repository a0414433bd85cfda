/* SPDX-License-Identifier: MIT */
#include "runtime/cache/key.h"

#include <stdio.h>

static const char source_part[] = "source";

void
ix_cache_key_init(ix_cache_key *key, const ix_mem *mem)
{
    ix_text_init(&key->text, mem);
    key->name[0] = '\0';
}

void
ix_cache_key_free(ix_cache_key *key)
{
    ix_text_free(&key->text);
}

void
ix_cache_key_add(ix_cache_key *key, const char *name, const char *bytes)
{
    size_t n = strlen(bytes);
    ix_text_put(&key->text, name);
    ix_text_char(&key->text, ' ');
    ix_text_uint(&key->text, n);
    ix_text_char(&key->text, '\n');
    ix_text_put_n(&key->text, bytes, n);
    ix_text_char(&key->text, '\n');
}

/* Reads a number of at most 18 digits that "end" follows; false if there is
 * none. */
static bool
read_number(const char *text, size_t length, size_t *at, char end, size_t *v)
{
    size_t first = *at;
    *v = 0;
    for (; *at < length && *at - first < 18; ++*at) {
        char c = text[*at];
        if (c < '0' || c > '9')
            break;
        *v = 10 * *v + (size_t)(c - '0');
    }
    return *at > first && *at < length && text[(*at)++] == end;
}

bool
ix_cache_key_read(const char *text, size_t length, size_t *at,
                  ix_cache_part *part)
{
    size_t i = *at, n = 0;
    while (i + n < length && text[i + n] >= 'a' && text[i + n] <= 'z')
        n++;
    part->name = text + i;
    part->name_length = n;
    i += n;
    if (n == 0 || i >= length || text[i++] != ' ' ||
        !read_number(text, length, &i, '\n', &part->length) ||
        part->length >= length - i || text[i + part->length] != '\n')
        return false;
    part->bytes = text + i;
    *at = i + part->length + 1;
    return true;
}

static bool
is_called(const ix_cache_part *part, const char *name)
{
    return part->name_length == strlen(name) &&
           !memcmp(part->name, name, part->name_length);
}

static void
write_hex(char *to, const ix_digest *d)
{
    uint8_t bytes[IX_DIGEST_BYTES];
    ix_digest_write(d, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

bool
ix_cache_key_name(const char *text, size_t length, char name[IX_CACHE_NAME + 1])
{
    ix_digester source = {0}, rest = {0};
    ix_cache_part part;
    size_t at = 0;
    while (ix_cache_key_read(text, length, &at, &part)) {
        ix_digester *d = is_called(&part, source_part) ? &source : &rest;
        ix_digest_number(d, part.name_length);
        ix_digest_bytes(d, part.name, part.name_length);
        ix_digest_number(d, part.length);
        ix_digest_bytes(d, part.bytes, part.length);
    }
    ix_digest a = ix_digest_end(&source), b = ix_digest_end(&rest);
    write_hex(name, &a);
    write_hex(name + IX_CACHE_SOURCE_NAME, &b);
    return at == length && length > 0;
}

bool
ix_cache_key_end(ix_cache_key *key)
{
    return !key->text.failed &&
           ix_cache_key_name(key->text.data, key->text.length, key->name);
}

bool
ix_cache_key_is_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == IX_CACHE_NAME &&
           name[IX_CACHE_NAME] == '\0';
}

/* The part of "text" that is called as "like". */
static bool
find_part(const char *text, size_t length, const ix_cache_part *like,
          ix_cache_part *found)
{
    size_t at = 0;
    while (ix_cache_key_read(text, length, &at, found))
        if (found->name_length == like->name_length &&
            !memcmp(found->name, like->name, like->name_length))
            return true;
    return false;
}

/* Appends words of a part, not too many, without what would break the line. */
static void
put_short(ix_text *t, const char *bytes, size_t n)
{
    enum { MOST = 300 };
    n -= n > 0 && bytes[n - 1] == ' ';
    for (size_t i = 0; i < n && i < MOST; i++) {
        char c = bytes[i];
        ix_text_char(t, c >= ' ' && c <= '~' ? c : c == '\n' ? ';' : '?');
    }
    if (n > MOST)
        ix_text_put(t, "...");
}

/* Appends what was and what is, without the words that both begin or end with.
 */
static void
put_change(ix_text *t, const ix_cache_part *was, const ix_cache_part *is)
{
    size_t least = was->length < is->length ? was->length : is->length;
    size_t first = 0, last = 0;
    while (first < least && was->bytes[first] == is->bytes[first])
        first++;
    while (first > 0 && was->bytes[first - 1] != ' ')
        first--;
    while (last < least - first && was->bytes[was->length - 1 - last] ==
                                       is->bytes[is->length - 1 - last])
        last++;
    while (last > 0 && last < was->length &&
           was->bytes[was->length - last - 1] != ' ')
        last--;
    ix_text_put(t, " was '");
    put_short(t, was->bytes + first, was->length - last - first);
    ix_text_put(t, "', is '");
    put_short(t, is->bytes + first, is->length - last - first);
    ix_text_char(t, '\'');
}

void
ix_cache_key_differences(const ix_cache_key *key, const char *text,
                         size_t length, ix_text *t)
{
    ix_cache_part is, was;
    size_t at = 0;
    const char *between = "";
    while (ix_cache_key_read(key->text.data, key->text.length, &at, &is)) {
        if (is_called(&is, source_part) ||
            !find_part(text, length, &is, &was) ||
            (is.length == was.length &&
             !memcmp(is.bytes, was.bytes, is.length)))
            continue;
        ix_text_format(t, "%s%.*s", between, (int)is.name_length, is.name);
        put_change(t, &was, &is);
        between = "; ";
    }
}
