"""Several cases side by side in one model, so that one process runs them.

A process takes longer to start than a node to compile. Cases of one operator
set share a graph without sharing a tensor: all names of a case get a prefix.
What is refused or differs in a group is run again alone, by the caller.
"""

import dataclasses

import onnx
from onnx import compose


def key(case):
    """What cases of one model have in common; None for one that stays alone.

    Nested graphs do, since they read tensors around them by name.
    """
    if any(a.HasField("g") or a.graphs
           for node in case.model.graph.node for a in node.attribute):
        return None
    return tuple(sorted((o.domain, o.version)
                        for o in case.model.opset_import))


def grouped(cases, size):
    """All cases, in lists of at most `size`."""
    open_groups, done = {}, []
    for case in cases:
        shared = key(case)
        if shared is None:
            done.append([case])
            continue
        group = open_groups.setdefault(shared, [])
        group.append(case)
        if len(group) == size:
            done.append(open_groups.pop(shared))
    return done + list(open_groups.values())


def renamed(case, prefix):
    """The case with a prefix before all names."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    compose.add_prefix_graph(model.graph, prefix, inplace=True)
    return dataclasses.replace(
        case, model=model,
        inputs={prefix + name: x for name, x in case.inputs.items()},
        outputs={prefix + name: x for name, x in case.outputs.items()})


def merged(cases):
    """One case of all, and the members with the names that they have in it."""
    members = [renamed(case, f"case{i}_") for i, case in enumerate(cases)]
    model = onnx.ModelProto()
    model.CopyFrom(members[0].model)
    for member in members[1:]:
        graph = member.model.graph
        model.ir_version = max(model.ir_version, member.model.ir_version)
        for field in ("node", "initializer", "sparse_initializer", "input",
                      "output", "value_info"):
            getattr(model.graph, field).extend(getattr(graph, field))
    inputs, outputs = {}, {}
    for member in members:
        inputs |= member.inputs
        outputs |= member.outputs
    whole = dataclasses.replace(members[0], name="group", model=model,
                                inputs=inputs, outputs=outputs)
    return whole, members
