#!/usr/bin/env python3
"""Run the ONNX backend node tests through the `tally` command.

Every dense-tensor test is compiled and run once, several in one model and what
does not pass there again alone; its outputs are compared exactly for integers
and booleans, within the test's tolerances for floats.
Tests that fail stand in expected-failures.txt, one line each: the name and
the category of the failure. The list only shrinks:

* a test that fails and is not listed fails the run,
* a listed test that passes fails the run (remove its line),
* a test that crashes or hangs always fails the run.

--update rewrites the list without the tests that pass now, and with the
categories of today; it never adds a name. When there is no list it writes
the first one.

Percentages are over the counted tests: those whose operators are on the
project's list and whose tensors a .npy file can hold (see cases.py); expanded
functions have one of their own. The others run too, and are listed when they
fail.

--write-report FILE writes what the list says, by reason, as a page of the
documentation, and runs nothing; with --check-report FILE a run fails when the
page says anything else.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

import cases
import groups

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 60  # seconds for one test
ALWAYS_BAD = ("crash", "hang")


@dataclasses.dataclass
class Outcome:
    """What became of a test: the category is empty when it passed."""

    category: str
    detail: str = ""


def file_name(tensor):
    """The command's file name for an output tensor."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", tensor) + ".npy"


def command_line(case, options, folder):
    """Write the case's files into `folder`; returns the command to run."""
    model = folder / "model.onnx"
    onnx.save(case.model, model)
    command = [*options.tally.split(), "run", str(model),
               "--target", options.target, "--output-dir",
               str(folder / "out")]
    for index, (name, array) in enumerate(case.inputs.items()):
        path = folder / f"input{index}.npy"
        np.save(path, array)
        command += ["--input", f"{name}={path}"]
    return command


def compare(case, folder):
    """The outcome of comparing the written outputs with the expected."""
    for name, expected in case.outputs.items():
        path = folder / "out" / file_name(name)
        if not path.exists():
            return Outcome("no-output", f"{path.name} was not written")
        try:
            found = np.load(path, allow_pickle=False)
        except ValueError as error:
            return Outcome("no-output", f"{path.name}: {error}")
        if found.dtype != expected.dtype:
            return Outcome("dtype", f"{name}: {found.dtype} instead of "
                           f"{expected.dtype}")
        if found.shape != expected.shape:
            return Outcome("shape", f"{name}: {found.shape} instead of "
                           f"{expected.shape}")
        exact = expected.dtype.kind in "iub"
        good = (np.array_equal(found, expected) if exact else
                np.allclose(found, expected, case.rtol, case.atol,
                            equal_nan=True))
        if not good:
            return Outcome("values", f"{name}: {worst(found, expected)}")
    return Outcome("")


def refusal(text):
    """The outcome of a refused model: the category names the rule."""
    rules = re.findall(r"\[([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)\]", text)
    category = f"refused:{rules[-1]}" if rules else "refused"
    return Outcome(category, text[:400])


def worst(found, expected):
    """Where two arrays differ most, in words."""
    with np.errstate(all="ignore"):
        gap = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    gap = np.where(found == expected, 0, np.nan_to_num(gap, nan=np.inf))
    at = np.unravel_index(int(gap.argmax()), gap.shape)
    return (f"at {tuple(int(i) for i in at)} {found[at]} instead of "
            f"{expected[at]}")


