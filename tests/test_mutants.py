"""The mutation run makes the mutants it says, and every one of them is Python."""

from __future__ import annotations

from tests.mutants import PACKAGE, ROOT, Mutants, covering, modules

SOURCE = b'''
from __future__ import annotations


def share(part: int, whole: int = 1) -> float | None:
    """Part / whole."""
    if part < 0 or not whole:
        raise ValueError(f"{part + 1} of {whole}")
    return part / whole
'''


def test_every_mutant_of_a_function() -> None:
    found = {(mutant.line, mutant.before, mutant.after) for mutant in Mutants("share.py", SOURCE).found}
    assert found == {
        (5, "1", "2"),
        (7, "part < 0 or not whole", "(not (part < 0 or not whole))"),
        (7, "<", "<="),
        (7, "0", "1"),
        (7, "or", "and"),
        (9, "/", "*"),
        (9, "part / whole", "None"),
    }


def test_a_mutant_changes_nothing_else() -> None:
    [edge] = [mutant for mutant in Mutants("share.py", SOURCE).found if mutant.before == "<"]
    assert edge.apply(SOURCE) == SOURCE.replace(b"part < 0", b"part <= 0")
    assert edge.code == "if part < 0 or not whole:"


def test_the_mutants_of_the_code_are_python_and_have_tests() -> None:
    for file in modules(""):
        source = (ROOT / PACKAGE / file).read_bytes()
        for mutant in Mutants(file, source).found[::70]:
            compile(mutant.apply(source), file, "exec")
        doctests, *tests = covering(file)
        assert doctests == str(PACKAGE / file)
        assert tests, file
