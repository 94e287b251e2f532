"""Self-tests of libraries with states: what a run writes to states counts, too."""

import ctypes
import resource
import subprocess

import numpy as np
import pytest
from onnx import helper

from artifact_stream import Buffer
from decoder_steps import Decoder
from state_models import model, tensor
from state_streams import streams


def self_test(path, about, pattern):
    """Its verdict, in a workspace full of a pattern."""
    code = ctypes.CDLL(str(path))
    workspace = Buffer(about["self_test_bytes"])
    workspace.bytes[:] = pattern
    verdict = code.net_selftest(ctypes.c_void_p(workspace.address))
    workspace.check("the workspace")
    return verdict


@pytest.mark.parametrize("which", range(len(list(streams()))))
def test_it_passes_whatever_was_in_memory(which, state_runner):
    _, step, options, *_ = list(streams())[which]
    about = state_runner.compile(step, *options, name="net")
    for pattern in 0xAA, 0x55:
        assert self_test(state_runner.folder / "net.so", about, pattern) == 0


def test_a_cache_is_compiled_in_seconds(tally, state_runner):
    """One or two of the processor's; LLVM's search for checksums in loops took
    forty for a kernel of the baseline."""
    decoder = Decoder(1)
    path = state_runner.save(decoder.make())
    subprocess.run(
        [str(tally), "compile", str(path), *decoder.options(128),
         "--no-self-test", "--tiers", "x86-64", "-o",
         str(state_runner.folder / "cache.so")],
        check=True, capture_output=True, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CPU, (20, 20)))


def test_another_new_value_fails_it(state_runner):
    """A step whose only output does not depend on what it keeps: the state's
    new value alone tells that the bias was changed."""
    bias = np.float32([1.25, -3.5, 7.75, 0.125])
    step = model([helper.make_node("Add", ["s", "bias"], ["s_out"]),
                  helper.make_node("Neg", ["x"], ["y"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("y", [4]), tensor("s_out", [4])], [("bias", bias)])
    about = state_runner.compile(step, "--state", "s_out=s", name="net")
    path = state_runner.folder / "net.so"
    data = bytearray(path.read_bytes())
    data[data.index(bias.tobytes()) + 3] ^= 0x80
    other = state_runner.folder / "other.so"
    other.write_bytes(data)
    assert self_test(path, about, 0) == 0
    assert self_test(other, about, 0) == 3
