/* SPDX-License-Identifier: MIT
 *
 * Names of the program in C: as they are, with "_" behind those that C, C++,
 * the struct of arguments or another name of the program have already, and
 * "arg" in front of those that begin with "_", which C may have.
 */
#include "compiler/host/host.h"

#include <stdio.h>

#include "lib/ops/functions.h"

/* Words that generated files cannot use: keywords of C and C++, macros and
 * functions of the headers that they include, members of the struct. */
static const char reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch "
    "char char16_t char32_t char8_t class compl concept const const_cast "
    "consteval constexpr constinit continue co_await co_return co_yield "
    "decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast requires restrict return short signed "
    "sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq linux unix "
    "main I complex NULL NAN INFINITY EOF BUFSIZ RAND_MAX HUGE_VAL stdin "
    "stdout stderr errno assert signal setjmp abort abs atexit atof atoi atol "
    "bsearch calloc "
    "clearerr div exit fclose feof ferror fflush fgetc fgets fopen fprintf "
    "fputc fputs fread free freopen fscanf fseek ftell fwrite getc getchar "
    "getenv gets index labs ldiv llabs malloc memccpy memchr memcmp memcpy "
    "memmove memset perror printf putc putchar puts qsort rand random read "
    "realloc remove rename rewind rindex scanf sprintf srand sscanf strcat "
    "strchr strcmp strcpy strdup strlen strncmp strncpy strstr strtod strtok "
    "strtol system tmpfile tmpnam ungetc vprintf write select pipe link access "
    "ceil fdim fma fmax fmin frexp gamma ilogb isnan isinf j0 j1 jn ldexp "
    "lgamma llrint llround logb lrint lround modf nan nearbyint nextafter "
    "remainder remquo round scalbn signgam significand tgamma y0 y1 yn drem "
    "finite isfinite isnormal signbit fpclassify exp10 pow10 sincos "
    "size abi workspace workspace_bytes parallel_for user parts error "
    "error_bytes args status EDOM ERANGE EILSEQ FILE va_list int8_t int16_t "
    "int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t "
    "intmax_t uintmax_t size_t ssize_t ptrdiff_t double_t float_t div_t "
    "ldiv_t lldiv_t fpos_t max_align_t ";

/* How macros of the standard's headers begin that have "_" in them. */
static const char *const macros[] = {
    "M_",     "FP_",    "DBL_",    "FLT_",   "LDBL_",    "SEEK_",  "EXIT_",
    "MATH_",  "INT",    "UINT",    "SIZE_",  "PTRDIFF_", "WCHAR_", "WINT_",
    "SIG_",   "CHAR_",  "SCHAR_",  "UCHAR_", "SHRT_",    "USHRT_", "LONG_",
    "ULONG_", "LLONG_", "ULLONG_", "PATH_",  "CLOCKS_"};

/* Functions of C libraries that a function of a program would stand in for,
 * wherever its library is linked; inside of a struct their names are free. */
static const char of_libraries[] =
    " accept alarm bind chdir chmod chown clock close connect creat daemon dup "
    "dup2 environ execv execve fork fstat getpid kill listen lstat madvise "
    "mkdir mmap mount mprotect munmap nice open pause poll raise recv rmdir "
    "send shutdown sigaction sleep socket stat symlink sync time times "
    "truncate umask umount unlink usleep vfork wait waitpid ";

/* Elementary functions of libm, which have "expf" and "expl" beside them, as
 * those of math.def. */
static const char elementary[] =
    " acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 "
    "expm1 hypot log log10 log1p log2 pow sin sinh tan tanh ";

/* What CUDA has beside them, for functions of the device; those of numbers for
 * float with an "f" behind. */
static const char of_cuda[] =
    " threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 surfaceReference "
    "textureReference clock clock64 min max umin umax llmin llmax ullmin "
    "ullmax mulhi mul24 umul24 float2int half rsqrt rcbrt sinpi cospi "
    "sincospi erfinv erfcinv erfcx normcdf normcdfinv cyl_bessel_i0 "
    "cyl_bessel_i1 hypot rhypot norm3d rnorm3d norm4d rnorm4d norm rnorm "
    "fdivide saturate ";

static bool
is_listed(const char *list, const char *name, size_t n)
{
    for (const char *p = list; p[1]; p = strchr(p + 1, ' '))
        if (!strncmp(p + 1, name, n) && p[n + 1] == ' ')
            return true;
    return false;
}

/* "exp", "expf" */
static bool
is_math(const char *name)
{
    size_t length = strlen(name), last = length ? length - 1 : 0;
    if (is_listed(elementary, name, length) ||
        (strchr("fl", name[last]) && is_listed(elementary, name, last)))
        return true;
    for (int m = 0; m < IX_NMATH; m++) {
        const char *math = ix_math_name((ix_math)m);
        size_t n = strlen(math);
        if (!strncmp(name, math, n) && strchr("fl", name[n]) &&
            (!name[n] || !name[n + 1]))
            return true;
    }
    return false;
}

