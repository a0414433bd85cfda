/* SPDX-License-Identifier: MIT
 *
 * Ilex: lazy array expressions, compiled. This header includes all others.
 */
#ifndef ILEX_H
#define ILEX_H

#include "ilex/base.h"
#include "ilex/domain.h"
#include "ilex/eager.h"
#include "ilex/elementwise.h"
#include "ilex/exchange.h"
#include "ilex/expr.h"
#include "ilex/function.h"
#include "ilex/graph.h"
#include "ilex/group.h"
#include "ilex/library.h"
#include "ilex/program.h"
#include "ilex/query.h"
#include "ilex/repro.h"
#include "ilex/storage.h"

#endif
