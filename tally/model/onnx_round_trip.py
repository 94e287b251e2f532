#!/usr/bin/env python3
"""Compares what tally-onnx-dump reads with what the onnx package reads.

usage: onnx_round_trip.py DUMP [MODEL...]

Without models, makes some: every element type as raw bytes, typed fields and
external data, and the backend node tests that come with the onnx package.
Models with functions are compared after onnx.inliner has inlined them, by
their operators and versions only, because made-up names differ.
"""

import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

NAMES = {
    TensorProto.FLOAT: "float32",
    TensorProto.DOUBLE: "float64",
}


def type_name(number):
    return NAMES.get(number, TensorProto.DataType.Name(number).lower())


def remainder(data):
    """The bytes as one number, the last the highest, modulo a prime."""
    return f"{int.from_bytes(data, 'little') % (2**61 - 1):016x}"


def packed(tensor, folder):
    """The bytes the tensor should have, by the onnx package's own decoding."""
    array = numpy_helper.to_array(tensor, base_dir=str(folder))
    bits = {
        TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4,
        TensorProto.INT2: 2, TensorProto.UINT2: 2,
        TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6,
    }.get(tensor.data_type)
    if bits is None:
        return array.tobytes()
    total = 0
    flat = array.reshape(-1).view(numpy.uint8)
    for place, element in enumerate(flat):
        total |= (int(element) & ((1 << bits) - 1)) << (bits * place)
    return total.to_bytes((bits * len(flat) + 7) // 8, "little")


def describe_tensor(tensor, folder):
    words = [type_name(tensor.data_type), *map(str, tensor.dims)]
    return " ".join(words) + " #" + remainder(packed(tensor, folder))


def describe_value(info):
    if not info.type.HasField("tensor_type"):
        return "non-tensor"
    kind = info.type.tensor_type
    words = [type_name(kind.elem_type)]
    if not kind.HasField("shape"):
        return " ".join([*words, "?"])
    for dim in kind.shape.dim:
        # Both are exporters' spellings of an unknown dimension.
        if dim.dim_value == -1 or dim.dim_param == "?":
            words.append("_")
        elif dim.HasField("dim_value"):
            words.append(str(dim.dim_value))
        else:
            words.append(dim.dim_param or "_")
    return " ".join(words)


def expected(model, folder):
    """Lines as tally-onnx-dump prints them, without node names."""
    opsets = {o.domain.replace("ai.onnx", "") if o.domain == "ai.onnx"
              else o.domain: o.version for o in model.opset_import}
    graph = model.graph
    lines = [f"opset '{d}' {v}" for d, v in sorted(opsets.items())]
    made = {t.name for t in graph.initializer}
    lines += [f"input {i.name} {describe_value(i)}"
              for i in graph.input if i.name not in made]
    lines += [f"output {o.name} {describe_value(o)}" for o in graph.output]
    lines += [f"initializer {t.name} {describe_tensor(t, folder)}"
              for t in graph.initializer]
    for node in graph.node:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain + "."
        if domain + node.op_type == "Constant":
            value = onnx.helper.get_attribute_value(node.attribute[0])
            if isinstance(value, TensorProto):
                tensor = value
            else:
                kind = (numpy.int64 if "int" in node.attribute[0].name
                        else numpy.float32)
                tensor = numpy_helper.from_array(numpy.array(value, kind))
            lines.append(f"initializer {node.output[0]} "
                         f"{describe_tensor(tensor, folder)}")
            continue
        opset = opsets["" if not domain else node.domain]
        lines.append(f"node {domain}{node.op_type} {opset} "
                     f"({','.join(node.input)}) -> ({','.join(node.output)})")
    return lines


def dumped(dump, path, *options):
    run = subprocess.run([dump, str(path), *options], capture_output=True,
                         text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{path}: exit status {run.returncode}\n{run.stderr}")
    if run.returncode == 1:
        return None, run.stderr.strip()
    lines = []
    for line in run.stdout.splitlines():
        words = line.split(" ")
        if words[0] == "node":  # leave out its name
            line = " ".join(["node", *words[2:]])
        if not line.startswith("  "):
            lines.append(line)
    return lines, ""


def compare(dump, path, *options):
    """'same', 'refused: ...' or 'differs: ...'."""
    got, refusal = dumped(dump, path, *options)
    if got is None:
        return "refused: " + refusal
    model = onnx.load(str(path), load_external_data=False)
    if model.functions:
        inlined = onnx.inliner.inline_local_functions(model)
        want = sorted(n.op_type for n in inlined.graph.node
                      if n.op_type != "Constant")
        got = sorted(line.split(" ")[1].split(".")[-1]
                     for line in got if line.startswith("node"))
    else:
        want = sorted(expected(model, path.parent))
        got = sorted(got)
    if got == want:
        return "same"
    missing = [line for line in want if line not in got]
    extra = [line for line in got if line not in want]
    return f"differs: missing {missing[:3]}, extra {extra[:3]}"


def type_models(folder):
    """One model per element type and storage: raw, typed, external."""
    generator = numpy.random.default_rng(3)
    for number in TensorProto.DataType.values():
        if number in (TensorProto.UNDEFINED, TensorProto.STRING):
            continue
        kind = helper.tensor_dtype_to_np_dtype(number)
        raw = generator.integers(0, 2, (3, 5)) if number == TensorProto.BOOL \
            else generator.integers(0, 4, (3, 5))
        array = raw.astype(numpy.float32).astype(kind)
        for storage in ("raw", "typed", "external"):
            tensor = (numpy_helper.from_array(array, "w")
                      if storage != "typed" else
                      helper.make_tensor("w", number, (3, 5),
                                         array.reshape(-1)))
            graph = helper.make_graph(
                [helper.make_node("Identity", ["w"], ["y"])], "g", [],
                [helper.make_tensor_value_info("y", number, (3, 5))], [tensor])
            model = helper.make_model(
                graph, opset_imports=[helper.make_opsetid("", 25)])
            path = folder / f"{type_name(number)}-{storage}.onnx"
            external = storage == "external"
            onnx.save(model, str(path), save_as_external_data=external,
                      location=path.stem + ".bin", size_threshold=0)
            yield path


def backend_tests(folder):
    """The backend tests of the onnx package: stored models and node tests."""
    root = pathlib.Path(onnx.__file__).parent / "backend/test/data"
    yield from sorted(root.glob("*/*/model.onnx"))
    yield from sorted(root.glob("light/*.onnx"))
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # their references divide by zero
        cases = node.collect_testcases(None)
    for case in cases:
        path = folder / f"{case.name}.onnx"
        path.write_bytes(case.model.SerializeToString())
        yield path


def main():
    dump = sys.argv[1]
    counts = {}
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        paths = [pathlib.Path(p) for p in sys.argv[2:]]
        made = not paths
        if made:
            folder = pathlib.Path(name)
            paths = [*type_models(folder), *backend_tests(folder)]
        for path in paths:
            modes = [(), ("--map",)] if "-external" in path.name else [()]
            for mode in modes:
                result = compare(dump, path, *mode)
                word = result.split(":")[0]
                if word == "refused":
                    word += " " + result.rsplit("[", 1)[-1].split("]")[0]
                counts[word] = counts.get(word, 0) + 1
                differs = word == "differs"
                bad += differs
                if differs or (word != "same" and not made):
                    print(path, result)
    for word, count in sorted(counts.items()):
        print(f"{count:6} {word}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
