"""`tally diff`: what differs from a reference, and why.

Each rule of docs/reference/differences.md is met once through the command, on a
graph of a node or two whose arithmetic stands beside it; then whole networks
against onnxruntime, where at least 99 of 100 differing codes must be explained.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from conftest import need
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TALLY_MODELS", ROOT / "build/models"))
DIGITS = ROOT / "models/digits"
sys.path.insert(0, str(ROOT / "tests/models"))
import differences  # noqa: E402


def diff(tally, model, *options, python=sys.executable, status=(0, 1)):
    """The command's JSON; with other statuses its text."""
    done = subprocess.run(
        [str(tally), "diff", str(model), "--json", *map(str, options)],
        text=True, capture_output=True, check=False,
        env={**os.environ, "TALLY_PYTHON": python})
    assert done.returncode in status, done.stdout + done.stderr
    return json.loads(done.stdout) if done.returncode < 2 else done.stderr


def scalar(name, value, dtype):
    return numpy_helper.from_array(np.array(value, dtype), name)


def requantize(folder, in_scale, out_scale, zero_point=0):
    """x (int8) -> DequantizeLinear -> QuantizeLinear -> y: round(x * r) + z."""
    constants = [scalar("s", in_scale, np.float32), scalar("z", 0, np.int8),
                 scalar("t", out_scale, np.float32),
                 scalar("u", zero_point, np.int8)]
    graph = helper.make_graph(
        [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["r"], "dq"),
         helper.make_node("QuantizeLinear", ["r", "t", "u"], ["y"], "q")],
        "net", [helper.make_tensor_value_info("x", TensorProto.INT8, [4])],
        [helper.make_tensor_value_info("y", TensorProto.INT8, [4])], constants)
    path = folder / "net.onnx"
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def judge(tally, folder, model, x, y):
    """One element of four differs: y is what the reference has for x."""
    np.savez(folder / "in.npz", x=np.array(x, np.int8))
    np.savez(folder / "ref.npz", y=np.array(y, np.int8))
    found = diff(tally, model, "--ref", folder / "ref.npz",
                 "--input", folder / "in.npz")
    [element] = found["tensors"][0]["codes"]
    return found, element


# Steps are x / 2. 5 / 2 = 2.5 is a tie: 2, plus 3 is 5. 2.5 + 3 rounds to 6.
def test_zero_point_before_rounding(tally, tmp_path):
    model = requantize(tmp_path, 0.5, 1, 3)
    found, element = judge(tally, tmp_path, model, [0, 2, 4, 5], [3, 4, 5, 6])
    assert element == {"index": [3], "ours": 5, "reference": 6, "exact": 2.5,
                       "rule": "ZERO-POINT-BEFORE-ROUNDING"}
    assert found["first"] == {"node": "q", "tensor": "y"}


# -5 / 2 = -2.5: -2 by half to even, -3 away from zero.
def test_tie_away(tally, tmp_path):
    model = requantize(tmp_path, 0.5, 1)
    _, element = judge(tally, tmp_path, model, [0, 2, 4, -5], [0, 1, 2, -3])
    assert (element["exact"], element["rule"]) == (-2.5, "TIE-AWAY")


# -7 / 2 = -3.5: -4 by half to even and away from zero, -3 upwards.
def test_tie_up(tally, tmp_path):
    model = requantize(tmp_path, 0.5, 1)
    _, element = judge(tally, tmp_path, model, [0, 2, 4, -7], [0, 1, 2, -3])
    assert (element["exact"], element["rule"]) == (-3.5, "TIE-UP")


# 70 * 2 = 140, less 100 is 40; cut to 127 first it is 27.
def test_saturation_order(tally, tmp_path):
    model = requantize(tmp_path, 2, 1, -100)
    _, element = judge(tally, tmp_path, model, [50, 50, 50, 70],
                       [0, 0, 0, 27])
    assert (element["exact"], element["rule"]) == (140, "SATURATION-ORDER")


