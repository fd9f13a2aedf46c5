"""Gao et al. 2019, section 4.1: sentences as segments, on hand-written trees, random trees and our own test set."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import ROOT, Analysis, LanguageError, Word
from pyramidion.language.parse.clauses import MAX_SEGMENTATIONS, clause_f1, segment_id, segmentations
from tests.language.trees import parse
from tests.operations import steps

FIGURE_3 = parse("""
    nsubj[ Christopher/NNP Shake/NNP/flat appos[ ~,/,/punct the/DT/det director/NN
        nmod[ of/IN/case the/DT/det London/NNP/compound art/NN/compound gallery/NN ] ~,/,/punct ] ]
    suggests/VBZ
    ccomp[ that/IN/mark this/DT/nsubj is/VBZ/cop not/RB/advmod the/DT/det case/NN
        conj[ and/CC/cc that/IN/mark
            nsubj[ many/JJ/amod different/JJ/amod companies/NNS nmod[ of/IN/case different/JJ/amod natures/NNS ]
                amod[ not/RB/advmod just/RB/advmod technology/NN/obl:npmod related/JJ ] ]
            are/VBP/aux getting/VBG involved/VBN/xcomp obl[ with/IN/case cryptocurrencies/NNS ] ] ]
    ~././punct
""")


def finest(*sentence: str) -> list[str]:
    """The finest segments of a tree's sentences, as text."""
    analysis = parse(*sentence)
    return [segment.text(analysis) for found in segmentations(analysis) for segment in found[:2][-1]]


def test_figure_3_of_the_paper() -> None:
    (found,) = segmentations(FIGURE_3)
    shown = {
        segment_id(0, 5, number, place): segment.text(FIGURE_3)
        for number, segmentation in enumerate(found)
        for place, segment in enumerate(segmentation)
    }
    shake = "Christopher Shake, the director of the London art gallery, suggests"
    not_the_case = "that this is not the case"
    companies = (
        "that many different companies of different natures not just technology related are getting involved with "
        "cryptocurrencies"
    )
    assert shown == {
        "1.6.0.0": f"{shake} {not_the_case} and {companies}.",
        "1.6.1.0": not_the_case,
        "1.6.1.1": f"{shake} and.",
        "1.6.1.2": companies,
        "1.6.2.0": f"{shake} {not_the_case} and.",
        "1.6.2.1": companies,
        "1.6.3.0": f"{shake} and {companies}.",
        "1.6.3.1": not_the_case,
    }


def test_spans_are_discontinuous_and_in_text_order() -> None:
    main = segmentations(FIGURE_3)[0][1][1]
    assert [span.of(FIGURE_3.text) for span in main.spans] == [
        "Christopher Shake, the director of the London art gallery, suggests",
        "and",
        ".",
    ]


# Coordination


def test_a_conjunct_without_subject_gets_the_first_conjuncts() -> None:
    tree = "nsubj[ The/DT/det mayor/NN ] left/VBD conj[ and/CC/cc cried/VBD ] ~././punct"
    assert finest(tree) == ["The mayor left and.", "The mayor cried"]


def test_and_not_the_clauses_cut_out_of_it() -> None:
    tree = """nsubj[ The/DT/det mayor/NN acl:relcl[ ~,/,/punct who/WP/nsubj lost/VBD ~,/,/punct ] ]
        left/VBD conj[ and/CC/cc cried/VBD ] ~././punct"""
    assert finest(tree) == ["who lost,", "The mayor left and.", "The mayor cried"]


