"""Dequantize, operate, quantize under --numerics=ideal against fractions.

The expected codes are computed here in exact rational arithmetic with plain
loops: the real of a code is scale * (code - zero), the real result is rounded
half to even once, the zero point is added, and the code saturates.
"""

from fractions import Fraction

import numpy as np
from node_batch import NodeBatch, assert_equal


class Grid:
    def __init__(self, batch, dtype, count=None, scale=None):
        self.dtype = np.dtype(dtype)
        self.scale = batch.scale(count) if scale is None else np.float32(scale)
        self.zero = batch.codes(count or (), dtype)

    def reals(self, codes, axis=None):
        scale, zero = np.ravel(self.scale), np.ravel(self.zero)
        result = np.empty(codes.shape, object)
        for at in np.ndindex(codes.shape):
            c = at[axis] if axis is not None and len(scale) > 1 else 0
            result[at] = Fraction(float(scale[c])) * (
                int(codes[at]) - int(zero[c]))
        return result

    def codes(self, reals):
        limits, result = np.iinfo(self.dtype), np.empty(reals.shape, self.dtype)
        for at in np.ndindex(reals.shape):
            # round() of a Fraction is half to even.
            code = round(reals[at] / Fraction(float(self.scale)))
            code += int(self.zero)
            result[at] = min(max(code, limits.min), limits.max)
        return result


def around(batch, reals, dtype=np.int8):
    """A grid on which the reals fill the range without saturating much."""
    widest = max(abs(real) for real in reals.flat) or Fraction(1)
    share = batch.rng.uniform(0.4, 0.9)
    return Grid(batch, dtype,
                scale=float(widest) / (np.iinfo(dtype).max * share))


def dequantized(batch, codes, grid, axis=None, constant=False):
    place = batch.constant if constant else batch.input
    attributes = {} if axis is None else {"axis": axis}
    return batch.node("DequantizeLinear", [
        place(codes), batch.constant(grid.scale), batch.constant(grid.zero)],
        keep=False, **attributes)


def quantized(batch, value, grid):
    batch.node("QuantizeLinear", [
        value, batch.constant(grid.scale), batch.constant(grid.zero)])


def check(batch, expected, runner):
    found = runner.run(batch.model(), batch.feeds, "--target", "eval")
    assert_equal(batch, found, dict(zip(batch.outputs, expected)))


def test_matmul_and_gemm(runner):
    batch, expected = NodeBatch(0), []
    for i in range(18):
        a_type = (np.uint8, np.int8, np.int16)[i % 3]
        m, k, n = batch.sizes(1, 7, 3)
        rows, columns = batch.pick(m, None), batch.pick(n, None)
        a_grid = Grid(batch, a_type, rows)
        b_grid = Grid(batch, batch.pick(np.int8, np.int16), columns)
        a, b = batch.codes([m, k], a_type), batch.codes([k, n], b_grid.dtype)
        real = a_grid.reals(a, axis=0).dot(b_grid.reals(b, axis=1))
        grid = around(batch, real)
        x = dequantized(batch, a, a_grid, 0 if rows else None)
        w = dequantized(batch, b, b_grid, 1 if columns else None,
                        constant=True)
        quantized(batch, batch.node("MatMul", [x, w], keep=False), grid)
        expected.append(grid.codes(real))
        c = batch.rng.normal(0, 1, n).astype(np.float32)
        quantized(batch, batch.node(
            "Gemm", [x, w, batch.constant(c)], keep=False, alpha=0.75,
            beta=1.5), grid)
        addend = np.array([Fraction(float(v)) for v in c], object)
        expected.append(
            grid.codes(Fraction(3, 4) * real + Fraction(3, 2) * addend))
    check(batch, expected, runner)


def bias_row(batch, i, n, shape):
    """A constant of real numbers, or every third one of i32 codes."""
    if i % 3:
        row = batch.rng.normal(0, 1, n).astype(np.float32)
        return (batch.constant(row.reshape(shape)),
                np.array([Fraction(float(v)) for v in row], object))
    grid, codes = Grid(batch, np.int32, scale=1e-10), batch.codes([n], np.int32)
    return (dequantized(batch, codes.reshape(shape), grid, constant=True),
            grid.reals(codes))