# -70 * 2 = -140 saturates at -128; a symmetric range ends at -127.
def test_narrow_range(tally, tmp_path):
    model = requantize(tmp_path, 2, 1)
    _, element = judge(tally, tmp_path, model, [0, 1, 2, -70],
                       [0, 2, 4, -127])
    assert (element["exact"], element["rule"]) == (-140, "NARROW-RANGE")


# 2 * 2 = 4 and no tie: five is explained by nothing.
def test_unexplained(tally, tmp_path):
    model = requantize(tmp_path, 2, 1)
    found, element = judge(tally, tmp_path, model, [0, 1, 2, 2], [0, 2, 4, 5])
    assert "rule" not in element and element["exact"] == 4
    assert (found["unexplained"], found["rules"]) == (1, {})
    assert found["tensors"][0]["histogram"] == {"-1": 1, "0": 3}


def product(folder, scales, zero=0, second=False):
    """QLinearMatMul of x [1,K] and w [K,1]; optionally a second one behind it
    with weight 1 and scales 1, which hands on the code."""
    a, b, c = scales
    constants = [scalar("a", a, np.float32), scalar("b", b, np.float32),
                 scalar("c", c, np.float32), scalar("z", zero, np.int8),
                 numpy_helper.from_array(np.array([[117]], np.int8), "w"),
                 numpy_helper.from_array(np.array([[1]], np.int8), "one"),
                 scalar("unit", 1, np.float32)]
    nodes = [helper.make_node("QLinearMatMul",
                              ["x", "a", "z", "w", "b", "z", "c", "z"],
                              ["y"], "first")]
    if second:
        nodes.append(helper.make_node(
            "QLinearMatMul",
            ["y", "c", "z", "one", "unit", "z", "c", "z"], ["end"], "second"))
    last = "end" if second else "y"
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.INT8, [1, 1])],
        [helper.make_tensor_value_info(last, TensorProto.INT8, [1, 1])],
        constants)
    path = folder / "product.onnx"
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


# 5 * 117 = 585 and 585 * (0.05296.. * 0.02409..) / 0.11484.. = 6.50000047, so
# 7. With the scale in fp32 it is 6.5, a tie, so 6; the second node hands it on.
SCALES = (0.05296124517917633, 0.024093778803944588, 0.11484327912330627)


@pytest.mark.parametrize("level", [[], ["--ref-optimized"]])
def test_tie_fp32_and_what_follows(tally, tmp_path, level):
    model = product(tmp_path, SCALES, second=True)
    np.savez(tmp_path / "in.npz", x=np.array([[5]], np.int8))
    found = diff(tally, model, "--ref", "onnxruntime",
                 "--input", tmp_path / "in.npz", *level)
    assert found["rules"] == {"INPUT-DIFFERS": 1, "TIE-FP32": 1}
    first, second = found["tensors"]
    assert first["codes"][0]["rule"] == "TIE-FP32"
    assert first["codes"][0]["exact"] == pytest.approx(6.50000047, abs=1e-8)
    assert second["changed_operand"] == "y"
    # The second reads the reference's 6 and would give 6 as well.
    assert second["codes"][0] == {"index": [0, 0], "ours": 7, "reference": 6,
                                  "exact": 6, "rule": "INPUT-DIFFERS"}


def double_rounded(accumulator, real):
    """The code under TFLite's reference kernels, in exact integers."""
    fraction, shift = np.frexp(real)
    multiplier = int(np.floor(fraction * 2 ** 31 + 0.5))
    high = (accumulator * multiplier + (1 << 30)) >> 31
    right = -shift
    rest, threshold = high & ((1 << right) - 1), ((1 << right) - 1) >> 1
    return (high >> right) + (rest > threshold)


