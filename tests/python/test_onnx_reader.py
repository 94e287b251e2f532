"""The ONNX reader against the onnx package, by tally/model/onnx_round_trip.py.

Every element type as raw bytes, typed fields and external data (copied and
mapped), and all models of the onnx package's backend tests must be read as that
package reads them, or be refused by one of the two rules listed here.
"""

import subprocess
import sys

from conftest import ROOT, build_dir


def test_reads_what_the_onnx_package_reads():
    dump = build_dir() / "bin" / "tally-onnx-dump"
    assert dump.exists(), f"{dump} is missing: build first"
    done = subprocess.run(
        [sys.executable, ROOT / "tally/model/onnx_round_trip.py", dump],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # "   2025 same", "    115 refused ONNX-OPSET-1", ...
    counts = {word: int(number) for number, word in
              (line.split(maxsplit=1) for line in done.stdout.splitlines())}
    assert counts.pop("same") > 1000
    # Operator sets below 7, and one tensor of strings.
    assert set(counts) <= {"refused ONNX-OPSET-1", "refused ONNX-TENSOR-6"}
