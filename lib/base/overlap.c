/* SPDX-License-Identifier: MIT */
#include "lib/base/overlap.h"

#include "lib/base/prelude.h"

#define IX_SHARED
#include "lib/base/overlap.inc"
