"""Views on accelerators: chains of them, long readers, memory too tight to err.

A reshape, transpose, slice, expansion or concatenation is a view of a storage
that others read, too: by commands of other engines, which may still run when
the last view has long been used. Where SRAM is cut to the least that a graph is
compiled for, bytes that come free too early are written by something else, and
the results differ; the checker refuses such a program before that.
"""

import subprocess

import numpy as np
import onnx
import onnx.parser
import pytest
from conftest import in_turn, sample
from machine_files import cut_machine
from test_accelerator import Graph, check

MACHINES = ("edge", "tiny", "wide")


def save(g, folder):
    path = folder / "net.onnx"
    onnx.save(g.model(), path)
    np.savez(folder / "inputs.npz", **g.feeds)
    return path


def compiles(tally, path, machine, program):
    """Whether it does; if not, for want of memory and nothing else."""
    done = subprocess.run(
        [str(tally), "compile", str(path), "--target", str(machine), "-o",
         str(program)], text=True, capture_output=True, check=False)
    if done.returncode:
        assert done.returncode == 4 and "[MEM-" in done.stderr, done.stderr
    return done.returncode == 0


def least_machine(tally, folder, path, machine):
    """`machine` with the least SRAM, to 256 bytes, that the graph is compiled
    for."""
    unit, low, high = 256, 0, 65536 // 256
    while high - low > 1:
        middle = (low + high) // 2
        file = cut_machine(folder, machine, sram=middle * unit)
        fits = compiles(tally, path, file, folder / "try.elf")
        low, high = (low, middle) if fits else (middle, high)
    return cut_machine(folder, machine, sram=high * unit)


def check_tight(tally, folder, g, machine):
    """Equal on the machine as it comes, and with as little SRAM as possible."""
    path = save(g, folder)
    given = ["--input", folder / "inputs.npz"]
    check(tally, folder, path, machine, *given)
    check(tally, folder, path, least_machine(tally, folder, path, machine),
          *given)


# Chains of views ------------------------------------------------------------

def reshaped(g, value, shape):
    if len(shape) < 2 or g.pick(True, False):
        return g.node("Unsqueeze", [value, g.constant(np.array([0]))],
                      keep=False), [1, *shape]
    d = int(g.rng.integers(len(shape) - 1))
    shape = [*shape[:d], shape[d] * shape[d + 1], *shape[d + 2:]]
    return g.node("Reshape", [value, g.constant(np.array(shape))],
                  keep=False), shape


def transposed(g, value, shape):
    order = [int(d) for d in g.rng.permutation(len(shape))]
    return g.node("Transpose", [value], keep=False, perm=order), [
        shape[d] for d in order]


def sliced(g, value, shape):
    """Part of one dimension, by steps of 1, 2 or backwards."""
    d = int(g.rng.integers(len(shape)))
    size, step = shape[d], g.pick(1, 2, -1)
    if size < 3:
        return value, shape
    start, end = (size - 1, 0) if step < 0 else (1, size)
    taken = len(range(start, end, step))
    lists = [g.constant(np.array([n])) for n in (start, end, d, step)]
    return g.node("Slice", [value, *lists], keep=False), [
        *shape[:d], taken, *shape[d + 1:]]


def concatenated(g, value, shape):
    d = int(g.rng.integers(len(shape)))
    return g.node("Concat", [value, value], keep=False, axis=d), [
        *shape[:d], 2 * shape[d], *shape[d + 1:]]


def chained(g, value, shape, steps):
    for _ in range(steps):
        step = g.pick(reshaped, transposed, sliced, sliced, concatenated)
        moved, shape = step(g, value, shape)
        value = g.again(moved)
    return value, shape


def readers(g, value, shape):
    """One on each kind of engine: a product, an addition, a copy out."""
    count = int(np.prod(shape))
    flat = g.node("Reshape", [value, g.constant(np.array([1, count]))],
                  keep=False)
    y = g.node("MatMul", [g.again(flat), g.weight([count, 24], 1)], keep=False)
    g.result(g.quantized(y, np.int8, 0.25))
    grid = g.grid
    g.result(g.node("Relu", [value], keep=False))
    g.grid = grid


def view_chains(g):
    shape = g.sizes(2, 9, 3)
    grid = 0.05
    x = g.quantized(g.floats(*shape), np.int8, grid)
    y = g.quantized(g.node("LeakyRelu", [x], keep=False, alpha=0.25), np.int8,
                    grid)
    first, a = chained(g, y, shape, 3)
    second, b = chained(g, y, shape, 4)  # of the same storage
    for value, size in ((first, a), (second, b)):
        g.result(value)
        readers(g, value, size)
        g.grid = [g.constant(np.float32(grid)), g.grid[1]]
    return g


