// SPDX-License-Identifier: MIT
//
// Every public header compiles as C++ and its functions link; the list is
// complete, as tests/layering.sh checks.
#include <ilex.h>
#include <ilex/base.h>
#include <ilex/dlpack.h>
#include <ilex/domain.h>
#include <ilex/eager.h>
#include <ilex/elementwise.h>
#include <ilex/exchange.h>
#include <ilex/expr.h>
#include <ilex/function.h>
#include <ilex/graph.h>
#include <ilex/group.h>
#include <ilex/kinds.h>
#include <ilex/library.h>
#include <ilex/memory.h>
#include <ilex/program.h>
#include <ilex/query.h>
#include <ilex/repro.h>
#include <ilex/storage.h>

int main()
{
    return 0;
}
