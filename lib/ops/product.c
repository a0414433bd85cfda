/* SPDX-License-Identifier: MIT
 *
 * What contractions add: the rows of product.def, for the printer, and carried
 * out on values.
 */
#include "lib/ops/dtype.h"
#include "lib/ops/eval.h"

enum { RE, IM };
enum { PLUS, MINUS };

const ix_product_step *
ix_product_next(ilex_dtype a, ilex_dtype b, const ix_product_step *step)
{
    static const ix_product_step steps[] = {
#define IX_PRODUCT_STEP(a, b, acc, sign) {a, b, acc, sign},
#include "lib/ops/product.def"
    };
    for (step = step ? step + 1 : steps; step < steps + IX_COUNT(steps); step++)
        if ((step->a == RE || ix_dtype_is_complex(a)) &&
            (step->b == RE || ix_dtype_is_complex(b)))
            return step;
    return NULL;
}

/* The real or the imaginary part. */
static ix_value
part_of(ix_value v, bool imaginary)
{
    return (ix_value){.f = imaginary ? v.im : v.f};
}

ix_value
ix_product_add(ilex_dtype a, ilex_dtype b, ilex_dtype acc, const ix_value *x,
               ix_value sum)
{
    ilex_dtype part = ix_dtype_part(acc);
    const ix_product_step *s = NULL;
    while ((s = ix_product_next(a, b, s))) {
        ix_value args[3] = {part_of(x[0], s->a), part_of(x[1], s->b),
                            part_of(sum, s->acc)},
                 r;
        args[0].f = s->minus ? -args[0].f : args[0].f;
        ix_op_eval(IX_OP_FMA, part, args, &r);
        *(s->acc == IM ? &sum.im : &sum.f) = r.f;
    }
    return sum;
}