# r = 0.0214: of x * 117 * r the first x whose two roundings differ from one.
def test_double_rounding(tally, tmp_path):
    scales = (0.25, 0.171875, 2.0)  # r is exact: 0.02148..., no ties
    real = scales[0] * scales[1] / scales[2]
    x = next(x for x in range(1, 128)
             if double_rounded(117 * x, real) != round(117 * x * real)
             and 117 * x * real % 1 != 0.5)
    model = product(tmp_path, scales)
    np.savez(tmp_path / "in.npz", x=np.array([[x]], np.int8))
    np.savez(tmp_path / "ref.npz",
             y=np.array([[double_rounded(117 * x, real)]], np.int8))
    found = diff(tally, model, "--ref", tmp_path / "ref.npz",
                 "--input", tmp_path / "in.npz")
    assert found["rules"] == {"DOUBLE-ROUNDING": 1}


def test_other_model_is_noise_without_rules(tally):
    found = diff(tally, DIGITS / "digits-int8.onnx", "--dim", "N=300", "--ref",
                 DIGITS / "digits-float.onnx",
                 "--input", f"image={DIGITS / 'test-images.npy'}")
    codes = [t for t in found["tensors"] if "codes" in t["type"]]
    assert len(codes) > 5 and found["codes_different"] > 0
    assert found["rules"] == {} and found["unexplained"] == 0
    assert all(t["sqnr_db"] > 10 for t in codes if t["different"])
    [decision] = found["decisions"]
    assert decision["output"] == "logits" and decision["count"] == 300
    assert decision["agree"] > 290


