"""The tensors of a model under onnxruntime, for `tally diff`.

usage: onnxruntime_tensors.py MODEL INPUTS.npz NAMES.json FOLDER LEVEL

NAMES.json lists tensors of the model. Each that the runtime's graph has becomes
entry tI of FOLDER/result.npz for the I-th name. LEVEL is "plain" (no graph
optimizations) or "optimized". FOLDER/answer.json says, besides the version,

  makers    by index, the operator that makes the tensor in the runtime's graph
  unsigned  indices of int8 tensors that the runtime keeps as uint8, each code
            128 higher; the result has them as int8
  outputs   "optimized" only: how many elements of the model's outputs are
            others in a run that shows no inner tensor, of how many

Showing a tensor may keep the optimizer from its work. So the graph is optimized
as it is, written to a file, and that is run with its tensors shown and no
further optimization. Changes of layout are left out, which take names away and
leave integers alone; `outputs` tells what all that changed.

Status 3: a package is missing, its name on standard error. Status 4: the
runtime refuses, its words on standard error.
"""

import collections
import json
import pathlib
import sys

LAYOUT = ["NchwcTransformer", "NhwcTransformer"]
UNSIGNED = "qdq_s8_to_u8_quant"  # how the runtime calls what it made uint8
CLAMPS = ("Relu", "Clip")


def settings(runtime, level):
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    if level == "plain":
        options.graph_optimization_level = (
            runtime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    return options


def session(runtime, model, options, **more):
    return runtime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], **more)


def tensors(runtime, model, feeds, names):
    """Name -> array, the model's own outputs included."""
    own = [value.name for value in model.graph.output]
    made = {name for node in model.graph.node for name in node.output}
    more = [name for name in names if name in made and name not in own]
    for name in more:
        model.graph.output.add(name=name)
    runner = session(runtime, model.SerializeToString(),
                     settings(runtime, "plain"))
    wanted = {value.name for value in runner.get_inputs()}
    values = runner.run(own + more, {n: feeds[n] for n in wanted})
    return dict(zip(own + more, values))


def renamed(model, optimized):
    """Int8 tensor of the model -> the uint8 tensor that it became.

    The optimizer renames what it makes uint8. The maker's name stays, or the
    float that a Quantize reads; clamps that quantizing does by itself go.
    """
    fresh = [node for node in optimized.graph.node
             if len(node.output) == 1 and node.output[0].startswith(UNSIGNED)]
    by_node = {node.name: node.output[0] for node in fresh if node.name}
    by_float = collections.defaultdict(list)
    for node in fresh:
        if node.op_type == "QuantizeLinear":
            by_float[node.input[0]].append(node.output[0])
    makers = {name: node for node in model.graph.node for name in node.output}
    found = {}
    for quantize in model.graph.node:
        if quantize.op_type != "QuantizeLinear":
            continue
        value = quantize.input[0]
        while value:
            maker = makers.get(value)
            same = by_float.get(value, [])
            if maker and maker.name in by_node:
                same = same + [by_node[maker.name]]
            if len(same) == 1:
                found[quantize.output[0]] = same[0]
            is_clamp = maker and maker.op_type in CLAMPS
            value = maker.input[0] if is_clamp and not same else None
    return found


def different(numpy, first, second):
    """How many elements are others; NaNs are equal."""
    both_nan = (first != first) & (second != second)
    return int(numpy.count_nonzero((first != second) & ~both_nan))


def run_optimized(onnx, numpy, runtime, path, feeds, names, folder):
    """Values by the model's names, the graph they come from, and more of the
    answer."""
    target = folder / "optimized.onnx"
    options = settings(runtime, "optimized")
    options.optimized_model_filepath = str(target)
    session(runtime, path, options, disabled_optimizers=LAYOUT)
    model, graph = onnx.load(path), onnx.load(target)
    own = [value.name for value in graph.graph.output]
    whole = session(runtime, path, settings(runtime, "optimized"))
    expected = whole.run(own, {v.name: feeds[v.name]
                               for v in whole.get_inputs()})
    made = {name for node in graph.graph.node for name in node.output}
    other = {name: new for name, new in renamed(model, graph).items()
             if name in names and name not in made}
    values = tensors(runtime, graph, feeds, [*names, *other.values()])
    outputs = {"different": sum(different(numpy, a, values[n])
                                for n, a in zip(own, expected)),
               "count": sum(a.size for a in expected)}
    for name, new in other.items():
        codes = values[new].astype(numpy.int16) - 128
        values[name] = codes.astype(numpy.int8)
    return values, graph, {
        "outputs": outputs, "renamed": other,
        "unsigned": [names.index(name) for name in other]}


def run(onnx, numpy, runtime, arguments):
    path, inputs_path, names_path, folder, level = arguments
    folder = pathlib.Path(folder)
    names = json.loads(pathlib.Path(names_path).read_text("utf-8"))
    feeds = {}
    if pathlib.Path(inputs_path).exists():  # a model may have no inputs
        with numpy.load(inputs_path) as stored:
            feeds = dict(stored)
    if level == "plain":
        graph, more = onnx.load(path), {"renamed": {}, "unsigned": []}
        values = tensors(runtime, graph, feeds, names)
    else:
        values, graph, more = run_optimized(onnx, numpy, runtime, path, feeds,
                                            names, folder)
    shown = {index: name for index, name in enumerate(names)
             if name in values}
    numpy.savez(folder / "result.npz",
                **{f"t{index}": values[name] for index, name in shown.items()})
    makers = {name: node.op_type for node in graph.graph.node
              for name in node.output}
    other = more.pop("renamed")
    answer = {"version": runtime.__version__, **more, "makers": {
        str(index): makers[other.get(name, name)]
        for index, name in shown.items() if other.get(name, name) in makers}}
    (folder / "answer.json").write_text(json.dumps(answer), "utf-8")


def main():
    try:
        import numpy
        import onnx
        import onnxruntime
    except ImportError as missing:
        print(missing.name, file=sys.stderr)
        return 3
    try:
        run(onnx, numpy, onnxruntime, sys.argv[1:])
    except Exception as refused:  # whatever the runtime throws
        print(refused, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
