"""Open dimensions of an ONNX model, and the options that bind them.

Options are a list as given to the command, for example
    ["--dim", "N=1", "--shape", "x=1x3x224x224"].
"""


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
    """Options as ({dimension name: size}, {input name: shape})."""
    dims, shapes = {}, {}
    for flag, value in zip(options[::2], options[1::2], strict=True):
        name, _, size = value.rpartition("=")
        if flag == "--dim":
            dims[name] = int(size)
        elif flag == "--shape":
            shapes[name] = [int(n) for n in size.split("x")]
        else:
            raise ValueError(f"not a binding option: {flag}")
    return dims, shapes


def bound_shapes(model, options):
    """Input name -> its static shape; an open dimension is an error."""
    dims, shapes = parse(options)
    result = {}
    for name, declared in declared_shapes(model).items():
        shape = shapes.get(name, [dims.get(d, d) for d in declared])
        if not all(isinstance(d, int) for d in shape):
            raise ValueError(f"input {name} is still open: {shape}")
        result[name] = shape
    return result


def bind(model, options):
    """Give the model's inputs their static shapes, in place."""
    shapes = bound_shapes(model, options)
    for value in real_inputs(model):
        dims = value.type.tensor_type.shape.dim
        for d, size in zip(dims, shapes[value.name], strict=True):
            d.Clear()
            d.dim_value = size
