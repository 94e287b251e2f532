"""The tensors of a model under onnxruntime, for `tally diff`.

usage: onnxruntime_tensors.py MODEL INPUTS.npz NAMES.json FOLDER LEVEL

NAMES.json lists tensors of the model. Each that the runtime's graph has becomes
entry tI of FOLDER/result.npz for the I-th name. LEVEL is "plain" (no graph
optimizations) or "optimized". FOLDER/answer.json says, besides the version,

  makers    by index, the operator that makes the tensor in the runtime's graph,
            seen through movements
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
MOVEMENTS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose")


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


def unique(pairs):
    """Key -> value of the keys that have one value."""
    values = collections.defaultdict(set)
    for key, value in pairs:
        values[key].add(value)
    return {key: found.pop() for key, found in values.items()
            if len(found) == 1}


def renamed(model, optimized):
    """Int8 tensor of the model -> the uint8 tensor that it became.

    The optimizer renames what it makes uint8. What stays is the name of the
    node that makes it or reads it, of the float that a Quantize reads, or of
    the float that a Dequantize makes. Clamps that quantizing does by itself go.
    """
    def is_new(name):
        return name.startswith(UNSIGNED)

    nodes = optimized.graph.node
    by_maker = unique((n.name, n.output[0]) for n in nodes
                      if n.name and len(n.output) == 1 and is_new(n.output[0]))
    by_float = unique((n.input[0], n.output[0]) for n in nodes
                      if n.op_type == "QuantizeLinear" and is_new(n.output[0]))
    by_dequantized = unique(
        (n.output[0].removesuffix("/duplicated"), n.input[0]) for n in nodes
        if n.op_type == "DequantizeLinear" and is_new(n.input[0]))
    by_reader = unique(((n.name, n.op_type), n.input[0]) for n in nodes
                       if n.name and n.input and is_new(n.input[0]))
    made_by = {name: node for node in model.graph.node for name in node.output}
    readers = collections.defaultdict(list)
    for node in model.graph.node:
        for name in node.input[:1]:
            readers[name].append(node)

    def above(value):
        while value:
            yield by_float.get(value)
            maker = made_by.get(value)  # none of the model's inputs
            yield by_maker.get(maker.name) if maker else None
            is_clamp = maker and maker.op_type in CLAMPS
            value = maker.input[0] if is_clamp else None

    def below(codes):
        for dequantize in readers[codes]:
            value = dequantize.output[0]
            yield by_dequantized.get(value)
            for node in readers[value]:
                yield by_reader.get((node.name, node.op_type))

    found = {}
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            codes, value = node.output[0], node.input[0]
            candidates = [*above(value), *below(codes)]
            new = next(filter(None, candidates), None)
            if new:
                found[codes] = new
    return found


def makers(graph):
    """Tensor -> the operator that makes it, seen through movements."""
    by_output = {name: node for node in graph.node for name in node.output}

    def kernel(node):
        while node.op_type in MOVEMENTS and node.input[0] in by_output:
            node = by_output[node.input[0]]
        return node.op_type

    return {name: kernel(node) for name, node in by_output.items()}


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
    other = more.pop("renamed")
    kernels = makers(graph.graph)
    answer = {"version": runtime.__version__, **more, "makers": {
        str(index): kernels[other.get(name, name)]
        for index, name in shown.items() if other.get(name, name) in kernels}}
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
