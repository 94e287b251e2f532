#!/usr/bin/env python3
"""Run clang-tidy 22 on changed sources, within a limit of time.

usage: tidy.py [--all] [--seconds N] [--build DIR]

Changed are the .cpp files that differ from the base commit, and the .cpp beside
a header that differs. The base is TALLY_BASE, else where the branch left
origin/main, else the commit before this one. Without a base, and for files the
limit leaves no time for, it says so and does not fail. The build folder must
be built: sources include generated headers.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

TIDY = "clang-tidy-22"


def git(*arguments):
    """Output of a git command, or None when it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def base_commit():
    head = git("rev-parse", "HEAD")
    chosen = os.environ.get("TALLY_BASE")
    if chosen:
        return git("rev-parse", "--verify", "--quiet", chosen + "^{commit}")
    fork = git("merge-base", "HEAD", "origin/main")
    if fork and fork != head:
        return fork
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_sources(base):
    """Absolute paths of the .cpp files to look at."""
    names = git("diff", "--name-only", "--diff-filter=d", base, "--") or ""
    paths = [pathlib.Path(name).resolve() for name in names.splitlines()]
    sources = {path for path in paths if path.suffix == ".cpp"}
    headers = {path.with_suffix(".cpp") for path in paths if path.suffix == ".h"}
    return sources | {path for path in headers if path.exists()}


def compiled_sources(build):
    """Absolute paths of the sources of this project that the build compiles."""
    commands = json.loads((build / "compile_commands.json").read_text())
    return {
        path
        for path in (pathlib.Path(entry["file"]).resolve() for entry in commands)
        if build.resolve() not in path.parents
    }


def tidy(path, build, deadline):
    """None if time is up, else (exit status, text)."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    command = [TIDY, "-p", str(build), "--quiet", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=left
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout


def check(sources, build, seconds):
    """Exit status of the whole run."""
    deadline = time.monotonic() + seconds
    clean = failed = late = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(tidy, path, build, deadline): path for path in sources}
        for job in concurrent.futures.as_completed(jobs):
            result = job.result()
            if result is None:
                late += 1
            elif result[0] == 0:
                clean += 1
            else:
                failed += 1
                print(f"{jobs[job]}:\n{result[1]}", flush=True)
    print(f"clang-tidy: {clean} clean, {failed} with findings, "
          f"{late} not reached in {seconds} s")  # fmt: skip
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--build", type=pathlib.Path, default="build/dev")
    options = parser.parse_args()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    if not (options.build / "compile_commands.json").exists():
        sys.exit(f"error: {options.build} is not configured; run 'make build'")
    sources = compiled_sources(options.build)
    if not options.all:
        base = base_commit()
        if not base:
            print("clang-tidy: no commit to compare with, nothing checked")
            return 0
        sources &= changed_sources(base)
    return check(sorted(sources), options.build, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
