#!/usr/bin/env python3
"""Fetch real networks with trained weights, and make their QDQ variants.

Reads models.json, downloads the pinned archives with pip (nothing is
installed), checks hashes of archive and model, and writes into --dir:

    NAME.onnx          the network as its package has it
    NAME.inputs.npz    one representative input, by input name
    NAME-s8.onnx       static QDQ, int8 activations, per-channel int8 weights
    NAME-u8.onnx       the same with uint8 activations

and prints what each of them is. Files that are there already are kept when
their hashes are right (archives, models) or when --again is not given
(inputs, variants).
"""

import argparse
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import onnx

import binding
import samples

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PINS = HERE.parent / "python" / "requirements-models.txt"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def pins():
    """Package name -> (version, archive hash), from the requirements file."""
    found = re.findall(r"^([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})$",
                       PINS.read_text("utf-8"), re.MULTILINE)
    return {name: (version, digest) for name, version, digest in found}


class Archives:
    """Package archives in a folder, downloaded when first asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.pins = pins()
        self.cache = {}
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, package):
        """The checked archive of one pinned package."""
        if package not in self.cache:
            self.cache[package] = (self._here(package)
                                   or self._download(package))
        return self.cache[package]

    def read(self, package, member):
        """The bytes of one file inside a package's archive."""
        path = self.path(package)
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as archive:
                return archive.read(member)
        with tarfile.open(path) as archive:
            return archive.extractfile(member).read()

    def _here(self, package):
        _, digest = self.pins[package]
        for path in sorted(self.folder.iterdir()):
            if path.is_file() and sha256(path.read_bytes()) == digest:
                return path
        return None

    def _download(self, package):
        version, _ = self.pins[package]
        print(f"downloading {package} {version}", file=sys.stderr)
        command = [sys.executable, "-m", "pip", "download", "--quiet",
                   "--disable-pip-version-check", "--no-deps",
                   "--dest", str(self.folder), f"{package}=={version}"]
        # Wheels are data here, so they are taken for one fixed platform.
        wheel = ["--only-binary=:all:", "--python-version", "3.11",
                 "--platform", "manylinux_2_28_x86_64",
                 "--platform", "any"]
        # The pinned archive is one of them.
        for kind in (wheel, ["--no-binary", package]):
            done = subprocess.run(command + kind, capture_output=True,
                                  text=True)
            if path := self._here(package):
                return path
        if done.returncode:
            sys.exit(f"cannot download {package}=={version}:\n{done.stderr}")
        sys.exit(f"no archive of {package}=={version} has the hash pinned in "
                 f"{PINS.name}")


def extract(entry, archives, target):
    """Write the model of one table entry to `target`, checking its hash."""
    if target.exists() and sha256(target.read_bytes()) == entry["sha256"]:
        return
    data = archives.read(entry["package"], entry["member"])
    if sha256(data) != entry["sha256"]:
        sys.exit(f"{entry['name']}: {entry['member']} has sha256 "
                 f"{sha256(data)}, the table pins {entry['sha256']}")
    target.write_bytes(data)


def write_inputs(entry, archives, model, target):
    recipe = getattr(samples, entry["recipe"])
    feeds = recipe(binding.bound_shapes(model, entry["options"]), 0, archives)
    np.savez(target, **feeds)


def describe(entry, path, archives):
    """One Markdown table row for a model file."""
    model = onnx.load(path)
    operators = collections.Counter(
        (n.domain + "." if n.domain else "") + n.op_type
        for n in binding.all_nodes(model.graph))
    opset = next((o.version for o in model.opset_import if not o.domain), "")
    dims = "; ".join(f"{name} {shape}" for name, shape
                     in binding.declared_shapes(model).items())
    version = archives.pins[entry["package"]][0]
    names = ", ".join(f"{op} {n}" for op, n in operators.most_common())
    return (f"| {path.stem} | {entry['package']} {version} | "
            f"{entry['licence']} | {path.stat().st_size:,} | {opset} | "
            f"{dims} | `{' '.join(entry['options'])}` | {names} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=pathlib.Path,
                        default=ROOT / "build" / "models")
    parser.add_argument("--only", help="comma-separated model names")
    parser.add_argument("--no-variants", action="store_true",
                        help="skip the QDQ variants")
    parser.add_argument("--again", action="store_true",
                        help="remake inputs and variants")
    arguments = parser.parse_args()
    table = json.loads((HERE / "models.json").read_text("utf-8"))["models"]
    wanted = arguments.only.split(",") if arguments.only else [
        entry["name"] for entry in table]
    unknown = set(wanted) - {entry["name"] for entry in table}
    if unknown:
        parser.error(f"not in models.json: {', '.join(sorted(unknown))}")
    arguments.dir.mkdir(parents=True, exist_ok=True)
    archives = Archives(arguments.dir / "archives")
    rows = []
    for entry in (e for e in table if e["name"] in wanted):
        path = arguments.dir / (entry["name"] + ".onnx")
        extract(entry, archives, path)
        inputs = arguments.dir / (entry["name"] + ".inputs.npz")
        if arguments.again or not inputs.exists():
            write_inputs(entry, archives, onnx.load(path), inputs)
        rows.append(describe(entry, path, archives))
        if entry["variants"] and not arguments.no_variants:
            import quantize
            for variant in quantize.variants(entry, path, archives,
                                             arguments.again):
                rows.append(describe(entry, variant, archives))
    print("| model | package | licence | bytes | opset | inputs "
          "| bound with | operators |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