def execute(case, options, folder):
    """The outcome when the command does not end as it should, else None."""
    command = command_line(case, options, folder)
    try:
        done = subprocess.run(command, capture_output=True,
                              timeout=options.timeout, text=True,
                              errors="replace", stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Outcome("hang", f"no end after {options.timeout} s")
    if done.returncode < 0 or done.returncode >= 128:
        return Outcome("crash", f"status {done.returncode}: "
                       + done.stderr.strip()[-400:])
    return refusal(done.stderr.strip()) if done.returncode else None


def run(case, options):
    """Run one case in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        outcome = execute(case, options, folder) or compare(case, folder)
        if (case.outside and outcome.category
                and outcome.category not in ALWAYS_BAD):
            outcome.category = case.outside
        return outcome


def run_group(group, options):
    """The outcomes of several cases: those that do not pass together are run
    again, each alone."""
    found = [None] * len(group)
    if len(group) > 1:
        whole, members = groups.merged(group)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if not execute(whole, options, folder):
                found = [compare(member, folder) for member in members]
    return [outcome if outcome and not outcome.category
            else run(case, options) for case, outcome in zip(group, found)]


# --- the list --------------------------------------------------------------


def read_list(path):
    """Test name -> category; empty when there is no list yet."""
    if not path.exists():
        return {}
    lines = [line.split("#")[0].split()
             for line in path.read_text("utf-8").splitlines()]
    return {words[0]: words[1] for words in lines if words}


def write_list(path, failures):
    head = ("# Backend node tests that fail, and the category: an operator or"
            " type outside\n# the project's list (operator:, type:), the rule "
            "that refuses it (refused:), values,\n# shape, dtype, no-output. "
            "This list only shrinks; run.py --update takes out what\n# passes "
            "now.\n")
    lines = [f"{name} {category}\n"
             for name, category in sorted(failures.items())]
    path.write_text(head + "".join(lines), "utf-8")


def judge(outcomes, listed):
    """What is wrong with a run, as (test name, complaint) pairs."""
    for name, outcome in sorted(outcomes.items()):
        if outcome.category in ALWAYS_BAD:
            yield name, f"{outcome.category}: {outcome.detail}"
        elif outcome.category and name not in listed:
            yield name, f"{outcome.category}: {outcome.detail}"
        elif not outcome.category and name in listed:
            yield name, "passes now; please remove it from the list"


def update(path, outcomes, listed, existing):
    """Rewrite the list as --update promises; returns the new one."""
    failing = {n: o.category for n, o in outcomes.items()
               if o.category and o.category not in ALWAYS_BAD}
    if path.exists():
        failing = {n: c for n, c in failing.items() if n in listed}
    unchanged = {n: c for n, c in listed.items()
                 if n in existing and n not in outcomes}
    failing |= unchanged
    write_list(path, failing)
    return failing


# --- reporting -------------------------------------------------------------

# What the rules say that refuse most tests.
RULES = {
    "CPU-1": "no CPU code for the types",
    "ELEM-3": "the operator has no meaning on the element type",
    "IMP-5": "an operand is not constant, or fixes a shape only when run",
    "IMP-6": "an attribute or a cast that is not supported",
    "MOD-1": "floats without fmod",
    "ONNX-OPSET-1": "the operator set is too old",
    "SOFTMAX-2": "an element type without a softmax",
}

GROUPS = (("operators as they are", False), ("expanded functions", True))


@dataclasses.dataclass
class Score:
    """How many tests of a group pass."""

    passed: int
    total: int

    @property
    def percent(self):
        return 100.0 * self.passed / self.total if self.total else 100.0

    def __str__(self):
        return f"{self.passed} of {self.total} pass ({self.percent:.1f} %)"


def score(chosen, failing, expanded, outside):
    """The score of the counted tests of a group, or of those `outside`."""
    names = [c.name for c in chosen
             if c.expanded == expanded and bool(c.outside) == outside]
    return Score(sum(n not in failing for n in names), len(names))


def reason(category):
    """A category in words."""
    kind, _, what = category.partition(":")
    if kind == "refused" and what:
        return f"refused by rule {what}" + (
            f": {RULES[what]}" if what in RULES else "")
    return {
        "operator": f"operator {what} is not on the list",
        "type": f"elements of type {what}",
        "values": "other values",
        "shape": "another shape",
        "dtype": "another type of a result",
        "no-output": "an output is missing",
    }.get(kind, kind)


def by_reason(failing):
    """(reason, failures of operators as they are, of expanded functions),
    the most frequent first."""
    counts = collections.defaultdict(lambda: [0, 0])
    for name, category in failing.items():
        counts[reason(category)][cases.is_expanded(name)] += 1
    return sorted(((r, *n) for r, n in counts.items()),
                  key=lambda row: (-row[1] - row[2], row[0]))


def summary(chosen, failing, skipped, seconds):
    """Prints the counts; returns the lower percentage of counted tests."""
    percents = []
    for title, expanded in GROUPS:
        counted = score(chosen, failing, expanded, outside=False)
        percents.append(counted.percent)
        print(f"counted tests, {title}: {counted}")
        others = score(chosen, failing, expanded, outside=True)
        print(f"  outside the list: {others.passed} of {others.total} pass")
    print(f"{skipped} tests are not about dense tensors")
    for why, own, expanded in by_reason(failing):
        print(f"  {own:4} + {expanded:3} expanded: {why}")
    print(f"{len(chosen)} tests in {seconds:.0f} s")
    return min(percents)


PAGE = """\
# ONNX's own node tests

<!-- Written by tests/onnx-backend/run.py --write-report; do not edit. -->

The `onnx` package (here {version}) brings a test for every operator: a model,
inputs, outputs and tolerances. `tests/onnx-backend/run.py` compiles each for the
CPU and runs it. {skipped} of them are not about dense tensors and are left out.
Of operators that are functions, made of others, there is a second form with the
function's body in the operator's place; it is counted apart, since it tests
other operators.

A test is counted when all its operators are on the project's list
(`tests/onnx-backend/cases.py`) and its tensors hold numbers that a `.npy` file
can hold.

| | counted tests | pass | | other tests | pass |
| --- | ---: | ---: | ---: | ---: | ---: |
{scores}

Those that fail, one by one, stand in `tests/onnx-backend/expected-failures.txt`,
which only shrinks. By reason:

| reason | tests | expanded |
| --- | ---: | ---: |
{reasons}
"""


def page(every, skipped, failing):
    """The page of the documentation."""
    rows = []
    for title, expanded in GROUPS:
        counted = score(every, failing, expanded, outside=False)
        others = score(every, failing, expanded, outside=True)
        rows.append(f"| {title} | {counted.total} | {counted.passed} | "
                    f"{counted.percent:.1f} % | {others.total} | "
                    f"{others.passed} |")
    reasons = [f"| {why} | {own} | {expanded} |"
               for why, own, expanded in by_reason(failing)]
    return PAGE.format(version=onnx.__version__, skipped=skipped,
                       scores="\n".join(rows), reasons="\n".join(reasons))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tally", default="build/dev/bin/tally",
                        help="the command (words are split at spaces)")
    parser.add_argument("--target", default="cpu", choices=["cpu", "eval"])
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="run only tests whose name matches")
    parser.add_argument("--counted", action="store_true",
                        help="run only the counted tests")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--group", type=int, default=16, metavar="N",
                        help="run up to N tests in one process (default 16)")
    parser.add_argument("--timeout", type=float, default=TIMEOUT,
                        help=f"seconds for one test (default {TIMEOUT})")
    parser.add_argument("--list", type=pathlib.Path,
                        default=HERE / "expected-failures.txt")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--at-least", type=float, default=0.0,
                        metavar="PERCENT",
                        help="fail when fewer of the counted tests pass, of "
                        "operators as they are or of expanded functions")
    parser.add_argument("--write-report", type=pathlib.Path, metavar="FILE",
                        help="write the page of the documentation; no test "
                        "runs")
    parser.add_argument("--check-report", type=pathlib.Path, metavar="FILE",
                        help="fail when the page is not what the list says")
    return parser.parse_args()


def run_all(chosen, listed, options):
    """The outcome of each chosen case, by name; listed ones run alone."""
    work = [[case] for case in chosen if case.name in listed]
    work += groups.grouped([c for c in chosen if c.name not in listed],
                           options.group)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda group: run_group(group, options), work)
        return {case.name: outcome
                for group, outcomes in zip(work, results)
                for case, outcome in zip(group, outcomes)}


def main():
    options = parse_arguments()
    if options.write_report:
        every, skipped = cases.load()
        text = page(every, skipped, read_list(options.list))
        options.write_report.write_text(text, "utf-8")
        return
    if not shutil.which(options.tally.split()[0]):
        sys.exit(f"there is no command {options.tally.split()[0]}")
    every, skipped = cases.load()
    chosen = [c for c in every if re.search(options.filter, c.name)
              and not (options.counted and c.outside)]
    started = time.monotonic()
    listed = read_list(options.list)
    outcomes = run_all(chosen, listed, options)
    existing = {c.name for c in every}
    if options.update:
        listed = update(options.list, outcomes, listed, existing)
    gone = set(listed) - existing
    complaints = [*judge(outcomes, listed),
                  *((n, "is listed but does not exist") for n in gone)]
    for name, complaint in complaints:
        print(f"{name}: {complaint}")
    failing = {n: o.category for n, o in outcomes.items() if o.category}
    percent = summary(chosen, failing, skipped, time.monotonic() - started)
    few = percent < options.at_least
    if few:
        print(f"fewer than {options.at_least} % of the counted tests pass")
    report = options.check_report
    old = report and report.read_text("utf-8") != page(every, skipped, listed)
    if old:
        print(f"{report} is not what the list says: see --write-report")
    wrong = {name for name, _ in complaints}
    passed = sum(not o.category for n, o in outcomes.items()
                 if n not in wrong)
    excused = len(outcomes) - passed - len(wrong & set(outcomes))
    print(f"{passed} passed, {len(wrong)} failed, {excused} skipped")
    sys.exit(1 if wrong or few or old else 0)


if __name__ == "__main__":
    main()
