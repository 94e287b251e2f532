"""Models that an accelerator and the host share, in segments.

What a machine cannot run alone is compiled with --fallback=cpu: programs of the
machine, each proved, and native code between them. The whole gives the
evaluator's bits. Products of floats are the host's on every machine (its matrix
engine multiplies codes); a machine file with fewer types forces more.
"""

import json
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper
from test_accelerator import Graph, tally_run

ROOT = pathlib.Path(__file__).resolve().parents[2]


def saved(folder, g, name="net.onnx"):
    path = folder / name
    onnx.save(g.model(), path)
    np.savez(folder / "inputs.npz", **g.feeds)
    return path


def compiled(tally, folder, model, machine="edge", *options):
    """The segments of a model, as the command tells them."""
    said = tally_run(tally, "compile", model, "--target", machine,
                     "--fallback=cpu", "-o", folder / "net.a", "--json",
                     *options)
    return json.loads(said)


def assert_equal_bits(tally, folder, model, machine="edge"):
    """The archive's outputs are the evaluator's; its programs are sound."""
    inputs = ("--input", folder / "inputs.npz")
    file = ("--machine", machine)
    tally_run(tally, "run", folder / "net.a", "--audit", *file, *inputs,
              "--output-dir", folder / "segments")
    tally_run(tally, "run", model, "--target", "eval", *inputs,
              "--output-dir", folder / "eval")
    wanted = sorted((folder / "eval").iterdir())
    assert wanted
    assert len(wanted) == len(list((folder / "segments").iterdir()))
    for path in wanted:
        found, expected = np.load(folder / "segments" / path.name), np.load(path)
        assert found.dtype == expected.dtype, path.name
        assert found.shape == expected.shape, path.name
        assert found.tobytes() == expected.tobytes(), path.name
    tally_run(tally, "check", folder / "net.a", *file)


def machine_file(folder, types):
    """The default machine with a vector engine of these types alone."""
    text = (ROOT / "machines/edge.yaml").read_text()
    every = "[i8, u8, i16, u16, i32, i64, f16, f32]"
    assert text.count(every) == 1
    path = folder / "less.yaml"
    path.write_text(text.replace("name: edge", "name: less").replace(
        every, "[" + ", ".join(types) + "]"))
    return path


def places(report):
    return [segment["target"] for segment in report["segments"]]


def convolution(g, x, channels, size=3):
    y = g.node("Conv", [x, g.weight([channels, channels, size, size], 0)],
               keep=False, pads=[size // 2] * 4)
    return g.quantized(y, np.int8)


def float_product(g, x, width):
    """The host's on every machine."""
    weight = g.constant(g.rng.normal(0, 0.1, [width, width]).astype(np.float32))
    return g.node("MatMul", [x, weight], keep=False)


def test_segments_alternate_and_say_why(tally, tmp_path):
    g = Graph(1)
    a = convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16)
    b = g.quantized(float_product(g, a, 8), np.int8)
    sum_of_both = g.quantized(g.node("Add", [a, b], keep=False), np.int8)
    c = convolution(g, sum_of_both, 16)
    g.result(c)
    g.result(b)
    model = saved(tmp_path, g)
    report = compiled(tally, tmp_path, model)
    assert places(report) == ["edge", "cpu", "edge"]
    product = next(n.name for n in g.nodes if n.op_type == "MatMul")
    first, host, last = report["segments"]
    assert product in host["nodes"]
    assert {"node": product, "rule": "NPU-10",
            "message": "'edge' cannot run matmul: the matrix engine multiplies "
                       "codes"} in host["reasons"]
    assert not first["reasons"] and not last["reasons"]
    # The first convolution's codes are read by both later segments.
    shared = [t for t in host["inputs"] if t in last["inputs"]]
    assert [t["segment"] for t in shared] == [0]
    assert report["border_bytes"] == sum(
        t["bytes"] for s in report["segments"]
        for t in s["inputs"] + s["outputs"])
    assert_equal_bits(tally, tmp_path, model)


def test_the_archive_is_deterministic_and_opens_with_ar(tally, tmp_path):
    g = Graph(2)
    a = convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16)
    g.result(float_product(g, a, 8))
    model = saved(tmp_path, g)
    compiled(tally, tmp_path, model)
    first = (tmp_path / "net.a").read_bytes()
    compiled(tally, tmp_path, model)
    assert (tmp_path / "net.a").read_bytes() == first
    listed = subprocess.run(["ar", "t", str(tmp_path / "net.a")], text=True,
                            capture_output=True, check=True).stdout.split()
    assert listed == ["manifest.json", "segment-0.elf", "segment-1.o"]