/* What kernels and their helpers are called: "k0", "k0_args", "i64",
 * "maximum_f64". */
static bool
is_of_kernels(const char *name)
{
    const char *last = strrchr(name, '_'), *digits = name + 1;
    size_t n = strspn(digits, "0123456789");
    const char *end = digits + n;
    if (name[0] == 'k' && n > 0 &&
        (!*end || !strcmp(end, "_args") || !strcmp(end, "_body") ||
         !strcmp(end, "_any")))
        return true;
    for (int d = 0; d < ILEX_NDTYPES; d++)
        if (!strcmp(last ? last + 1 : name, ilex_dtype_name((ilex_dtype)d)))
            return true;
    return !strncmp(name, "ilex_", 5) || !strncmp(name, "ILEX_", 5);
}

/* "M_PI", "INT64_MAX" */
static bool
is_macro(const char *name)
{
    size_t n = strlen(name);
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < n ||
        !strchr(name, '_') || name[n - 1] == '_')
        return false;
    for (size_t i = 0; i < IX_COUNT(macros); i++)
        if (!strncmp(name, macros[i], strlen(macros[i])))
            return true;
    return false;
}

bool
ix_host_is_reserved(const char *name)
{
    return is_listed(reserved, name, strlen(name)) || is_math(name) ||
           is_macro(name) || is_of_kernels(name) || name[0] == '_';
}

bool
ix_host_is_of_libraries(const char *name)
{
    return is_listed(of_libraries, name, strlen(name)) ||
           !strncmp(name, "pthread_", 8);
}

bool
ix_host_is_of_cuda(const char *name)
{
    size_t n = strlen(name);
    return is_listed(of_cuda, name, n) ||
           (n > 1 && name[n - 1] == 'f' && is_listed(of_cuda, name, n - 1));
}

/* Is the name taken by an argument or size before those at "argument" and
 * "size"? */
static bool
is_taken(const ix_host *h, const char *name, size_t argument, size_t size)
{
    for (size_t i = 0; i < argument; i++)
        if (!strcmp(h->argument[i], name))
            return true;
    for (size_t p = 0; p < size; p++)
        if (h->size[p] && !strcmp(h->size[p], name))
            return true;
    for (size_t i = 0; h->counted && i < h->c->ncounts; i++)
        if (h->counted[i] && !strcmp(h->counted[i], name))
            return true;
    size_t n = strlen(h->prefix);
    return ix_host_is_reserved(name) || !strcmp(name, h->prefix) ||
           (!strncmp(name, h->prefix, n) && name[n] == '_') ||
           (!strncmp(name, h->upper, n) && name[n] == '_');
}

/* The name, with as many "_" as it takes. */
static const char *
make_name(ix_host *h, const char *from, size_t argument, size_t size)
{
    const char *front = *from == '_' ? "arg" : "";
    size_t n = strlen(front) + strlen(from),
           more = h->c->narguments + h->c->nsizes + 2;
    char *name = ix_arena_new(h->arena, n + more + 1);
    snprintf(name, n + 1, "%s%s", front, from);
    for (size_t i = 0; i < more && is_taken(h, name, argument, size); i++)
        name[n + i] = '_';
    return name;
}

void
ix_host_make_names(ix_host *h)
{
    const ix_compiled *c = h->c;
    h->argument =
        ix_arena_new(h->arena, (c->narguments + 1) * sizeof *h->argument);
    h->size = ix_arena_new(h->arena, (c->nsizes + 1) * sizeof *h->size);
    for (size_t p = 0; p < c->nsizes; p++)
        if (ix_compiled_size_is_given(&c->size[p]))
            h->size[p] = make_name(h, c->size[p].name, 0, p);
    h->counted = ix_arena_new(h->arena, (c->ncounts + 1) * sizeof *h->counted);
    for (size_t i = 0; i < c->ncounts; i++) {
        char own[32]; /* for lengths that the program gives no name */
        const char *name = c->size[c->count[i].size].name;
        snprintf(own, sizeof own, "count_%zu", i);
        h->counted[i] = make_name(h, *name == '_' ? own : name, 0, c->nsizes);
    }
    for (size_t i = 0; i < c->narguments; i++)
        h->argument[i] = make_name(h, c->buffer[i].name, i, c->nsizes);
}

const char *
ix_host_type(ilex_dtype dtype)
{
    static const char *const names[ILEX_NDTYPES] = {
        "uint8_t", "int8_t",   "int16_t",  "int32_t",  "int64_t",
        "uint8_t", "uint16_t", "uint32_t", "uint64_t", "float",
        "double",  "float",    "double",   "uint16_t", "uint16_t"};
    return names[dtype];
}
