"""Linux gives tile registers to a process that asks for them, and refuses where
a thread's alternate signal stack is too small to save them. A library then takes
the next tier it has code for."""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from node_batch import NodeBatch
from test_dot_products import quantized

ROWS, TERMS, COLUMNS = 20, 64, 32

# Runs in a process of its own: permission stays once it is given. Arguments: the
# library, whether the signal stack is small, and where to store the result.
CALLER = """
import ctypes, sys
import numpy as np

class SignalStack(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("size", ctypes.c_size_t)]

library, is_small, result = ctypes.CDLL(sys.argv[1]), sys.argv[2], sys.argv[3]
if is_small == "small":
    # Enough for AVX-512, about 4 KiB; tiles are 8 KiB more.
    size = 7 << 10
    memory = ctypes.create_string_buffer(size)
    stack = SignalStack(ctypes.addressof(memory), 0, size)
    assert ctypes.CDLL(None).sigaltstack(ctypes.byref(stack), None) == 0

def aligned(size):
    memory = np.zeros(size + 64, np.uint8)
    return memory[-memory.ctypes.data % 64:][:size]

codes = aligned(20 * 64)
codes[:] = np.arange(codes.size) * 7
output, arena = aligned(20 * 32), aligned(1 << 20)
pointers = ctypes.c_void_p * 1
for _ in range(2):
    status = library.model_run(pointers(codes.ctypes.data),
                               pointers(output.ctypes.data),
                               ctypes.c_void_p(arena.ctypes.data))
    print(status)
np.save(result, output)
"""


@pytest.fixture
def library(tally, host_tiers, tmp_path):
    """Compiles a product of bytes for the tiers that are named."""
    if "amx" not in host_tiers:
        pytest.skip("this processor lacks amx")
    batch = NodeBatch(41)
    data = batch.codes([ROWS, TERMS], np.uint8)
    quantized(batch, "MatMul", data, batch.codes([TERMS, COLUMNS], np.int8), 1,
              TERMS, bias=False)
    onnx.save(batch.model(), tmp_path / "product.onnx")

    def compiled(tiers):
        path = tmp_path / f"{tiers.replace(',', '-')}.so"
        subprocess.run(
            [str(tally), "compile", str(tmp_path / "product.onnx"), "--tiers",
             tiers, "--symbol", "model", "-o", str(path)],
            check=True, capture_output=True)
        return path
    return compiled


def call(library, stack, folder):
    """The status of two calls, and the result."""
    path = folder / "result.npy"
    done = subprocess.run(
        [sys.executable, "-c", CALLER, str(library), stack, str(path)],
        text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), np.load(path)


def test_the_next_tier_runs(library, tmp_path):
    both = library("avx512vnni,amx")
    granted, expected = call(both, "none", tmp_path)
    refused, result = call(both, "small", tmp_path)
    assert granted == refused == ["0", "0"]
    assert np.array_equal(result, expected) and expected.any()


def test_without_another_tier_the_call_is_refused(library, tmp_path):
    """2: the processor lacks what every compiled tier needs."""
    only = library("amx")
    assert call(only, "none", tmp_path)[0] == ["0", "0"]
    assert call(only, "small", tmp_path)[0] == ["2", "2"]
