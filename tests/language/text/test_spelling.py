"""Slips of the pen: mended where they are sure, and nothing else touched."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.text.spelling import Mended, mend, one_edit_away, small_words
from pyramidion.model import Span


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("scinetists", "scientists"),
        ("goverment", "government"),
        ("untill", "until"),
        ("seperate", "separate"),
        ("thier", "their"),
        ("wich", "which"),
        ("wasnt", "wasn't"),
        ("mustnt", "mustn't"),
        ("hadnt", "hadn't"),
    ],
)
def test_a_slip_is_mended(slip: str, meant: str) -> None:
    assert mend(f"They {slip} it.").whole == f"They {meant} it."


@pytest.mark.parametrize(
    "text",
    [
        "Marwick, Lkae and NASAA",
        "40km in the 1990ies, x86 and 3rd",
        "mustn't, daren't, needn\u2019t, ma\u2019am and the dockres\u2019",
        "re-wlid, some_nmae, lkae@example.org, www.lkae.org/wtaer and #lkae",
        "vaping, rewilding, microplastics, bitcoin and kwh",
        "the lake is clean and the fishermen are content",
        "gnz tlk",
        "a neighbour of the harbour sells tyres of all colours",
        "Der Fluß wäre schön, très fatigué",
    ],
)
def test_names_numbers_contractions_addresses_and_rare_words_stay(text: str) -> None:
    assert mend(text).slips == ()


def test_words_that_are_known_are_neither_mended_nor_overlooked() -> None:
    known = small_words(["The Drovnik dam holds phosphorus."])
    assert mend("the drovnik has phosphorus", known).slips == ()
    assert mend("the drovnki has phophorus", known).whole == "the drovnik has phosphorus"
    assert mend("the drovnki").slips == ()


def test_places_are_those_of_the_writer_s_text() -> None:
    text = "The lkae is claen, and fishemren return."
    mended = mend(text)
    assert [span.of(text) for span, _ in mended.slips] == ["lkae", "claen", "fishemren"]
    assert mended.of(Span(0, 8)) == "The lake"
    assert mended.of(Span(9, 17)) == "is clean"
    assert mended.of(Span(0, 6)) == "The lk"  # half a slip is quoted as it stands


@given(st.text(max_size=60))
def test_what_is_no_slip_is_kept_letter_for_letter(text: str) -> None:
    mended = mend(text)
    kept = Mended(text, tuple((span, span.of(text)) for span, _ in mended.slips))
    assert kept.whole == text
    assert all(meant[0] == span.of(text)[0] for span, meant in mended.slips)
    assert mend(mended.whole).slips == ()


# What pyspellchecker 0.9.1 made of invented slips, with its own functions.
AS_BEFORE = """
    credibl credible, gemi gem, activatin activating, vetnured ventured, linciln lincoln, wanza wanna, hazoy hazy,
    donk don, proteseted protested, finau final, twirrl twirl, strasy strays, sybmolizes symbolizes, recrpient recipient,
    courhouse courthouse, toats toast, dlolar dollar, preso press, witcheq witches, moralitys morality, tapless topless,
    awain again, creens creeps, clhsed closed, wamer warmer, befes bees, nteed need, crec crew, sehds sheds,
    prospcet prospect, hasnt hasn't, infnity infinity"""
NEVER_MENDED = """
    lawhmen carpooles constrvin guggel almaseries teenybopers interrogatives overesirous annpaolis cokitations vasasl
    uatomatism sockeyes oarfisth accolades fiqonacci hagles eyre meretriciousy syngogues housebots ciitzenry"""


def test_corrections_are_those_of_the_package_that_the_dictionary_is_from() -> None:
    slips, meant = zip(*(pair.split() for pair in AS_BEFORE.split(",")), strict=True)
    assert mend(" ".join(slips)).whole.split() == list(meant)
    assert mend(NEVER_MENDED).slips == ()


def test_a_word_that_is_longer_than_any_is_left_alone() -> None:
    assert one_edit_away("a" * 48)
    assert one_edit_away("a" * 49) == set()


def test_the_dictionary_comes_with_the_package() -> None:
    """It was the word list of an installed package, which had to be of one version."""
    code = "import sys; sys.modules['spellchecker'] = None\n"
    code += "from pyramidion.language.text.spelling import mend; print(mend('the lkae').whole)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "the lake\n", done.stderr
