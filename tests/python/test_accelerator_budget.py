"""Programs under budgets: the same bits, or a refusal that names the limit."""

import json
import re
import subprocess

import numpy as np
import onnx
import pytest

from test_accelerator import Graph, check, tally_run

LIMITS = {"MEM-10": "window", "MEM-11": "live", "MEM-12": "budget",
          "MEM-13": "extent"}


def convolutions(g, channels, weights):
    """Convolutions on one grid, with `weights` by number; equal numbers are
    equal constants."""
    x = g.quantized(g.floats(1, channels, 9, 9), np.int8, 0.05)
    made = {}
    for number in weights:
        if number not in made:
            made[number] = g.weight([channels, channels, 3, 3], 0)
        x = g.again(g.node("Conv", [x, made[number]], keep=False,
                           pads=[1] * 4))
    g.result(x)


def saved(g, folder):
    folder.mkdir(exist_ok=True)
    path = folder / "net.onnx"
    onnx.save(g.model(), path)
    np.savez(folder / "inputs.npz", **g.feeds)
    return path


def constants(tally, path, folder, weights):
    g = Graph(3)
    convolutions(g, 16, weights)
    model = saved(g, folder)
    check(tally, folder, model, "edge", "--input", folder / "inputs.npz")
    said = json.loads(tally_run(tally, "compile", model, "--target", "edge",
                                "--json", "-o", path))
    return said["constants"]


def test_equal_constants_around_another_lie_once(tally, tmp_path):
    equal = constants(tally, tmp_path / "a.elf", tmp_path / "a", [0, 1, 0])
    different = constants(tally, tmp_path / "b.elf", tmp_path / "b", [0, 1, 2])
    # Weights of 16 x 16 x 3 x 3 bytes, and their parameters.
    assert different - equal >= 16 * 16 * 9


def compile_within(tally, model, folder, *options):
    """The report of a program that was made, or of a refusal."""
    done = subprocess.run(
        [str(tally), "compile", str(model), "--json", "-o",
         str(folder / "net.elf"), *map(str, options)],
        text=True, capture_output=True, check=False)
    assert done.returncode in (0, 4), done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["version"] == 1
    assert ("refused" in report) == (done.returncode == 4)
    return report


def outputs(tally, folder, program, inputs, name):
    tally_run(tally, "run", program, "--audit", "--input", inputs,
              "--output-dir", folder / name)
    return {path.name: path.read_bytes()
            for path in sorted((folder / name).iterdir())}


@pytest.mark.parametrize("machine", ["tiny", "edge"])
def test_a_budget_is_kept_with_the_same_bits_or_refused(tally, tmp_path,
                                                        machine):
    g = Graph(5)
    convolutions(g, 24 if machine == "tiny" else 160, [0, 1, 2])
    model = saved(g, tmp_path)
    inputs = tmp_path / "inputs.npz"
    tally_run(tally, "run", model, "--target", "eval", "--input", inputs,
              "--output-dir", tmp_path / "eval")
    expected = {path.name: path.read_bytes()
                for path in sorted((tmp_path / "eval").iterdir())}
    plenty = compile_within(tally, model, tmp_path, "--target", machine,
                            "--choose", "resident=1K")
    total = plenty["global"]["total"]
    arena = next(r["bytes"] for r in plenty["global"]["regions"]
                 if r["name"] == "arena")
    made = refused = 0
    for budget in (total, total - arena // 2, total - arena, total // 4):
        report = compile_within(tally, model, tmp_path, "--target", machine,
                                "--budget", budget)
        if "refused" in report:
            rule = report["refused"]["rule"]
            assert report["refused"]["limit"] == LIMITS[rule]
            refused += 1
            continue
        assert report["global"]["total"] <= budget
        assert report["global"]["budget"] == budget
        assert outputs(tally, tmp_path, tmp_path / "net.elf", inputs,
                       str(budget)) == expected
        made += 1
    # The first takes what it took, the last does not hold the constants.
    assert made >= 1 and refused >= 1


def test_the_budget_that_a_refusal_names_is_enough(tally, tmp_path):
    g = Graph(6)
    convolutions(g, 24, [0, 1])
    model = saved(g, tmp_path)
    refusal = compile_within(tally, model, tmp_path, "--target", "tiny",
                             "--budget", 1000)
    named = refusal["refused"]["remedies"][0]
    budget = int(re.match(r"--budget (\d+) ", named)[1])
    report = compile_within(tally, model, tmp_path, "--target", "tiny",
                            "--budget", budget)
    assert report["global"]["total"] <= budget


@pytest.mark.parametrize("machine", ["tiny", "edge", "wide"])
def test_fewer_registers_give_the_same_bits(tally, tmp_path, machine):
    g = Graph(7)
    convolutions(g, 20, [0, 1, 0])
    model = saved(g, tmp_path)
    inputs = tmp_path / "inputs.npz"
    seen = set()
    for count in (0, 1, 2):
        compile_within(tally, model, tmp_path, "--target", machine,
                       "--sync-registers", count)
        tally_run(tally, "check", tmp_path / "net.elf")
        seen.add(str(outputs(tally, tmp_path, tmp_path / "net.elf", inputs,
                             str(count))))
    assert len(seen) == 1
