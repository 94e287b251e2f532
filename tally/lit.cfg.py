# lit configuration: every test/*.mlir and test/*.test beside the code, and,
# through tests/lit.cfg.py, the whole-program tests.

import os
import pathlib

import lit.formats

source = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(os.environ.get("TALLY_BUILD_DIR", source / "build" / "dev"))
llvm_tools = pathlib.Path("/usr/lib/llvm-22/bin")

config.name = "tally"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = str(source / "tally")
config.test_exec_root = str(build / "lit" / "tally")

# The build's own commands first, then FileCheck, not, split-file, mlir-opt.
config.environment["PATH"] = os.pathsep.join(
    [str(build / "bin"), str(llvm_tools), os.environ["PATH"]]
)
for name in ("CI", "TALLY_PYTHON", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

python = source / ".venv" / "bin" / "python"
config.substitutions += [
    ("%source", str(source)),
    ("%build", str(build)),
    ("%python", str(python) if python.exists() else "/usr/bin/python3"),
]
if python.exists():
    config.available_features.add("python-packages")
for command in ("tally", "tally-opt"):
    if (build / "bin" / command).exists():
        config.available_features.add(command)
