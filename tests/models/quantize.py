"""Static-QDQ variants of float networks, by onnxruntime's own quantizer."""

import logging
import pathlib
import tempfile

import onnx
import onnx.version_converter
import onnxruntime as ort
from onnxruntime import quantization as q

import binding
import samples

CALIBRATION = 12
OPSET = 17  # scales per channel need 13, LayerNormalization 17
ACTIVATIONS = {"s8": q.QuantType.QInt8, "u8": q.QuantType.QUInt8}


class Calibration(q.CalibrationDataReader):
    """Samples 1..CALIBRATION; sample 0 is kept for judging the result."""

    def __init__(self, entry, shapes, archives):
        recipe = getattr(samples, entry["recipe"])
        self.feeds = (recipe(shapes, index, archives)
                      for index in range(1, CALIBRATION + 1))

    def get_next(self):
        return next(self.feeds, None)


def flatten_biases(graph):
    """Make Gemm biases of shape [1, n] plain vectors, as quantizers expect."""
    biases = {n.input[2] for n in graph.node
              if n.op_type == "Gemm" and len(n.input) == 3}
    for tensor in graph.initializer:
        if tensor.name in biases and len(tensor.dims) == 2:
            del tensor.dims[0]


def prepare(entry, source, target):
    """Bind dimensions, fold constants, and write a float model to quantize."""
    model = onnx.load(source)
    binding.bind(model, entry["options"])
    # Declared output and inner shapes still hold the open names.
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    if model.opset_import[0].version < OPSET:
        model = onnx.version_converter.convert_version(model, OPSET)
    bound = target.with_suffix(".bound.onnx")
    onnx.save(model, bound)
    options = ort.SessionOptions()
    options.graph_optimization_level = (
        ort.GraphOptimizationLevel.ORT_ENABLE_BASIC)
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(str(bound), options,
                         providers=["CPUExecutionProvider"])
    model = onnx.load(target)
    flatten_biases(model.graph)
    onnx.save(onnx.shape_inference.infer_shapes(model), target)


def variants(entry, source, archives, again):
    """Make the variants that are missing; yields each one's path."""
    targets = {kind: source.with_name(f"{source.stem}-{kind}.onnx")
               for kind in ACTIVATIONS}
    if not again and all(t.exists() for t in targets.values()):
        yield from targets.values()
        return
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        prepared = pathlib.Path(folder, "float.onnx")
        prepare(entry, source, prepared)
        shapes = binding.bound_shapes(onnx.load(prepared), [])
        for kind, target in targets.items():
            q.quantize_static(
                prepared, target, Calibration(entry, shapes, archives),
                quant_format=q.QuantFormat.QDQ, per_channel=True,
                activation_type=ACTIVATIONS[kind],
                weight_type=q.QuantType.QInt8,
                op_types_to_quantize=entry.get("quantize"))
            yield target
