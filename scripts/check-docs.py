#!/usr/bin/env python3
"""Check that the documents say what is there.

usage: check-docs.py [--tally PATH] [--root ROOT]

In every Markdown file of ROOT (the source tree by default):

* a relative link leads to a file, and its #anchor to a heading of it;
* a path in backquotes that starts with a folder of the tree exists (a name
  with a * is a pattern that something matches);
* a block after <!-- from FILE --> stands in FILE, line by line.

With --tally, blocks of commands are run as well, each page in a scratch folder
of its own, where `models` is the tree's and the command is the one given:

* a block after <!-- runs --> ends with status 0 (<!-- fails N -->: N);
* a block after <!-- prints --> is what the last such block printed. Numbers
  may differ, and "..." stands for anything, also for lines left out.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = ("cmake", "docs", "models", "scripts", "tally", "tally-c", "tests",
           "tools")  # fmt: skip
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:%s)/[\w./*-]+)`" % "|".join(FOLDERS))
BLOCK = re.compile(r"<!-- (from|runs|fails|prints)\s*(\S*) -->\n```\w*\n(.*?)```\n",
                   re.DOTALL)  # fmt: skip
NUMBER = r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?"


def pages(root):
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.md"))


def anchors(page):
    """The names GitHub gives to the headings of a page."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        yield words.strip().replace(" ", "-")


def broken_links(root, page, text):
    for target in LINK.findall(text):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"link to {target} leads nowhere"
        elif anchor and anchor not in anchors(file):
            yield f"link to {target}: there is no such heading"
    for name in PATH.findall(text):
        if not any(root.glob(name.rstrip("/."))):
            yield f"there is no {name}"


def broken_quotes(root, text):
    for kind, source, block in BLOCK.findall(text):
        if kind == "from" and block not in (root / source).read_text("utf-8"):
            yield f"{source} does not have the lines\n{block.rstrip()}"


def pattern_of(block):
    """A regular expression for what a <!-- prints --> block shows."""
    lines = []
    for line in block.splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
            continue
        parts = [re.split(f"({NUMBER})", part) for part in line.split("...")]
        lines.append(".*".join(
            "".join(NUMBER if i % 2 else re.escape(piece)
                    for i, piece in enumerate(part)) for part in parts
        ).replace(r"\ ", " ") + r" *\n")  # fmt: skip
    # Columns move with the width of numbers.
    return re.sub(" {2,}", " +", "".join(lines))


class Commands:
    """Runs the blocks of one page in order."""

    def __init__(self, root, tally, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin" / "tally").symlink_to(pathlib.Path(tally).resolve())
        (folder / "work").mkdir()
        (folder / "work" / "models").symlink_to(root / "models")
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path}
        self.printed = ""

    def run(self, block):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", block], text=True,
            cwd=self.folder / "work", env=self.environment, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.printed = done.stdout
        # 141: a reader such as head had seen enough of a pipe.
        return 0 if done.returncode == 141 else done.returncode


def broken_commands(root, tally, text):
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(root, tally, pathlib.Path(folder))
        for kind, detail, block in BLOCK.findall(text):
            if kind in ("runs", "fails"):
                wanted, status = int(detail or 0), commands.run(block)
                if status != wanted:
                    yield (f"status {status}, not {wanted}, of\n{block}"
                           f"{commands.printed.rstrip()}")  # fmt: skip
            elif kind == "prints":
                if not re.fullmatch(pattern_of(block), commands.printed):
                    yield f"shown:\n{block}printed:\n{commands.printed.rstrip()}"


def complaints(root, tally):
    for page in pages(root):
        text = page.read_text("utf-8")
        found = [*broken_links(root, page, text), *broken_quotes(root, text)]
        if tally:
            found += broken_commands(root, tally, text)
        yield from (f"{page.relative_to(root)}: {what}" for what in found)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tally")
    parser.add_argument("--root", type=pathlib.Path, default=here)
    arguments = parser.parse_args()
    found = list(complaints(arguments.root.resolve(), arguments.tally))
    for complaint in found:
        print(complaint)
    print(f"documents: {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