@pytest.mark.parametrize(
    ("tree", "second"),
    [
        ("She/PRP/nsubj:pass was/VBD/aux:pass fined/VBN conj[ and/CC/cc banned/VBN ]", "She was banned"),
        ("He/PRP/nsubj has/VBZ/aux sold/VBN conj[ and/CC/cc rented/VBN boats/NNS/obj ]", "He has rented boats"),
        ("He/PRP/nsubj:pass has/VBZ/aux been/VBN/aux:pass sold/VBN conj[ and/CC/cc let/VBN ]", "He has been let"),
        (
            "He/PRP/nsubj has/VBZ/aux been/VBN/aux:pass tried/VBN conj[ and/CC/cc been/VBN/aux:pass let/VBN go/VB/xcomp ]",
            "He has been let go",
        ),
        ("She/PRP/nsubj was/VBD/cop ill/JJ conj[ and/CC/cc sleeping/VBG ]", "She was sleeping"),
        ("It/PRP/nsubj will/MD/aux rain/VB conj[ or/CC/cc be/VB/cop cold/JJ ]", "It will be cold"),
        ("Did/VBD/aux he/PRP/nsubj come/VB conj[ and/CC/cc go/VB ] ?/./punct", "Did he go"),
    ],
)
def test_a_conjunct_without_tense_gets_the_auxiliaries_that_it_shares(tree: str, second: str) -> None:
    assert finest(tree)[-1] == second


def test_shared_negation_is_copied_unless_but_undoes_it() -> None:
    assert finest("He/PRP/nsubj did/VBD/aux ~n't/RB/advmod eat/VB conj[ or/CC/cc drink/VB ]") == [
        "He didn't eat or",
        "He didn't drink",
    ]
    assert finest("He/PRP/nsubj was/VBD/aux not/RB/advmod fined/VBN conj[ but/CC/cc warned/VBN ]") == [
        "He was not fined but",
        "He was warned",
    ]


def test_three_conjuncts_and_their_commas() -> None:
    tree = """He/PRP/nsubj came/VBD conj[ ~,/,/punct saw/VBD ] conj[ and/CC/cc conquered/VBD all/DT/obj ] ~././punct"""
    assert finest(tree) == ["He saw", "He came, and.", "He conquered all"]


def test_clauses_coordinated_under_one_mark_keep_the_conjunction_inside() -> None:
    tree = """advcl[ If/IN/mark it/PRP/nsubj rains/VBZ conj[ and/CC/cc it/PRP/nsubj blows/VBZ ] ~,/,/punct ]
        we/PRP/nsubj stay/VBP ~././punct"""
    assert finest(tree) == ["If it rains and,", "it blows", "we stay."]


def test_coordinated_verb_phrases_in_a_complement() -> None:
    tree = """He/PRP/nsubj said/VBD ccomp[ that/IN/mark she/PRP/nsubj had/VBD/aux won/VBN
        conj[ and/CC/cc gone/VBN home/RB/advmod ] ] ~././punct"""
    assert finest(tree) == ["He said.", "that she had won and", "she had gone home"]


def test_gapping_stays_with_its_governor() -> None:
    assert finest("Mary/NNP/nsubj won/VBD gold/NN/obj conj[ and/CC/cc Peter/NNP silver/NN/orphan ]") == [
        "Mary won gold and Peter silver"
    ]
    assert finest("He/PRP/nsubj is/VBZ/cop rich/JJ conj[ and/CC/cc she/PRP/nsubj poor/JJ ]") == [
        "He is rich and she poor"
    ]


def test_predicates_coordinated_under_one_copula_are_one_clause() -> None:
    assert finest("She/PRP/nsubj is/VBZ/cop rich/JJ conj[ and/CC/cc famous/JJ ]") == ["She is rich and famous"]


def test_coordinated_infinitives_are_not_cut() -> None:
    tree = "He/PRP/nsubj wants/VBZ xcomp[ to/TO/mark eat/VB conj[ and/CC/cc to/TO/mark sleep/VB ] ]"
    assert finest(tree) == ["He wants to eat and to sleep"]


def test_imperatives() -> None:
    tree = "Wash/VB obj[ the/DT/det pan/NN ] conj[ and/CC/cc dry/VB it/PRP/obj ] ~././punct"
    assert finest(tree) == ["Wash the pan and.", "dry it"]


# Subordination


def test_relative_clauses_keep_their_pronoun_and_leave_their_antecedent() -> None:
    tree = """nsubj[ The/DT/det man/NN acl:relcl[ who/WP/nsubj sold/VBD obj[ the/DT/det car/NN
        acl:relcl[ that/WDT/nsubj leaked/VBD ] ] ] ] left/VBD ~././punct"""
    assert finest(tree) == ["who sold the car", "that leaked", "The man left."]


