"""One way into every study: what reading does to texts is told, and signatures name it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import example as case
from hypothesis import given
from hypothesis import strategies as st

from pyramidion import evaluate, formats, metrics
from pyramidion.analyses.measure import measure
from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats.read import Reading, how_read, plain, read
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary, Topic

TAGGED = "<t> The lake was dead . </t> <t> Air brought it back . </t>"
PLAIN = "The lake was dead .\nAir brought it back ."


def realsumm(folder: Path) -> Path:
    """A small folder in the layout of REALSumm, its reference tagged as there."""
    (folder / "summaries").mkdir(parents=True)
    (folder / "ids.txt").write_text("d1\n")
    (folder / "references.txt").write_text(TAGGED + "\n")
    (folder / "summaries" / "copy.summary").write_text("The lake was dead . Air brought it back .\n")
    return folder


def a_class(folder: Path) -> Path:
    for part, name, text in (
        ("references", "A", "The lake was dead. Air brought it back."),
        ("references", "B", "Air saved the dead lake."),
        ("peers", "Anna", "The lake was dead."),
    ):
        (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / part / f"{name}.txt").write_text(text)
    return folder


def test_sentence_tags_are_nobodys_words(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match=r"1 topic\(s\) have sentences in <t> ... </t>; the tags are taken off"):
        (topic,) = read(realsumm(tmp_path / "r"))
    assert topic.references[0].text == PLAIN
    assert how_read([topic]) == (("markup", "off"),)


def test_tags_can_be_kept_and_the_signature_says_so(tmp_path: Path) -> None:
    (topic,) = read(realsumm(tmp_path / "r"), markup="keep")
    assert topic.references[0].text == TAGGED
    assert how_read([topic]) == (("markup", "keep"),)


def test_two_readings_of_one_file_have_two_signatures(tmp_path: Path) -> None:
    folder = realsumm(tmp_path / "r")
    rouge = {"rouge-1": metrics.metric("rouge-1")}
    found = {}
    for markup in ("off", "keep"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            topics = Reading(markup=markup).topics(folder)  # type: ignore[arg-type]
        measured = measure(topics, rouge)
        found[markup] = measured.values["rouge-1"]["recall"][0], str(measured.signatures["rouge-1"])
        assert f"|markup:{markup}|" in str(evaluate(topics, "lite+soft").signature)
    # 8 words of the reference, all of them in the summary; as text, four tags of one letter more
    assert (found["off"][0], found["keep"][0]) == (1.0, 8 / 12)
    assert found["off"][1] != found["keep"][1]


def test_texts_without_markup_have_nothing_to_say_of_it(tmp_path: Path) -> None:
    assert how_read(read(a_class(tmp_path / "c"))) == ()


def test_offsets_keep_the_text_that_they_point_into(tmp_path: Path) -> None:
    reference, peer = Summary("A", TAGGED), Summary("p", TAGGED, "peer")
    pyramid = Pyramid("t", (reference,), (SCU("1", "dead", (Contributor("A", (Span(4, 12),)),)),))
    topic = Topic("t", (reference,), (peer,), pyramid=pyramid, annotations=(Annotation(peer, (Match("1"),)),))
    formats.dump([topic], tmp_path / "t.json")
    with pytest.warns(InputWarning, match=r"stay in the texts of 1 topic\(s\) \(the first: 't'\)"):
        (back,) = read(tmp_path / "t.json")
    assert back == topic
    assert how_read([back]) == (("markup", "keep"),)


def test_offsets_of_a_contradiction_keep_their_text(tmp_path: Path) -> None:
    peer = Summary("p", TAGGED, "peer")
    annotation = Annotation(peer, contradicted=(Contradiction("1", (Span(4, 12),)),))
    formats.dump([Topic("t", peers=(peer,), annotations=(annotation,))], tmp_path / "t.json")
    with pytest.warns(InputWarning, match=r"stay in the texts of 1 topic\(s\)"):
        (back,) = read(tmp_path / "t.json")
    assert back.peers == (peer,)


@given(st.lists(st.text(alphabet="ab .", min_size=1, max_size=8), max_size=4), st.sampled_from(["", " ", "\n"]))
@case(["a"], "")
def test_a_tagged_text_is_its_sentences_one_a_line(sentences: list[str], between: str) -> None:
    tagged = between.join(f"<t> {sentence} </t>" for sentence in sentences)
    assert plain(tagged) == "\n".join(" ".join(sentence.split()) for sentence in sentences)


@given(st.text(alphabet="ab<>t/ "))
@case("before <t> a </t> between <t> b </t> after")
@case("<t> a <t> b </t>")
def test_no_word_is_lost_with_the_tags(text: str) -> None:
    tagged = f"{text} <t> c </t>"
    assert plain(tagged).split() == tagged.replace("</t>", " ").replace("<t>", " ").split()


@given(st.text(alphabet="ab<>t/ "))
def test_a_text_without_a_whole_pair_of_tags_stays_as_it_is(text: str) -> None:
    bare = text.replace("</t>", "")
    assert plain(bare) == bare


def test_options_of_the_format_are_in_the_signature(tmp_path: Path) -> None:
    file = tmp_path / "nuggets.jsonl"
    nugget = '{"text": "%s", "importance": "%s", "assignment": "%s"}'
    nuggets = ", ".join(
        nugget % row for row in (("a", "vital", "support"), ("b", "okay", "partial_support"), ("c", "vital", "support"))
    )
    file.write_text(f'{{"query": "q", "qid": "1", "answer_text": "x", "run_id": "r", "nuggets": [{nuggets}]}}\n')

    def signature(**options: str) -> str:
        return str(evaluate(read(file, **options), "manual").signature)

    assert "|nuggetizer.partial:match|" in signature(partial="match")
    assert "|nuggetizer.okay:2|" in signature(okay="2")
    assert signature(partial="miss") == signature(), "to say what is the default changes nothing"


def test_a_file_that_nobody_reads_is_named(tmp_path: Path) -> None:
    folder = a_class(tmp_path / "class")
    (folder / "peers" / "Ben.png").write_bytes(b"PK")
    with pytest.warns(InputWarning, match=r"class: 1 file was not used: peers/Ben.png \(.*\.txt.*\)"):
        (topic,) = read(folder)
    assert [peer.id for peer in topic.peers] == ["Anna"]


def test_strict_refuses_what_is_not_used(tmp_path: Path) -> None:
    folder = a_class(tmp_path / "class")
    (folder / "peers" / "Ben.png").write_bytes(b"PK")
    with pytest.raises(FormatError, match=r"Ben\.png.*remove the files that are not used, or turn off strict reading"):
        read(folder, strict=True)


def test_many_unused_files_are_counted(tmp_path: Path) -> None:
    folder = a_class(tmp_path / "class")
    for number in range(9):
        (folder / "peers" / f"{number}.png").write_bytes(b"PK")
    with pytest.warns(InputWarning, match=r"9 files were not used: peers/0\.png .* and 4 more$"):
        read(folder)


def test_texts_in_a_folder_are_read_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TAGGED)
    (tmp_path / "b.png").write_bytes(b"PNG")
    with pytest.warns(InputWarning) as told:
        (summary,) = Reading().texts("t", peers=[tmp_path]).peers
    assert summary == Summary("a", PLAIN, "peer")
    assert [str(one.message).partition("was not used")[0].endswith("1 file ") for one in told] == [True, False]


def test_a_folder_without_texts(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"There is no text in this folder; put files into it that end in \.txt"):
        Reading().texts("t", peers=[tmp_path])


def test_topics_of_a_folder_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    for topic in ("a", "b"):
        for part in ("references", "peers"):
            (tmp_path / topic / part).mkdir(parents=True)
            (tmp_path / topic / part / "1.txt").write_text("It rained.")
    topics = Reading().stream(tmp_path)
    assert next(topics).id == "a"
    (tmp_path / "b" / "peers" / "1.txt").write_text("It snowed.")
    assert [topic.peers[0].text for topic in topics] == ["It snowed."]


def test_a_topic_that_comes_twice_is_refused_when_it_comes_again(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"topic": "a"}\n{"topic": "b"}\n{"topic": "a"}\n')
    topics = Reading().stream(tmp_path / "corpus.jsonl")
    assert [next(topics).id, next(topics).id] == ["a", "b"]
    with pytest.raises(FormatError, match="'a' occurs twice"):
        next(topics)
