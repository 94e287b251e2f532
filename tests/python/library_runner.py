"""Runs compiled libraries under qemu's user mode, on processors that need not
be this one: AArch64, or x86-64 without some instruction sets."""

import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ARM_ROOT = pathlib.Path("/usr/aarch64-linux-gnu")


def needed(*names):
    """Paths of programs; without one of them the test is skipped, which CI
    does not accept."""
    paths = []
    for name in names:
        path = shutil.which(name)
        if not path:
            if os.environ.get("CI"):
                pytest.fail(f"{name} is missing")
            pytest.skip(f"{name} is not installed")
        paths.append(path)
    return paths


def build_for_host(folder):
    program = folder / "run_library"
    subprocess.run(["cc", "-O1", "-std=c11", "-D_DEFAULT_SOURCE", "-Wall",
                    "-Wextra", "-Werror", HERE / "run_library.c", "-o",
                    program, "-ldl"], check=True)
    return program


def build_for_arm(folder):
    """With LLVM's compiler and linker and the C library of the cross packages;
    no other compiler is needed."""
    clang, lld = needed("clang-22", "ld.lld-22")
    libraries = ARM_ROOT / "lib"
    if not (libraries / "Scrt1.o").exists():
        needed("libc6-dev-arm64-cross")
    program, code = folder / "run_library", folder / "run_library.o"
    subprocess.run([clang, "--target=aarch64-linux-gnu", "-O1", "-std=c11",
                    "-D_DEFAULT_SOURCE", "-fPIE", "-isystem",
                    ARM_ROOT / "include", "-c", HERE / "run_library.c", "-o",
                    code], check=True)
    subprocess.run([lld, "-m", "aarch64linux", "-pie", "--dynamic-linker",
                    "/lib/ld-linux-aarch64.so.1", f"-L{libraries}",
                    libraries / "Scrt1.o", libraries / "crti.o", code, "-lc",
                    libraries / "crtn.o", "-o", program], check=True)
    return program


class Jobs:
    """Calls of compiled libraries, all made by one process of an emulator."""

    def __init__(self, emulator, program, folder):
        self.emulator, self.program, self.folder = emulator, program, folder
        self.lines = []

    def self_test(self, library, interface):
        self.lines.append(f"selftest {library} {interface['symbol']} "
                          f"{interface['selftest']['workspace_bytes']}")

    def run(self, library, interface, inputs, outputs):
        """`inputs` are files of the tensors' bytes, `outputs` (file, bytes)."""
        words = ["run", library, interface["symbol"],
                 interface["arena_bytes"], len(inputs), len(outputs), *inputs]
        for file, count in outputs:
            words += [file, count]
        self.lines.append(" ".join(str(word) for word in words))

    def results(self):
        """What each job's function returned."""
        jobs = self.folder / "jobs"
        jobs.write_text("\n".join(self.lines) + "\n")
        done = subprocess.run([*self.emulator, self.program, jobs], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        codes = [int(word) for word in done.stdout.split()]
        assert len(codes) == len(self.lines), done.stdout + done.stderr
        return codes
