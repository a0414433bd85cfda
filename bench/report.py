#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Reports on results of bench/bench and bench/peers.py, the files that the
# README describes: joins several into one, and writes a table, a roofline as
# SVG, and the section of a page between two marker lines.
#
#     report.py [-o JOINED.json] [-s ROOFLINE.svg] [-d PAGE.md] FILE.json ...
#
# Limits and machine are those of the first file. Without -d the table goes to
# standard output.
import argparse
import json
import math
import sys

SCHEMA = "ilex-bench 1"


# ---- reading and joining ----

def read(path):
    """The results in a file; ends with a message where they are not."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {path}: {error}")
    if not isinstance(results, dict) or results.get("schema") != SCHEMA:
        sys.exit(f'report.py: {path}: its "schema" is not "{SCHEMA}"')
    return results


def join(files):
    """All variants of all files at the kernels and sizes of the first one.

    C is timed in each file, as what its ratios are to; that of the first is
    kept.
    """
    joined = files[0]
    at = {(k["kernel"], k["size"]): k for k in joined["kernels"]}
    for results in files[1:]:
        for kernel in results["kernels"]:
            place = at.get((kernel["kernel"], kernel["size"]))
            if place is None:
                sys.exit(f"report.py: {kernel['kernel']} {kernel['size']} is "
                         "not in the first file")
            place["variants"] += [v for v in kernel["variants"]
                                  if v["by"] != "C"]
    return joined


# ---- limits ----

def threads_of(results, variant):
    return 1 if variant["threads"] == 1 else results["machine"]["processors"]


def rate(results, place, threads):
    """The best median of the limits in a set, 0 if there is none."""
    return max((m["rate"]["median"] for m in results["limits"]
                if m["set"] == place and m["threads"] == threads), default=0)


def traffic(kernel):
    return kernel["read"] + kernel["written"]


def place_of(results, kernel):
    fits = traffic(kernel) <= results["machine"]["cache_bytes"]
    return "cache" if fits else "memory"


def limit(results, kernel, threads):
    """Seconds that the kernel takes at the limit that bounds it."""
    return max(traffic(kernel) / rate(results, place_of(results, kernel),
                                      threads),
               kernel["operations"] / rate(results, "registers", threads))


# ---- tables ----

def columns_of(results):
    """The variants that any kernel has, in the order of the file."""
    found = {}
    for kernel in results["kernels"]:
        for v in kernel["variants"]:
            found[v["by"], v["threads"]] = None
    return list(found)


def variant_of(kernel, column):
    for v in kernel["variants"]:
        if (v["by"], v["threads"]) == column:
            return v
    return None


def title(column):
    by, threads = column
    return by if by == "C" else f"{by}, {threads}"


def lines(results, cell, skip=()):
    """Rows of a table of the kernels: a text for each variant."""
    columns = [c for c in columns_of(results) if c not in skip]
    yield ["kernel", "size"] + [title(c) for c in columns]
    for kernel in results["kernels"]:
        found = [variant_of(kernel, c) for c in columns]
        yield ([kernel["kernel"], kernel["size"]] +
               [cell(results, kernel, v) if v else "-" for v in found])


def digits(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def ratio_cell(_results, _kernel, v):
    r = v["ratio"]
    return f"{digits(r['median'])} ({digits(r['low'])}-{digits(r['high'])})"


def share_cell(results, kernel, v):
    least = limit(results, kernel, threads_of(results, v))
    return f"{100 * least / v['seconds']['median']:.0f}"


def speed_lines(results):
    """What bounds each kernel, and what plain C and the default reach."""
    yield ["kernel", "size", "bytes", "operations", "limit", "C GB/s",
           "C GFLOP/s", "default GB/s", "default GFLOP/s"]
    for kernel in results["kernels"]:
        row = [kernel["kernel"], kernel["size"],
               f"{traffic(kernel):.3g}", f"{kernel['operations']:.3g}"]
        work = kernel["operations"] / rate(results, "registers", 1)
        bound = limit(results, kernel, 1) <= work
        row.append("multiply-add" if bound else place_of(results, kernel))
        for column in (("C", 1), ("default", "auto")):
            v = variant_of(kernel, column)
            seconds = v["seconds"]["median"] if v else math.inf
            row += [digits(traffic(kernel) / seconds / 1e9),
                    digits(kernel["operations"] / seconds / 1e9)]
        yield row


def limit_lines(results):
    yield ["limit", "in", "threads", "median", "low", "high", "unit"]
    for m in results["limits"]:
        unit = "GFLOP/s" if m["set"] == "registers" else "GB/s"
        yield ([m["name"], m["set"], str(m["threads"])] +
               [digits(m["rate"][k] / 1e9) for k in ("median", "low", "high")] +
               [unit])


def as_text(rows):
    rows = list(rows)
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "".join("  ".join(t.ljust(w) for t, w in zip(r, widths)).rstrip() +
                   "\n" for r in rows)


def as_markdown(rows):
    rows = list(rows)
    rule = "|" + "---|" * len(rows[0])
    text = ["| " + " | ".join(r) + " |" for r in rows]
    return "\n".join([text[0], rule] + text[1:]) + "\n"


def means(results):
    """Geometric means of the ratios to C, over the kernels each one has."""
    yield ["by", "threads", "kernels and sizes", "time over C"]
    for by, threads in columns_of(results):
        found = [variant_of(k, (by, threads)) for k in results["kernels"]]
        logs = [math.log(v["ratio"]["median"]) for v in found if v]
        yield [by, str(threads), str(len(logs)),
               f"{math.exp(sum(logs) / len(logs)):.2f}"]


C = (("C", 1),)
TABLES = (("What the machine can do", limit_lines),
          ("Time over that of plain C on one thread, medians (least-largest)",
           lambda r: lines(r, ratio_cell, C)),
          ("The same, geometric means of the medians", means),
          ("Share of the limit, %", lambda r: lines(r, share_cell)),
          ("Bytes and operations by the program's counts, and what is reached",
           speed_lines))


def machine_line(results):
    m = results["machine"]
    peers = ", ".join(results.get("versions", []))
    return (f"{m['processor']}, {m['processors']} processors, {m['date']}, "
            f"load {m['load']:.2f} when it began, {results['rounds']} rounds"
            + (f"; {peers}" if peers else "") + ".\n")


# ---- the page ----

def write_page(path, results):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# Figures\n\n{machine_line(results)}")
        for name, rows in TABLES:
            file.write(f"\n**{name}**\n\n{as_markdown(rows(results))}")


# ---- the roofline ----

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 520, 70, 30, 60
RIGHT = 190  # for the legend
COLOURS = ("#444444", "#0060c0", "#c04000", "#008040", "#8040a0", "#a08000")


class Scale:
    """Logarithmic axes from data to points of the drawing."""

    def __init__(self, xs, ys):
        self.x = self.decades(xs)
        self.y = self.decades(ys)

    @staticmethod
    def decades(values):
        low = math.floor(math.log10(min(values)))
        return low, max(math.ceil(math.log10(max(values))), low + 1)

    def at(self, x, y):
        u = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        v = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return (LEFT + u * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - v * (HEIGHT - TOP - BOTTOM))


def text(x, y, words, anchor="start", size=12, fill="#000"):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}" fill="{fill}">{words}</text>')


def line(a, b, colour, width=1, dash=""):
    return (f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" '
            f'y2="{b[1]:.1f}" stroke="{colour}" stroke-width="{width}"'
            + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")


def draw_axes(scale):
    (x0, x1), (y0, y1) = scale.x, scale.y
    out = []
    for e in range(x0, x1 + 1):
        a, b = scale.at(10.0 ** e, 10.0 ** y0), scale.at(10.0 ** e, 10.0 ** y1)
        out += [line(a, b, "#ddd"), text(a[0], a[1] + 18, f"{10.0 ** e:g}",
                                         "middle")]
    for e in range(y0, y1 + 1):
        a, b = scale.at(10.0 ** x0, 10.0 ** e), scale.at(10.0 ** x1, 10.0 ** e)
        out += [line(a, b, "#ddd"), text(a[0] - 8, a[1] + 4, f"{10.0 ** e:g}",
                                         "end")]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return out + [text(middle, HEIGHT - 18, "operations a byte", "middle"),
                  text(8, 18, "GFLOP/s")]


def draw_roofs(results, scale):
    """A slope and a flat for each number of threads and set."""
    left, right = 10.0 ** scale.x[0], 10.0 ** scale.x[1]
    out = []
    for threads in sorted({m["threads"] for m in results["limits"]}):
        dash = "" if threads == 1 else "6 3"
        peak = rate(results, "registers", threads) / 1e9
        for place, colour in (("memory", "#a00"), ("cache", "#888")):
            slope = rate(results, place, threads) / 1e9
            knee = min(max(peak / slope, left), right)
            begin = max(left, 10.0 ** scale.y[0] / slope)
            out += [line(scale.at(begin, slope * begin),
                         scale.at(knee, slope * knee), colour, 1.5, dash),
                    line(scale.at(knee, peak), scale.at(right, peak), colour,
                         1.5, dash)]
    return out


def points_of(results, column):
    """Intensity, GFLOP/s and name at each kernel with operations."""
    for kernel in results["kernels"]:
        v = variant_of(kernel, column)
        if v and kernel["operations"] > 0:
            yield (kernel["operations"] / traffic(kernel),
                   kernel["operations"] / v["seconds"]["median"] / 1e9,
                   f"{kernel['kernel']} {kernel['size']}, {title(column)}",
                   place_of(results, kernel))


def draw_points(results, scale, shown):
    out = []
    for number, column in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        for x, y, name, place in points_of(results, column):
            px, py = scale.at(x, y)
            fill = colour if place == "memory" else "none"
            out.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" '
                       f'fill="{fill}" stroke="{colour}">'
                       f"<title>{name}: {digits(y)} GFLOP/s</title></circle>")
    return out


def draw_names(results, scale, shown):
    """The kernels' names above their best points, each once, none on another."""
    best = {}
    for column in shown:
        for x, y, name, _ in points_of(results, column):
            kernel = name.split()[0]
            if y > best.get(kernel, (0, 0))[1]:
                best[kernel] = (x, y)
    out, taken = [], []
    for kernel, (x, y) in sorted(best.items(), key=lambda b: b[1][1]):
        px, py = scale.at(x, y)
        py -= 8
        while any(abs(px - a) < 55 and abs(py - b) < 11 for a, b in taken):
            py -= 11
        taken.append((px, py))
        out.append(text(px, py, kernel, "middle", 10))
    return out


