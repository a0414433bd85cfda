/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* newlocale, uselocale */
#include "lib/base/text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/fpenv.h"

void
ix_text_init(ix_text *t, const ix_mem *mem)
{
    memset(t, 0, sizeof *t);
    t->mem = *mem;
}

void
ix_text_free(ix_text *t)
{
    ix_mem_free(&t->mem, t->data);
    t->data = NULL;
    t->length = t->capacity = 0;
}

const char *
ix_text_string(const ix_text *t)
{
    if (t->failed)
        return NULL;
    return t->data ? t->data : "";
}

void
ix_text_put_n(ix_text *t, const char *s, size_t n)
{
    if (t->failed ||
        !ix_mem_grow(&t->mem, &t->data, &t->capacity, t->length + n + 1, 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = 0;
}

void
ix_text_put(ix_text *t, const char *s)
{
    ix_text_put_n(t, s, strlen(s));
}

void
ix_text_char(ix_text *t, char c)
{
    ix_text_put_n(t, &c, 1);
}

void
ix_text_uint(ix_text *t, uint64_t v)
{
    char buf[24], *p = buf + sizeof buf;
    size_t n = 0;
    do {
        *--p = (char)('0' + v % 10);
        n++;
    } while (v /= 10);
    ix_text_put_n(t, p, n);
}

void
ix_text_int(ix_text *t, int64_t v)
{
    if (v < 0)
        ix_text_char(t, '-');
    ix_text_uint(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Puts the argument of a conversion that most formats are made of, and moves
 * "*fmt" behind it; false: it is another one. */
static bool
put_argument(ix_text *t, const char **fmt, va_list *args)
{
    const char *f = *fmt + 1, *s;
    if (*f == 's') {
        s = va_arg(*args, const char *);
        ix_text_put(t, s ? s : "(null)");
    } else if (*f == 'd') {
        ix_text_int(t, va_arg(*args, int));
    } else if (*f == 'c') {
        ix_text_char(t, (char)va_arg(*args, int));
    } else if (!strncmp(f, "lld", 3)) {
        ix_text_int(t, va_arg(*args, long long));
        f += 2;
    } else {
        return false;
    }
    *fmt = f + 1;
    return true;
}

static void
put_rest(ix_text *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0 || t->failed ||
        !ix_mem_grow(&t->mem, &t->data, &t->capacity, t->length + (size_t)n + 1,
                     1)) {
        t->failed = true;
        return;
    }
    vsnprintf(t->data + t->length, (size_t)n + 1, fmt, args);
    t->length += (size_t)n;
}

void
ix_text_vformat(ix_text *t, const char *fmt, va_list args)
{
    va_list rest;
    va_copy(rest, args);
    do {
        size_t n = 0;
        while (fmt[n] && fmt[n] != '%')
            n++;
        ix_text_put_n(t, fmt, n);
        fmt += n;
    } while (*fmt && put_argument(t, &fmt, &rest));
    if (*fmt)
        put_rest(t, fmt, rest);
    va_end(rest);
}

void
ix_text_format(ix_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ix_text_vformat(t, fmt, args);
    va_end(args);
}

/* What printf and strtod depend on: the locale and the floating-point
 * environment of this thread. */
typedef struct manners {
    locale_t made, old;
    ix_fpenv fp;
} manners;

/* The "C" locale and the default environment until leave(). */
static manners
enter(void)
{
    manners m = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0,
                 ix_fpenv_enter()};
    if (m.made)
        m.old = uselocale(m.made);
    return m;
}

static void
leave(manners m)
{
    ix_fpenv_leave(m.fp);
    if (m.made) {
        uselocale(m.old);
        freelocale(m.made);
    }
}

/* The fewest digits that read back as "v". */
static void
shortest(char *buf, size_t size, double v, bool single)
{
    int most = single ? 9 : 17;
    for (int digits = 1; digits <= most; digits++) {
        snprintf(buf, size, "%.*g", digits, v);
        if (single ? strtof(buf, NULL) == (float)v : strtod(buf, NULL) == v)
            break;
    }
}

void
ix_text_real(ix_text *t, double v, bool single)
{
    if (v != v) {
        ix_text_put(t, "nan");
        return;
    }
    if (v - v != 0) {
        ix_text_put(t, v < 0 ? "-inf" : "inf");
        return;
    }
    if (v > -1e6 && v < 1e6 && v == (double)(long)v) {
        ix_text_put(t, v == 0 && __builtin_signbit(v) ? "-" : "");
        ix_text_int(t, (int64_t)v); /* 100.0, not 1e+02 */
        ix_text_put(t, ".0");
        return;
    }
    char buf[48];
    manners m = enter();
    shortest(buf, sizeof buf, v, single);
    leave(m);
    ix_text_put(t, buf);
    if (!strpbrk(buf, ".e"))
        ix_text_put(t, ".0");
}

size_t
ix_text_scan_real(const char *s, double *v)
{
    char *end;
    manners m = enter();
    *v = strtod(s, &end);
    leave(m);
    return (size_t)(end - s);
}
