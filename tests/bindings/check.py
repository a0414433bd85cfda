# SPDX-License-Identifier: MIT
"""Prints a C program that compiles if the compiler finds in ilex.h what
ilex-api.json says: sizes, offsets, types of members, values, types of functions.

    python3 check.py ilex-api.json >check.c
"""

import json
import re
import sys

with open(sys.argv[1]) as f:
    api = json.load(f)


def check(what, message):
    print(f'_Static_assert({what}, "{message}");')


def named(kind, name):
    """A declaration of `name` with a type as the JSON spells it."""
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})", 1)
    at = re.search(r"\[|$", kind).start()
    return f"{kind[:at]} {name}{kind[at:]}"


print("#include <ilex.h>\n")
for name, value in api["constants"].items():
    check(f"{name} == {value}", name)
for enum, values in api["enums"].items():
    check(f"sizeof({enum}) == 4", enum)
    for name, value in values.items():
        check(f"{name} == {value}", name)
for struct, s in api["structs"].items():
    check(f"sizeof({struct}) == {s['size']}", struct)
    check(f"_Alignof({struct}) == {s['align']}", struct)
    for i, f in enumerate(s["fields"]):
        member = f"{struct}.{f['name']}"
        check(f"offsetof({struct}, {f['name']}) == {f['offset']}", member)
        check(f"sizeof((({struct} *)0)->{f['name']}) == {f['size']}", member)
        print(f"typedef {named(f['type'], f'{struct}_{i}_t')};")
        check(f"_Generic(&(({struct} *)0)->{f['name']}, "
              f"{struct}_{i}_t *: 1, default: 0)", member)
for name, kind in api["callbacks"].items():
    print(f"typedef {named(kind, name + '_t')};")
    check(f"_Generic(({name})0, {name}_t: 1, default: 0)", name)
for name, f in api["functions"].items():
    takes = [p["type"] for p in f["parameters"]]
    takes += ["..."] if f.get("variadic") else []
    check(f"_Generic(&{name}, {f['returns']} (*)({', '.join(takes) or 'void'}): "
          "1, default: 0)", name)
print("int main(void) { return 0; }")