def draw_legend(shown):
    x, out = WIDTH - RIGHT + 15, []
    for number, column in enumerate(shown):
        y = TOP + 18 * number
        out += [f'<circle cx="{x}" cy="{y}" r="4" '
                f'fill="{COLOURS[number % len(COLOURS)]}"/>',
                text(x + 12, y + 4, title(column))]
    y = TOP + 18 * len(shown) + 12
    for words in ("filled: from memory", "hollow: from the cache",
                  "red roof: memory", "grey roof: cache",
                  "dashed: all processors"):
        out.append(text(x - 4, y, words, size=11, fill="#555"))
        y += 16
    return out


def write_roofline(path, results):
    shown = [c for c in columns_of(results) if c in
             (("C", 1), ("default", 1), ("default", "auto"), ("tcc", 1))]
    shown += [c for c in columns_of(results) if c[0] == "NumPy"]
    points = [p for c in shown for p in points_of(results, c)]
    if not points:
        sys.exit("report.py: no kernel has operations, so no roofline")
    peaks = [m["rate"]["median"] / 1e9 for m in results["limits"]
             if m["set"] == "registers"]
    scale = Scale([p[0] for p in points], [p[1] for p in points] + peaks)
    parts = (draw_axes(scale) + draw_roofs(results, scale) +
             draw_points(results, scale, shown) +
             draw_names(results, scale, shown) + draw_legend(shown))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
                   f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
                   'font-family="sans-serif">\n'
                   '<rect width="100%" height="100%" fill="#fff"/>\n'
                   + "\n".join(parts) + "\n</svg>\n")


# ---- the command ----

def main():
    parser = argparse.ArgumentParser(description="Reports on benchmarks.")
    parser.add_argument("-o", metavar="JSON", help="the joined results")
    parser.add_argument("-s", metavar="SVG", help="a roofline")
    parser.add_argument("-d", metavar="PAGE", help="a page with the tables")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    files = [read(path) for path in options.file]
    results = join(files)
    results["versions"] = [v for f in files for v in f.get("versions", [])]
    if options.o:
        with open(options.o, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
    if options.s:
        write_roofline(options.s, results)
    if options.d:
        write_page(options.d, results)
    else:
        for name, rows in TABLES:
            print(f"{name}\n\n{as_text(rows(results))}")


if __name__ == "__main__":
    main()
