"""The page for a student: what it says, that it says it safely, and the files it becomes."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import InputWarning
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.metrics.copying import Copied
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.reports.feedback import Feedback, feedback, sureness, to_json
from pyramidion.reports.feedback_pages import file_name, page, pages
from pyramidion.reports.gradebook import grades
from pyramidion.scoring import Settings
from tests.reports.evaluations import contradicting, judged, unread


class Page(HTMLParser):
    """A page's elements and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self.marked: list[str] = []
        self.within: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "style" not in self.within:
            self.pieces.append(data)
        if "mark" in self.within and "sup" not in self.within:
            self.marked.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())


def of_example(student: str, topic: str = "lake-revival") -> Feedback:
    (one,) = [one for one in feedback(evaluate(example(), "manual")) if (one.student, one.topic) == (student, topic)]
    return one


def one_topic(text: str, *matches: Match, unmatched: tuple[Contributor, ...] = (), label: str = "Idea one") -> Feedback:
    references = (Summary("A", "first idea. second idea."), Summary("B", "the first idea"))
    scus = (
        SCU("1", label, (Contributor("A", (Span(0, 10),)), Contributor("B", (Span(0, 14),)))),
        SCU("2", "second idea", (Contributor("A", (Span(12, 23),)),)),
    )
    peer = Summary("p", text, "peer")
    annotation = Annotation(peer, matches, unmatched)
    topic = Topic("t", references, (peer,), (), Pyramid("t", references, scus), (annotation,))
    (one,) = feedback(evaluate([topic], "manual"))
    return one


def test_no_page_tells_a_student_whose_text_nobody_read_a_score() -> None:
    assert [one.student for one in feedback(unread())] == ["anna"]


def test_a_page_says_what_was_right_what_is_missing_and_what_else_there_is() -> None:
    one = of_example("padded")
    text = Page(page(one)).text
    assert (one.percent, one.models, one.words) == (34.95, 5, 140)
    assert "You have made a start, with 3 ideas of the model summaries in your text." in text
    assert "The most important one you could still add: Freshwater mussels were used as part of the remedy." in text
    assert "You have 13 points. A typical model summary has room for about 11 ideas" in text
    assert "the best choice of ideas would earn 37.2" in text
    assert "It is not a grade for style" in text
    assert "Phosphorus killed Tarrow Mere in all 5 model summaries You wrote: “phosphorus killed the lake”" in text
    assert "and again: “It was this substance … that put an end to life in the water”" in text
    assert "Freshwater mussels were used as part of the remedy in 4 of 5 model summaries One of them says: “" in text
    assert "“Lakes matter to every one of us”" in text
    assert "raw 13, coverage 0.3495, quality 0.3421, comprehensive 0.3457." in text
    assert one.signature in text


def test_ideas_come_most_important_first_and_one_model_wording_is_enough() -> None:
    one = of_example("padded")
    assert [idea.mentioned for idea in one.found] == [5, 5, 3]
    assert [idea.mentioned for idea in one.missed] == sorted((idea.mentioned for idea in one.missed), reverse=True)
    assert [idea.number for idea in (*one.found, *one.missed)] == list(range(1, 24))
    assert all(idea.wording for idea in one.missed)
    assert page(one).count("One of them says:") == len(one.missed)


def test_the_text_is_the_students_own_with_the_words_of_ideas_marked() -> None:
    one = of_example("padded")
    (summary,) = [peer for peer in example()[0].peers if peer.id == "padded"]
    assert "".join(piece.words for piece in one.text) == summary.text
    assert [(piece.words, piece.ideas, piece.ending) for piece in one.text if piece.ideas] == [
        ("phosphorus killed the lake", (1,), (1,)),
        ("It was this substance", (1,), ()),
        ("that put an end to life in the water", (1,), (1,)),
        ("reeds were planted to help to clean it up", (2,), (2,)),
        ("Today the lake is full of life again", (3,), (3,)),
        ("It really has come back from the dead", (3,), (3,)),
    ]
    found = Page(page(one))
    assert found.marked == ["marked", *(piece.words for piece in one.text if piece.ideas)]  # the legend has a mark, too
    ids = {attributes["id"] for _, attributes in found.tags if "id" in attributes}
    links = {attributes["href"] for tag, attributes in found.tags if tag == "a"}
    assert {link.removeprefix("#") for link in links if link} <= ids