def test_without_a_pronoun_the_antecedent_takes_its_place() -> None:
    tree = """He/PRP/nsubj is/VBZ/cop the/DT/det best/JJ/amod man/NN acl:relcl[ I/PRP/nsubj know/VBP ] ~././punct"""
    assert finest(tree) == ["He is the best man.", "the best man I know"]


def test_fronted_conditionals_take_their_comma() -> None:
    tree = "advcl[ If/IN/mark it/PRP/nsubj rains/VBZ ~,/,/punct ] we/PRP/nsubj will/MD/aux stay/VB ~././punct"
    assert finest(tree) == ["If it rains,", "we will stay."]


def test_reported_speech() -> None:
    complement = (
        """ccomp[ “/``/punct We/PRP/nsubj lost/VBD ~,/,/punct ~”/''/punct ] she/PRP/nsubj said/VBD ~././punct"""
    )
    assert finest(complement) == ["“ We lost,”", "she said."]
    inserted = """nsubj[ The/DT/det bank/NN ] parataxis[ ~,/,/punct he/PRP/nsubj said/VBD ~,/,/punct ] will/MD/aux
        close/VB ~././punct"""
    assert finest(inserted) == ["he said,", "The bank will close."]


def test_quoted_imperatives_are_clauses() -> None:
    assert finest("ccomp[ “/``/punct Go/VB ~,/,/punct ~”/''/punct ] he/PRP/nsubj said/VBD ~././punct")[1] == "he said."


def test_subjunctives_have_their_tense_by_their_mark() -> None:
    tree = "He/PRP/nsubj asked/VBD ccomp[ that/IN/mark she/PRP/nsubj go/VB ]"
    assert finest(tree) == ["He asked", "that she go"]
    assert len(finest("He/PRP/nsubj asked/VBD ccomp[ for/IN/mark her/PRP/nsubj to/TO/mark go/VB ]")) == 1


def test_expletives_give_up_their_clause_and_clausal_subjects_stay() -> None:
    extraposed = "It/PRP/expl is/VBZ/cop clear/JJ csubj[ that/IN/mark he/PRP/nsubj left/VBD ] ~././punct"
    assert finest(extraposed) == ["It is clear.", "that he left"]
    fronted = "csubj[ That/IN/mark he/PRP/nsubj left/VBD ] is/VBZ/cop sad/JJ ~././punct"
    assert finest(fronted) == ["That he left is sad."]


def test_clefts_and_comparisons_stay_whole() -> None:
    assert len(finest("It/PRP/expl was/VBD/cop Ann/NNP acl:relcl[ who/WP/nsubj won/VBD ]")) == 1
    assert len(finest("He/PRP/nsubj ran/VBD advmod[ faster/RBR advcl[ than/IN/mark I/PRP/nsubj did/VBD ] ]")) == 1


def test_free_relatives_go_with_their_pronoun_except_as_subjects() -> None:
    assert finest("He/PRP/nsubj knows/VBZ obj[ what/WP acl:relcl[ she/PRP/nsubj did/VBD ] ]") == [
        "He knows",
        "what she did",
    ]
    subject = "nsubj[ What/WP acl:relcl[ she/PRP/nsubj did/VBD ] ] was/VBD/cop wrong/JJ"
    assert finest(subject) == ["What she did was wrong"]


def test_as_soon_as_goes_whole() -> None:
    tree = "He/PRP/nsubj left/VBD advmod[ as/RB/advmod soon/RB advcl[ as/IN/mark she/PRP/nsubj came/VBD ] ]"
    assert finest(tree) == ["He left", "as soon as she came"]


def test_the_problem_is_that() -> None:
    tree = """nsubj:outer[ The/DT/det problem/NN ] is/VBZ/cop that/IN/mark it/PRP/nsubj leaks/VBZ ~././punct"""
    assert finest(tree) == ["The problem is.", "that it leaks"]
    infinitive = """nsubj:outer[ The/DT/det aim/NN ] is/VBZ/cop to/TO/mark win/VB ~././punct"""
    assert finest(infinitive) == ["The aim is to win."]


def test_a_participle_mistaken_for_a_past_tense_stays() -> None:
    assert len(finest("nsubj[ The/DT/det man/NN acl[ arrested/VBD today/NN/obl ] ] left/VBD")) == 1