def save(folder, nodes, inputs, outputs, constants):
    """A model of opset 17; inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info(*i) for i in inputs],
        [helper.make_tensor_value_info(*o) for o in outputs], constants)
    path = folder / "net.onnx"
    opsets = [helper.make_opsetid("", 17),
              helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8),
              path)
    return path


def against_onnxruntime(tally, folder, model, options=(), **inputs):
    np.savez(folder / "in.npz", **inputs)
    return diff(tally, model, "--ref", "onnxruntime", "--input",
                folder / "in.npz", *options)


# Of two codes 10 apart on scale 0.1 the larger has e / (1 + e) = 0.7311 of the
# sum: on scale 1/255.9 that is 187.1 steps, so 187. QLinearSoftmax takes 1 / s
# as the whole number 255: 186.4, so 186. Only the optimizer puts it there.
def quantized_softmax(folder, dtype):
    low = np.iinfo(dtype).min
    constants = [scalar("s", 0.1, np.float32), scalar("z", low, dtype),
                 scalar("t", 1 / 255.9, np.float32), scalar("u", low, dtype)]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], "quantize"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["r"], "dq"),
        helper.make_node("Softmax", ["r"], ["p"], "softmax"),
        helper.make_node("QuantizeLinear", ["p", "t", "u"], ["y"], "share"),
        helper.make_node("DequantizeLinear", ["y", "t", "u"], ["end"], "out")]
    shape = [64, 8]
    return save(folder, nodes, [("x", TensorProto.FLOAT, shape)],
                [("end", TensorProto.FLOAT, shape)], constants)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_kernel_of_the_optimizer(tally, tmp_path, dtype):
    model = quantized_softmax(tmp_path, dtype)
    x = np.random.default_rng(3).uniform(0, 5, (64, 8)).astype(np.float32)
    plain = against_onnxruntime(tally, tmp_path, model, x=x)
    assert plain["codes_different"] == 0
    fused = against_onnxruntime(tally, tmp_path, model, ["--ref-optimized"],
                                x=x)
    assert fused["codes_different"] > 20 and fused["unexplained"] == 0
    assert set(fused["rules"]) == {"INTEGER-KERNEL"}
    assert fused["changed_by_showing"] == {"different": 0, "count": 512}


# Two pixels 1 and 2 become four: 1, 1.25, 1.75, 2 by half pixels. Ours rounds to
# 1, 1, 2, 2; onnxruntime cuts 1.75 to 1. Downwards from zero: -1, -1.25, -1.75,
# -2 become -1, -1, -2, -2 and -1, -1, -1, -2.
@pytest.mark.parametrize("dtype,pair", [(np.uint8, [1, 2]), (np.int8, [1, 2]),
                                        (np.int8, [-1, -2])])
def test_truncation(tally, tmp_path, dtype, pair):
    number = TensorProto.INT8 if dtype == np.int8 else TensorProto.UINT8
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], "resize",
                            mode="linear")
    scales = numpy_helper.from_array(np.array([1, 1, 1, 2], np.float32),
                                     "scales")
    model = save(tmp_path, [node], [("x", number, [1, 1, 1, 2])],
                 [("y", number, [1, 1, 1, 4])], [scales])
    found = against_onnxruntime(tally, tmp_path, model,
                                x=np.array([[[pair]]], dtype))
    assert found["rules"] == {"TRUNCATION": 1}
    [element] = found["tensors"][0]["codes"]
    assert element == {"index": [0, 0, 0, 2], "ours": 2 * pair[0],
                       "reference": pair[0], "exact": 1.75 * pair[0],
                       "rule": "TRUNCATION"}


# The float between the node and its Quantize, which the archive shows, decides:
# 2.5000002 steps rounds to 3 and is as near to 2.5 as fp32 may be; 2.6 is not,
# and 2.4999998 does not give 3. Exactly 2.5 it is: 5 * 0.5.
@pytest.mark.parametrize("shown,rule", [(2.5000002, "FLOAT-ISLAND"),
                                        (2.6, None), (2.4999998, None)])
def test_shown_float(tally, tmp_path, shown, rule):
    model = requantize(tmp_path, 0.5, 1)
    np.savez(tmp_path / "in.npz", x=np.array([0, 2, 4, 5], np.int8))
    np.savez(tmp_path / "ref.npz", y=np.array([0, 1, 2, 3], np.int8),
             r=np.array([0, 1, 2, shown], np.float32))
    found = diff(tally, model, "--ref", tmp_path / "ref.npz",
                 "--input", tmp_path / "in.npz")
    [element] = found["tensors"][0]["codes"]
    # Without the float, or against it, the tie may have gone upwards.
    assert element.get("rule") == (rule or "TIE-AWAY")


# What moves the codes of a QLinear operator has plain integers, which are judged
# by the codes that they come from.
def test_plain_integers_follow_their_operand(tally, tmp_path):
    node = helper.make_node("Flatten", ["y"], ["end"], "flatten")
    model = onnx.load(product(tmp_path, SCALES))
    model.graph.node.append(node)
    model.graph.output[0].name = "end"
    path = tmp_path / "flat.onnx"
    onnx.save(model, path)
    found = against_onnxruntime(tally, tmp_path, path,
                                x=np.array([[5]], np.int8))
    assert found["rules"] == {"INPUT-DIFFERS": 1, "TIE-FP32": 1}
    assert found["tensors"][1]["changed_operand"] == "y"


def need_exact_products(host_tiers):
    """Without VNNI onnxruntime's kernels for u8 * s8 saturate sums of two products
    at 16 bits, which no rule explains."""
    if not {"avxvnni", "avx512vnni"} & set(host_tiers):
        pytest.skip("without VNNI onnxruntime's sums of products saturate")


def check_explained(found):
    explained = sum(found["rules"].values())
    differing = explained + found["unexplained"]
    listed = sum(t["different"] for t in found["tensors"]
                 if not t["type"].startswith("float"))
    assert differing == listed == found["codes_different"]
    assert explained >= 0.99 * differing, found["rules"]
    for tensor in found["tensors"]:
        counted = sum(tensor.get("rules", {}).values())
        assert counted <= tensor["different"]
    # Two roundings and the like are other executors' rules.
    assert set(found["rules"]) <= {"INPUT-DIFFERS", "FLOAT-ISLAND", "TIE-FP32",
                                   "INTEGER-KERNEL", "TRUNCATION"}


@pytest.mark.parametrize("target", ["cpu", "eval"])
@pytest.mark.parametrize("level", [[], ["--ref-optimized"]])
@pytest.mark.parametrize("kind", ["int8", "u8"])
def test_digits_explained(tally, host_tiers, kind, level, target):
    if level:
        need_exact_products(host_tiers)
    found = diff(tally, DIGITS / f"digits-{kind}.onnx", "--dim", "N=300",
                 "--ref", "onnxruntime", "--target", target, *level,
                 "--input", f"image={DIGITS / 'test-images.npy'}")
    assert found["codes_compared"] > 100000
    check_explained(found)
    [decision] = found["decisions"]
    assert decision["count"] == 300 and decision["agree"] >= 299


class Images(quantization.CalibrationDataReader):
    """The first images of the digits."""

    def __init__(self):
        images = np.load(DIGITS / "test-images.npy")
        self.feeds = ({"image": image[None]} for image in images[:20])

    def get_next(self):
        return next(self.feeds, None)


@pytest.mark.parametrize("level", [[], ["--ref-optimized"]])
@pytest.mark.parametrize("kind", ["QInt8", "QUInt8"])
def test_qlinear_operators_explained(tally, host_tiers, tmp_path, kind, level):
    if kind == "QUInt8":
        need_exact_products(host_tiers)
    path = tmp_path / "digits-operators.onnx"
    quantization.quantize_static(
        DIGITS / "digits-float.onnx", path, Images(), per_channel=True,
        quant_format=quantization.QuantFormat.QOperator,
        activation_type=quantization.QuantType[kind],
        weight_type=quantization.QuantType.QInt8)
    operators = {node.op_type for node in onnx.load(path).graph.node}
    assert "QLinearConv" in operators
    found = diff(tally, path, "--dim", "N=300", "--ref", "onnxruntime", *level,
                 "--input", f"image={DIGITS / 'test-images.npy'}")
    assert found["codes_compared"] > 100000
    check_explained(found)


QUICK = ["mtcnn-propose-s8", "mtcnn-refine-u8", "magika-s8", "ocr-orient-u8",
         "bert-layer-s8"]


# tests/models/differences.py does the same with all of them.
@pytest.mark.parametrize("level", [[], ["--ref-optimized"]])
@pytest.mark.parametrize("name", QUICK)
def test_networks_explained(tally, host_tiers, name, level):
    if level:
        need_exact_products(host_tiers)
    path = MODELS / f"{name}.onnx"
    need(path)
    found = differences.diff(tally, path, *level).report
    check_explained(found)
    assert differences.share(found) >= 0.99


def test_absent_packages_are_named(tally, tmp_path):
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho onnxruntime >&2\nexit 3\n")
    fake.chmod(0o755)
    said = diff(tally, DIGITS / "digits-int8.onnx", "--dim", "N=1", "--random",
                1, "--ref", "onnxruntime", python=str(fake), status=(6,))
    assert "has no package 'onnxruntime' [DIFF-2]" in said
    assert "pip install onnxruntime onnx" in said
    said = diff(tally, DIGITS / "digits-int8.onnx", "--dim", "N=1", "--random",
                1, "--ref", "onnxruntime", python=str(tmp_path / "none"),
                status=(6,))
    assert "none' does not run" in said and "[DIFF-2]" in said


def test_refusal_of_the_runtime_is_told(tally, tmp_path):
    model = onnx.load(DIGITS / "digits-int8.onnx")
    model.graph.node[0].domain = "com.example"
    path = tmp_path / "unknown.onnx"
    onnx.save(model, path)
    # Ours refuses it first; the runtime's own words come from the script.
    script = ROOT / "tally/driver/diff/onnxruntime_tensors.py"
    np.savez(tmp_path / "in.npz", image=np.zeros((1, 1, 8, 8), np.float32))
    (tmp_path / "names.json").write_text("[]")
    done = subprocess.run(
        [sys.executable, script, path, tmp_path / "in.npz",
         tmp_path / "names.json", tmp_path, "plain"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "com.example" in done.stderr
