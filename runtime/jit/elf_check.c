/* SPDX-License-Identifier: MIT
 *
 * Checks a shared object in memory before it is loaded. Everything is read by
 * memcpy at checked offsets; offsets and sizes of the file are not trusted.
 */
#include "runtime/jit/code.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define NATIVE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE EM_AARCH64
#elif defined(__powerpc64__)
#define NATIVE EM_PPC64
#elif defined(__riscv)
#define NATIVE EM_RISCV
#else
#define NATIVE EM_NONE
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_ORDER ELFDATA2LSB
#else
#define NATIVE_ORDER ELFDATA2MSB
#endif

typedef struct image {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr head;
} image;

/* Whether "n" bytes at "offset" lie within the file. */
static bool
within(const image *e, uint64_t offset, uint64_t n)
{
    return offset <= e->size && n <= e->size - offset;
}

static bool
read_at(const image *e, uint64_t offset, void *to, size_t n)
{
    if (!within(e, offset, n))
        return false;
    memcpy(to, e->bytes + offset, n);
    return true;
}

static bool
read_segment(const image *e, size_t i, Elf64_Phdr *p)
{
    return read_at(e, e->head.e_phoff + i * sizeof *p, p, sizeof *p);
}

static const char *
check_head(image *e)
{
    if (!read_at(e, 0, &e->head, sizeof e->head))
        return "the file is too short";
    const unsigned char *id = e->head.e_ident;
    if (memcmp(id, ELFMAG, SELFMAG) != 0)
        return "not an ELF file";
    if (id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != NATIVE_ORDER ||
        id[EI_VERSION] != EV_CURRENT || e->head.e_machine != NATIVE)
        return "built for another machine";
    if (e->head.e_type != ET_DYN)
        return "not a shared object";
    if (e->head.e_phentsize != sizeof(Elf64_Phdr) || e->head.e_phnum == 0 ||
        e->head.e_phnum > 64 ||
        !within(e, e->head.e_phoff,
                (uint64_t)e->head.e_phnum * sizeof(Elf64_Phdr)))
        return "damaged program header";
    return NULL;
}

/* Extent and permissions of one segment; counts stack notes and dynamic
 * sections. */
static const char *
check_segment(const image *e, const Elf64_Phdr *p, int *stack, int *dynamic)
{
    if (p->p_type == PT_LOAD || p->p_type == PT_DYNAMIC) {
        if (!within(e, p->p_offset, p->p_filesz) || p->p_filesz > p->p_memsz ||
            p->p_memsz > UINT32_MAX || p->p_vaddr > UINT32_MAX)
            return "a segment leaves the file";
    }
    if ((p->p_flags & PF_W) && (p->p_flags & PF_X))
        return p->p_type == PT_GNU_STACK
                   ? "it asks for an executable stack"
                   : "a segment is writable and executable";
    if (p->p_type == PT_GNU_STACK) {
        if (p->p_flags & PF_X)
            return "it asks for an executable stack";
        ++*stack;
    }
    if (p->p_type == PT_DYNAMIC)
        ++*dynamic;
    if (p->p_type == PT_INTERP || p->p_type == PT_TLS)
        return "it has an interpreter or thread-local data";
    return NULL;
}

static const char *
check_segments(const image *e)
{
    int stack = 0, dynamic = 0;
    for (size_t i = 0; i < e->head.e_phnum; i++) {
        Elf64_Phdr p;
        if (!read_segment(e, i, &p))
            return "damaged program header";
        const char *why = check_segment(e, &p, &stack, &dynamic);
        if (why)
            return why;
    }
    if (stack != 1)
        return "it has no stack note";
    return dynamic == 1 ? NULL : "it has no dynamic section";
}

/* Offset in the file of address "a", SIZE_MAX when no segment holds it. */
static uint64_t
file_offset(const image *e, uint64_t a)
{
    for (size_t i = 0; i < e->head.e_phnum; i++) {
        Elf64_Phdr p;
        if (read_segment(e, i, &p) && p.p_type == PT_LOAD && a >= p.p_vaddr &&
            a - p.p_vaddr < p.p_filesz)
            return p.p_offset + (a - p.p_vaddr);
    }
    return UINT64_MAX;
}

/* Whether the string at "offset" is the name of a library kernels may need. */
static bool
is_allowed_library(const image *e, uint64_t offset)
{
    static const char *const allowed[] = {"libm.so.6", "libc.so.6", "libm.so",
                                          "libc.so"};
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        size_t n = strlen(allowed[i]) + 1;
        if (within(e, offset, n) &&
            memcmp(e->bytes + offset, allowed[i], n) == 0)
            return true;
    }
    return false;
}

/* Why a dynamic entry is refused whatever its value, NULL if it is not. */
static const char *
refused_tag(const Elf64_Dyn *d)
{
    switch (d->d_tag) {
    case DT_INIT:
    case DT_FINI:
    case DT_INIT_ARRAY:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY:
        return "it runs code when it is loaded";
    case DT_RPATH:
    case DT_RUNPATH:
    case DT_AUDIT:
    case DT_DEPAUDIT:
    case DT_AUXILIARY:
    case DT_FILTER:
        return "it names a search path or another library";
    case DT_TEXTREL:
        return "it has relocations in its text";
    case DT_FLAGS:
        return d->d_un.d_val & DF_TEXTREL ? "it has relocations in its text"
                                          : NULL;
    default:
        return NULL;
    }
}

/* The dynamic section in the file: its offset and number of entries. */
static void
find_dynamic(const image *e, uint64_t *offset, uint64_t *count)
{
    *offset = *count = 0;
    for (size_t i = 0; i < e->head.e_phnum; i++) {
        Elf64_Phdr p;
        if (read_segment(e, i, &p) && p.p_type == PT_DYNAMIC) {
            *offset = p.p_offset;
            *count = p.p_filesz / sizeof(Elf64_Dyn);
        }
    }
}

static const char *
check_dynamic(const image *e)
{
    uint64_t offset, count, strings = UINT64_MAX;
    find_dynamic(e, &offset, &count);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < count; i++) {
            Elf64_Dyn d;
            if (!read_at(e, offset + i * sizeof d, &d, sizeof d) ||
                d.d_tag == DT_NULL)
                break;
            if (d.d_tag == DT_STRTAB)
                strings = file_offset(e, d.d_un.d_ptr);
            const char *why = refused_tag(&d);
            if (why)
                return why;
            if (pass == 1 && d.d_tag == DT_NEEDED &&
                (strings > e->size || d.d_un.d_val > e->size ||
                 !is_allowed_library(e, strings + d.d_un.d_val)))
                return "it needs a library other than libc and libm";
        }
    return strings < e->size ? NULL : "damaged dynamic section";
}

const char *
ix_elf_check(const void *bytes, size_t size)
{
    image e = {.bytes = bytes, .size = size};
    const char *why = check_head(&e);
    if (!why)
        why = check_segments(&e);
    if (!why)
        why = check_dynamic(&e);
    return why;
}
