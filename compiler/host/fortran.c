/* SPDX-License-Identifier: MIT
 *
 * NAME.f90: a module with a subroutine NAME over the function in C. Arrays are
 * assumed-shape dummies with the program's order of indices; their strides are
 * differences of addresses, so that sections go without copies.
 */
#include <ctype.h>
#include <stdio.h>

#include "compiler/host/host.h"
#include "lib/base/letter.h"
#include "lib/ops/dtype.h"

/* ---- names ---- */

/* Equal but for capitals, which Fortran does not tell apart? */
static bool
same_name(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Names that the subroutine has for itself, or calls. */
static bool
is_own_name(const ix_host *h, const char *name)
{
    static const char *const own[] = {"rc",   "status", "size",    "present",
                                      "call", "c_loc",  "c_ptr",   "c_int",
                                      "end",  "if",     "ilex_at", "transfer"};
    for (size_t i = 0; i < IX_COUNT(own); i++)
        if (same_name(own[i], name))
            return true;
    return same_name(h->prefix, name);
}

/* Writes a name in letters of ASCII, u3b1 for U+03B1, if there is room; how
 * many these are. */
static size_t
spell(const char *name, char *to)
{
    size_t length = 0, left = strlen(name), bytes;
    uint32_t code;
    char letters[12];
    for (; (bytes = ix_utf8(name, left, &code)) > 0 && left > 0;
         name += bytes, left -= bytes) {
        snprintf(letters, sizeof letters, code < 0x80 ? "%c" : "u%x", code);
        if (to)
            memcpy(to + length, letters, strlen(letters));
        length += strlen(letters);
    }
    return length;
}

size_t
ix_host_fortran_length(const char *name)
{
    return spell(name, NULL);
}

/* Makes the names of sizes and arguments ones that Fortran tells apart. */
static const char *
fortran_name(ix_host *h, const char *name, const char *const *before, size_t n)
{
    size_t length = spell(name, NULL);
    char *made = ix_arena_new(h->arena, length + n + 3);
    spell(name, made);
    for (bool again = true; again;) {
        again = is_own_name(h, made);
        for (size_t i = 0; i < n && !again; i++)
            again = before[i] && same_name(before[i], made);
        if (again)
            made[length++] = '_';
    }
    return made;
}

static void
make_names(ix_host *h)
{
    size_t n = 0, all = h->c->narguments + h->c->nsizes + h->c->ncounts;
    const char **before = ix_arena_new(h->arena, (all + 1) * sizeof *before);
    for (size_t i = 0; i < h->c->narguments; i++, n++)
        before[n] = h->argument[i] = fortran_name(h, h->argument[i], before, n);
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p]) {
            before[n] = h->size[p] = fortran_name(h, h->size[p], before, n);
            n++;
        }
    for (size_t i = 0; i < h->c->ncounts; i++, n++)
        before[n] = h->counted[i] = fortran_name(h, h->counted[i], before, n);
}

/* ---- types ---- */

static const char *
type_of(ilex_dtype dtype)
{
    static const char *const names[ILEX_NDTYPES] = {"logical(c_bool)",
                                                    "integer(c_int8_t)",
                                                    "integer(c_int16_t)",
                                                    "integer(c_int32_t)",
                                                    "integer(c_int64_t)",
                                                    "integer(c_int8_t)",
                                                    "integer(c_int16_t)",
                                                    "integer(c_int32_t)",
                                                    "integer(c_int64_t)",
                                                    "real(c_float)",
                                                    "real(c_double)",
                                                    "complex(c_float_complex)",
                                                    "complex(c_double_complex)",
                                                    "integer(c_int16_t)",
                                                    "integer(c_int16_t)"};
    return names[dtype];
}

static bool
is_value(const ix_host *h, size_t i)
{
    return h->c->buffer[i].rank == 0 && !ix_host_is_output(h, i);
}

