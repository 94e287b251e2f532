"""Many single-node checks in one model and one run.

A NodeBatch collects nodes that do not depend on each other, each with inputs
and constants of its own, and becomes one model.
"""

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


class NodeBatch:
    def __init__(self, seed, opset=21):
        self.rng = np.random.default_rng(seed)
        self.opset = opset
        self.nodes, self.inputs, self.constants = [], [], []
        self.outputs, self.feeds = [], {}

    def _name(self):
        return f"v{len(self.feeds) + len(self.constants) + len(self.nodes)}"

    def input(self, array):
        array, name = np.asarray(array), self._name()
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(
            helper.make_tensor_value_info(name, kind, array.shape))
        self.feeds[name] = array
        return name

    def constant(self, array, kind=None):
        array, name = np.asarray(array), self._name()
        tensor = (numpy_helper.from_array(array, name) if kind is None else
                  helper.make_tensor(name, kind, array.shape,
                                     array.flatten().tolist()))
        self.constants.append(tensor)
        return name

    def node(self, op, inputs, outputs=1, keep=True, domain="", **attributes):
        """Adds a node and returns its output's name (a list of several)."""
        label = self._name()
        names = [f"{label}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(
            op, inputs, names, name=label, domain=domain, **attributes))
        if keep:
            self.outputs += names
        return names[0] if outputs == 1 else names

    def codes(self, shape, dtype, limit=None):
        """Random codes, of magnitude up to `limit` when it is given."""
        ends = np.iinfo(dtype)
        low, high = (ends.min, ends.max) if limit is None else (-limit, limit)
        return self.rng.integers(low, high, shape, np.int64,
                                 endpoint=True).astype(dtype)

    def scale(self, count=None):
        return np.float32(np.exp(self.rng.uniform(-6, -1, count)))

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def sizes(self, low, high, count):
        return [int(size) for size in self.rng.integers(low, high, count)]

    def model(self):
        outputs = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "nodes", self.inputs, outputs,
                                  self.constants)
        imports = [helper.make_opsetid("", self.opset),
                   helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)


def outputs_of_onnxruntime(batch):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(
        batch.model().SerializeToString(), options,
        providers=["CPUExecutionProvider"])
    return dict(zip(batch.outputs, session.run(batch.outputs, batch.feeds)))


def assert_equal(batch, found, expected):
    """Bit for bit, naming the node that differs."""
    for name in batch.outputs:
        node = next(n for n in batch.nodes if name in n.output)
        np.testing.assert_array_equal(found[name], expected[name], strict=True,
                                      err_msg=helper.printable_node(node))
