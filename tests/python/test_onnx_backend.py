"""The ONNX backend node tests, through tests/onnx-backend/run.py.

At least 92 % of the dense-tensor tests whose operators are read at all pass,
and as many of their expanded functions; the others are in
expected-failures.txt, which only shrinks: a listed test that passes fails the
run, and so does a crash.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_node_tests(tally):
    """And docs/reference/onnx-node-tests.md says what the list says."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/onnx-backend/run.py"), "--tally",
         str(tally), "--counted", "--at-least", "92", "--check-report",
         str(ROOT / "docs/reference/onnx-node-tests.md")],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    print(done.stdout.splitlines()[-1])