def test_words_of_two_ideas_carry_both_numbers() -> None:
    one = one_topic("abcdef", Match("1", (Span(0, 4),)), Match("2", (Span(2, 6),)))
    assert [(piece.words, piece.ideas, piece.ending) for piece in one.text] == [
        ("ab", (1,), ()),
        ("cd", (1, 2), (1,)),
        ("ef", (2,), (2,)),
    ]


def test_segments_of_a_program_are_quoted_as_a_person_would_quote_them() -> None:
    text = "It is new; it is, however, free."
    one = one_topic(
        text,
        Match("1", (Span(9, 16), Span(26, 31), Span(31, 32)), 0.7, segment="1.1.1.1"),
        unmatched=(Contributor("p", (Span(0, 9), Span(31, 32)), segment="1.1.1.0"),),
        label="the first...idea.",
    )
    # The clauses hold semicolons, commas and the full stop of their sentence; what is marked are words.
    assert (one.found[0].yours, one.besides) == (("it is … free",), ("It is new",))
    assert (one.found[0].idea, one.found[0].wording) == ("The first … idea", "")
    assert [(piece.words, piece.ending) for piece in one.text if piece.ideas] == [("; it is", ()), (" free", (1,))]


def test_how_sure_an_automatic_reader_is_and_that_it_may_be_wrong() -> None:
    by_hand = Page(page(one_topic("x y", Match("1", (Span(0, 1),)))))
    assert "computer program" not in by_hand.text
    assert " sure" not in by_hand.text
    one = one_topic(
        "x y", Match("1", (Span(0, 1),), 0.9, segment="1.1.0.0"), Match("2", (Span(2, 3),), 0.4, segment="1.1.0.1")
    )
    text = Page(page(one)).text
    assert "Idea one in all 2 model summaries · very sure You wrote: “x”" in text
    assert "Second idea in 1 of 2 model summaries · less sure You wrote: “y”" in text
    assert "A computer program compared your text with the model summaries, and it can be wrong." in text
    assert "1 of 2 matches less sure" in text


def test_points_of_a_judge_are_about_so_many_and_what_is_near_is_told_apart() -> None:
    (one,) = feedback(judged())
    text = Page(page(one)).text
    assert "You have about 3 points (an idea that the program is not sure of counts in part). A typical" in text
    assert "Fish died in the lake in all 2 model summaries · very sure You wrote: “The fish died”" in text
    near, absent = text.index("Unclear: what you may have meant"), text.index("What you could still add")
    assert near < text.index("Farms fed it phosphorus") < absent < text.rindex("Reeds grew")
    assert "raw 2.53 expected (2 counted), coverage 0.5625" in text
    assert [(idea["score"], idea["perhaps"]) for idea in to_json(one)["missed"]] == [(0.375, True), (0.03125, False)]
    (counted,) = feedback(judged("counted"))
    assert "You have 2 points. A typical" in Page(page(counted)).text


def test_what_is_contradicted_is_to_be_checked_before_what_is_missing() -> None:
    (one,) = feedback(contradicting())
    text = Page(page(one)).text
    assert "In one place your text says something different from the model summaries: see Check this." in text
    right, check, add, besides = map(
        text.index,
        ("What you got right", "Check this Your text and", "What you could still add", "What else you wrote"),
    )
    assert right < check < add < besides
    assert "You write: “the farms kept their phosphorus out of it”" in text[check:add]
    assert "The model summaries say: Farms fed it phosphorus in all 2 model summaries · quite sure" in text[check:add]
    assert "this idea earns hardly any points yet" in text[check:add]
    assert "phosphorus" not in text[add:]
    (counted,) = feedback(contradicting("counted"))
    assert "this idea earns no points yet" in Page(page(counted)).text
    record = to_json(one)
    assert [(idea["number"], idea["score"], idea["yours"]) for idea in record["contradicted"]] == [
        (2, 0.75, ("the farms kept their phosphorus out of it",))
    ]
    assert [idea["idea"] for idea in record["missed"]] == ["Reeds grew"]


