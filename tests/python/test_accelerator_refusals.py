"""Operators for which accelerators have no commands: refused, with the reason."""

import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from node_batch import NodeBatch
from operator_batches import Codes, integers, numbers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def refusal(tally, folder, batch, machine="edge"):
    path = folder / "refused.onnx"
    onnx.save(batch.model(), path)
    done = subprocess.run(
        [str(tally), "compile", str(path), "--target", str(machine), "-o",
         str(folder / "refused.elf")], text=True, capture_output=True,
        check=False)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "[NPU-10]" in done.stderr
    return done.stderr


def test_many_outputs_are_refused(tally, tmp_path):
    batch = NodeBatch(1)
    value = batch.input(np.float32([1, 2]))
    for _ in range(61):
        batch.node("Neg", [value])
    said = refusal(tally, tmp_path, batch)
    assert "there are 62, a program has at most 61" in said


def test_the_mean_of_long_integers_is_refused(tally, tmp_path):
    batch = NodeBatch(1)
    batch.node("ReduceMean", [integers(batch, np.int64, 2, 3)])
    assert "the mean of 64-bit integers" in refusal(tally, tmp_path, batch)


def test_statistics_of_a_normalization_are_refused(tally, tmp_path):
    batch = NodeBatch(1)
    one = batch.constant(np.ones(3, np.float32))
    batch.node("LayerNormalization", [numbers(batch, 2, 3), one, one],
               outputs=3)
    said = refusal(tally, tmp_path, batch)
    assert "its mean and inverse deviation as results" in said


def power_of_integers(b):
    b.node("Pow", [integers(b, np.int32, 5), integers(b, np.int32, 5)])


def uneven_divisors(b):
    b.node("AveragePool", [numbers(b, 1, 2, 9)], kernel_shape=[4], ceil_mode=1,
           strides=[4], pads=[1, 1], count_include_pad=1)


def narrow_codes_by_channel(b):
    grid = [b.constant(b.scale(3)),
            b.constant(np.array([1, 2, 3]), onnx.TensorProto.INT4)]
    codes = b.node("QuantizeLinear", [numbers(b, 3, 4), *grid], keep=False,
                   axis=0)
    b.node("DequantizeLinear", [codes, *grid], axis=0)


def stride_beyond_kernel(b):
    b.result("ConvTranspose", [b.operand(np.int8, 1, 2, 5),
                               b.weight([2, 3, 2], 1)], np.int8, strides=[3])


def tuples_of_a_run(b):
    b.node("GatherND", [numbers(b, 3, 4), b.input(np.array([[1, 2]]))])


def plain_products(b):
    b.node("MatMulInteger", [integers(b, np.uint8, 3, 4),
                             b.constant(b.codes([4, 5], np.int8)),
                             integers(b, np.uint8)])


def plain_windows(b):
    b.node("ConvInteger", [integers(b, np.uint8, 1, 2, 5, 5),
                           b.constant(b.codes([3, 2, 3, 3], np.int8)),
                           integers(b, np.uint8)])


def picked_elements(b):
    b.node("GatherElements", [numbers(b, 3, 4), b.input(np.array([[1, 2]]))])


def scattered_elements(b):
    b.node("ScatterElements", [numbers(b, 3), b.input(np.array([1])),
                               numbers(b, 1)])


def scattered_slices(b):
    b.node("ScatterND", [numbers(b, 3, 2), b.input(np.array([[1]])),
                         numbers(b, 1, 2)])


def neighbours_across_channels(b):
    b.node("LRN", [numbers(b, 1, 4, 2, 2)], size=3)


def places_of_a_pool(b):
    b.node("MaxPool", [numbers(b, 1, 1, 6)], outputs=2, kernel_shape=[2])


def weights_by_place(b):
    b.node("Resize", [numbers(b, 1, 1, 4), "", b.constant(
        np.float32([1, 1, 1.5]))], mode="linear")


def the_best(b):
    b.node("TopK", [numbers(b, 5), b.constant(np.int64([2]))], outputs=2)


