"""Streams of a compiled model through the C interface, with states of every
policy: an int8 and an int16 one in place whose zero point is -17, a line of past
frames that slides, one that a product reads (two slots), one that is another's
past, and two that get one value."""

import ctypes
import os
import subprocess
import threading

import numpy as np
import onnx
import pytest
from conftest import build_dir
from onnx import TensorProto, helper, numpy_helper

STEPS = 50
STATES = ("--state", "code_out=code", "--state", "line_out=line:0.5",
          "--state", "mix_out=mix:1", "--state", "late_out=late:-2",
          "--state", "wide_out=wide", "--state", "sum_out=sum:3", "--state",
          "twin_out=twin:4")

FLOAT = TensorProto.FLOAT
CODES = {"code": TensorProto.INT8, "wide": TensorProto.INT16}
NAMES = ("code", "line", "mix", "late", "wide", "sum", "twin")


def model():
    weights = np.array([[.5, -.25], [.125, .75]], np.float32)
    constants = {"scale": np.float32(0.0625), "zero": np.int8(-17),
                 "fine": np.float32(0.001), "zero16": np.int16(-17), "from": np.array([1]), "to": np.array([4]), "w": weights}
    nodes = [
        helper.make_node("DequantizeLinear", ["code", "scale", "zero"], ["h"]),
        helper.make_node("Add", ["h", "x"], ["h_sum"]),
        helper.make_node("QuantizeLinear", ["h_sum", "scale", "zero"],
                         ["code_out"]),
        helper.make_node("Slice", ["line", "from", "to"], ["tail"]),
        helper.make_node("Concat", ["tail", "x"], ["line_out"], axis=0),
        helper.make_node("MatMul", ["mix", "w"], ["mixed"]),
        helper.make_node("Add", ["mixed", "x"], ["mix_out"]),
        helper.make_node("Identity", ["mix"], ["late_out"]),
        helper.make_node("ReduceSum", ["line_out"], ["total"], keepdims=0),
        helper.make_node("DequantizeLinear", ["wide", "fine", "zero16"],
                         ["w16"]),
        helper.make_node("Sub", ["w16", "x"], ["less"]),
        helper.make_node("QuantizeLinear", ["less", "fine", "zero16"],
                         ["wide_out"]),
        helper.make_node("Add", ["sum", "x"], ["sum_out"]),
        helper.make_node("Identity", ["sum_out"], ["twin_out"]),
        helper.make_node("Sum", ["h", "total", "mix_out", "late", "w16",
                                 "sum", "twin"], ["y"])]
    infos = {name: helper.make_tensor_value_info(
        name, CODES.get(name.removesuffix("_out"), FLOAT),
        [4 if name.startswith("line") else 1, 2])
             for name in ["x", "y", *NAMES, *(n + "_out" for n in NAMES)]}
    graph = helper.make_graph(
        nodes, "streams",
        [infos[name] for name in ("x", *NAMES)],
        [infos[name] for name in ("y", *(n + "_out" for n in NAMES))],
        [numpy_helper.from_array(np.asarray(value), name)
         for name, value in constants.items()])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def frames(seed):
    generator = np.random.default_rng(seed)
    return generator.standard_normal((STEPS, 1, 2)).astype(np.float32)