def test_matmul_with_a_bias_in_a_node_of_its_own(runner):
    # Q(Add(MatMul(DQ(a), DQ(w)), row)): the row is part of the exact real, in
    # whichever operand and shape it comes.
    batch, expected = NodeBatch(5), []
    for i in range(12):
        (m, n), k = batch.sizes(8, 14, 2), 20
        lead = ([], [2], [1, 3])[i % 3]
        a_grid = Grid(batch, (np.uint8, np.int8)[i % 2])
        b_grid = Grid(batch, np.int8, batch.pick(n, None))
        a, b = batch.codes([*lead, m, k], a_grid.dtype), batch.codes(
            [k, n], np.int8)
        shape = ([n], [1, n])[i % 2]
        row, addend = bias_row(batch, i, n, shape)
        real = a_grid.reals(a).dot(b_grid.reals(b, axis=1)) + addend
        grid = around(batch, real, np.int16)
        per_column = 1 if b_grid.scale.size > 1 else None
        product = batch.node("MatMul", [
            dequantized(batch, a, a_grid),
            dequantized(batch, b, b_grid, per_column, constant=True)],
            keep=False)
        pair = [product, row]
        total = batch.node("Add", pair if i % 4 < 2 else pair[::-1],
                           keep=False)
        quantized(batch, total, grid)
        expected.append(grid.codes(real))
    check(batch, expected, runner)


def test_the_bias_behind_a_matmul_is_added_before_any_rounding(runner):
    # 2 j + (1 - 2^-24) in units of 2 is just below j + 1/2, so the code is j.
    # In fp32 the sum would round to 2 j + 1, a tie, which goes to even: j + 1
    # for odd j.
    batch = NodeBatch(6)
    j = np.arange(1, 60, dtype=np.int8)
    one = batch.constant(np.float32(1))
    x = batch.node("DequantizeLinear", [batch.input(j[:, None]), one],
                   keep=False)
    w = batch.node("DequantizeLinear", [
        batch.constant(np.array([[2]], np.int8)), one], keep=False)
    bias = batch.constant(np.array([1 - 2**-24], np.float32))
    total = batch.node("Add", [
        batch.node("MatMul", [x, w], keep=False), bias], keep=False)
    batch.node("QuantizeLinear", [
        total, batch.constant(np.float32(2)), batch.constant(np.int8(0))])
    check(batch, [j[:, None]], runner)


def test_gemm_scales_a_bias_of_large_codes(runner):
    # A code of 31 bits, its scale and beta of 24 bits each: 79 bits.
    batch, expected = NodeBatch(3), []
    for _ in range(8):
        a_grid, b_grid = Grid(batch, np.int8), Grid(batch, np.int8)
        c_scale = np.float32(batch.rng.uniform(1e-9, 2e-9))
        a, b = batch.codes([2, 3], np.int8), batch.codes([3, 4], np.int8)
        c = batch.codes([4], np.int32)
        c_real = np.array([Fraction(float(c_scale)) * int(v) for v in c],
                          object)
        beta = np.float32(batch.rng.uniform(0.1, 3))
        real = (a_grid.reals(a).dot(b_grid.reals(b)) +
                Fraction(float(beta)) * c_real)
        bias = batch.node("DequantizeLinear", [
            batch.constant(c), batch.constant(c_scale)], keep=False)
        grid = around(batch, real)
        quantized(batch, batch.node("Gemm", [
            dequantized(batch, a, a_grid),
            dequantized(batch, b, b_grid, constant=True), bias], keep=False,
            beta=float(beta)), grid)
        expected.append(grid.codes(real))
    check(batch, expected, runner)


def test_concatenation_of_codes_of_other_widths(runner):
    batch, expected = NodeBatch(4), []
    for to_type in (np.int16, np.uint16, np.int8, np.uint8):
        parts, reals = [], []
        for dtype in (np.uint8, np.int16, np.int8):
            grid, codes = Grid(batch, dtype), batch.codes([2, 3], dtype)
            parts.append(dequantized(batch, codes, grid))
            reals.append(grid.reals(codes))
        grid = Grid(batch, to_type, scale=0.01)
        quantized(batch, batch.node("Concat", parts, keep=False, axis=1), grid)
        expected.append(grid.codes(np.concatenate(reals, axis=1)))
    check(batch, expected, runner)