def test_a_model_that_the_machine_runs_stays_a_program(tally, tmp_path):
    g = Graph(3)
    g.result(convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16))
    model = saved(tmp_path, g)
    for name, options in (("a.elf", ()), ("b.elf", ("--fallback=cpu",))):
        tally_run(tally, "compile", model, "--target", "edge", "-o",
                  tmp_path / name, *options)
    assert ((tmp_path / "a.elf").read_bytes() ==
            (tmp_path / "b.elf").read_bytes())


def test_cheap_nodes_between_host_nodes_stay_there(tally, tmp_path):
    # A negation of 64 floats: 64 operations for 512 bytes across borders.
    g = Graph(4)
    x = float_product(g, g.floats(8, 8), 8)
    x = g.node("Neg", [x], keep=False)
    negation = g.nodes[-1].name
    g.result(float_product(g, x, 8))
    model = saved(tmp_path, g)
    report = compiled(tally, tmp_path, model)
    assert places(report) == ["cpu"]
    assert {"node": negation, "rule": "PART-1",
            "message": "its segment would do 64 operations for 512 bytes that "
                       "cross its borders"} in report["segments"][0]["reasons"]
    assert_equal_bits(tally, tmp_path, model)


def test_constants_and_inputs_may_be_outputs(tally, tmp_path):
    g = Graph(5)
    x = g.floats(1, 16, 8, 8)
    g.result(g.constant(np.arange(6, dtype=np.int64)))
    g.result(x)
    a = convolution(g, g.quantized(x, np.int8), 16)
    g.result(a)
    g.result(float_product(g, a, 8))
    model = saved(tmp_path, g)
    assert places(compiled(tally, tmp_path, model)) == ["edge", "cpu"]
    assert_equal_bits(tally, tmp_path, model)


#===------------------------------------------------------------------------===#
# Types at borders
#===------------------------------------------------------------------------===#

@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_codes_cross_borders_as_codes(tally, tmp_path, dtype):
    # A machine without floats: the host quantizes, and codes cross.
    g = Graph(9)
    x = g.quantized(g.floats(1, 16, 8, 8), dtype)
    y = g.node("Conv", [x, g.weight([16, 16, 3, 3], 0)], keep=False)
    g.result(g.quantized(y, dtype))
    machine = machine_file(tmp_path, ["i8", "u8", "i16", "u16", "i32"])
    model = saved(tmp_path, g)
    report = compiled(tally, tmp_path, model, machine)
    assert places(report) == ["cpu", "less", "cpu"]
    inner = report["segments"][1]
    assert [t["bytes"] for t in inner["inputs"] + inner["outputs"]] == [
        16 * 8 * 8, 16 * 6 * 6]
    assert_equal_bits(tally, tmp_path, model, machine)


