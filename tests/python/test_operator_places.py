"""Adding an operator touches the places that the recipe names, and no other."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "docs" / "recipes" / "add-an-operator.md"
MOST_PLACES = 4


def rows_of_recipe():
    """(kind, file) of the table's rows: "new", a number, or "generated"."""
    row = re.compile(r"^\| (new|\d+|generated) \| `([^`]+)` \|", re.MULTILINE)
    return row.findall(RECIPE.read_text(encoding="utf-8"))


def naming(stem):
    """The sources that name an operator by its class, files, IR name or as a
    string; tests and their random graphs are no part of adding one, nor are
    an accelerator's commands for it and functions of its name."""
    mnemonic = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", stem).lower()
    name = re.compile(rf"\b{stem}Op\b|\b{stem}\.(td|cpp)\b|\bnn\.{mnemonic}\b"
                      rf'|"{stem}"|"{mnemonic}"|\b{mnemonic}\.mlir\b')
    for path in sorted((ROOT / "tally").rglob("*")):
        is_test = (path.stem.endswith("Test") or path.suffix == ".md"
                   or path.is_relative_to(ROOT / "tally/fuzz")
                   or path.is_relative_to(ROOT / "tally/emit")
                   or path.is_relative_to(ROOT / "tally/run")
                   or path.is_relative_to(ROOT / "tally/schedule"))
        if not path.is_file() or is_test:
            continue
        if name.search(path.read_text(encoding="utf-8", errors="replace")):
            yield path.relative_to(ROOT).as_posix()


def test_the_recipe_names_every_place():
    rows = rows_of_recipe()
    new = {file for kind, file in rows if kind == "new"}
    changed = {file for kind, file in rows if kind.isdigit()}
    assert len(changed) <= MOST_PLACES
    assert all((ROOT / file).is_file() for _, file in rows)
    assert set(naming("Trilu")) | new == new | changed


@pytest.mark.parametrize("stem, own_test", (
    ("CumSum", "cum_sum"), ("GatherNd", "gather_nd"), ("BitShift", "bit_shift"),
    ("Mod", "mod"), ("IsInf", "is_inf")))
def test_other_operators_take_no_more(stem, own_test):
    own = {f"tally/ops/{stem}.td", f"tally/ops/{stem}.cpp",
           f"tally/ops/test/{own_test}.mlir"}
    places = set(naming(stem)) - own
    assert "tally/ops/Ops.td" in places
    assert len(places) <= MOST_PLACES, places
