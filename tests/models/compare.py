#!/usr/bin/env python3
"""Tabulate how our results agree with onnxruntime's, one row a model.

    compare.py MODEL.onnx ... --tally build/dev/bin/tally [--target eval]
    compare.py MODEL.onnx --outputs DIR|FILE.npz

The first form runs the command itself. The second compares outputs that are
there already: DIR/NAME.npy as `tally run --output-dir DIR` writes them, or
the arrays of a .npz; besides the model's outputs these may be any other
tensors of the graph by name, and integer ones are compared as codes. A float
output that a DequantizeLinear made is compared in steps of its scale, which
is the difference of its codes.

Inputs come from --inputs (FILE.npz or NAME=FILE.npy), or from the
.inputs.npz that lies beside the model. Open dimensions are bound, and the
decision that is judged is chosen, as models.json says for the model's name
without -s8 or -u8; other models are judged by the largest element of each
row of their first output, or by its cosine when it is not a matrix.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

import binding

HERE = pathlib.Path(__file__).resolve().parent
HEADER = ("| model | against | tensors | codes that differ | most steps "
          "| most in floats | decision |\n|---|---|---|---|---|---|---|")


@dataclasses.dataclass
class Agreement:
    """Differences summed up over the tensors of one model."""

    tensors: int = 0
    codes: int = 0
    codes_apart: int = 0
    most_steps: int = 0
    most_float: float = 0.0


def file_name(tensor):
    """The command's name for a tensor's file."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", tensor)


def table_entry(path):
    """The entry of models.json for a model file, or an empty one."""
    stem = re.sub(r"-[su]8$", "", path.stem)
    table = json.loads((HERE / "models.json").read_text("utf-8"))["models"]
    return next((e for e in table if e["name"] == stem), {})


def read_inputs(path, given):
    """Input name -> array."""
    if given and "=" in given:
        name, _, file = given.rpartition("=")
        return {name: np.load(file)}
    if not given:
        stem = re.sub(r"-[su]8$", "", path.stem)
        beside = [path.with_name(s + ".inputs.npz") for s in (path.stem, stem)]
        given = next((p for p in beside if p.exists()), None)
        if given is None:
            sys.exit(f"no inputs for {path}: give --inputs")
    with np.load(given) as stored:
        return dict(stored)


def read_outputs(where):
    """File name of a tensor -> our array."""
    if where.is_dir():
        return {p.stem: np.load(p) for p in sorted(where.glob("*.npy"))}
    with np.load(where) as stored:
        return {file_name(name): stored[name] for name in stored.files}


def run_tally(path, feeds, entry, options):
    """Run the command on a model; returns our outputs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [*options.tally.split(), "run", str(path), "--target",
                   options.target, "--output-dir", str(folder / "out")]
        # Only the original has open dimensions; its variants are bound.
        if path.stem == entry.get("name"):
            command += entry["options"]
        command += [word for option in options.dim for word in
                    ("--dim", option)]
        for index, (tensor, array) in enumerate(feeds.items()):
            file = folder / f"input{index}.npy"
            np.save(file, array)
            command += ["--input", f"{tensor}={file}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{path.name}: {' '.join(command[:2])} ended with "
                     f"status {done.returncode}\n{done.stderr}")
        return read_outputs(folder / "out")


def reference(model, feeds, wanted, optimized):
    """onnxruntime's values of the graph tensors whose file names are wanted.

    Returns tensor name -> array, graph outputs first.
    """
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    names = [o.name for o in probe.graph.output]
    for node in probe.graph.node:
        for tensor in node.output:
            if file_name(tensor) in wanted and tensor not in names:
                probe.graph.output.append(onnx.ValueInfoProto(name=tensor))
                names.append(tensor)
    settings = ort.SessionOptions()
    if not optimized:
        settings.graph_optimization_level = (
            ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = ort.InferenceSession(probe.SerializeToString(), settings,
                                   providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, feeds)))


def output_scales(graph):
    """Tensor -> scale, for tensors that a per-tensor DequantizeLinear made."""
    constants = {i.name: i for i in graph.initializer}
    return {n.output[0]: float(numpy_helper.to_array(constants[n.input[1]]))
            for n in graph.node
            if n.op_type == "DequantizeLinear" and n.input[1] in constants
            and not constants[n.input[1]].dims}


def difference(a, b):
    """|a - b| in float64; equal infinities and two NaNs differ by nothing."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0,
                        np.abs(a - b))