def lines_everywhere(b):
    turned = b.node("Transpose", [integers(b, np.int8, 2, 3, 2, 3, 2, 3)],
                    keep=False, perm=[4, 2, 1, 3, 0, 5])
    grids = [*b.grid(np.int8), *b.grid(np.int8, 1 / 256)]
    b.node("QLinearSoftmax", [turned, *grids], domain="com.microsoft", axis=3,
           opset=13)


def indices_as_floats(b):
    b.node("OneHot", [numbers(b, 3), b.constant(np.int64(4)),
                      integers(b, np.int8, 2)])


def sums_of_halves(b):
    b.node("CumSum", [b.input(np.float16([1, 2])), b.constant(np.int64(0))])


def scales_of_halves(b):
    b.node("DequantizeLinear", [integers(b, np.int8, 3),
                                b.input(np.float16(2))])


def scales_of_blocks(b):
    scales = b.input(b.rng.uniform(0.1, 1, (2, 3)).astype(np.float32))
    b.node("DequantizeLinear", [integers(b, np.int8, 4, 3), scales], axis=0,
           block_size=2)


def products_of_floats(b):
    b.node("MatMul", [numbers(b, 3, 4), numbers(b, 4, 5)])


@pytest.mark.parametrize("make, text", [
    (power_of_integers, "pow: this operator on integers"),
    (uneven_divisors, "windows that count padding and have different divisors"),
    (narrow_codes_by_channel, "codes that leave out values of their bytes"),
    (stride_beyond_kernel, "results that no tap of the kernel reaches"),
    (tuples_of_a_run, "gather_nd: tuples of indices known only when run"),
    (plain_products, "matmul_integer: sums of the matrix engine leave it"),
    (plain_windows, "conv_integer: sums of the matrix engine leave it"),
    (picked_elements, "gather_elements: no engine reads elements at indices"),
    (scattered_elements, "scatter_elements: no engine writes at indices"),
    (scattered_slices, "scatter_nd: no engine writes at indices"),
    (neighbours_across_channels, "lrn: the vector engine has no fused"),
    (places_of_a_pool, "max_pool_indices: pools tell no places"),
    (weights_by_place, "resize: no engine sums neighbours with weights"),
    (the_best, "top_k: no engine sorts"),
    (lines_everywhere, "integer_softmax: lines in more than three dimensions"),
    (indices_as_floats, "one_hot: indices that are floats"),
    (sums_of_halves, "cum_sum: running sums of floats other than f32"),
    (scales_of_halves, "a scale known only when run that is not f32"),
    (scales_of_blocks, "scales of blocks known only when run"),
    (products_of_floats, "the matrix engine multiplies codes")])
def test_what_has_no_commands_is_refused(tally, tmp_path, make, text):
    batch = Codes(1)
    make(batch)
    assert text in refusal(tally, tmp_path, batch)


def test_a_large_table_takes_unsigned_bytes(tally, tmp_path):
    text = (ROOT / "machines/edge.yaml").read_text()
    assert "types: [i8, u8, i16, u16, i32]\n" in text
    machine = tmp_path / "signed.yaml"
    machine.write_text(text.replace("types: [i8, u8, i16, u16, i32]\n",
                                    "types: [i8, i16, i32]\n"))
    batch = NodeBatch(1)
    batch.node("Gather", [numbers(batch, 65, 2),
                          batch.input(np.array([1, 64]))])
    said = refusal(tally, tmp_path, batch, machine)
    assert ("indices known only when run, into 65 slices, and no matrix engine "
            "takes u8") in said
    assert "--fallback=cpu" in said


def test_functions_of_halves_are_refused(tally, tmp_path):
    for op, count in (("IsNaN", 1), ("Less", 2), ("Add", 2), ("ArgMax", 1),
                      ("ReduceSum", 1)):
        batch = NodeBatch(1)
        half = batch.input(np.float16([1, 2, 3, 4]))
        batch.node(op, [half] * count)
        said = refusal(tally, tmp_path, batch)
        assert "f16 operands" in said or "these element types" in said
