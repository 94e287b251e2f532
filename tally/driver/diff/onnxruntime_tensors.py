"""The tensors of a model under onnxruntime, for `tally diff`.

usage: onnxruntime_tensors.py MODEL INPUTS.npz NAMES.json RESULT.npz LEVEL

NAMES.json lists tensors of the graph; each that a node of it makes becomes an
output, and entry tI of RESULT.npz for the I-th name. LEVEL is "plain" (no graph
optimizations) or "optimized". The runtime's version goes to standard output.
Status 3: a package is missing, its name on standard error. Status 4: the
runtime refuses, its words on standard error.
"""

import json
import sys


def probe(onnx, model, names):
    """The model's bytes with `names` as outputs besides its own."""
    outputs = {value.name for value in model.graph.output}
    for name in names:
        if name not in outputs:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model.SerializeToString()


def run(onnx, numpy, runtime, arguments):
    model_path, inputs_path, names_path, result_path, level = arguments
    with open(names_path, encoding="utf-8") as file:
        wanted = json.load(file)
    model = onnx.load(model_path)
    made = {name for node in model.graph.node for name in node.output}
    names = [name for name in wanted if name in made]
    settings = runtime.SessionOptions()
    settings.log_severity_level = 3
    if level == "plain":
        settings.graph_optimization_level = (
            runtime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = runtime.InferenceSession(
        probe(onnx, model, names), settings,
        providers=["CPUExecutionProvider"])
    with numpy.load(inputs_path) as stored:
        feeds = {value.name: stored[value.name]
                 for value in session.get_inputs() if value.name in stored}
    values = dict(zip(names, session.run(names, feeds)))
    numpy.savez(result_path, **{f"t{index}": values[name]
                                for index, name in enumerate(wanted)
                                if name in values})
    print(runtime.__version__)


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