def test_whoever_contradicts_an_idea_has_not_mentioned_every_one() -> None:
    (one,) = feedback(contradicting())
    assert "You mention every single idea" not in Page(page(replace(one, missed=()))).text
    nothing = Page(page(replace(one, missed=(), found=(), text=()))).text
    assert "There are no ideas to compare" not in nothing
    assert "Check this" in nothing


def test_the_sixth_place_to_check_and_those_after_it_unfold() -> None:
    (one,) = feedback(contradicting())
    (idea,) = one.contradicted
    many = replace(one, contradicted=tuple(replace(idea, number=number) for number in range(2, 9)))
    text = Page(page(many)).text
    assert "In 7 places your text says something different" in text
    assert "so these ideas earn hardly any points yet" in text
    assert "and 2 more places" in text
    assert text.count("You write: “the farms") == 7


def test_the_list_of_a_class_says_how_much_is_to_be_checked() -> None:
    assert "To check" in pages(feedback(contradicting()))["index.html"].decode()
    assert "To check" not in pages(feedback(judged()))["index.html"].decode()


def test_points_read_well_however_few() -> None:
    (one,) = feedback(judged())
    points = [replace(one, scores=replace(one.scores, raw=raw, counted=0)).points for raw in (0.2, 0.8, 1.6, 0)]
    assert points == ["less than 1 point", "about 1 point", "about 2 points", "0 points"]


def test_nothing_found_for_sure_is_not_nothing_found() -> None:
    (one,) = feedback(judged())
    text = Page(page(replace(one, found=(), text=()))).text
    assert "was found in your text with enough certainty this time, but it comes close to some. Read" in text
    assert "with the lists below beside you: the ideas at their top matter most" in text
    assert "The program recognised no idea of the model summaries in this." in text


def test_an_idea_of_a_single_model_summary_is_not_worth_a_perhaps() -> None:
    (one,) = judged().results
    sure = replace(one.annotation, probabilities=(("s1", 0.9), ("s2", 0.1), ("s3", 0.49)))
    topic = Topic("lake", one.pyramid.references, (sure.summary,), (), one.pyramid, (sure,))
    assert [idea.idea for idea in feedback(evaluate([topic], "manual"))[0].near] == []


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_surer_match_is_never_called_less_sure(low: float, high: float) -> None:
    order = ["less sure", "quite sure", "very sure"]
    low, high = sorted((low, high))
    assert order.index(sureness(low)) <= order.index(sureness(high))


def test_a_student_who_wrote_nothing_something_else_or_everything() -> None:
    assert "There was no text to read" in Page(page(of_example("empty"))).text
    off_topic = Page(page(of_example("off-topic"))).text
    assert "None of the ideas of the model summaries was found in your text this time." in off_topic
    assert "What the model summaries say" in off_topic
    assert "What you got right" not in off_topic
    everything = one_topic("x y", Match("1", (Span(0, 1),)), Match("2", (Span(2, 3),)))
    text = Page(page(everything)).text
    assert "You mention every single idea of the model summaries. Well done!" in text
    assert "What you could still add" not in text
    # X_a = 3 / 2, so the best would be 2 + 1/2; both ideas weigh 3.
    assert (everything.scores.coverage, everything.percent) == (pytest.approx(1.2), 100)
    assert "100 % of the important content" in text
    assert "Your summary holds even more than that, and 100 % is the most there is." in text


def test_a_pyramid_without_ideas_still_has_a_page() -> None:
    peer = Summary("p", "words", "peer")
    topic = Topic("t", (Summary("A", "x"),), (peer,), (), Pyramid("t", (Summary("A", "x"),), ()), (Annotation(peer),))
    with pytest.warns(InputWarning, match="a pyramid without SCUs"):
        evaluation = evaluate([topic], "manual")
    (one,) = feedback(evaluation)
    assert "There are no ideas to compare your text with" in Page(page(one)).text


