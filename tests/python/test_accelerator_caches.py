"""Caches that grow, on an accelerator: the number of rows is a run-time scalar,
a call writes its rows alone, and the checker has proved that for every number
of rows. The evaluator judges each call, bit for bit."""

import json

import numpy as np
import onnx
import pytest
from accelerator_steps import GRID, codes, coded, model, real, steps, tensor  # noqa: F401,E501
from decoder_steps import Decoder
from onnx import TensorProto, helper

CAPACITY = 24
MACHINES = pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
CODES = {"quantized": True, "stored_codes": True, "settled": True}
FORMS = {
    "codes": CODES,
    "fewer heads in the cache": {**CODES, "heads": 4, "cached": 1},
    "keys across": {**CODES, "keys_across": True},
    "the length is counted": {**CODES, "position": True},
}


def run_decoder(steps, decoder, count, capacity, how, machine="edge"):
    return steps.run(decoder.make(), {"x": decoder.frames(count)},
                     *decoder.options(capacity, how), machine=machine)


@pytest.mark.parametrize("form", FORMS)
def test_a_decoder_appends_to_its_capacity(steps, form):
    """Keys and values of a layer of attention: a call writes one row of each,
    2 heads of 4 elements but where a form says otherwise."""
    decoder = Decoder(3, **FORMS[form])
    ours = run_decoder(steps, decoder, CAPACITY, CAPACITY, "append")
    assert len(np.unique(ours["y"])) > 20
    row = decoder.cached * 4
    assert steps.policies() == {"past.key": "append", "past.value": "append",
                                "past.key.rows": "counter"}
    assert steps.written() == {"past.key": row, "past.value": row,
                               "past.key.rows": 0}
    assert set(steps.copied().values()) == {0}


@MACHINES
def test_every_machine_appends(steps, machine):
    """What is read of the cache is integers alone: a maximum for each row, of
    which those that are not there are no part of the result's first rows."""
    step = cache_of_codes()
    x = codes(1, 16, steps=12)
    ours = steps.run(step, {"x": x}, "--dim", "n=11", "--state",
                     "present=past:append", "--keep-output", "present",
                     machine=machine)["present"]
    for t, found in enumerate(ours):
        np.testing.assert_array_equal(found[:t + 1], x[:t + 1, 0])
        assert len(np.unique(found[t + 1:])) <= 1
    assert steps.policies()["past"] == "append"
    assert steps.written()["past"] == 16


def cache_of_codes():
    """present = past with x behind it, and what a product makes of each row."""
    weights = np.random.default_rng(5).integers(-128, 128, (16, 8), np.int8)
    return model(
        [real("x"), real("past"),
         helper.make_node("Concat", ["past_real", "x_real"],
                          ["present_real"], axis=0), coded("present"),
         helper.make_node("DequantizeLinear", ["present", "scale", "zero"],
                          ["rows"]),
         helper.make_node("DequantizeLinear", ["w", "w_scale"], ["w_real"]),
         helper.make_node("MatMul", ["rows", "w_real"], ["y_real"]),
         coded("y")],
        [tensor("x", [1, 16], TensorProto.INT8),
         tensor("past", ["n", 16], TensorProto.INT8)],
        [tensor("present", ["m", 16], TensorProto.INT8),
         tensor("y", ["m", 8], TensorProto.INT8)],
        [*GRID, ("w", weights), ("w_scale", np.float32(0.004))])


@pytest.mark.parametrize("form", ["codes", "fewer heads in the cache"])
def test_a_sliding_cache_forgets_the_oldest(steps, form):
    decoder = Decoder(9, **FORMS[form])
    run_decoder(steps, decoder, 30, 8, "slide")
    assert steps.policies() == {"past.key": "ring", "past.value": "ring",
                                "past.key.rows": "counter"}
    row = decoder.cached * 4
    assert steps.written() == {"past.key": row, "past.value": row,
                               "past.key.rows": 0}


def compiled(steps, capacity=4):
    """A program and its inputs, one call more than it has room for."""
    path, program = steps.folder / "step.onnx", steps.folder / "step.elf"
    onnx.save(cache_of_codes(), path)
    options = ["--dim", f"n={capacity - 1}", "--state", "present=past:append"]
    steps.command("compile", path, *options, "--target", "edge", "-o", program)
    np.save(steps.folder / "x.npy", codes(1, 16, steps=capacity + 1))
    return path, program, options


def test_no_room_is_an_error_before_anything_is_written(steps):
    path, program, options = compiled(steps)
    given = ["--input", f"x={steps.folder}/x.npy"]
    for what in [program], [path, *options, "--target", "edge"]:
        done = steps.started("run", *what, "--steps", "5", *given)
        assert done.returncode == 2
        assert "state 'past.rows' is 4; a call can begin with 0 to 3: a cache " \
            "has no room for another one [RUN-24]" in done.stderr
    states = steps.folder / "4.state"
    np.save(steps.folder / "x.npy", np.load(steps.folder / "x.npy")[:4])
    steps.command("run", program, "--steps", "4", *given, "--state-out", states)
    np.save(steps.folder / "x.npy", np.load(steps.folder / "x.npy")[:1])
    done = steps.started("run", program, "--steps", "1", *given, "--state-in",
                         states)
    assert done.returncode == 2 and "[RUN-24]" in done.stderr


