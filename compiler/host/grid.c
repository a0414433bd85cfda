/* SPDX-License-Identifier: MIT
 *
 * Launching kernels in CUDA: functions of the host that start them, and kernels
 * of variants, which know what the arguments of any run say.
 */
#include "compiler/host/host.h"

/* "k2"; of a variant "ilex_k2_fixed_1", by the kernel's own number: its
 * function is also that of kernels which know something else; behind it what a
 * kernel has whose indices have 32 bits. */
static void
put_kernel_name(ix_host *h, size_t i, size_t variant, bool narrow)
{
    if (variant > 0)
        ix_text_format(h->t, "ilex_k%zu_fixed_%zu", i, variant);
    else
        ix_text_format(h->t, "k%d", h->source->layout[i].function);
    ix_text_put(h->t, narrow ? "_narrow" : "");
}

/* The kernel once more, over the same body. */
static void
put_fixed_kernel(ix_host *h, size_t i, size_t variant, bool narrow)
{
    const ix_kernel_layout *l = &h->source->layout[i];
    const char *type = narrow ? "i32" : "i64";
    int function = l->function;
    ix_host_put_variant_comment(h, variant - 1);
    ix_text_format(h->t, "static __global__ void __launch_bounds__(%d)\n",
                   (int)IX_GRID_THREADS);
    put_kernel_name(h, i, variant, narrow);
    ix_text_format(h->t,
                   "(const k%d_args %sargs, i64 begin, i64 end)\n"
                   "{\n"
                   "    k%d_args a = %sargs;\n",
                   function, l->indirect ? "*const " : "", function,
                   l->indirect ? "*" : "");
    ix_host_put_known(h, i, variant - 1);
    if (ix_kernel_status(l))
        ix_text_format(h->t,
                       "    ilex_local local = {0};\n"
                       "    if (k%d_body<%s>(&a, begin, end, &local) != 0)\n"
                       "        ilex_tell(a.status, &local);\n",
                       function, type);
    else
        ix_text_format(h->t, "    k%d_body<%s>(&a, begin, end);\n", function,
                       type);
    ix_text_put(h->t, "}\n\n");
}

void
ix_host_put_grid_start(ix_host *h, size_t kernel, size_t variant)
{
    for (int narrow = 0; variant > 0 && narrow < 2; narrow++)
        put_fixed_kernel(h, kernel, variant, narrow);
    ix_text_put(h->t, "static cudaError_t\n");
    ix_host_put_variant_name(h, "ilex_start", kernel, variant);
    ix_text_put(
        h->t,
        "(void **parameters, const ilex_grid *g, cudaStream_t stream)\n"
        "{\n"
        "    const dim3 blocks(g->blocks[0], g->blocks[1], g->blocks[2]);\n"
        "    const dim3 threads(g->threads[0], g->threads[1], g->threads[2]);\n"
        "    return cudaLaunchKernel(g->narrow ? ");
    put_kernel_name(h, kernel, variant, true);
    ix_text_put(h->t, " : ");
    put_kernel_name(h, kernel, variant, false);
    ix_text_put(h->t, ",\n                            blocks, threads, "
                      "parameters, 0, stream);\n"
                      "}\n\n");
}