/* The struct of an array, for each rank there is. */
static void
put_array_types(ix_host *h)
{
    for (int rank = 1; rank <= ILEX_MAX_RANK; rank++) {
        bool some = false;
        for (size_t i = 0; i < h->c->narguments; i++)
            some |= h->c->buffer[i].rank == rank;
        if (some)
            ix_text_format(
                h->t,
                "  type, bind(c) :: ilex_array%d\n"
                "    type(c_ptr) :: data\n"
                "    integer(c_int32_t) :: flags\n"
                "    integer(c_int64_t) :: shape(%d), stride(%d), origin(%d)\n"
                "    integer(c_int64_t) :: halo(2, %d)\n"
                "  end type ilex_array%d\n\n",
                rank, rank, rank, rank, rank, rank);
    }
}

static void
put_struct(ix_host *h)
{
    ix_text_put(h->t, "  type, bind(c) :: ilex_args\n"
                      "    integer(c_size_t) :: ilex_size\n"
                      "    integer(c_int32_t) :: ilex_abi\n");
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p])
            ix_text_format(h->t, "    integer(c_int64_t) :: %s\n", h->size[p]);
    for (size_t i = 0; i < h->c->narguments; i++) {
        const ix_compiled_buffer *b = &h->c->buffer[i];
        if (is_value(h, i))
            ix_text_format(h->t, "    %s :: %s\n", type_of(b->dtype),
                           h->argument[i]);
        else if (b->rank == 0)
            ix_text_format(h->t, "    type(c_ptr) :: %s\n", h->argument[i]);
        else
            ix_text_format(h->t, "    type(ilex_array%d) :: %s\n", b->rank,
                           h->argument[i]);
    }
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, "    type(c_ptr) :: %s\n", h->counted[i]);
    ix_text_put(h->t, "    type(c_ptr) :: ilex_workspace\n"
                      "    integer(c_size_t) :: ilex_workspace_bytes\n"
                      "    type(c_funptr) :: ilex_parallel_for\n"
                      "    type(c_ptr) :: ilex_user\n"
                      "    integer(c_int32_t) :: ilex_parts\n"
                      "    type(c_ptr) :: ilex_error\n"
                      "    integer(c_size_t) :: ilex_error_bytes\n"
                      "  end type ilex_args\n\n");
}

/* What functions that the program calls are given, for those in Fortran. */
static void
put_calls(ix_host *h)
{
    ix_text_format(
        h->t,
        "  ! Functions that the program calls are what %s.h says; in Fortran\n"
        "  !\n"
        "  !     function %s(call) result(rc) bind(c)\n"
        "  !       type(%s_call), intent(in) :: call\n"
        "  !       integer(c_int) :: rc\n"
        "  !\n"
        "  ! with arguments and results by c_f_pointer(call%%argument, a, "
        "[n]),\n"
        "  ! shape, stride and lower of each by c_f_pointer(a(1)%%shape, s, "
        "[rank]).\n"
        "  type, bind(c), public :: %s_array\n"
        "    type(c_ptr) :: data\n"
        "    integer(c_int) :: dtype, rank\n"
        "    type(c_ptr) :: shape, stride, lower\n"
        "  end type %s_array\n\n"
        "  type, bind(c), public :: %s_call\n"
        "    integer(c_size_t) :: size, argument_count, result_count\n"
        "    type(c_ptr) :: argument, result, user, error\n"
        "    integer(c_size_t) :: error_bytes\n"
        "    integer(c_int) :: device\n"
        "    type(c_ptr) :: stream\n"
        "  end type %s_call\n\n",
        h->prefix, h->c->call[0].name, h->prefix, h->prefix, h->prefix,
        h->prefix, h->prefix);
}

/* ---- the subroutine ---- */