@pytest.mark.parametrize("seed, machine", in_turn(range(8), MACHINES))
def test_chains_of_views_in_tight_memory(tally, tmp_path, seed, machine):
    g = Graph(seed)
    view_chains(g)
    check_tight(tally, tmp_path, g, machine)


@pytest.mark.parametrize("machine", sample(MACHINES, 1))
def test_a_long_reader_keeps_the_storage_of_a_view(tally, tmp_path, machine):
    # The product reads a slice of y for long; meanwhile other nodes ask for
    # memory, of which there is no more than needed.
    g = Graph(5)
    x = g.quantized(g.floats(64, 96), np.int8, 0.05)
    y = g.quantized(g.node("LeakyRelu", [x], keep=False, alpha=0.5), np.int8)
    grid = g.grid
    lists = [g.constant(np.array([n])) for n in (64, 0, 1, -1)]
    view = g.again(g.node("Slice", [y, *lists], keep=False))
    long = g.node("MatMul", [view, g.weight([64, 128], 1)], keep=False)
    g.result(g.quantized(long, np.int8, 0.5))
    z = g.quantized(g.floats(64, 96), np.int8, 0.05)
    for alpha in (0.125, 0.25, 0.375):
        z = g.quantized(g.node("LeakyRelu", [z], keep=False, alpha=alpha),
                        np.int8, 0.05)
    g.result(z)
    g.grid = grid
    check_tight(tally, tmp_path, g, machine)


# Public reports of this kind of error, as small graphs ----------------------

def dense(g, value, rows, columns):
    return g.quantized(g.node("MatMul", [value, g.weight([rows, columns], 1)],
                              keep=False), np.int8, 0.25)


def bl_66_reuse_around_reshape_and_dense(g):
    # A buffer still live is given away around a reshape before a dense layer.
    x = g.quantized(g.floats(1, 4, 4, 8), np.int8, 0.05)
    flat = g.again(g.node("Reshape", [x, g.constant(np.array([1, 128]))],
                          keep=False))
    grid = g.grid
    y = dense(g, flat, 128, 16)
    g.result(dense(g, y, 16, 128))
    g.grid = grid
    g.result(g.node("Neg", [flat], keep=False))


def bl_68_accumulated_product(g):
    # What a product is added to is the caller's, not the sum's place.
    total = g.floats(4, 32)
    x = g.quantized(g.floats(4, 20), np.int8, 0.05)
    y = g.quantized(g.node("MatMul", [x, g.weight([20, 32], 1)], keep=False),
                    np.int8, 0.25)
    g.result(g.node("Add", [total, y], keep=False))
    g.result(g.node("Neg", [total], keep=False))


def bl_69_overlapping_concat(g):
    # Operands of one concatenation, one of them read by others, too.
    x = g.quantized(g.floats(1, 6, 5, 5), np.int8, 0.05)
    a = g.again(g.node("LeakyRelu", [x], keep=False, alpha=0.5))
    b = g.again(g.node("LeakyRelu", [x], keep=False, alpha=0.25))
    joined = g.again(g.node("Concat", [a, b, a, x], keep=False, axis=1))
    g.result(joined)
    g.result(g.again(g.node("Add", [a, b], keep=False)))


def bl_69_split_with_shared_weights(g):
    # Parts of one tensor through products with the same weights and bias.
    x = g.quantized(g.floats(4, 24), np.int8, 0.05)
    grid = g.grid
    weight = g.weight([8, 6], 1)
    bias = g.constant(g.rng.normal(0, 1, 6).astype(np.float32))
    for part in g.node("Split", [x], outputs=3, keep=False, axis=1,
                       num_outputs=3):
        g.grid = grid
        y = g.node("Gemm", [g.again(part), weight, bias], keep=False)
        g.result(g.quantized(y, np.int8, 0.25))


def bl_69_convolution_of_a_split(g):
    # A convolution that reads only some channels of a wider tensor.
    x = g.quantized(g.floats(1, 12, 6, 6), np.int8, 0.05)
    grid = g.grid
    for part in g.node("Split", [x, g.constant(np.array([5, 7]))], outputs=2,
                       keep=False, axis=1):
        g.grid = grid
        channels = 5 if part.endswith("_0") else 7
        y = g.node("Conv", [g.again(part), g.weight([4, channels, 3, 3], 0)],
                   keep=False, pads=[1] * 4)
        g.result(g.quantized(y, np.int8, 0.25))


def bl_69_activations_back_to_back(g):
    x = g.quantized(g.floats(2, 30), np.int8, 0.05)
    y = g.quantized(g.node("Sigmoid", [x], keep=False), np.uint8, 1 / 256)
    y = g.quantized(g.node("Tanh", [y], keep=False), np.int8, 1 / 128)
    g.result(g.again(g.node("Relu", [y], keep=False)))


