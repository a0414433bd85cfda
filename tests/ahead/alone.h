/* SPDX-License-Identifier: MIT
 *
 * What a program on a machine without a C library has of its own, from the
 * first instruction on (with ALONE; Linux for x86-64), and how it writes a
 * line, which hosted ones do as well.
 */
#ifndef ILEX_TESTS_AHEAD_ALONE_H
#define ILEX_TESTS_AHEAD_ALONE_H

#include <stddef.h>

#if defined(ALONE)
static long
call_system(long number, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return r;
}

static void
say(const char *text, size_t bytes)
{
    (void)call_system(1, 1, (long)text, (long)bytes);
}

void *
memcpy(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *
memset(void *to, int byte, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)to)[i] = (char)byte;
    return to;
}

int main(void);
void begin(void);
void
begin(void)
{
    (void)call_system(60, main(), 0, 0);
}
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n"
        "\tcall begin\n");
#else
#include <string.h>
#include <unistd.h>

static void
say(const char *text, size_t bytes)
{
    if (write(1, text, bytes) < 0)
        _exit(1);
}
#endif

/* A line. */
static void
print(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    say(text, n);
    say("\n", 1);
}

#endif