def test_the_program_says_how_many_rows_it_takes(steps):
    _, steps.program, _ = compiled(steps)
    about = steps.note()
    assert about["version"] == 4
    assert about["scalars"] == [
        {"name": "past.rows", "offset": 0, "least": 0, "greatest": 3}]
    states = {state["name"]: state for state in about["states"]}
    assert states["past"]["append"] == {
        "scalar": 0, "runs": 1, "pitch": 64, "step": 16, "bytes": 16}
    assert states["past.rows"]["counter"] == {
        "scalar": 0, "most": 3, "step": 1, "last": 4}
    # The checker has followed the program once for each number of rows.
    assert "accepted: 4 executions" in steps.command("check", steps.program)


def test_the_caller_does_not_set_what_it_counts(steps):
    _, program, _ = compiled(steps)
    done = steps.started("run", program, "--random", "1", "--scalar",
                         "past.rows=2")
    assert done.returncode == 2 and "[RUN-12]" in done.stderr


def test_the_checker_rejects_another_row(steps):
    """A program that adds more to the row's place than the number of rows."""
    _, program, _ = compiled(steps)
    text = steps.command("disasm", program)
    lines = text.splitlines()
    places = [i for i, line in enumerate(lines)
              if line.strip().startswith("slli") and ", 4" in line
              and any("cfg.r store, dst.offset" in after
                      for after in lines[i:i + 3])]
    assert places
    for i in places:
        mutant = [*lines[:i], lines[i].replace(", 4", ", 5"), *lines[i + 1:]]
        source = steps.folder / "mutant.s"
        source.write_text("\n".join(mutant) + "\n")
        steps.command("asm", source, "-o", steps.folder / "mutant.elf")
        done = steps.started("check", steps.folder / "mutant.elf")
        assert done.returncode == 1
        assert "[CHK-20]" in done.stdout or "[CHK-5]" in done.stdout


def test_saved_rows_go_on_elsewhere(steps):
    decoder = Decoder(7, **CODES)
    x, options = decoder.frames(10), decoder.options(12)
    path, states = steps.folder / "step.onnx", steps.folder / "6.state"
    onnx.save(decoder.make(), path)

    def run(target, part, *more):
        np.save(steps.folder / "x.npy", part)
        steps.command("run", path, *options, "--target", target, "--steps",
                      str(len(part)), "--input", f"x={steps.folder}/x.npy",
                      "--output-dir", steps.folder / "out", *more)
        return steps.arrays("out")["y"]

    whole = run("eval", x)
    for first, second in ("edge", "cpu"), ("cpu", "edge"), ("edge", "edge"):
        run(first, x[:6], "--state-out", states)
        rest = run(second, x[6:], "--state-in", states)
        np.testing.assert_array_equal(rest, whole[6:])


@pytest.mark.parametrize("form", [{}, {"quantized": True, "settled": True}])
def test_what_the_machine_lacks_runs_on_the_host(steps, form):
    """A float model, or a cache of floats: their products have no commands; the
    node is named, and the host runs it if asked to."""
    decoder = Decoder(12, **form)
    path, archive = steps.folder / "step.onnx", steps.folder / "step.a"
    onnx.save(decoder.make(), path)
    options = decoder.options(6)
    done = steps.started("compile", path, *options, "--target", "edge", "-o",
                         steps.folder / "no.elf")
    assert done.returncode == 4
    assert "cannot run matmul" in done.stderr and "[NPU-10]" in done.stderr
    steps.command("compile", path, *options, "--target", "edge",
                  "--fallback=cpu", "-o", archive)
    x = decoder.frames(7)
    np.save(steps.folder / "x.npy", x[:6])
    for name, what in ("shared", [archive]), (
            "eval", [path, *options, "--target", "eval"]):
        steps.command("run", *what, "--steps", "6", "--input",
                      f"x={steps.folder}/x.npy", "--output-dir",
                      steps.folder / name)
    np.testing.assert_array_equal(steps.arrays("shared")["y"],
                                  steps.arrays("eval")["y"])
    np.save(steps.folder / "x.npy", x)
    done = steps.started("run", archive, "--steps", "7", "--input",
                         f"x={steps.folder}/x.npy")
    assert done.returncode == 2 and "[RUN-24]" in done.stderr


def test_explain_tells_of_rows_and_numbers(steps):
    path, _, options = compiled(steps)
    told = json.loads(steps.command("explain", path, *options, "--target",
                                    "edge", "--only", "state", "--json"))
    found = {(d["node"], d["code"]): d["reason"] for d in told["rewrites"]["decisions"]}
    assert "64 bytes in 64; a call writes 16 and copies none" in \
        found["past", "SLOT-1"]
    assert "the caller counts up by 1, to 4 at most" in \
        found["past.rows", "SLOT-7"]
