"""Compiled libraries on processors that this machine need not have.

For AArch64 they give the evaluator's bits, by their self-tests and on real
inputs. On x86-64 a library takes the best of its instruction sets that the
processor has; without any it returns 2, and the tools say what is missing.
"""

import json
import subprocess

import numpy as np
import onnx
import pytest
from conftest import in_turn, need, sample
from library_runner import ARM_ROOT, Jobs, needed, runner
from node_batch import NodeBatch
from test_dot_products import convolution, quantized
from test_models import MODELS, ROOT, differences

ARM = ["--cpu-target", "aarch64-linux-gnu"]
DIGITS = ROOT / "models/digits"


def compiled(tally, model, library, *options):
    """The interface of a library made of `model`."""
    done = subprocess.run(
        [str(tally), "compile", str(model), "-o", str(library), "--json",
         *options], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["interface"]


# What processor models of the emulators have of the instruction sets that the
# emulators can run; that of x86-64 has no AVX-512.
PROCESSORS = {
    "Nehalem": ["x86-64"], "Haswell": ["x86-64", "avx2"],
    "cortex-a72": ["neon"], "max": ["neon", "i8mm"]}
X86 = ["x86-64", "avx2", "avxvnni", "avx512vnni", "amx"]
SETS = [[tier] for tier in X86] + [X86, ["x86-64", "amx"],
                                   ["avxvnni", "avx512vnni"]]
ARM_SETS = [["neon"], ["i8mm"], ["neon", "i8mm"]]


ARM_PROCESSORS = ["cortex-a72", "max"]


@pytest.fixture(scope="module", params=ARM_PROCESSORS)
def arm(request):
    """An emulated processor of AArch64 and the program that it runs."""
    emulator, = needed("qemu-aarch64")
    return ([emulator, "-cpu", request.param, "-L", ARM_ROOT],
            runner("TallyRunLibrary-aarch64"))


@pytest.fixture(scope="module")
def x86():
    emulator, = needed("qemu-x86_64")
    return emulator, runner("TallyRunLibrary")


@pytest.mark.parametrize("kind", ["int8", "u8", "float"])
def test_digits_on_arm(tally, arm, tmp_path, kind):
    """Real images; what the library writes are the evaluator's bytes."""
    count = 20
    model = DIGITS / f"digits-{kind}.onnx"
    images = np.load(DIGITS / "test-images.npy")[:count]
    np.save(tmp_path / "images.npy", images)
    images.tofile(tmp_path / "images.bin")
    done = subprocess.run(
        [str(tally), "run", str(model), "--dim", f"N={count}", "--target",
         "eval", "--input", f"image={tmp_path / 'images.npy'}",
         "--output-dir", str(tmp_path)], text=True, capture_output=True,
        check=False)
    assert done.returncode == 0, done.stderr
    about = compiled(tally, model, tmp_path / "net.so", "--dim", f"N={count}",
                     *ARM)
    assert about["target"] == "aarch64-linux-gnu"
    expected = [np.load(tmp_path / f"{tensor['name']}.npy").tobytes()
                for tensor in about["outputs"]]
    outputs = [(tmp_path / f"out{i}", len(data))
               for i, data in enumerate(expected)]
    jobs = Jobs(*arm, tmp_path)
    jobs.run(tmp_path / "net.so", about, [tmp_path / "images.bin"], outputs)
    jobs.self_test(tmp_path / "net.so", about)
    assert jobs.results() == [0, 0]
    assert [file.read_bytes() for file, _ in outputs] == expected


NETWORKS = ["mtcnn-output", "mtcnn-output-s8", "mtcnn-output-u8",
            "mtcnn-refine-s8", "magika", "magika-u8", "ocr-orient-s8",
            "ocr-orient-u8"]


@pytest.mark.parametrize("name, arm", in_turn(sample(NETWORKS, 4),
                                              ARM_PROCESSORS),
                         indirect=["arm"])
def test_networks_on_arm(tally, arm, tmp_path, name):
    path = MODELS / f"{name}.onnx"
    need(path)
    about = compiled(tally, path, tmp_path / "net.so", *ARM,
                     *differences.options_of(path))
    jobs = Jobs(*arm, tmp_path)
    jobs.self_test(tmp_path / "net.so", about)
    assert jobs.results() == [0]


def products(folder):
    """A model of products of bytes in many shapes."""
    batch = NodeBatch(3)
    for rank in (2, 2, 2, 1):
        convolution(batch, rank)
    data = batch.codes([7, 65], np.uint8)
    quantized(batch, "MatMul", data, batch.codes([65, 33], np.int8), 1, 65,
              bias=False)
    onnx.save(batch.model(), folder / "products.onnx")
    return folder / "products.onnx"


def test_products_on_arm(tally, arm, tmp_path):
    """In the order of instructions of one processor."""
    about = compiled(tally, products(tmp_path), tmp_path / "net.so", *ARM,
                     "--cpu", "cortex-a72")
    assert about["tiers"] == ["neon"]
    jobs = Jobs(*arm, tmp_path)
    jobs.self_test(tmp_path / "net.so", about)
    assert jobs.results() == [0]


def lines(folder):
    """A model of lines that are worked on in step, with every kind of rest."""
    batch = NodeBatch(4)
    for count, length in [(1, 5), (5, 16), (7, 50)]:
        line = batch.input(batch.rng.standard_normal((count, length), "f4"))
        wide = batch.node("Mul", [line, batch.constant(np.float32(200))],
                          keep=False)
        entries = [batch.constant(batch.rng.standard_normal(length, "f4"))
                   for _ in range(2)]
        for operand in (line, wide):
            batch.node("Softmax", [operand], axis=-1)
            batch.node("LogSoftmax", [operand], axis=0)
            batch.node("LayerNormalization", [operand, *entries], axis=-1)
            batch.node("ReduceL2", [
                operand, batch.constant(np.array([1], np.int64))])
    onnx.save(batch.model(), folder / "lines.onnx")
    return folder / "lines.onnx"


def test_lines_on_arm(tally, arm, tmp_path):
    about = compiled(tally, lines(tmp_path), tmp_path / "net.so", *ARM)
    jobs = Jobs(*arm, tmp_path)
    jobs.self_test(tmp_path / "net.so", about)
    assert jobs.results() == [0]


def check_dispatch(tally, jobs, sets, processor, *options):
    """A library runs when the processor has one of its tiers and says 2
    otherwise; one with the baseline runs everywhere."""
    model, expected = products(jobs.folder), []
    for tiers in sets:
        library = jobs.folder / f"{'-'.join(tiers)}.so"
        about = compiled(tally, model, library, "--symbol", "net", "--tiers",
                         ",".join(tiers), *options)
        jobs.self_test(library, about)
        runs = set(tiers) & set(PROCESSORS[processor])
        expected.append(0 if runs else 2)
    assert jobs.results() == expected


@pytest.mark.parametrize("processor", ["Nehalem", "Haswell"])
def test_dispatch_on_x86(tally, x86, tmp_path, processor):
    emulator, program = x86
    jobs = Jobs([emulator, "-cpu", processor], program, tmp_path)
    check_dispatch(tally, jobs, SETS, processor)


def test_dispatch_on_arm(tally, arm, tmp_path):
    emulator, program = arm
    jobs = Jobs(emulator, program, tmp_path)
    check_dispatch(tally, jobs, ARM_SETS, emulator[2], *ARM)


def test_tools_tell_what_is_missing(tally, x86, tmp_path):
    emulator, _ = x86
    library = tmp_path / "net.so"
    compiled(tally, DIGITS / "digits-int8.onnx", library, "--dim", "N=1",
             "--tiers", "avxvnni,avx512vnni", "--no-self-test")
    done = subprocess.run(
        [emulator, "-cpu", "Haswell", str(tally), "run", str(library),
         "--random", "1"], text=True, capture_output=True, check=False)
    assert done.returncode != 0
    assert "[ART-4]" in done.stderr
    assert "this processor offers x86-64, avx2;" in done.stderr
    assert "for avxvnni it lacks avxvnni" in done.stderr
    for feature in ("avx512f", "avx512vnni"):
        assert feature in done.stderr.split("for avx512vnni it lacks")[1]


@pytest.mark.parametrize("name,best", [
    ("cortex-a53", "neon"), ("neoverse-n1", "neon"), ("neoverse-v1", "i8mm"),
    ("apple-m2", "i8mm")])
def test_names_of_arm_processors(tally, tmp_path, name, best):
    about = compiled(tally, DIGITS / "digits-int8.onnx", tmp_path / "net.so",
                     "--dim", "N=1", "--no-self-test", *ARM, "--cpu", name)
    assert about["tiers"] == [best]


@pytest.mark.parametrize("name,tiers", [
    ("nehalem", ["x86-64"]), ("haswell", ["avx2"]), ("znver3", ["avx2"]),
    ("skylake-avx512", ["avx2"]), ("alderlake", ["avxvnni"]),
    ("cascadelake", ["avx512vnni"]), ("znver5", ["avx512vnni"]),
    ("sapphirerapids", ["amx"])])
def test_names_of_processors(tally, tmp_path, name, tiers):
    """What the makers say of these: Skylake's AVX-512 lacks VNNI, Alder Lake
    has AVX-VNNI and no AVX-512."""
    about = compiled(tally, DIGITS / "digits-int8.onnx", tmp_path / "net.so",
                     "--dim", "N=1", "--no-self-test", "--cpu", name)
    assert about["tiers"] == tiers


def test_c_programs_on_arm(tally, arm, tmp_path):
    """The header and the static library in a C program for AArch64."""
    clang, lld = needed("clang-22", "ld.lld-22")
    compiled(tally, DIGITS / "digits-int8.onnx", tmp_path / "net.a", "--emit",
             "lib", "--dim", "N=1", *ARM)
    (tmp_path / "main.c").write_text("""
#include "net.h"
static _Alignas(64) char workspace[NET_SELFTEST_BYTES];
int main(void) { return net_selftest(workspace); }
""")
    libraries = ARM_ROOT / "lib"
    subprocess.run([clang, "--target=aarch64-linux-gnu", "-fPIE", "-isystem",
                    ARM_ROOT / "include", "-Wall", "-Wextra", "-Werror", "-c",
                    tmp_path / "main.c", "-o", tmp_path / "main.o"],
                   check=True)
    subprocess.run([lld, "-m", "aarch64linux", "-pie", "--dynamic-linker",
                    "/lib/ld-linux-aarch64.so.1", f"-L{libraries}",
                    libraries / "Scrt1.o", libraries / "crti.o",
                    tmp_path / "main.o", tmp_path / "net.a", "-lc",
                    libraries / "crtn.o", "-o", tmp_path / "main"],
                   check=True)
    emulator, _ = arm
    done = subprocess.run([*emulator, tmp_path / "main"], check=False)
    assert done.returncode == 0
