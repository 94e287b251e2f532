"""States of models that an accelerator runs in parts: a cache that the host
updates by a position, read by a product on the machine."""

import json

import numpy as np
import onnx
import pytest
from accelerator_steps import GRID, STEPS, codes, coded, model, real, steps, tensor  # noqa: F401,E501
from onnx import TensorProto, helper

ROWS, WIDTH = 64, 32
SPLIT = 20
OPTIONS = ["--state", "cache_out=cache", "--state", "h_out=h"]


def cache_step():
    """cache' = cache with row `at` replaced by x; y = h' = (cache' W) + h."""
    rng = np.random.default_rng(9)
    int8 = TensorProto.INT8
    return model(
        [helper.make_node("ScatterElements", ["cache", "at", "x"],
                          ["cache_out"], axis=0),
         helper.make_node("DequantizeLinear", ["cache_out", "scale", "zero"],
                          ["rows"]),
         helper.make_node("DequantizeLinear", ["w", "w_scale"], ["w_real"]),
         helper.make_node("MatMul", ["rows", "w_real"], ["product_real"]),
         coded("product"),
         helper.make_node("DequantizeLinear", ["product", "scale", "zero"],
                          ["product_back"]), real("h"),
         helper.make_node("Add", ["product_back", "h_real"], ["h_out_real"]),
         coded("h_out"), helper.make_node("Identity", ["h_out"], ["y"])],
        [tensor("x", [1, WIDTH], int8),
         tensor("at", [1, WIDTH], TensorProto.INT64),
         tensor("cache", [ROWS, WIDTH], int8),
         tensor("h", [ROWS, WIDTH], int8)],
        [tensor("cache_out", [ROWS, WIDTH], int8),
         tensor("h_out", [ROWS, WIDTH], int8),
         tensor("y", [ROWS, WIDTH], int8)],
        [*GRID, ("w_scale", np.float32(0.004)),
         ("w", rng.integers(-128, 128, (WIDTH, WIDTH), np.int8))])


@pytest.fixture
def shared(steps):
    """The model, its segments, and inputs of all steps."""
    path, archive = steps.folder / "step.onnx", steps.folder / "step.a"
    onnx.save(cache_step(), path)
    steps.command("compile", path, *OPTIONS, "--target", "edge",
                  "--fallback=cpu", "-o", archive)
    at = np.arange(STEPS, dtype=np.int64) * 7 % ROWS
    inputs = {"x": codes(1, WIDTH),
              "at": np.broadcast_to(at[:, None, None], (STEPS, 1, WIDTH))}
    return path, archive, inputs


def run(steps, what, inputs, first, last, *more):
    data = steps.folder / "part.npz"
    np.savez(data, **{name: array[first:last]
                      for name, array in inputs.items()})
    steps.command("run", *what, "--steps", str(last - first), "--input", data,
                  "--output-dir", steps.folder / "out", *more)
    return steps.arrays("out")["y"]


def test_segments_keep_states(steps, shared):
    path, archive, inputs = shared
    expected = run(steps, [path, *OPTIONS, "--target", "eval"], inputs, 0,
                   STEPS)
    np.testing.assert_array_equal(run(steps, [archive], inputs, 0, STEPS),
                                  expected, strict=True)
    assert len(np.unique(expected)) > 100
    told = json.loads(steps.command("inspect", archive, "--json"))
    targets = [segment["target"] for segment in told["segments"]]
    assert set(targets) == {"cpu", "edge"}


def test_other_executors_go_on(steps, shared):
    path, archive, inputs = shared
    evaluator, native = ([path, *OPTIONS, "--target", target]
                         for target in ("eval", "cpu"))
    expected = run(steps, evaluator, inputs, 0, STEPS)
    states = steps.folder / "states"
    for first, second in ([archive], native), (evaluator, [archive]), (
            [archive], [archive]):
        run(steps, first, inputs, 0, SPLIT, "--state-out", states)
        rest = run(steps, second, inputs, SPLIT, STEPS, "--state-in", states)
        np.testing.assert_array_equal(rest, expected[SPLIT:], strict=True)


def test_a_model_that_fits_has_its_own_policies(steps):
    """--fallback=cpu changes nothing for it."""
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])], [tensor("s_out", [4])])
    path = steps.folder / "step.onnx"
    onnx.save(step, path)
    for name, more in ("plain.elf", []), ("shared.elf", ["--fallback=cpu"]):
        steps.command("compile", path, "--state", "s_out=s", "--keep-output",
                      "s_out", "--target", "edge", *more, "-o",
                      steps.folder / name)
    assert (steps.folder / "plain.elf").read_bytes() == \
        (steps.folder / "shared.elf").read_bytes()