static void
put_header(ix_host *h)
{
    const char *comma = "";
    ix_text_format(h->t, "  subroutine %s(", h->prefix);
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < h->c->narguments; i++)
            if (ix_host_is_output(h, i) == output) {
                ix_text_format(h->t, "%s&\n      %s", comma, h->argument[i]);
                comma = ", ";
            }
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p])
            ix_text_format(h->t, ", &\n      %s", h->size[p]);
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, ", &\n      %s", h->counted[i]);
    ix_text_put(h->t, ", &\n      status)\n");
}

static void
put_dummy(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    const char *intent = !ix_host_is_output(h, i) ? "in"
                         : b->rank                ? "inout"
                                                  : "out";
    ix_text_format(h->t, "    %s, intent(%s)%s :: %s", type_of(b->dtype),
                   intent, is_value(h, i) ? "" : ", target", h->argument[i]);
    for (int k = 0; k < b->rank; k++)
        ix_text_put(h->t, k ? ", :" : "(:");
    ix_text_put(h->t, b->rank ? ")\n" : "\n");
}

/* "u(1, 2, 1)": the second element along axis "k", -1: the first one. */
static void
put_element(ix_host *h, size_t i, int k)
{
    ix_text_put(h->t, h->argument[i]);
    for (int j = 0; j < h->c->buffer[i].rank; j++)
        ix_text_format(h->t, "%s%d", j ? ", " : "(", j == k ? 2 : 1);
    ix_text_char(h->t, ')');
}

static void
put_array(ix_host *h, size_t i)
{
    const ix_compiled_buffer *b = &h->c->buffer[i];
    const char *name = h->argument[i];
    ix_text_format(h->t,
                   "    args%%%s%%flags = 1\n"
                   "    args%%%s%%stride = 1\n"
                   "    args%%%s%%shape = shape(%s, c_int64_t)\n"
                   "    if (size(%s) > 0) args%%%s%%data = c_loc(",
                   name, name, name, name, name, name);
    put_element(h, i, -1);
    ix_text_put(h->t, ")\n");
    for (int k = 0; k < b->rank; k++) {
        ix_text_format(h->t,
                       "    if (size(%s) > 0 .and. size(%s, %d) > 1) &\n"
                       "      args%%%s%%stride(%d) = (ilex_at(c_loc(",
                       name, name, k + 1, name, k + 1);
        put_element(h, i, k);
        ix_text_put(h->t, ")) - ilex_at(c_loc(");
        put_element(h, i, -1);
        ix_text_format(h->t, ")))/%d\n", (int)ilex_dtype_bytes(b->dtype));
    }
}

static void
put_body(ix_host *h)
{
    ix_text_put(h->t, "    type(ilex_args) :: args\n"
                      "    integer(c_int) :: rc\n"
                      "    call ilex_init(args)\n");
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p])
            ix_text_format(h->t, "    if (present(%s)) args%%%s = %s\n",
                           h->size[p], h->size[p], h->size[p]);
    for (size_t i = 0; i < h->c->narguments; i++)
        if (is_value(h, i))
            ix_text_format(h->t, "    args%%%s = %s\n", h->argument[i],
                           h->argument[i]);
        else if (h->c->buffer[i].rank == 0)
            ix_text_format(h->t, "    args%%%s = c_loc(%s)\n", h->argument[i],
                           h->argument[i]);
        else
            put_array(h, i);
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t, "    if (present(%s)) args%%%s = c_loc(%s)\n",
                       h->counted[i], h->counted[i], h->counted[i]);
    ix_text_format(h->t,
                   "    rc = ilex_run(args)\n"
                   "    if (present(status)) then\n"
                   "      status = rc\n"
                   "    else if (rc /= 0) then\n"
                   "      error stop \"%s: wrong arguments; ask for status\"\n"
                   "    end if\n"
                   "  end subroutine %s\n",
                   h->prefix, h->prefix);
}