def test_percents_never_claim_all_or_nothing_too_early() -> None:
    one = of_example("padded")
    every = [replace(one, scores=replace(one.scores, coverage=c)) for c in (0, 0.00001, 0.5, 0.99999, 1, 1.2)]
    assert [each.percent for each in every] == [0, 0.01, 50, 99.99, 100, 100]
    assert [each.percent_shown for each in every] == ["0", "0.01", "50", "99.99", "100", "100"]


def test_page_index_and_gradebook_print_the_same_number() -> None:
    evaluation = evaluate(example()[:1], "manual", Settings(cap=True))
    every = feedback(evaluation)
    index = Page(pages(every)["index.html"].decode()).text
    for one, row in zip(every, grades(evaluation), strict=True):
        assert (row["student"], row["percent"]) == (one.student, one.percent)
        assert f"{one.percent_shown} %" in index
        if one.words:
            assert f"{one.percent_shown} % of the important content" in Page(page(one)).text


def test_what_is_copied_is_told_and_not_praised() -> None:
    copy = of_example("copy")
    assert copy.copied.share == pytest.approx(0.73, abs=0.005)
    assert "About 73 % of your words are in a model summary or in the source" in Page(page(copy)).text
    pasted = Page(page(replace(copy, copied=Copied(0.9, (("source 1", 0.9),))))).text
    assert "Nearly all of your text is, word for word, in another text" in pasted
    assert "Well done" not in pasted
    index = Page(pages([copy, of_example("padded")])["index.html"].decode()).text
    assert "73 % copied from reference" in index
    assert "Copied" not in Page(pages([of_example("padded")])["index.html"].decode()).text


def test_the_model_wording_does_not_depend_on_names_or_order_of_references() -> None:
    (topic, _) = example()
    assert topic.pyramid is not None
    turned = tuple(replace(scu, contributors=scu.contributors[::-1]) for scu in topic.pyramid.scus)
    other = replace(topic, pyramid=replace(topic.pyramid, scus=turned, references=topic.references[::-1]))
    assert feedback(evaluate([topic], "manual")) == feedback(evaluate([other], "manual"))


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} </p></main> & \" ' \x1b[31m\x00 \u202e"


def test_hostile_texts_are_shown_and_never_run() -> None:
    one = one_topic(
        HOSTILE,
        Match("1", (Span(0, 20), Span(30, 45)), 0.5),
        unmatched=(Contributor("p", (Span(46, 60),)),),
        label=HOSTILE,
    )
    one = replace(one, student=HOSTILE, topic=HOSTILE, annotator=HOSTILE)
    plain = Page(page(replace(one_topic("words", Match("1", (Span(0, 5),), 0.5)), annotator="x")))
    found = Page(page(one))
    assert {tag for tag, _ in found.tags} - {tag for tag, _ in plain.tags} <= {"section", "ul", "li"}
    assert not any(tag in ("script", "img") or "onerror" in attributes for tag, attributes in found.tags)
    assert "<script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} </p></main> & \" '" in found.text
    for path, data in pages([one]).items():
        assert re.fullmatch(r"[\w.-]+\.html", path)
        shown = Page(data.decode())
        assert [tag for tag, _ in shown.tags if tag in ("script", "img")] == (
            ["script"] if path == "index.html" else []
        )
        assert "alert(1)" not in data.decode().partition("<script>")[2]


def test_pages_need_nothing_from_outside() -> None:
    for data in pages(feedback(evaluate(example(), "manual"))).values():
        html = data.decode()
        assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", html)
        assert "url(" not in html
        assert "@import" not in html
        policies = [
            attributes.get("content") or "" for tag, attributes in Page(html).tags if "http-equiv" in attributes
        ]
        assert [policy.partition(";")[0] for policy in policies] == ["default-src 'none'"]
        assert " style=" not in html


