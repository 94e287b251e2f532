"""States from call to call on an accelerator: the simulator and the evaluator.

Old and new value of a state are regions of global memory, or one region; which
slots of the context they are is the caller's business.
"""

import subprocess
import sys

import numpy as np
import onnx
import pytest
from accelerator_steps import (GRID, ROOT, STEPS, ZERO, coded, codes, floats,
                               model, real, steps, tensor)  # noqa: F401
from onnx import TensorProto, helper

sys.path.insert(0, str(ROOT / "tests/models"))
import stream  # noqa: E402


def test_accumulator_is_state_and_output(steps):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "s_out=s:1.5",
                     "--keep-output", "s_out")
    total = np.full(4, 1.5, np.float32)
    for frame, found in zip(x, ours["s_out"]):
        total = total + frame
        np.testing.assert_array_equal(found, total)
    assert steps.policies() == {"s": "in place"}
    # No operator reads s behind the sum, which is stored twice.
    assert steps.copied() == {"s": 0}


def test_codes_begin_at_their_zero_point(steps):
    step = model([real("x"), real("s"),
                  helper.make_node("Add", ["x_real", "s_real"],
                                   ["s_out_real"]), coded("s_out")],
                 [tensor("x", [40], TensorProto.INT8),
                  tensor("s", [40], TensorProto.INT8)],
                 [tensor("s_out", [40], TensorProto.INT8)], GRID)
    x = codes(40)
    ours = steps.run(step, {"x": x}, "--state", "s_out=s", "--keep-output",
                     "s_out")
    np.testing.assert_array_equal(ours["s_out"][0], x[0])


def test_old_and_new_value_are_outputs(steps):
    step = model([helper.make_node("Identity", ["s"], ["old"]),
                  helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("old", [4]), tensor("s_out", [4])])
    ours = steps.run(step, {"x": floats(4)}, "--state", "s_out=s",
                     "--keep-output", "s_out")
    np.testing.assert_array_equal(ours["old"][1:], ours["s_out"][:-1])
    np.testing.assert_array_equal(ours["old"][0], 0)


@pytest.mark.parametrize("machine", ["edge", "tiny", "wide"])
def test_recurrent_product_of_codes(steps, machine):
    """h' = W h + U x: every element of h' needs all of the old h."""
    rng = np.random.default_rng(3)

    def weights(name):
        return name, rng.integers(-128, 128, (16, 16), np.int8)

    def dequantized(name):
        return helper.make_node("DequantizeLinear", [name, "w_scale"],
                                [name + "_real"])

    step = model(
        [real("x"), real("h"), dequantized("w"), dequantized("u"),
         helper.make_node("MatMul", ["h_real", "w_real"], ["wh_real"]),
         helper.make_node("MatMul", ["x_real", "u_real"], ["ux_real"]),
         coded("wh"), coded("ux"),
         helper.make_node("DequantizeLinear", ["wh", "scale", "zero"],
                          ["wh_back"]),
         helper.make_node("DequantizeLinear", ["ux", "scale", "zero"],
                          ["ux_back"]),
         helper.make_node("Add", ["wh_back", "ux_back"], ["h_out_real"]),
         coded("h_out")],
        [tensor("x", [1, 16], TensorProto.INT8),
         tensor("h", [1, 16], TensorProto.INT8)],
        [tensor("h_out", [1, 16], TensorProto.INT8)],
        [*GRID, ("w_scale", np.float32(0.002)), weights("w"), weights("u")])
    ours = steps.run(step, {"x": codes(1, 16)}, "--state", "h_out=h",
                     "--keep-output", "h_out", machine=machine)
    assert len(np.unique(ours["h_out"])) > 100
    assert steps.policies() == {"h": "flip"}


