"""Runs compiled libraries under qemu's user mode, on processors that need not
be this one: AArch64, or x86-64 without some instruction sets."""

import pathlib
import shutil
import subprocess

from conftest import build_dir, lacks

ARM_ROOT = pathlib.Path("/usr/aarch64-linux-gnu")


def needed(*names):
    """Paths of programs that tests need."""
    paths = []
    for name in names:
        path = shutil.which(name)
        if not path:
            lacks(f"{name} is not installed")
        paths.append(path)
    return paths


def runner(name):
    """A program of tests/emulator, if the build made it."""
    program = build_dir() / "bin" / name
    return program if program.exists() else needed(name)[0]


class Jobs:
    """Calls of compiled libraries, all made by one process of an emulator."""

    def __init__(self, emulator, program, folder):
        self.emulator, self.program, self.folder = emulator, program, folder
        self.lines = []

    def self_test(self, library, interface):
        self.lines.append(f"selftest {library} {interface['symbol']} "
                          f"{interface['self_test_bytes']}")

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
