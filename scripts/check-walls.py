#!/usr/bin/env python3
"""Check who includes whom, and that no source grows out of its room.

usage: check-walls.py [ROOT]

ROOT (the source tree by default) holds tally/. Every '#include "tally/..."'
of a source must lead to a folder that WALLS grants the source's own folder,
and folders without MLIR include no header of MLIR. Tests are exempt from the
folder rules: they may bring a judge and what it judges together. Sources over
LINE_LIMIT lines are refused.
"""

import pathlib
import re
import sys

LINE_LIMIT = 500
SOURCES = (".h", ".cpp", ".c", ".td")
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]', re.MULTILINE)

EVERYONE = {"support", "machine", "quant"}
WITNESS = EVERYONE | {"emit/isa", "emit/encode"}

# folder: what it may include beside itself, folders or single headers. The
# longest matching folder counts; a folder not listed may include anything.
WALLS = {
    "support": set(),
    "machine": {"support"},
    "quant": {"support"},
    "model": {"support"},
    "plan": EVERYONE,
    "emit/isa": EVERYONE,
    "emit/encode": EVERYONE | {"emit/isa"},
    "emit/program": WITNESS,
    "emit/asm": WITNESS | {"emit/program"},
    "emit/routine": WITNESS | {"plan/registers"},
    "emit/stream": WITNESS | {"emit/routine"},
    # Executors and checkers share the instruction table, the decoder that
    # follows from it, and the program file with the emitter, and nothing else.
    "run": WITNESS | {"emit/program", "emit/asm/Text.h"},
    "report": EVERYONE | {"model", "plan"},
    # Each operator carries its exact meaning, so these three are one house.
    # Exact arithmetic is eval's own: it judges quant and may not use it.
    "graph": EVERYONE | {"model", "ops", "eval"},
    "ops": EVERYONE | {"graph", "eval"},
    # What it may use of quant is a definition, not arithmetic to judge.
    "eval": {
        "support", "machine", "model", "graph", "ops",
        "quant/pinned", "quant/NativeMath.h",
    },
    "rewrite": EVERYONE | {"graph", "ops"},
    # Of eval only its tensor.
    "schedule": EVERYONE | {"graph", "ops", "eval", "emit/isa", "plan"},
    "emit/lower": WITNESS | {
        "emit/encode", "emit/program", "emit/routine", "emit/stream", "graph",
        "ops", "eval", "schedule",
    },
    # Of eval only its tensor, the host's view of data.
    "runtime": {"support", "eval"},
}

WITHOUT_MLIR = (
    "support", "machine", "quant", "model", "plan", "emit/isa", "emit/encode",
    "emit/program", "emit/asm", "emit/routine", "emit/stream", "run", "report",
    "runtime",
)  # fmt: skip


def within(path, folder):
    return path == folder or path.startswith(folder + "/")


def wall_of(folder):
    """The longest entry of WALLS that `folder` lies in, or None."""
    entries = [entry for entry in WALLS if within(folder, entry)]
    return max(entries, key=len, default=None)


def is_test(path):
    return path.stem.endswith(("Test", "Fuzz")) or path.stem.startswith("Test")


def broken_walls(path, folder, text):
    """Complaints about the includes of one source in `folder`."""
    wall = wall_of(folder)
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        line = text.count("\n", 0, match.start(1)) + 1
        where = f"{path}:{line}: "
        if target.startswith("mlir/"):
            if any(within(folder, plain) for plain in WITHOUT_MLIR):
                yield f"{where}tally/{folder} works without MLIR [WALL-MLIR]"
            continue
        if wall is None or is_test(path) or not target.startswith("tally/"):
            continue
        allowed = WALLS[wall] | {wall}
        inner = target.removeprefix("tally/")
        if not any(within(inner, entry) for entry in allowed):
            yield (
                f"{where}tally/{wall} may not include {target}; it may include "
                f"{', '.join(sorted(allowed))} [WALL-FOLDER]"
            )


def complaints(root):
    for path in sorted((root / "tally").rglob("*")):
        if path.suffix not in SOURCES or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        folder = path.parent.relative_to(root / "tally").as_posix()
        yield from broken_walls(path.relative_to(root), folder, text)
        lines = text.count("\n")
        if lines > LINE_LIMIT:
            yield (
                f"{path.relative_to(root)}: {lines} lines, the limit is "
                f"{LINE_LIMIT}; split it by topic [WALL-LENGTH]"
            )


def main(arguments):
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(arguments[0]) if arguments else here
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    print(f"walls: {len(found)} broken")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