def test_a_page_for_everybody_and_an_index_that_leads_there() -> None:
    made = pages(feedback(evaluate(example(), "manual")))
    assert len(made) == 12 + len(("index.html", "all.html"))
    assert "lake-revival/paraphrase-1.html" in made
    links = {attributes.get("href") for tag, attributes in Page(made["index.html"].decode()).tags if tag == "a"}
    assert links == {"#main", *made} - {"index.html"}
    single = pages(feedback(evaluate(example()[:1], "manual")))
    assert set(single) == {f"{one.id}.html" for one in example()[0].peers} | {"index.html", "all.html"}


def test_students_of_like_names_do_not_share_a_file() -> None:
    names = ["index", "all", "a/b", "a:b", "A-B", "..", "", "x" * 300, "Ünï 日本"]
    every = [replace(of_example("copy"), student=name) for name in names]
    made = pages(every)
    assert len(made) == len({path.casefold() for path in made}) == len(names) + 2
    assert {"index-2.html", "all-2.html", "A-B.html", "a-b-2.html", "a-b-3.html", "Ünï-日本.html"} < set(made)
    assert [path for path in made if len(path.encode()) > 255] == []


@given(st.text())
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    made = file_name(name)
    assert made
    assert not set(made) & set('/\\:*?"<>|\0\n\r\t ')
    assert not made.startswith((".", "-"))
    assert len(made.encode()) < 250


@given(
    st.text(min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 39), st.integers(1, 40), st.sampled_from("12")), max_size=6),
)
def test_cutting_a_text_loses_nothing(text: str, places: list[tuple[int, int, str]]) -> None:
    matches = [Match(scu, (Span(a, b),), 0.5) for a, b, scu in places if a < b <= len(text)]
    one = one_topic(text, *matches)
    assert "".join(piece.words for piece in one.text) == text
    worded = [match for match in matches if re.search(r"\w", match.spans[0].of(text))]
    assert sum(len(piece.ending) for piece in one.text) == len({(match.scu, match.spans[0].end) for match in worded})
    Page(page(one))


@pytest.mark.parametrize("name", ["con", "NUL", "com1.txt", "lpt9"])
def test_names_that_windows_keeps_for_itself(name: str) -> None:
    assert file_name(name) == f"{name}_"


def test_an_idea_without_a_readable_label_is_no_advice_and_comes_last() -> None:
    reference = Summary("r", "It will survive. Reeds grew in the lake.")
    scus = (
        SCU("1", "It will survive.", (Contributor("r", (Span(0, 16),)),), unclear="nobody can tell what 'It' is"),
        SCU("2", "Reeds grew in the lake.", (Contributor("r", (Span(17, 40),)),)),
    )
    pyramid = Pyramid("lake", (reference,), scus)
    annotation = Annotation(Summary("ann", "Nothing.", "peer"), ())
    topic = Topic("lake", (reference,), (annotation.summary,), pyramid=pyramid, annotations=(annotation,))
    (one,) = feedback(evaluate([topic], "manual"))
    assert [idea.idea for idea in one.missed] == ["Reeds grew in the lake", "It will survive"]
    assert [idea.idea for idea in one.absent] == ["Reeds grew in the lake"]
    assert [(idea.idea, idea.unclear) for idea in one.vague] == [("It will survive", "nobody can tell what 'It' is")]
    text = Page(page(one)).text
    assert "could not put into words" in text
    assert text.index("Reeds grew in the lake") < text.index("It will survive")
    assert to_json(one)["missed"][1]["unclear"] == "nobody can tell what 'It' is"


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("The first idea worked very well.", True),
        ("The water is not clear, and the first idea worked.", True),
        ("The first idea did not work.", False),
        ("Nobody expected that the first idea worked.", False),
        ("They had the first idea, but it did not help.", False),
    ],
)
def test_an_idea_that_is_a_negation_is_right_only_where_the_text_negates_it(text: str, doubt: bool) -> None:
    start = text.casefold().index("the first idea")
    end = text.index("work", start) + len("work") if "work" in text else start + len("the first idea")
    match = Match("1", (Span(start, end),), 0.9, segment="1.1.0.0")
    found = one_topic(text, match, label="The first idea did no good").found
    assert [bool(idea.doubt) for idea in found] == [doubt]