def bl_69_skip_connections(g):
    # Each sum is read by the next node and by the sum after that.
    x = g.quantized(g.floats(1, 8, 5, 5), np.int8, 0.05)
    for _ in range(3):
        grid = g.grid
        y = g.node("Conv", [x, g.weight([8, 8, 3, 3], 0)], keep=False,
                   pads=[1] * 4)
        y = g.quantized(y, np.int8, 0.1)
        g.grid = grid
        x = g.again(g.node("Add", [x, y], keep=False))
    g.result(x)


def bl_69_equal_tables(g):
    # The same function on the same grids three times.
    x = g.quantized(g.floats(3, 40), np.int8, 0.05)
    grid = g.grid
    for _ in range(3):
        y = g.quantized(g.node("Sigmoid", [x], keep=False), np.uint8, 1 / 256)
        g.result(y)
        g.grid = grid
        x = g.again(g.node("Neg", [x], keep=False))


def bl_69_reshape_over_its_operand(g):
    # A reshape that has to move elements, of a tensor that others still read.
    x = g.quantized(g.floats(1, 4, 6, 5), np.int8, 0.05)
    y = g.again(g.node("Transpose", [x], keep=False, perm=[0, 2, 3, 1]))
    flat = g.again(g.node("Reshape", [y, g.constant(np.array([6, 20]))],
                          keep=False))
    g.result(g.again(g.node("Neg", [flat], keep=False)))
    g.result(g.again(g.node("Add", [x, x], keep=False)))
    g.result(y)


@pytest.mark.parametrize("make, machine", in_turn([
    bl_66_reuse_around_reshape_and_dense, bl_68_accumulated_product,
    bl_69_overlapping_concat,
    bl_69_split_with_shared_weights, bl_69_convolution_of_a_split,
    bl_69_activations_back_to_back, bl_69_skip_connections,
    bl_69_equal_tables, bl_69_reshape_over_its_operand], MACHINES))
def test_reported_errors_of_aliasing(tally, tmp_path, make, machine):
    g = Graph(11)
    make(g)
    check_tight(tally, tmp_path, g, machine)


CONDITIONALS = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 30] x) => (float[4, 30] first, float[4, 30] second) {
  most = ReduceMax <keepdims = 0> (x)
  zero = Constant <value = float {0}> ()
  isHigh = Greater (most, zero)
  first = If (isHigh) <
    then_branch = t1 () => (float[4, 30] a) { a = Relu (x) },
    else_branch = e1 () => (float[4, 30] b) { b = Neg (x) }>
  least = ReduceMin <keepdims = 0> (first)
  isLow = Less (least, zero)
  second = If (isLow) <
    then_branch = t2 () => (float[4, 30] c) { c = Sigmoid (first) },
    else_branch = e2 () => (float[4, 30] d) { d = Add (first, first) }>
}"""


@pytest.mark.parametrize("machine, sign", in_turn(MACHINES, (1, -1)))
def test_bl_67_results_of_conditionals_lie_apart(tally, tmp_path, machine,
                                                 sign):
    # Two in a row, both results used: max(x, 0) or -x, then twice that.
    path = tmp_path / "net.onnx"
    onnx.save(onnx.parser.parse_model(CONDITIONALS), path)
    x = np.abs(np.random.default_rng(3).normal(0, 2, (4, 30)))
    np.savez(tmp_path / "inputs.npz", x=np.float32(sign * x))
    given = ["--input", tmp_path / "inputs.npz"]
    check(tally, tmp_path, path, machine, *given)
    first = np.load(tmp_path / "npu/first.npy")
    np.testing.assert_array_equal(first, np.float32(x))
    np.testing.assert_array_equal(np.load(tmp_path / "npu/second.npy"),
                                  first + first)
    check(tally, tmp_path, path, least_machine(tally, tmp_path, path, machine),
          *given)


@pytest.mark.parametrize("machine", MACHINES)
def test_bl_70_what_memory_holds_before_has_no_say(tally, tmp_path, machine):
    # Memory begins with what a seed makes of it, SRAM being the least that is
    # possible: a byte that is read before it is written is a fault, and other
    # times of commands change nothing.
    g = Graph(13)
    bl_69_skip_connections(g)
    path = save(g, tmp_path)
    file = least_machine(tally, tmp_path, path, machine)
    given = ["--input", tmp_path / "inputs.npz"]
    check(tally, tmp_path, path, file, *given)
    for seed in (1, 2, 3):
        subprocess.run(
            [str(tally), "run", str(tmp_path / "net.elf"), "--machine",
             str(file), "--audit", "--perturb", str(seed), *map(str, given),
             "--output-dir", str(tmp_path / f"run{seed}")], check=True)
        for expected in (tmp_path / "npu").iterdir():
            found = tmp_path / f"run{seed}" / expected.name
            assert found.read_bytes() == expected.read_bytes()
