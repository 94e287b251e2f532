"""Whole networks: the compiled form equals the evaluator bit for bit.

The evaluator runs the graph as imported, before any rewrite; every quantized
tensor that exists in the compiled form and every output is compared as bits.
The networks are the digits model of this repository, generated ones, and real
ones out of pinned packages (tests/models); `make models` puts them into
build/models.
"""

import os
import pathlib
import subprocess
import sys

import pytest
from conftest import LONG, in_turn, need, on_tier

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = pathlib.Path(os.environ.get("TALLY_MODELS", ROOT / "build/models"))
sys.path.insert(0, str(ROOT / "tests/models"))
import differences  # noqa: E402

REAL = ["ocr-detect", "ocr-recognize", "ocr-orient", "minilm", "magika",
        "mtcnn-propose", "mtcnn-refine", "mtcnn-output"]
GENERATED = ["resnet50", "mobilenetv2", "bert-layer"]
#: As published: with codes made when run, or in float.
PUBLISHED = REAL if LONG else ["ocr-detect", "minilm", "magika",
                               "mtcnn-propose"]
NAMES = (["basic-pitch", "silero-vad", "silero-vad-s8", "stream-lstm"]
         + PUBLISHED
         + [f"{n}-{v}" for n, v in in_turn(REAL + GENERATED, ("s8", "u8"))])


def equal_bits(tally, *arguments):
    done = subprocess.run(
        [str(tally), "run", *arguments, "--target", "cpu", "--compare-with",
         "eval", "--all-nodes"], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_compiled_equals_evaluator(tally, name):
    path = MODELS / f"{name}.onnx"
    need(path)
    equal_bits(tally, str(path), "--input", str(differences.inputs_of(path)),
               *differences.options_of(path))


BEYOND_AVX2 = {"amx": "bert-layer-s8", "avx512vnni": "magika-u8",
               "avxvnni": "mtcnn-propose-s8"}


@pytest.mark.parametrize("wide, name", [
    (wide, name) for wide, usual in BEYOND_AVX2.items()
    for name in (NAMES if LONG else [usual])])
def test_tiers_beyond_avx2(tally, wide, name):
    """Whole networks on each; where the processor lacks it, emulated."""
    path = MODELS / f"{name}.onnx"
    need(path)
    equal_bits(tally, str(path), "--input", str(differences.inputs_of(path)),
               *differences.options_of(path), *on_tier(tally, wide))


@pytest.mark.parametrize("kind", ["int8", "u8", "float"])
def test_digits(tally, kind, tier):
    folder = ROOT / "models/digits"
    equal_bits(tally, str(folder / f"digits-{kind}.onnx"), "--dim", "N=300",
               *on_tier(tally, tier),
               "--input", f"image={folder / 'test-images.npy'}")