# Sentences that do not decompose


def test_a_headline_has_one_segmentation() -> None:
    assert [len(found) for found in segmentations(parse("New/JJ/amod bridge/NN acl[ to/TO/mark open/VB ]"))] == [1]


def test_a_root_without_tense_joins_its_first_clause() -> None:
    assert finest("Thanks/NN parataxis[ ~,/,/punct I/PRP/nsubj loved/VBD it/PRP/obj ]") == ["Thanks, I loved it"]
    two = """det[ The/DT ] man/NN acl:relcl[ who/WP/nsubj came/VBD ]
        conj[ and/CC/cc the/DT/det one/NN acl:relcl[ who/WP/nsubj left/VBD ] ]"""
    assert finest(two) == ["The man who came and the one", "who left"]


def test_two_clauses_have_no_merge_but_the_sentence() -> None:
    assert [len(found) for found in segmentations(parse("He/PRP/nsubj said/VBD ccomp[ she/PRP/nsubj left/VBD ]"))] == [
        2
    ]


def test_the_number_of_segmentations_is_bounded() -> None:
    items = " ".join(f"parataxis[ ~;/:/punct he{n}/PRP/nsubj left/VBD ]" for n in range(20))
    (found,) = segmentations(parse(f"He/PRP/nsubj came/VBD {items}"))
    assert [len(segmentation) for segmentation in found] == [1, 21, *[20] * (MAX_SEGMENTATIONS - 2)]


def test_without_a_parse_it_says_so() -> None:
    with pytest.raises(LanguageError, match="clauses: this needs an English parse"):
        segmentations(Analysis("Oui.", (Word(0, 4, "Oui."),), ((0, 1),), parsed=False))


def test_no_words_no_sentences() -> None:
    assert segmentations(Analysis("", (), ())) == ()


def test_clause_f1() -> None:
    gold = parse("He/PRP/nsubj said/VBD ccomp[ she/PRP/nsubj left/VBD ]", "It/PRP/nsubj rained/VBD")
    other = parse("He/PRP/nsubj said/VBD xcomp[ she/PRP/nsubj left/VBD ]", "It/PRP/nsubj rained/VBD")
    assert clause_f1([gold], [gold]) == 1
    assert clause_f1([gold], [other]) == pytest.approx(2 * 1 / (3 + 2))


# Any tree at all


def one_of(names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names.split())


RELATIONS = one_of(
    "root nsubj nsubj:pass nsubj:outer csubj csubj:outer expl obj obl nmod det advmod mark aux aux:pass cop conj cc punct "
    "ccomp xcomp advcl advcl:relcl acl acl:relcl parataxis appos list orphan reparandum dep"
)
TAGS = one_of("VB VBD VBZ VBP VBN VBG MD NN JJ RB IN TO WP WDT WRB CC , PRP") | st.just("")
PARTS = one_of("VERB AUX NOUN PRON PUNCT CCONJ SCONJ ADV ADJ")
FORMS = one_of("as than not but soon that it be have do to , . “ x n't")


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    """One to three sentences of random words with random heads: cycles and several roots are there, too."""
    text, ranges = "", []
    words: list[Word] = []
    for _ in range(draw(st.integers(1, 3))):
        first, last = len(words), len(words) + draw(st.integers(1, 14))
        for _ in range(first, last):
            form = draw(FORMS)
            text += draw(st.sampled_from(["", " "]))
            head = draw(st.integers(first - 1, last - 1))
            words.append(
                Word(
                    len(text), len(text) + len(form), form, form, draw(PARTS), draw(TAGS),
                    ROOT if head < first else head, draw(RELATIONS),
                )
            )  # fmt: skip
            text += form
        ranges.append((first, last))
    return Analysis(text, tuple(words), tuple(ranges))


@given(analyses())
def test_every_segmentation_of_any_tree_covers_every_word(analysis: Analysis) -> None:
    found = segmentations(analysis)
    assert len(found) == len(analysis.sentences)
    for (first, last), sentence in zip(analysis.sentences, found, strict=True):
        assert 1 <= len(sentence) <= MAX_SEGMENTATIONS
        assert [segment.words for segment in sentence[0]] == [tuple(range(first, last))]
        for segmentation in sentence:
            assert {word for segment in segmentation for word in segment.words} == set(range(first, last))
        assert all(len(segmentation) >= 2 for segmentation in sentence[1:])


