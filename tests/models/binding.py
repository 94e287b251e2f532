"""Open dimensions and constant inputs of an ONNX model.

Options that bind them are a list as given to the command, for example
    ["--dim", "N=1", "--shape", "x=1x3x224x224", "--bind", "rate=16000"].
"""

import numpy as np
from onnx import helper, numpy_helper


def all_nodes(graph):
    """Every node of a graph, those of subgraphs included."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from all_nodes(attribute.g)
            for inner in attribute.graphs:
                yield from all_nodes(inner)


def real_inputs(model):
    """The graph inputs that are not initializers."""
    initialized = {i.name for i in model.graph.initializer}
    return [i for i in model.graph.input if i.name not in initialized]


def _dim(d):
    if d.HasField("dim_param") and d.dim_param:
        return d.dim_param
    return d.dim_value if d.dim_value > 0 else "?"


def declared_shapes(model):
    """Input name -> its shape; open dimensions are names or '?'."""
    return {i.name: [_dim(d) for d in i.type.tensor_type.shape.dim]
            for i in real_inputs(model)}


def parse(options):
    """Options as ({dimension name: size}, {input name: shape}, {input name:
    its numbers as text})."""
    dims, shapes, values = {}, {}, {}
    for flag, value in zip(options[::2], options[1::2], strict=True):
        name, _, size = value.rpartition("=")
        if flag == "--dim":
            dims[name] = int(size)
        elif flag == "--shape":
            shapes[name] = [int(n) for n in size.split("x")]
        elif flag == "--bind":
            values[name] = size
        else:
            raise ValueError(f"not a binding option: {flag}")
    return dims, shapes, values


def bound_shapes(model, options):
    """Name of an input of the interface -> its static shape; an open dimension
    is an error."""
    dims, shapes, values = parse(options)
    result = {}
    for name, declared in declared_shapes(model).items():
        if name in values:
            continue
        shape = shapes.get(name, [dims.get(d, d) for d in declared])
        if not all(isinstance(d, int) for d in shape):
            raise ValueError(f"input {name} is still open: {shape}")
        result[name] = shape
    return result


def bound_values(model, options):
    """Input name -> array, of the inputs that are constants."""
    dims, shapes, values = parse(options)
    result = {}
    for value in real_inputs(model):
        if value.name not in values:
            continue
        kind = helper.tensor_dtype_to_np_dtype(
            value.type.tensor_type.elem_type)
        declared = declared_shapes(model)[value.name]
        shape = shapes.get(value.name, [dims.get(d, d) for d in declared])
        numbers = [float(n) for n in values[value.name].split(",")]
        result[value.name] = np.array(numbers).astype(kind).reshape(shape)
    return result


def bind(model, options):
    """Give the model's inputs their static shapes, or their values, in place."""
    shapes = bound_shapes(model, options)
    for name, array in bound_values(model, options).items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    for value in real_inputs(model):
        dims = value.type.tensor_type.shape.dim
        for d, size in zip(dims, shapes[value.name], strict=True):
            d.Clear()
            d.dim_value = size
