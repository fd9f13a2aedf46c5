"""A method that reads English says so of texts that it cannot read, and is told what to do with them."""

from __future__ import annotations

import pytest

from pyramidion import Summary, Topic
from pyramidion.analyses.lite import Metric, lite
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.methods import Method
from pyramidion.metrics import rouge

TEXTS = {
    "Spanish": (
        "El ayuntamiento decidió cerrar el viejo puente porque los ingenieros encontraron grietas en los pilares. "
        "Muchos vecinos tienen que dar una vuelta muy larga para llegar a la escuela.",
        "El viejo puente se cierra porque hay grietas en los pilares, y los vecinos tienen que dar una vuelta muy larga.",
        "La cosecha de uva de este año fue muy buena, y los precios del vino en la comarca van a bajar un poco.",
    ),
    "Chinese": (
        "市议会昨天决定关闭旧桥，因为工程师在北侧的桥墩上发现了裂缝。许多居民现在要绕很远的路才能送孩子上学。",
        "旧桥关闭了，因为桥墩上有裂缝。居民要绕很远的路。",
        "今年的葡萄收成很好，所以酒的价格会下降一点。农民对天气很满意。",
    ),
    "German": (
        "Der Stadtrat beschloss, die alte Brücke zu schließen, weil Ingenieure Risse in den Pfeilern gefunden hatten. "
        "Viele Anwohner müssen nun einen weiten Umweg machen, um zur Schule zu kommen.",
        "Die alte Brücke wird geschlossen, weil die Pfeiler Risse haben, und viele Anwohner müssen einen Umweg machen.",
        "Die Weinernte war in diesem Jahr sehr gut, und die Preise werden in der ganzen Gegend ein wenig sinken.",
    ),
}
ENGLISH = (
    "The council decided to close the old bridge because engineers had found cracks in its pillars. Many must walk far."
)


def topic(language: str) -> Topic:
    reference, good, off_topic = TEXTS[language]
    return Topic(
        "bridge",
        (Summary("r", reference, "reference"),),
        (Summary("good", good, "peer"), Summary("off-topic", off_topic, "peer")),
    )


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("method", ["pyreval", "pyramidion", "lite", "peak", "lite+entails(analyser=unicode)"])
def test_what_reads_english_refuses_other_languages(language: str, method: str) -> None:
    with pytest.raises(PyramidionError) as told:
        evaluate([topic(language)], method)
    assert f"reads English, but reference 'r' of topic 'bridge' looks like {language}" in str(told.value)
    assert "lite+soft(analyser=unicode)" in str(told.value)
    assert str(told.value).endswith(f"or score anyway: '{Method.parse(method).in_any_language()}'")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("method", ["lite+soft(analyser=unicode)", "lite+unigram(analyser=unicode)"])
def test_what_is_recommended_tells_the_good_from_the_off_topic(language: str, method: str) -> None:
    coverage = {one.scores.summary: one.scores.coverage for one in evaluate([topic(language)], method).results}
    assert coverage["good"] > 0.3 > coverage["off-topic"] + 0.05, coverage
    reference, good, off_topic = TEXTS[language]
    recalls = [rouge(text, [reference], "1", tokens="unicode").recall for text in (good, off_topic)]
    assert recalls[0] > 0.3 > recalls[1]


def test_language_any_scores_them_and_stands_in_the_signature() -> None:
    method = Method.parse("pyreval").in_any_language()
    assert str(method) == "pyreval(language=any)"
    assert Method.parse(str(method)) == method
    evaluation = evaluate([topic("Spanish")], method)
    assert len(evaluation.results) == 2
    assert str(evaluation.signature).startswith("method:pyreval(language=any)|models:")


def test_what_reads_no_english_has_nothing_to_force() -> None:
    for name in ("manual", "given+unigram", "given+llm:some-model"):
        method = Method.parse(name)
        assert method.in_any_language() == method
        method.check_language([topic("Chinese")])
    with pytest.raises(
        PyramidionError, match="language of 'pyreval' is 'es'; leave it out to refuse texts .* or write language=any"
    ):
        Method.parse("pyreval(language=es)")


def test_english_passes_and_one_peer_in_another_language_is_named() -> None:
    peers = [Summary(str(number), ENGLISH, "peer") for number in range(9)]
    english = Topic("bridge", (Summary("r", ENGLISH, "reference"),), tuple(peers))
    method = Method.parse("pyreval")
    method.check_language([english])
    spanish = Summary("ana", TEXTS["Spanish"][1], "peer")
    mixed = Topic("bridge", english.references, (*peers, spanish))
    with pytest.raises(PyramidionError, match="but peer 'ana' of topic 'bridge' looks like Spanish; choose"):
        evaluate([mixed], method)
    many = [Topic(f"t{number}", english.references, (spanish,)) for number in range(9)]
    with pytest.raises(PyramidionError, match="of topic 't2' looks like Spanish, and 6 more; choose"):
        method.check_language(many)


def test_a_builder_reads_references_alone() -> None:
    """References in English, peers in another language, and a matcher that reads all: nothing is wrong with that."""
    mixed = Topic("bridge", (Summary("r", ENGLISH, "reference"),), (Summary("p", TEXTS["German"][1], "peer"),))
    Method.parse("edua-g+llm:some-model").check_language([mixed])
    with pytest.raises(PyramidionError, match="reference 'r'"):
        Method.parse("edua-g+llm:some-model").check_language([topic("German")])


def test_texts_without_a_corpus_are_looked_at_too() -> None:
    reference, good, _ = TEXTS["Spanish"]
    with pytest.raises(PyramidionError, match="looks like Spanish"):
        lite(good, reference)
    assert lite(good, reference, method="lite+soft(analyser=unicode)").score > 0.3
    with pytest.raises(PyramidionError, match="peer 'prediction 1' of topic 'predictions' looks like Spanish"):
        Metric("lite").compute(predictions=[ENGLISH, good], references=[ENGLISH, ENGLISH])