@given(analyses())
def test_segments_of_any_tree_are_sound(analysis: Analysis) -> None:
    for sentence in segmentations(analysis):
        for segment in {segment for segmentation in sentence for segment in segmentation}:
            assert list(segment.words) == sorted(set(segment.words))
            assert list(segment.spans) == sorted(segment.spans)
            inside = {at for span in segment.spans for at in range(span.start, span.end)}
            for index, word in enumerate(analysis.words):
                assert (set(range(word.start, word.end)) <= inside) == (index in segment.words)
            assert segment.text(analysis)
        for segment in (segment for segmentation in sentence[1:] for segment in segmentation):
            assert any(analysis.words[word].upos not in ("PUNCT", "CCONJ") for word in segment.words)


@given(analyses())
def test_any_tree_gives_the_same_twice(analysis: Analysis) -> None:
    assert segmentations(analysis) == segmentations(analysis)
    assert clause_f1([analysis], [analysis]) == 1


@pytest.mark.parametrize("relation", ["ccomp", "conj", "acl:relcl", "advcl", "xcomp", "nmod"])
@pytest.mark.parametrize("cyclic", [False, True])
def test_a_chain_of_two_thousand_words_neither_recurses_nor_hangs(relation: str, cyclic: bool) -> None:
    def chain(size: int) -> Analysis:
        heads = [(n + 1) % size if cyclic else n - 1 for n in range(size)]
        words = tuple(
            Word(4 * n, 4 * n + 3, "was", "be", "VERB", "VBD", head, relation if n else "root")
            for n, head in enumerate(heads)
        )
        return Analysis("was " * size, words, ((0, size),))

    (found,) = segmentations(chain(2000))
    assert {word for segment in found[-1] for word in segment.words} == set(range(2000))
    some, twice = chain(250), chain(500)
    assert steps(lambda: segmentations(twice)) < 2.1 * steps(lambda: segmentations(some))


@pytest.mark.data
@pytest.mark.parametrize("name", ["ewt-dev", "gum-dev"])
def test_every_segment_of_gold_trees_has_a_finite_verb(data: Path, name: str) -> None:
    finite = {"VBD", "VBZ", "VBP", "MD", "VB"}
    documents = conllu.loads(gzip.decompress((data / "treebanks" / f"{name}.conllu.gz").read_bytes()).decode())
    for document in documents:
        for _, *finest_and_merges in segmentations(document):
            for segment in (segment for segmentation in finest_and_merges for segment in segmentation):
                assert finite & {document.words[word].xpos for word in segment.words}, segment.text(document)


# Our own sentences, through the embedded model


def intended() -> list[tuple[str, list[str]]]:
    """The test set: a sentence and the finest segments that it should have."""
    text = (Path(__file__).parent / "segments.txt").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    blocks = [block.strip().splitlines() for block in lines.split("\n\n") if block.strip()]
    return [(sentence, [segment.removeprefix("| ") for segment in segments]) for sentence, *segments in blocks]


def our_sentences() -> list[ParameterSet]:
    """Each as a test; those that the model parses wrongly (``?``) as one that must fail, so that progress shows."""
    wrong = pytest.mark.xfail(strict=True, reason="the embedded model parses it wrongly")
    return [
        pytest.param(sentence.removeprefix("? "), segments, marks=[wrong] if sentence.startswith("? ") else [])
        for sentence, segments in intended()
    ]


def test_the_test_set_is_sound() -> None:
    sentences = intended()
    assert len(sentences) >= 20
    for sentence, segments in sentences:
        words = set(re.findall(r"\w+", " ".join(segments)))
        assert words == set(re.findall(r"\w+", sentence)), sentence


@pytest.mark.parametrize(("sentence", "segments"), our_sentences())
def test_our_sentences_come_out_as_intended(
    analyse: Callable[[str], Analysis], sentence: str, segments: list[str]
) -> None:
    analysis = analyse(sentence)
    assert [segment.text(analysis) for one in segmentations(analysis) for segment in one[:2][-1]] == segments
