/* SPDX-License-Identifier: MIT
 *
 * What libraries have code for: processors, of which the best is chosen when
 * the library is loaded, or architectures of CUDA.
 */
#include "runtime/library/library.h"

const ix_processor ix_processors[IX_NPROCESSORS] = {
#define IX_PROCESSOR(name, flags, condition) {#name, flags, #condition},
#include "compiler/target/processors.def"
};

bool
ix_library_has_target(const ix_library_job *j, int row)
{
    const char *name = ix_processors[row].name;
    size_t n = strlen(name);
    for (const char *p = j->targets; p && *p;
         p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && !strncmp(p, name, n))
            return true;
    return false;
}

const char *
ix_library_flags(const ix_library_job *j)
{
    const char *name = ix_option_text(j->ctx, IX_OPTION_target);
    for (int i = 0; i < IX_NPROCESSORS; i++)
        if (!strcmp(ix_processors[i].name, name))
            return ix_processors[i].flags;
    return strcmp(name, "native") ? "" : "-march=native";
}

/* Is it a list of architectures, "sm_80,sm_90a"? */
static bool
is_architectures(const char *list)
{
    do {
        size_t n = strcspn(list, ",");
        size_t digits = n > 3 ? strspn(list + 3, "0123456789") : 0;
        if (strncmp(list, "sm_", 3) != 0 || digits < 2 || n > digits + 4 ||
            (n == digits + 4 && list[n - 1] != 'a' && list[n - 1] != 'f'))
            return false;
        list += n;
    } while (*list++);
    return true;
}

static ilex_status
check_architectures(const ix_library_job *j)
{
    return is_architectures(j->targets)
               ? ILEX_OK
               : ix_fail(&j->ctx->error, ILEX_E_ARGUMENT,
                         "compile: targets '%.60s' are no architectures of "
                         "CUDA, for example sm_80,sm_90",
                         j->targets);
}

/* Is it a list of processors? */
static ilex_status
check_processors(const ix_library_job *j)
{
    int known = 0, items = 0;
    for (const char *p = j->targets; *p; p += strcspn(p, ","), p += *p == ',')
        items++;
    for (int i = 0; i < IX_NPROCESSORS; i++)
        known += ix_library_has_target(j, i);
    if (known != items || !ix_library_has_target(j, 0))
        return ix_fail(&j->ctx->error, ILEX_E_ARGUMENT,
                       "compile: targets '%.60s' is not generic with some of "
                       "avx2 and avx512, for example generic,avx2",
                       j->targets);
    if (items > 1 && j->freestanding)
        return ix_fail(&j->ctx->error, ILEX_E_UNSUPPORTED,
                       "compile: freestanding files cannot ask which processor "
                       "there is; give one target");
    return ILEX_OK;
}

ilex_status
ix_library_check_targets(const ix_library_job *j)
{
    if (!j->targets)
        return ILEX_OK;
    if (j->kind == ILEX_LIBRARY_FILES)
        return ix_fail(&j->ctx->error, ILEX_E_ARGUMENT,
                       "compile: targets are for libraries, which a compiler "
                       "builds; ask for one (static, shared, object), or give "
                       "your compiler the flags");
    return (j->cuda ? check_architectures : check_processors)(j);
}

void
ix_library_put_choice(const ix_library_job *j, const char *p, ix_text *t)
{
    ix_text_format(t, "#include \"%s.h\"\n\n", p);
    for (int i = 0; i < IX_NPROCESSORS; i++)
        if (ix_library_has_target(j, i))
            ix_text_format(t,
                           "__attribute__((visibility(\"hidden\")))\n"
                           "int %s_for_%s(const %s_args *args);\n",
                           p, ix_processors[i].name, p);
    ix_text_format(t,
                   "\nstatic int (*chosen)(const %s_args *) = "
                   "%s_for_generic;\n\n"
                   "__attribute__((constructor)) static void\n"
                   "choose(void)\n"
                   "{\n"
                   "    __builtin_cpu_init();\n",
                   p, p);
    for (int i = 1; i < IX_NPROCESSORS; i++)
        if (ix_library_has_target(j, i))
            ix_text_format(t, "    if (%s)\n        chosen = %s_for_%s;\n",
                           ix_processors[i].condition, p,
                           ix_processors[i].name);
    ix_text_format(t,
                   "}\n\n"
                   "int\n"
                   "%s(const %s_args *args)\n"
                   "{\n"
                   "    return chosen(args);\n"
                   "}\n",
                   p, p);
}