def test_swapped_states_move_no_byte(steps):
    step = model([helper.make_node("Identity", ["b"], ["a_out"]),
                  helper.make_node("Identity", ["a"], ["b_out"]),
                  helper.make_node("Add", ["a", "x"], ["y"])],
                 [tensor("x", [4]), tensor("a", [4]), tensor("b", [4])],
                 [tensor("a_out", [4]), tensor("b_out", [4]),
                  tensor("y", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "a_out=a:1", "--state",
                     "b_out=b:2")
    turn = np.float32([1, 2] * (STEPS // 2))[:, None]
    np.testing.assert_array_equal(ours["y"], x + turn)
    assert steps.policies() == {"a": "exchange", "b": "exchange"}
    assert not [b for b in steps.about["buffers"] if b["use"] == "new-state"]


def test_one_value_for_two_states_and_an_output(steps):
    step = model([helper.make_node("Add", ["a", "x"], ["v"]),
                  helper.make_node("Identity", ["v"], ["b_out"]),
                  helper.make_node("Sub", ["a", "b"], ["apart"])],
                 [tensor("x", [4]), tensor("a", [4]), tensor("b", [4])],
                 [tensor("v", [4]), tensor("b_out", [4]),
                  tensor("apart", [4])])
    ours = steps.run(step, {"x": floats(4)}, "--state", "v=a", "--state",
                     "b_out=b:3", "--keep-output", "v")
    np.testing.assert_array_equal(ours["apart"][0], -3)
    np.testing.assert_array_equal(ours["apart"][1:], 0)


def test_kept_state_is_only_read(steps):
    step = model([helper.make_node("Identity", ["k"], ["k_out"]),
                  helper.make_node("Mul", ["k", "x"], ["y"])],
                 [tensor("x", [4]), tensor("k", [4])],
                 [tensor("k_out", [4]), tensor("y", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "k_out=k:2")
    np.testing.assert_array_equal(ours["y"], x * np.float32(2))
    assert steps.policies() == {"k": "keep"}


def test_the_last_frames_of_a_stream(steps):
    """Old frames without the first, and the new one: a convolution's past."""
    step = model(
        [real("x"), real("past"),
         helper.make_node("Slice", ["past_real", "from", "to", "axis"],
                          ["kept_real"]),
         helper.make_node("Concat", ["kept_real", "x_real"],
                          ["past_out_real"], axis=1), coded("past_out"),
         helper.make_node("ReduceMax", ["past_out_real"], ["most_real"],
                          axes=[1], keepdims=0), coded("most")],
        [tensor("x", [1, 1, 24], TensorProto.INT8),
         tensor("past", [1, 3, 24], TensorProto.INT8)],
        [tensor("past_out", [1, 3, 24], TensorProto.INT8),
         tensor("most", [1, 24], TensorProto.INT8)],
        [*GRID, ("from", [1]), ("to", [3]), ("axis", [1])])
    x = codes(1, 1, 24)
    ours = steps.run(step, {"x": x}, "--state", "past_out=past")
    padded = np.concatenate([np.full((2, 1, 24), ZERO), x[:, 0]])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=0)
    np.testing.assert_array_equal(ours["most"], windows.max(axis=-1))


def test_a_state_of_the_callers(steps):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Neg", ["s"], ["y"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4]), tensor("y", [4])])
    x, s = floats(4), floats(4, seed=2)
    ours = steps.run(step, {"x": x, "s": s}, "--state", "s_out=s:input")
    np.testing.assert_array_equal(ours["y"][0], -s[0])


def test_a_quantized_lstm(steps):
    """The network of tests/models/stream.py, whose h and c stay codes."""
    steps.run(stream.make(), {"x": stream.frames()[:STEPS]}, "--state",
              "proposed")
    assert steps.policies() == {"h_in": "in place", "c_in": "in place"}


def test_traces_show_one_call(tally, tmp_path):
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"])],
                 [tensor("x", [4]), tensor("s", [4])], [tensor("s_out", [4])])
    onnx.save(step, tmp_path / "step.onnx")
    subprocess.run([tally, "compile", tmp_path / "step.onnx", "--target",
                    "edge", "--state", "s_out=s", "--keep-output", "s_out",
                    "-o", tmp_path / "step.elf"], check=True)
    for option in ["--trace"], ["--trace-json", tmp_path / "t.json"]:
        done = subprocess.run([tally, "run", tmp_path / "step.elf", "--random",
                               "1", "--steps", "3", *option], text=True,
                              capture_output=True, check=False)
        assert done.returncode != 0
        assert "shows one call, not --steps [CLI-3]" in done.stderr


def test_a_delay_is_copied(steps, tmp_path):
    """What enters is an input: the bytes that a call writes were there before.
    The option that refuses it says what forces it."""
    step = model([helper.make_node("Identity", ["x"], ["s_out"]),
                  helper.make_node("Sub", ["x", "s"], ["y"])],
                 [tensor("x", [4]), tensor("s", [4])],
                 [tensor("s_out", [4]), tensor("y", [4])])
    x = floats(4)
    ours = steps.run(step, {"x": x}, "--state", "s_out=s")
    np.testing.assert_array_equal(ours["y"][1:], x[1:] - x[:-1])
    assert steps.copied() == steps.written() == {"s": 16}
    steps.command("compile", steps.folder / "step.onnx", "--state", "s_out=s",
                  "--target", "edge", "--max-state-copies", "1", "-o",
                  tmp_path / "one.elf")
    for command in (["compile", "-o", tmp_path / "no.elf"],
                    ["run", "--random", "1"]):
        done = steps.started(*command, steps.folder / "step.onnx", "--state",
                             "s_out=s", "--target", "edge",
                             "--max-state-copies", "0")
        assert done.returncode != 0
        assert "'s': a call copies the state, and no more than 0 may be; " \
            "copied: the value is the input 'x', which 'Identity_0' " \
            "hands on [STATE-10]" in done.stderr
    assert not (tmp_path / "no.elf").exists()


LARGE = 1 << 20  # bytes of floats that do not fit into SRAM beside others


def test_large_states_go_over_their_old_value(steps):
    """Piece by piece, the first of them stored before the last is read."""
    shape = [64, LARGE // 256]
    step = model([helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Neg", ["s"], ["y"])],
                 [tensor("x", shape), tensor("s", shape)],
                 [tensor("s_out", shape), tensor("y", shape)])
    steps.run(step, {"x": floats(*shape, steps=3)}, "--state", "s_out=s")
    assert steps.policies() == {"s": "in place"}
    assert steps.written() == {"s": LARGE}
    assert steps.copied() == {"s": 0}
    assert steps.about["slots"] == [LARGE]


def test_a_reader_that_comes_late_costs_a_copy(steps):
    """sin(s) runs with cos(sin(s)) behind s + x, whose pieces go to the arena."""
    shape = [64, LARGE // 256]
    step = model([helper.make_node("Sin", ["s"], ["a"]),
                  helper.make_node("Add", ["s", "x"], ["s_out"]),
                  helper.make_node("Cos", ["a"], ["y"])],
                 [tensor("x", shape), tensor("s", shape)],
                 [tensor("s_out", shape), tensor("y", shape)])
    steps.run(step, {"x": floats(*shape, steps=3)}, "--state", "s_out=s")
    assert steps.policies() == {"s": "in place"}
    assert steps.written() == {"s": LARGE}
    assert steps.copied() == {"s": LARGE}
    done = steps.started("compile", steps.folder / "step.onnx", "--state",
                         "s_out=s", "--target", "edge", "--max-state-copies",
                         "0", "-o", steps.folder / "no.elf")
    assert done.returncode != 0
    assert "copied: 'Add_1' makes it piece by piece, and others read it or " \
        "the old value afterwards [STATE-10]" in done.stderr


@pytest.mark.parametrize("reader", [None, "Sin"])
def test_large_values_are_stored_to_all_who_want_them(steps, reader):
    """s' = s + x in pieces, each of which goes to the state and to the output
    while it is in SRAM; to the arena only for who reads s' later."""
    shape = [64, LARGE // 256]
    nodes = [helper.make_node("Add", ["s", "x"], ["s_out"])]
    outputs = [tensor("s_out", shape)]
    if reader:
        # A product of floats is none of the machine's; a softmax reads rows.
        nodes += [helper.make_node("Softmax", ["s_out"], ["r"], axis=-1),
                  helper.make_node(reader, ["r"], ["y"])]
        outputs.append(tensor("y", shape))
    step = model(nodes, [tensor("x", shape), tensor("s", shape)], outputs)
    steps.run(step, {"x": floats(*shape, steps=3)}, "--state", "s_out=s",
              "--keep-output", "s_out")
    assert steps.policies() == {"s": "in place"}
    assert steps.copied() == {"s": 0}
    written = {space["name"]: space["written"]
               for space in steps.report["simulation"]["memories"]}
    assert written["s"] == written["s_out"] == LARGE
    if not reader:
        assert steps.note()["arena-bytes"] == 0


def test_large_values_of_two_states(steps):
    """a' = b' = a + x: two regions and no arena."""
    shape = [64, LARGE // 256]
    step = model([helper.make_node("Add", ["a", "x"], ["v"]),
                  helper.make_node("Identity", ["v"], ["w"]),
                  helper.make_node("Neg", ["b"], ["y"])],
                 [tensor(name, shape) for name in "xab"],
                 [tensor(name, shape) for name in "vwy"])
    steps.run(step, {"x": floats(*shape, steps=3)}, "--state", "v=a", "--state",
              "w=b", "--keep-output", "v")
    assert steps.copied() == {"a": 0, "b": 0}
    assert steps.written() == {"a": LARGE, "b": LARGE}
    assert steps.note()["arena-bytes"] == 0


def without_waits(text):
    """Programs without one of the waits in front of a store."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.strip().startswith("wait.ge store"):
            yield "\n".join(lines[:i] + lines[i + 1:])


def with_late_read(text, region):
    """A load of the region's first byte when all else is done."""
    head, end = text.rsplit("  ecall", 1)
    fields = {"src.space": region, "src.offset": 0, "dst.offset": 0,
              "element": 1, **{f"size{d}": 1 for d in range(4)}}
    load = "".join(f"  cfg.i load0, {field}, {value}\n"
                   for field, value in fields.items())
    return f"{head}{load}  go load0, copy, x0, x0\n  ecall{end}"


def test_the_checker_rejects_other_orders(steps, tmp_path):
    step = model([real("x"), real("s"),
                  helper.make_node("Add", ["x_real", "s_real"],
                                   ["s_out_real"]), coded("s_out"),
                  helper.make_node("Neg", ["s_real"], ["y_real"]),
                  coded("y")],
                 [tensor("x", [40], TensorProto.INT8),
                  tensor("s", [40], TensorProto.INT8)],
                 [tensor("s_out", [40], TensorProto.INT8),
                  tensor("y", [40], TensorProto.INT8)], GRID)
    steps.run(step, {"x": codes(40)}, "--state", "s_out=s")
    assert steps.policies() == {"s": "in place"}
    text = steps.command("disasm", steps.program)
    names = [buffer["name"] for buffer in steps.about["buffers"]]
    changed = [(one, "CHK-8") for one in without_waits(text)]
    changed.append((with_late_read(text, 3 + names.index("s")), "CHK-19"))
    assert len(changed) >= 2
    for i, (mutant, rule) in enumerate(changed):
        source = tmp_path / f"mutant{i}.s"
        source.write_text(mutant + "\n")
        steps.command("asm", source, "-o", tmp_path / "mutant.elf")
        done = steps.started("check", tmp_path / "mutant.elf")
        assert done.returncode == 1
        assert f"[{rule}]" in done.stdout
