"""Prints the exit statuses that the command and each page list.

usage: exit_statuses.py HELP.txt SOURCE
"""

import pathlib
import re
import sys


def show(title, pattern, text):
    print(f"{title}: {' '.join(re.findall(pattern, text, re.MULTILINE))}")


help_text = pathlib.Path(sys.argv[1]).read_text("utf-8")
source = pathlib.Path(sys.argv[2])
show("--help", r"^  (\d+)  +\S", help_text.partition("EXIT STATUS:")[2])
sentence = re.search(r"^Exit status: .*?\n\n",
                     (source / "README.md").read_text("utf-8"),
                     re.MULTILINE | re.DOTALL)
show("README.md", r"(?:Exit status: |,\s)(\d+)\s", sentence[0])
cli = (source / "docs/reference/cli.md").read_text("utf-8")
show("docs/reference/cli.md", r"^\| (\d+) \|", cli)
errors = (source / "docs/rationale/errors.md").read_text("utf-8")
show("docs/rationale/errors.md", r"^\| .* \| (\d+) \|$", errors)