def test_transposed_convolution(runner):
    batch, expected = NodeBatch(0), []
    for i in range(15):
        x_type = (np.uint8, np.int8, np.int16)[i % 3]
        group, channels, outputs = batch.sizes(1, 3, 3)
        kernel, strides = batch.sizes(1, 4, 2), batch.sizes(1, 4, 2)
        dilations, spatial = batch.sizes(1, 3, 2), batch.sizes(2, 5, 2)
        more = [int(batch.rng.integers(s)) for s in strides]
        pads = [int(batch.rng.integers(k)) for k in kernel * 2]
        size = [strides[d] * (spatial[d] - 1) + more[d] +
                dilations[d] * (kernel[d] - 1) + 1 - pads[d] - pads[2 + d]
                for d in range(2)]
        if min(size) < 1:
            continue
        x_grid = Grid(batch, x_type)
        w_grid = Grid(batch, np.int8, batch.pick(outputs, None))
        x = batch.codes([1, group * channels] + spatial, x_type)
        w = batch.codes([group * channels, outputs] + kernel, np.int8)
        x_real, w_real = x_grid.reals(x), w_grid.reals(w, axis=1)
        real = np.full([1, group * outputs] + size, Fraction(0), object)
        for g, c, m in np.ndindex(group, channels, outputs):
            for at in np.ndindex(*spatial, *kernel):
                to = tuple(at[d] * strides[d] - pads[d] +
                           at[2 + d] * dilations[d] for d in range(2))
                if all(0 <= to[d] < size[d] for d in range(2)):
                    source = x_real[(0, g * channels + c) + at[:2]]
                    weight = w_real[(g * channels + c, m) + at[2:]]
                    real[(0, g * outputs + m) + to] += source * weight
        grid = around(batch, real)
        value = batch.node("ConvTranspose", [
            dequantized(batch, x, x_grid),
            dequantized(batch, w, w_grid, 1, constant=True)], keep=False,
            group=group, strides=strides, dilations=dilations, pads=pads,
            output_padding=more)
        quantized(batch, value, grid)
        expected.append(grid.codes(real))
    check(batch, expected, runner)


def windows(real, spatial, kernel, strides, pads, ends):
    """Per output position: reals inside, and taps inside the padded input."""
    for at in np.ndindex(*ends):
        taps = [tuple(at[d] * strides[d] - pads[d] + t[d] for d in range(2))
                for t in np.ndindex(*kernel)]
        inside = [real[tap] for tap in taps
                  if all(0 <= tap[d] < spatial[d] for d in range(2))]
        yield at, inside, len(taps)


def test_pools_and_reductions(runner):
    batch, expected = NodeBatch(0), []
    for i in range(12):
        dtype = (np.uint8, np.int8, np.int16)[i % 3]
        kernel, strides = batch.sizes(1, 4, 2), batch.sizes(1, 3, 2)
        pads = [int(batch.rng.integers(k)) for k in kernel * 2]
        spatial = batch.sizes(4, 8, 2)
        ends = [(spatial[d] + pads[d] + pads[2 + d] - kernel[d]) //
                strides[d] + 1 for d in range(2)]
        grid = Grid(batch, dtype)
        to = Grid(batch, dtype, scale=grid.scale * batch.pick(1, 0.5, 1.31))
        codes = batch.codes([1, 2] + spatial, dtype)
        real = grid.reals(codes)
        x = dequantized(batch, codes, grid)
        mean, padded, most = (np.empty([1, 2] + ends, object)
                              for _ in range(3))
        for c in range(2):
            for at, inside, taps in windows(real[0, c], spatial, kernel,
                                            strides, pads, ends):
                mean[(0, c) + at] = sum(inside, Fraction(0)) / len(inside)
                padded[(0, c) + at] = sum(inside, Fraction(0)) / taps
                most[(0, c) + at] = max(inside)
        window = {"kernel_shape": kernel, "strides": strides, "pads": pads}
        for op, more, result in (
                ("AveragePool", {}, mean),
                ("AveragePool", {"count_include_pad": 1}, padded),
                ("MaxPool", {}, most)):
            quantized(batch, batch.node(op, [x], keep=False, **window, **more),
                      to)
            expected.append(to.codes(result))
        axes = batch.constant(np.array([1, 3]))
        for op, fold in (("ReduceMean", lambda v: sum(v) / len(v)),
                         ("ReduceSum", sum), ("ReduceMax", max),
                         ("ReduceMin", min)):
            quantized(batch, batch.node(op, [x, axes], keep=False, keepdims=0),
                      to)
            rows = [[fold(list(real[0, :, h, :].flat))
                     for h in range(spatial[0])]]
            expected.append(to.codes(np.array(rows, object)))
    check(batch, expected, runner)
