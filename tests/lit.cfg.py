# lit configuration of the whole-program tests: tests/**/*.test. Tools and
# substitutions are those of tally/lit.cfg.py.

import os
import pathlib

here = pathlib.Path(__file__).resolve().parent
lit_config.load_config(config, str(here.parent / "tally" / "lit.cfg.py"))

config.name = "tests"
config.excludes = ["Inputs", "models", "python"]
config.test_source_root = str(here)
config.test_exec_root = os.path.join(
    os.path.dirname(config.test_exec_root), "tests"
)

# "%onnx < net.txt > net.onnx": a model from its protobuf text.
source = here.parent
config.substitutions.append(
    ("%onnx", "protoc --encode=tally.onnx.ModelProto "
              f"--proto_path={source} {source}/tally/model/onnx.proto")
)  # fmt: skip

# Sanitized libraries cannot be loaded by programs that are not.
if os.environ.get("TALLY_BUILD_DIR", "").rstrip("/").endswith("asan"):
    config.available_features.add("asan")
