"""Checks that the tests of fusion notice every predicate.

usage: disable-predicates.py FILE...

Each FILE is a lit test. For every predicate that `tally-opt --nn-fuse` knows,
the RUN lines of the files that fuse are run with the predicate disabled, until
one of them fails. Prints which one, and fails when a predicate is missed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PASS = re.compile(r"--nn-fuse(?:=\"([^\"]*)\"|=(\S+))?(?=\s|$)")


def predicates():
    """The names, as the pass lists them when asked for one it has not."""
    asked = subprocess.run(
        ["tally-opt", "--nn-fuse=without=?"], input="module {}",
        capture_output=True, text=True, check=False)
    return re.search(r"there are: (.*)", asked.stderr).group(1).split()


def commands(path, scratch):
    """The fusing RUN lines of a test, with lit's substitutions made."""
    for line in path.read_text(encoding="utf-8").splitlines():
        run = re.match(r"// RUN: (.*)", line)
        if run and PASS.search(run.group(1)):
            yield run.group(1).replace("%s", str(path)).replace(
                "%t", str(scratch / path.name))


def disabled(command, predicate):
    def options(match):
        given = match.group(1) or match.group(2) or ""
        return f'--nn-fuse="{given} without={predicate}"'
    return PASS.sub(options, command)


def passes(command):
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True,
        check=False).returncode == 0


def main(arguments):
    files = [pathlib.Path(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        runs = [(path.name, command) for path in files
                for command in commands(path, pathlib.Path(folder))]
        for name, command in runs:
            if not passes(command):
                print(f"{name} fails as it is: {command}")
                return 1
        missed = 0
        for predicate in predicates():
            noticed = next((name for name, command in runs
                            if not passes(disabled(command, predicate))), None)
            print(f"{predicate}: " + (noticed or "NOT NOTICED"))
            missed += noticed is None
    print(f"{missed} predicates missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
