"""Machine files with less of what is scarce than the ones that they come from."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def cut_machine(folder, machine, registers=None, sram=None):
    """The path of `machine`'s file with so many synchronization registers and
    bytes of SRAM."""
    text = (ROOT / "machines" / f"{machine}.yaml").read_text()
    name = machine
    if registers is not None:
        text = replace_one(r"(?<=^sync:\n)((?:  .*\n)*?  count: )\d+",
                           registers, text)
        name += f"-{registers}-registers"
    if sram is not None:
        text = replace_one(r"(?<=^  sram:\n)((?:    .*\n)*?    bytes: )\d+",
                           sram, text)
        name += f"-{sram}-bytes"
    path = folder / f"{name}.yaml"
    path.write_text(text.replace(f"name: {machine}\n", f"name: {name}\n"))
    return path


def replace_one(pattern, number, text):
    text, count = re.subn(pattern, rf"\g<1>{number}", text, flags=re.MULTILINE)
    assert count == 1, pattern
    return text