class Library:
    """libtally, with failures as exceptions."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.tally_saved_bytes.restype = ctypes.c_size_t

    def call(self, name, *arguments):
        error = ctypes.c_char_p()
        status = getattr(self.library, name)(*arguments, ctypes.byref(error))
        assert status == 0, error.value


class Stream:
    """A context of a program."""

    def __init__(self, library, program):
        self.library, self.program = library, program
        self.context = ctypes.c_void_p()
        library.call("tally_context_create", program,
                     ctypes.byref(self.context))

    def step(self, x):
        x, y = np.ascontiguousarray(x), np.empty((1, 2), np.float32)
        inputs = (ctypes.c_void_p * 1)(x.ctypes.data)
        outputs = (ctypes.c_void_p * 1)(y.ctypes.data)
        self.library.call("tally_run", self.context, inputs, outputs)
        return y

    def steps(self, x):
        return np.stack([self.step(frame) for frame in x])

    def reset(self):
        self.library.call("tally_context_reset", self.context)

    def reset_state(self, name):
        self.library.call("tally_context_reset_state", self.context,
                          ctypes.c_size_t(NAMES.index(name)))

    def states(self):
        """Bytes of all states by name."""
        values = {}
        for index, name in enumerate(NAMES):
            value = np.empty(8 if name == "line" else 2, {
                "code": np.int8, "wide": np.int16}.get(name, np.float32))
            self.library.call("tally_context_get_state", self.context,
                              ctypes.c_size_t(index),
                              ctypes.c_void_p(value.ctypes.data))
            values[name] = value
        return values

    def save(self):
        size = self.library.library.tally_saved_bytes(self.program)
        saved = ctypes.create_string_buffer(size)
        self.library.call("tally_context_save", self.context, saved,
                          ctypes.c_size_t(size))
        return saved.raw

    def restore(self, saved):
        self.library.call("tally_context_restore", self.context, saved,
                          ctypes.c_size_t(len(saved)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("contexts")


@pytest.fixture(scope="module")
def artifact(tally, folder):
    onnx.save(model(), folder / "net.onnx")
    subprocess.run([tally, "compile", folder / "net.onnx", *STATES, "-o",
                    folder / "net.so"], check=True, capture_output=True)
    return folder / "net.so"


@pytest.fixture(scope="module")
def new_stream(artifact):
    if "asan" in str(build_dir()) or "tsan" in str(build_dir()):
        pytest.skip("Python cannot load a sanitized library")
    library = Library(build_dir() / "lib" / "libtally.so")
    program = ctypes.c_void_p()
    library.call("tally_program_load", os.fsencode(artifact),
                 ctypes.byref(program))
    return lambda: Stream(library, program)


def run(tally, folder, x, *options):
    np.save(folder / "x.npy", x)
    subprocess.run([tally, "run", *options, "--steps", str(len(x)), "--input",
                    f"x={folder / 'x.npy'}", "--output-dir", folder],
                   check=True, capture_output=True)
    return np.load(folder / "y.npy")


def test_a_stream_is_what_the_evaluator_says(new_stream, tally, folder):
    expected = run(tally, folder, frames(1), folder / "net.onnx", *STATES,
                   "--target", "eval")
    np.testing.assert_array_equal(new_stream().steps(frames(1)), expected,
                                  strict=True)


def test_after_a_reset_a_stream_is_a_fresh_one(new_stream):
    stream = new_stream()
    first = stream.steps(frames(1))
    for count in 1, 7, 20:
        stream.steps(frames(2)[:count])
        stream.reset()
        np.testing.assert_array_equal(stream.steps(frames(1)), first)
        stream.reset()


def test_states_begin_at_their_zero_point_and_their_number(new_stream):
    begin = {"code": -17, "line": 0.5, "mix": 1, "late": -2, "wide": -17,
             "sum": 3, "twin": 4}
    for name, value in new_stream().states().items():
        assert (value == begin[name]).all(), name


@pytest.mark.parametrize("name", NAMES)
def test_one_state_is_reset_alone(name, new_stream):
    """Whatever its policy, and whatever else got the same value."""
    stream, fresh = new_stream(), new_stream()
    stream.steps(frames(4)[:9])
    before = stream.states()
    stream.reset_state(name)
    for other, value in stream.states().items():
        expected = fresh.states() if other == name else before
        np.testing.assert_array_equal(value, expected[other], other)
    assert (before[name] != stream.states()[name]).any()
    first = stream.steps(frames(5)[:9])
    # The same from a stream whose state was set to that value by hand.
    again = new_stream()
    again.steps(frames(4)[:9])
    again.reset_state(name)
    np.testing.assert_array_equal(again.steps(frames(5)[:9]), first)


def test_saved_in_one_process_goes_on_in_another(new_stream, tally, folder):
    x = frames(3)
    whole = new_stream().steps(x)
    stream = new_stream()
    stream.steps(x[:20])
    (folder / "20.state").write_bytes(stream.save())
    for what in [folder / "net.so"], [folder / "net.onnx", *STATES,
                                      "--target", "eval"]:
        found = run(tally, folder, x[20:35], *what, "--state-in",
                    folder / "20.state", "--state-out", folder / "35.state")
        np.testing.assert_array_equal(found, whole[20:35])
        other = new_stream()
        other.restore((folder / "35.state").read_bytes())
        np.testing.assert_array_equal(other.steps(x[35:]), whole[35:])


def test_four_streams_on_two_threads(new_stream):
    alone = [new_stream().steps(frames(seed)) for seed in range(4)]
    streams = [new_stream() for _ in range(4)]
    together = [[] for _ in range(4)]

    def work(first):
        order = np.random.default_rng(first).permutation(
            [first] * STEPS + [first + 1] * STEPS)
        for which in order:
            x = frames(which)[len(together[which])]
            together[which].append(streams[which].step(x))

    threads = [threading.Thread(target=work, args=[first]) for first in (0, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for found, expected in zip(together, alone):
        np.testing.assert_array_equal(np.stack(found), expected)
