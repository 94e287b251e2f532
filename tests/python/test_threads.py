"""One run on several threads: the bits of one thread, for any number.

Networks that the evaluator has compared elsewhere (test_models.py) run here on
different numbers of threads, in one library; random graphs, in which every
kernel is split, are the business of tally-fuzz-graphs.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import onnx
import pytest
from conftest import LONG, build_dir, need
from node_batch import NodeBatch
from test_dot_products import quantized
from test_models import GENERATED, MODELS, REAL

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
import differences  # noqa: E402

NAMES = ["basic-pitch", "silero-vad", "stream-lstm", "mobilenetv2-s8",
         "ocr-orient-s8"] + [f"{name}-u8" for name in REAL + GENERATED]


def outputs(tally, folder, *arguments):
    subprocess.run([str(tally), "run", *map(str, arguments), "--output-dir",
                    str(folder)], check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def expect_equal(tally, folder, library, counts, *arguments):
    wanted = outputs(tally, folder / "1", library, *arguments)
    assert wanted
    for count in counts:
        found = outputs(tally, folder / str(count), library, "--threads",
                        count, *arguments)
        assert found == wanted, f"{count} threads"


@pytest.mark.parametrize("name", NAMES if LONG else [
    "basic-pitch", "bert-layer-u8", "magika-u8", "mtcnn-output-u8"])
def test_networks(tally, tmp_path, name):
    path = MODELS / f"{name}.onnx"
    need(path)
    options, inputs = (differences.options_of(path),
                       differences.inputs_of(path))
    with np.load(inputs) as arrays:
        shapes = [word for key in arrays.files for word in
                  ("--shape", f"{key}={'x'.join(map(str, arrays[key].shape))}")]
    # In one process, since compiling takes longer than the runs.
    library = tmp_path / "net.so"
    subprocess.run([str(tally), "compile", str(path), *(options or shapes),
                    "--threads", "7", "--cpu", "native", "--no-self-test",
                    "-o", str(library)],
                   check=True, capture_output=True)
    expect_equal(tally, tmp_path, library, (2, 3, 4, 7), "--input", inputs)


def layers():
    """Layers of sizes that parts do not divide, large enough to be split."""
    batch = NodeBatch(5)
    for shape, out, kernel, group in (
            ([1, 19, 31, 29], 37, 3, 1), ([1, 64, 23, 23], 70, 1, 1),
            ([2, 24, 27, 25], 24, 3, 24), ([1, 3, 65, 63], 21, 7, 1)):
        data = batch.codes(shape, np.uint8)
        weight = batch.codes([out, shape[1] // group, kernel, kernel], np.int8)
        quantized(batch, "Conv", data, weight, 0, weight[0].size, group=group)
    for rows, terms, columns in ((1, 1030, 999), (37, 111, 333), (130, 65, 70)):
        quantized(batch, "MatMul", batch.codes([rows, terms], np.int8),
                  batch.codes([terms, columns], np.int8), 1, terms, bias=False)
    return batch


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_layers_equal_the_evaluator(tally, tmp_path, count):
    batch = layers()
    onnx.save(batch.model(), tmp_path / "net.onnx")
    np.savez(tmp_path / "inputs.npz", **batch.feeds)
    done = subprocess.run(
        [str(tally), "run", str(tmp_path / "net.onnx"), "--input",
         str(tmp_path / "inputs.npz"), "--threads", str(count),
         "--compare-with", "eval"], text=True, capture_output=True,
        check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.fixture(scope="module")
def library():
    if "asan" in str(build_dir()) or "tsan" in str(build_dir()):
        pytest.skip("Python cannot load a sanitized library")
    return ctypes.CDLL(str(build_dir() / "lib" / "libtally.so"))


def test_two_contexts_with_two_threads_each(tally, library, tmp_path):
    """In two threads of the caller's at the same time."""
    batch = layers()
    onnx.save(batch.model(), tmp_path / "net.onnx")
    subprocess.run([str(tally), "compile", str(tmp_path / "net.onnx"),
                    "--threads", "2", "--cpu", "native", "--no-self-test",
                    "-o",
                    str(tmp_path / "net.so")], check=True, capture_output=True)
    program = ctypes.c_void_p()
    assert library.tally_program_load(os.fsencode(tmp_path / "net.so"),
                                      ctypes.byref(program), None) == 0
    library.tally_interface_json.restype = ctypes.c_char_p
    about = json.loads(library.tally_interface_json(program))
    assert about["threads"] == 2
    sizes = [int(np.prod(output["shape"])) for output in about["outputs"]]
    feeds = [np.ascontiguousarray(x) for x in batch.feeds.values()]

    def run(threads, results, rounds):
        context = ctypes.c_void_p()
        assert library.tally_context_create(
            program, ctypes.byref(context), None) == 0
        assert library.tally_context_set_threads(
            context, ctypes.c_size_t(threads), None) == 0
        for _ in range(rounds):
            buffers = [np.empty(size, np.uint8) for size in sizes]
            given = (ctypes.c_void_p * len(feeds))(
                *[x.ctypes.data for x in feeds])
            taken = (ctypes.c_void_p * len(buffers))(
                *[x.ctypes.data for x in buffers])
            assert library.tally_run(context, given, taken, None) == 0
            results.append([x.tobytes() for x in buffers])
        library.tally_context_free(context)

    alone, together = [], [[], []]
    run(1, alone, 1)
    threads = [threading.Thread(target=run, args=(2, results, 20))
               for results in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for results in together:
        assert len(results) == 20
        assert all(result == alone[0] for result in results)