def measure(ours, theirs, scales):
    """The Agreement of two sets of tensors with the same names."""
    result = Agreement(tensors=len(theirs))
    for name, expected in theirs.items():
        found = ours[file_name(name)]
        if found.shape != expected.shape:
            sys.exit(f"{name}: our shape is {found.shape}, onnxruntime's "
                     f"{expected.shape}")
        gap = difference(found, expected)
        if gap.size == 0:
            continue
        if np.isnan(gap).any():
            sys.exit(f"{name}: not a number in one of the two")
        if name in scales:
            gap = np.rint(gap / scales[name])
        if name in scales or expected.dtype.kind in "iub":
            result.codes += gap.size
            result.codes_apart += int((gap > 0).sum())
            result.most_steps = max(result.most_steps, int(gap.max()))
        else:
            result.most_float = max(result.most_float, float(gap.max()))
    return result


def collapse(indices):
    """CTC: drop repeats, then blanks (class 0)."""
    return [int(i) for k, i in enumerate(indices)
            if i and (k == 0 or indices[k - 1] != i)]


def decide(kind, ours, theirs, at):
    """Agreement of the two decisions, in words."""
    if kind == "threshold":
        return f"{((ours > at) == (theirs > at)).mean():.3%} of > {at}"
    if kind == "cosine":
        a, b = (x.astype(np.float64).ravel() for x in (ours, theirs))
        return f"cosine {a @ b / np.sqrt((a @ a) * (b @ b)):.6f}"
    a, b = ours.argmax(-1), theirs.argmax(-1)
    if kind == "ctc":
        same = sum(collapse(x) == collapse(y) for x, y in zip(a, b))
        return f"{same} of {len(a)} lines read alike"
    return f"{int((a == b).sum())} of {a.size} top-1"


def default_decision(graph):
    """How a model that is not in the table is judged."""
    output = graph.output[0]
    matrix = len(output.type.tensor_type.shape.dim) == 2
    return {"kind": "argmax" if matrix else "cosine", "output": output.name}


def row(path, options):
    """The Markdown row of one model."""
    model, entry = onnx.load(path), table_entry(path)
    feeds = read_inputs(path, options.inputs)
    ours = (read_outputs(options.outputs) if options.outputs
            else run_tally(path, feeds, entry, options))
    for output in model.graph.output:
        if file_name(output.name) not in ours:
            sys.exit(f"{path.name}: our outputs lack {output.name}")
    bound = binding.bound_values(model, entry.get("options", []))
    theirs = reference(model, feeds | bound, ours, not options.plain)
    agreement = measure(ours, theirs, output_scales(model.graph))
    decision = entry.get("decision") or default_decision(model.graph)
    name = decision["output"]
    mine = ours[file_name(name)]
    words = decide(decision["kind"], mine, theirs[name], decision.get("at"))
    if options.labels:
        labels = np.load(options.labels)
        words += "; right " + " and ".join(
            f"{(x.argmax(-1) == labels).mean():.2%}"
            for x in (mine, theirs[name]))
    codes = (f"{agreement.codes_apart:,} of {agreement.codes:,} | "
             f"{agreement.most_steps}" if agreement.codes else "- | -")
    against = "plain" if options.plain else "optimized"
    return (f"| {path.stem} | {against} | {agreement.tensors} | {codes} | "
            f"{agreement.most_float:.3g} | {words} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--outputs", type=pathlib.Path,
                        help="our outputs: a folder of .npy, or a .npz")
    parser.add_argument("--tally", help="the command that makes our outputs")
    parser.add_argument("--target", default="cpu", choices=["cpu", "eval"])
    parser.add_argument("--dim", action="append", default=[],
                        metavar="NAME=N", help="handed on to the command")
    parser.add_argument("--inputs", help="FILE.npz or NAME=FILE.npy")
    parser.add_argument("--labels", help=".npy of right classes")
    parser.add_argument("--plain", action="store_true",
                        help="switch onnxruntime's graph optimizations off")
    parser.add_argument("--no-header", action="store_true")
    options = parser.parse_args()
    if bool(options.outputs) == bool(options.tally):
        parser.error("give either --outputs or --tally")
    if options.outputs and len(options.models) > 1:
        parser.error("--outputs belongs to one model")
    if not options.no_header:
        print(HEADER)
    for path in options.models:
        print(row(path, options), flush=True)


if __name__ == "__main__":
    main()
