#!/usr/bin/env python3
"""Turn the synchronization planner's benchmark into figures and a picture.

usage: sync-growth.py RESULTS.json [--root ROOT]

RESULTS.json is what

    tally-bench-sync --benchmark_out=RESULTS.json --benchmark_out_format=json

writes. The table between the two "sync-growth" marks of docs/performance.md is
replaced, and docs/sync-growth.svg drawn: processor time and added memory over
the number of operations, both scales logarithmic, with a dotted line of slope 1.
"""

import argparse
import json
import math
import pathlib
import re

COLORS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2",
          "#7f7f7f"]  # fmt: skip
WIDTH, HEIGHT, MARGIN = 420, 300, 50
MARK = "<!-- sync-growth -->"


def read_series(results):
    """{case: [(operations, seconds, megabytes, needed)]} by operations."""
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    series = {}
    for run in results["benchmarks"]:
        if run.get("run_type") == "aggregate" or run.get("error_occurred"):
            continue
        case, size = run["name"].split("/")[:2]
        seconds = run["cpu_time"] * unit[run["time_unit"]]
        row = (int(size), seconds, run.get("solveMB"), run.get("needed"))
        series.setdefault(case, []).append(row)
    return {case: sorted(rows) for case, rows in series.items()}


def seconds_text(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def table(series):
    lines = ["| case | operations | processor time | added memory | registers |",
             "| --- | --- | --- | --- | --- |"]  # fmt: skip
    for case, rows in series.items():
        for size, seconds, memory, needed in rows:
            memory_text = "" if memory is None else f"{memory:.0f} MB"
            needed_text = "" if needed is None else f"{needed:.0f}"
            lines.append(
                f"| {case} | {size:,} | {seconds_text(seconds)} "
                f"| {memory_text} | {needed_text} |"
            )
    return "\n".join(lines)


class Axis:
    """Places values of a logarithmic scale, whole decades, on a length."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = math.ceil(math.log10(max(values)))
        self.start, self.end = start, end

    def place(self, value):
        part = (math.log10(value) - self.low) / max(1, self.high - self.low)
        return self.start + part * (self.end - self.start)

    def decades(self):
        return [10.0**power for power in range(self.low, self.high + 1)]


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def line(points, color, extra=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}"{extra}/>'


def grid(across, up, left, title):
    parts = [text(left + WIDTH / 2, 20, title)]
    for value in across.decades():
        x = across.place(value)
        parts.append(line([(x, up.start), (x, up.end)], "#ddd"))
        parts.append(text(x, up.start + 16, f"{value:,.0f}"))
    for value in up.decades():
        y = up.place(value)
        parts.append(line([(across.start, y), (across.end, y)], "#ddd"))
        parts.append(text(across.start - 4, y + 4, f"{value:g}", "end"))
    return parts


def slope(across, up):
    """A line of slope 1 from the lower left corner, as far as both go."""
    decades = min(across.high - across.low, up.high - up.low)
    first = (10.0**across.low, 10.0**up.low)
    last = (first[0] * 10**decades, first[1] * 10**decades)
    points = [(across.place(x), up.place(y)) for x, y in (first, last)]
    return line(points, "#888", ' stroke-dasharray="2 4"')


def panel(curves, left, title):
    """`curves`: {case: [(operations, value)]}."""
    points = [point for rows in curves.values() for point in rows]
    across = Axis([x for x, _ in points], left + MARGIN, left + WIDTH)
    up = Axis([y for _, y in points], HEIGHT - MARGIN, 30)
    parts = grid(across, up, left, title) + [slope(across, up)]
    for index, (case, rows) in enumerate(curves.items()):
        color = COLORS[index % len(COLORS)]
        placed = [(across.place(x), up.place(y)) for x, y in rows]
        parts.append(line(placed, color, ' stroke-width="2"'))
        y = 44 + 14 * index
        parts.append(
            f'<g fill="{color}">'
            + text(left + MARGIN + 8, y, case, "start")
            + "</g>"
        )
    return parts


def picture(series):
    times = {
        case: [(size, seconds) for size, seconds, _, _ in rows]
        for case, rows in series.items()
    }
    memory = {
        case: [(size, used) for size, _, used, _ in rows if used and used >= 0.5]
        for case, rows in series.items()
    }
    memory = {case: rows for case, rows in memory.items() if rows}
    parts = panel(times, 0, "processor time in seconds, by operations")
    parts += panel(memory, WIDTH + 20, "added memory in MB, by operations")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH + 40}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="11">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", type=pathlib.Path)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=pathlib.Path, default=root)
    arguments = parser.parse_args()
    series = read_series(json.loads(arguments.results.read_text()))
    page = arguments.root / "docs/performance.md"
    pattern = re.compile(f"({MARK}\n).*?({MARK}\n)", re.DOTALL)
    content, count = pattern.subn(
        lambda match: f"{match[1]}{table(series)}\n{match[2]}", page.read_text()
    )
    if count != 1:
        raise SystemExit(f"{page}: the two lines '{MARK}' are missing")
    page.write_text(content)
    (arguments.root / "docs/sync-growth.svg").write_text(picture(series))


if __name__ == "__main__":
    main()
