/* SPDX-License-Identifier: MIT
 *
 * A program compiled ahead of time whose outputs have lengths that it counts:
 * room for the most, what was counted, what lies behind. calls.sh builds it.
 */
#include <stdio.h>
#include <string.h>

#include "peaks.h"
#include "rows.h"

enum { N = 4, M = 5 };

static const double h[N * M] = {1, 2, 1, 0, 3, /* two peaks above 2.5: */
                                0, 1, 5, 1, 0, /* (0, 4) and (1, 2) */
                                0, 0, 0, 0, 0, 2, 0, 0, 0, 1};
static int64_t row[N * M], column[N * M], counted;
static double height[N * M];
static char text[300];
static int bad;

static void
check(int good, const char *what)
{
    if (!good) {
        printf("%s; %s\n", what, text);
        bad++;
    }
}

static peaks_args
arguments(double level)
{
    peaks_args a;
    peaks_args_init(&a);
    for (int i = 0; i < N * M; i++)
        row[i] = column[i] = -7;
    counted = -1;
    a.n = N;
    a.m = M;
    a.h.data = h;
    a.level = level;
    a.row.data = row;
    a.column.data = column;
    a.height.data = height;
    a.c = &counted;
    a.error = text;
    a.error_bytes = sizeof text;
    return a;
}

/* n - 1 rows of up to n numbers: n*c - c, in which c is one number. */
static void
room_of_products(void)
{
    const double x[4] = {1, 5, 2, 7};
    int64_t y[12];
    rows_args a;
    rows_args_init(&a);
    a.n = 4;
    a.x.data = x;
    a.y.data = y;
    a.error = text;
    a.error_bytes = sizeof text;
    check(rows_query(&a) == 0 && a.y.shape[0] == 12, "the room of products");
    check(rows(&a) == 0 && y[0] == 0 && y[5] == 1, "places in rows");
}

int
main(void)
{
    room_of_products();
    peaks_args a = arguments(2.5);
    check(peaks_query(&a) == 0 && a.row.shape[0] == N * M, "a query");
    check(peaks(&a) == 0 && counted == 2 && row[0] == 0 && column[0] == 4 &&
              row[1] == 1 && column[1] == 2 && height[1] == 5.0,
          "two peaks");
    check(row[2] == -7 && column[2] == -7, "something lies behind");
    a.c = column + 3;
    check(peaks(&a) == PEAKS_E_OVERLAP &&
              strstr(text, "size c overlaps argument column"),
          "a count in an output");
    a = arguments(100.0);
    check(peaks(&a) == 0 && counted == 0 && row[0] == -7, "no peak");
    a = arguments(2.5);
    a.c = NULL;
    check(peaks(&a) == 0 && row[1] == 1, "nobody asks how many");
    a = arguments(2.5);
    a.row.shape[0] = N * M - 1;
    check(peaks(&a) == PEAKS_E_BINDING_SHAPE &&
              strstr(text, "needs room for 20, the most that may be counted"),
          "too little room");
    check(row[0] == -7 && counted == -1, "something is written in vain");
    a = arguments(2.5);
    a.workspace = text;
    a.workspace_bytes = 8;
    check(peaks(&a) == PEAKS_E_ARGUMENT, "too small a workspace");
    check(peaks_dense(N, M, h, 2.5, row, column, height, &counted) == 0 &&
              counted == 2,
          "the flat function");
    return bad != 0;
}