@pytest.mark.parametrize("dtype", [np.float64, np.uint32, np.uint64])
def test_types_that_no_machine_knows_stay_on_the_host(tally, tmp_path, dtype):
    g = Graph(10)
    a = convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16)
    wide = g.node("Cast", [g.node("Abs", [a], keep=False)], keep=False,
                  to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    other = g.input(g.rng.integers(0, 9, [1, 16, 8, 8]).astype(dtype))
    g.result(g.node("Add", [wide, other], keep=False))
    g.result(other)
    model = saved(tmp_path, g)
    report = compiled(tally, tmp_path, model)
    assert places(report) == ["edge", "cpu"]
    assert_equal_bits(tally, tmp_path, model)


#===------------------------------------------------------------------------===#
# Random graphs
#===------------------------------------------------------------------------===#

def random_graph(seed):
    """Values of 16 x 32; some steps are the host's on every machine."""
    g = Graph(seed)
    rng = g.rng
    values = [g.quantized(g.floats(16, 32), np.int8)
              for _ in range(rng.integers(1, 4))]
    for _ in range(rng.integers(4, 12)):
        x = values[rng.integers(len(values))]
        y = values[rng.integers(len(values))]
        kind = rng.choice(["gemm", "gemm", "float", "add", "relu", "sigmoid",
                           "transpose"])
        if kind == "gemm":
            z = g.node("Gemm", [x, g.weight([32, 32], 1)], keep=False)
        elif kind == "float":
            z = float_product(g, x, 32)
        elif kind == "add":
            z = g.node("Add", [x, y], keep=False)
        elif kind == "transpose":
            z = g.node("Reshape", [g.node("Transpose", [x], keep=False),
                                   g.constant(np.array([16, 32]))], keep=False)
        else:
            z = g.node({"relu": "Relu", "sigmoid": "Sigmoid"}[kind], [x],
                       keep=False)
        values.append(g.quantized(z, g.pick(np.int8, np.uint8)))
    for value in values[-3:]:
        g.result(value)
    return g


@pytest.mark.parametrize("types", [
    ("i8", "u8", "i16", "u16", "i32", "i64", "f16", "f32"),
    ("i8", "u8", "i16", "u16", "i32"), ("i8", "i32"), ("f32",)],
    ids=lambda types: "-".join(types))
def test_random_graphs_equal_the_evaluator(tally, tmp_path, types):
    machine = machine_file(tmp_path, types)
    most = 0
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        model = saved(folder, random_graph(seed))
        report = compiled(tally, folder, model, machine)
        if "segments" not in report:
            continue  # a program
        targets = places(report)
        assert all(a != b for a, b in zip(targets, targets[1:]))
        most = max(most, len(targets))
        assert_equal_bits(tally, folder, model, machine)
    assert most > 1


#===------------------------------------------------------------------------===#
# Archives that were changed
#===------------------------------------------------------------------------===#

def test_code_of_other_tensors_is_refused(tally, tmp_path):
    g = Graph(11)
    a = convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16)
    g.result(float_product(g, a, 8))
    compiled(tally, tmp_path, saved(tmp_path, g))
    bytes_of = {}
    for member in ("manifest.json", "segment-0.elf", "segment-1.o"):
        bytes_of[member] = subprocess.run(
            ["ar", "p", str(tmp_path / "net.a"), member], capture_output=True,
            check=True).stdout
    manifest = json.loads(bytes_of["manifest.json"])
    for tensor, member in ((0, "segment-0.elf"), (-1, "segment-1.o")):
        changed = json.loads(json.dumps(manifest))
        changed["tensors"][tensor]["shape"][-1] += 1
        (tmp_path / "other.a").unlink(missing_ok=True)
        for name, contents in bytes_of.items():
            if name == "manifest.json":
                contents = json.dumps(changed).encode()
            (tmp_path / name).write_bytes(contents)
            subprocess.run(["ar", "qcS", "other.a", name], cwd=tmp_path,
                           check=True)
        said = tally_run(tally, "run", tmp_path / "other.a", "--random", "1",
                         status=3)
        assert f"other.a({member}): its code has other" in said
        assert "[SEG-5]" in said


def test_damaged_native_code_does_not_run(tally, tmp_path):
    """Any byte of the host's member: refused before it is loaded."""
    g = Graph(11)
    a = convolution(g, g.quantized(g.floats(1, 16, 8, 8), np.int8), 16)
    g.result(float_product(g, a, 8))
    compiled(tally, tmp_path, saved(tmp_path, g))
    archive = (tmp_path / "net.a").read_bytes()
    native = subprocess.run(
        ["ar", "p", str(tmp_path / "net.a"), "segment-1.o"],
        capture_output=True, check=True).stdout
    begin = archive.index(native)
    for place in np.linspace(0, len(native) - 1, 12, dtype=int):
        damaged = bytearray(archive)
        damaged[begin + place] ^= 0x10
        (tmp_path / "damaged.a").write_bytes(damaged)
        said = tally_run(tally, "run", tmp_path / "damaged.a", "--random", "1",
                         status=3)
        assert "the code in 'segment-1.o' is not what was written" in said
        assert "[SEG-7]" in said