static void
put_subroutine(ix_host *h)
{
    put_header(h);
    for (size_t i = 0; i < h->c->narguments; i++)
        put_dummy(h, i);
    for (size_t p = 0; p < h->c->nsizes; p++)
        if (h->size[p])
            ix_text_format(h->t,
                           "    integer(c_int64_t), intent(in), optional :: "
                           "%s\n",
                           h->size[p]);
    for (size_t i = 0; i < h->c->ncounts; i++)
        ix_text_format(h->t,
                       "    integer(c_int64_t), intent(out), optional, target "
                       ":: %s\n",
                       h->counted[i]);
    ix_text_put(h->t, "    integer, intent(out), optional :: status\n");
    put_body(h);
}

/* ---- the module ---- */

/* Where a line of "length" is broken: at a blank, if it is longer than Fortran
 * reads; else at its end. */
static size_t
break_of(const char *line, size_t length)
{
    enum { COLUMNS = 132 };
    size_t at = COLUMNS - 2;
    if (length <= COLUMNS || line[strspn(line, " ")] == '!')
        return length;
    while (at > 0 && line[at] != ' ')
        at--;
    return at ? at : length;
}

/* Names may be long, and stand in a line several times. */
static void
put_lines(ix_host *h, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n"), at = break_of(text, length);
        ix_text_put_n(h->t, text, at);
        text += at;
        ix_text_put(h->t, at < length ? " &\n       " : "");
        if (at == length && *text++)
            ix_text_char(h->t, '\n');
    }
}

static void
put_interfaces(ix_host *h)
{
    ix_text_format(h->t,
                   "  interface\n"
                   "    subroutine ilex_init(args) bind(c, "
                   "name=\"%s_args_init\")\n"
                   "      import :: ilex_args\n"
                   "      type(ilex_args), intent(out) :: args\n"
                   "    end subroutine ilex_init\n"
                   "    function ilex_run(args) result(rc) bind(c, "
                   "name=\"%s\")\n"
                   "      import :: ilex_args, c_int\n"
                   "      type(ilex_args), intent(in) :: args\n"
                   "      integer(c_int) :: rc\n"
                   "    end function ilex_run\n"
                   "  end interface\n\n",
                   h->prefix, h->prefix);
}

static void
put_module(ix_host *h)
{
    ix_text_format(
        h->t,
        "! %s.f90: program %s for Fortran, over %s.c, by Ilex %s.\n"
        "!\n"
        "! Arrays hold their interior with the halo, as %s.h says of dense\n"
        "! ones, indices in the program's order; sizes follow from shapes. "
        "%s"
        "The\n"
        "! numbers of status are those of enum %s_error; 0: success.\n"
        "module %s_module\n"
        "  use, intrinsic :: iso_c_binding\n"
        "  implicit none\n"
        "  private\n"
        "  public :: %s\n\n",
        h->prefix, h->c->name, h->prefix, ilex_version(), h->prefix,
        h->c->ncounts ? "Outputs\n! of lengths that are counted have room for "
                        "the most there may be. "
                      : "",
        h->prefix, h->prefix, h->prefix);
    if (h->c->ncalls > h->c->nroutines)
        put_calls(h);
    put_array_types(h);
    put_struct(h);
    put_interfaces(h);
    ix_text_put(h->t, "contains\n\n"
                      "  ! An address as a number.\n"
                      "  pure function ilex_at(p) result(at)\n"
                      "    type(c_ptr), intent(in) :: p\n"
                      "    integer(c_int64_t) :: at\n"
                      "    at = transfer(p, at)\n"
                      "  end function ilex_at\n\n");
    put_subroutine(h);
    ix_text_format(h->t, "end module %s_module\n", h->prefix);
}

void
ix_host_put_fortran(ix_host *h)
{
    ix_text draft, *t = h->t;
    ix_mem mem = ix_arena_mem(h->arena);
    ix_text_init(&draft, &mem);
    make_names(h);
    h->t = &draft;
    put_module(h);
    h->t = t;
    put_lines(h, ix_text_string(&draft));
}
