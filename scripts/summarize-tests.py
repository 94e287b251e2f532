#!/usr/bin/env python3
"""Sum up what several test runners found.

usage: summarize-tests.py RESULTS RUNNER=STATUS...

RESULTS holds one JUnit file per runner, RUNNER.xml. A GoogleTest program that
ctest ran counts by its cases when it left gtest/PROGRAM.xml, else as one test.
A runner that ended with a non-zero STATUS without reporting a failed test
counts as one failure, so that nothing is lost to a crash. Failures and the
reasons of skips are listed; the last line is 'N passed, N failed, N skipped',
and the exit status is 1 if anything failed or nothing ran.

RUNNER.time, where there is one, holds three numbers of seconds, as bash's `time`
counts them: how long the runner took, and what it and its processes took of
processors as users and for the system. all.time is the same for the whole.
"""

import pathlib
import sys
import xml.etree.ElementTree as ET

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def outcome(case):
    """(PASSED | FAILED | SKIPPED, reason) of one JUnit test case."""
    for child in case:
        if child.tag in ("failure", "error"):
            return FAILED, ""
        if child.tag == "skipped":
            text = child.get("message") or child.text or ""
            return SKIPPED, " ".join(text.split())
    if case.get("status") in ("notrun", "disabled"):
        return SKIPPED, "disabled"
    return PASSED, ""


def read_cases(path):
    """[(name, outcome, reason)] of a JUnit file; a broken one is a failure."""
    try:
        cases = ET.parse(path).getroot().iter("testcase")
        return [
            (f"{case.get('classname', '')}.{case.get('name')}", *outcome(case))
            for case in cases
        ]
    except (ET.ParseError, OSError) as error:
        return [(f"{path.name}: {error}", FAILED, "")]


def expand_programs(cases, folder):
    """Replaces each ctest case by the cases of its GoogleTest program."""
    expanded = []
    for name, result, reason in cases:
        detail = folder / (name.rsplit(".", 1)[-1] + ".xml")
        inner = read_cases(detail) if detail.exists() else []
        if any(row[1] == FAILED for row in inner) or result != FAILED:
            expanded += inner or [(name, result, reason)]
        else:  # the program failed outside of its cases: it crashed
            expanded += inner + [(name, FAILED, "")]
    return expanded


def runner_cases(results, runner, status):
    path = results / f"{runner}.xml"
    cases = read_cases(path) if path.exists() else []
    if runner == "ctest":
        cases = expand_programs(cases, results / "gtest")
    if status != 0 and not any(row[1] == FAILED for row in cases):
        cases.append((f"{runner} ended with status {status}", FAILED, ""))
    return cases


def taken(results, name):
    """' in 62 s, 100 s of processors' by NAME.time; nothing without it."""
    path = results / f"{name}.time"
    if not path.exists():
        return ""
    real, user, system = map(float, path.read_text().split())
    return f" in {real:.0f} s, {user + system:.0f} s of processors"


def main(arguments):
    results = pathlib.Path(arguments[0])
    total = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    print("== summary")
    for argument in arguments[1:]:
        runner, status = argument.split("=")
        cases = runner_cases(results, runner, int(status))
        for name, result, reason in cases:
            total[result] += 1
            if result != PASSED:
                print(f"{result}: {runner}: {name}" + (reason and f": {reason}"))
        print(f"{runner}: {len(cases)} tests{taken(results, runner)}")
    if whole := taken(results, "all"):
        print(f"all of it{whole}")
    print(", ".join(f"{total[key]} {key}" for key in (PASSED, FAILED, SKIPPED)))
    return 1 if total[FAILED] or not total[PASSED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
