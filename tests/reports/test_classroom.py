"""A whole class: every kind of text is told kindly what it is, and the teacher sees the class at a glance."""

from __future__ import annotations

import re
from html import unescape

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats import native
from pyramidion.model import Unread
from pyramidion.reports.feedback import Feedback, feedback, to_json
from pyramidion.reports.feedback_pages import pages
from pyramidion.reports.gradebook import grades
from pyramidion.scoring import Settings
from tests.reports.classroom import CLASSROOM, class_pages, students, thousand
from tests.reports.test_feedback import Page

PRAISE = re.compile("Well done|good part of what matters")


def spaced(html: str) -> str:
    """The text of a page, with a space between cells."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def text_of(student: str) -> str:
    return Page(class_pages()[f"{student}.html"]).text


@pytest.mark.parametrize(
    ("student", "nature", "told"),
    [
        ("amelia", "most", "Well done: you caught most of what matters, with 12 ideas"),
        ("ben", "much", "You caught a good part of what matters, with 4 ideas"),
        ("chloe", "nothing certain", "None of the ideas of the model summaries was found in your text with enough"),
        (
            "daniel",
            "pasted",
            "Nearly all of your text is, word for word, in another text, so the 12 ideas in it are not",
        ),
        ("elif", "put together", "Nearly all of your text is, word for word, in other texts"),
        ("farid", "word list", "Your text is a list of words."),
        ("grace", "nothing found", "Perhaps you wrote about something else"),
        ("hugo", "empty", "There was no text to read"),
        ("jonas", "very short", "Your text is very short: 6 words, where a model summary has about 107."),
        ("kavya", "some", "with 1 idea of the model summaries in your text. It is in words that you copied"),
    ],
)
def test_each_text_is_told_what_it_is(student: str, nature: str, told: str) -> None:
    assert students()[student].nature == nature
    assert told in text_of(student)


def test_praise_follows_what_is_found_for_certain_and_in_own_words() -> None:
    praised = {name for name, one in students().items() if one.words and PRAISE.search(text_of(one_file(name)))}
    assert praised == {"amelia", "ben", "Zoë O'Neil"}
    for name in ("daniel", "elif"):  # who scores 100 % with the words of others
        assert students()[name].percent == 100


def one_file(name: str) -> str:
    return name.replace(" ", "-").replace("'", "-")


def test_who_denies_everything_is_told_what_to_check_and_nothing_is_called_right() -> None:
    chloe, text = students()["chloe"], text_of("chloe")
    assert "What you got right" not in text
    assert [idea.yours[0] for idea in chloe.contradicted] == [
        "Tarrow Mere never died, and phosphorus did it no harm.",
        "No reeds were planted",
    ]
    assert [(idea.yours[0], idea.doubt) for idea in chloe.doubted] == [
        ("The oxygen pumps worked very well.", "the program is not sure that you mean this"),
        ("No phosphorus came from the farms.", "only one of the two says 'not' or the like"),
    ]
    unclear = text.index("Unclear: what you may have meant")
    assert text.index("Check this Your text and") < unclear < text.index("What you could still add")
    assert "You wrote: “No phosphorus came from the farms.” (only one" in text[unclear:]


def test_the_json_says_what_the_page_says_of_certainty() -> None:
    record = to_json(students()["chloe"])
    assert (record["nature"], record["uncertainty"]) == ("nothing certain", students()["chloe"].margin)
    assert [idea["doubt"] for idea in record["found"]] == [idea.doubt for idea in students()["chloe"].found]
    assert {idea["copied"] for idea in to_json(students()["daniel"])["found"]} == {True}


def test_a_negation_around_the_quoted_words_counts() -> None:
    amelia = students()["amelia"]  # "What nobody expected is" stands before the words that are quoted
    (weed,) = (idea for idea in amelia.certain if "mass of weed" in idea.idea)
    assert weed.yours == ("that the clear water lets masses of weed grow",)


def test_who_copies_a_model_is_not_said_to_contradict_it() -> None:
    daniel, text = students()["daniel"], text_of("daniel")
    assert [(idea.copied, idea.yours[0]) for idea in daniel.contradicted] == [
        (True, "Hallowby first tried bubbling oxygen through the lake, which did no good.")
    ]
    assert "(copied, so the program has probably misread it)" in text
    assert "says something different" not in text
    assert [idea.copied for idea in students()["chloe"].contradicted] == [False, False]


def test_copied_runs_are_marked_in_the_text() -> None:
    kavya = students()["kavya"]
    runs = "".join(piece.words if piece.copied else "|" for piece in kavya.text)
    assert [run for run in runs.split("|") if run] == [span.of(words(kavya)) for span in kavya.copied.spans]
    assert class_pages()["kavya.html"].count('<span class="copied">') == 1 + sum(piece.copied for piece in kavya.text)
    assert '<span class="copied">' not in class_pages()["amelia.html"]
    assert all(piece.copied for piece in students()["daniel"].text if re.search(r"\w", piece.words))


def words(one: Feedback) -> str:
    return "".join(piece.words for piece in one.text)


def test_page_list_print_and_gradebook_say_the_same_number_and_never_more_than_all() -> None:
    evaluation = evaluate(native.load(CLASSROOM), "manual", Settings(cap=False))
    made = {path: data.decode() for path, data in pages(feedback(evaluation)).items()}
    everywhere = Page(made["all.html"]).text
    listed = dict(
        re.findall(r'href="([^"]+)">[^<]+</a></th><td class="number" data-value="([\d.]+)">', made["index.html"])
    )
    rows = {str(row["student"]): row["percent"] for row in grades(evaluation)}
    assert any((one.scores.coverage or 0) > 1 for one in evaluation.results)
    for one in feedback(evaluation):
        path = f"{one_file(one.student)}.html"
        assert one.percent == rows[one.student] == float(listed[path.replace("ë", "%C3%AB")]) <= 100
        assert f"{one.percent_shown} % of the important content" in Page(made[path]).text
        assert f"{one.percent_shown} % of the important content" in everywhere


def test_a_students_page_names_nobody_else() -> None:
    names = {*students(), "ines"}
    for name in students():
        html = unescape(class_pages()[f"{one_file(name)}.html"])
        assert {other for other in names - {name} if re.search(rf"\b{other}\b", html)} == set()


def test_the_signature_is_folded_away_on_every_page() -> None:
    signature = students()["ben"].signature
    for path, html in class_pages().items():
        assert (signature in unescape(html)) == (path != "ines-unread.html"), path
        open_parts = re.sub(r"<details\b[^>]*>.*?</details>", "", html, flags=re.DOTALL)
        assert signature not in unescape(open_parts), path
        assert "<details open" not in html


def test_from_one_student_to_the_next_and_back() -> None:
    html = class_pages()["all.html"]
    sheets = re.findall(r'<article class="sheet" id="s(\d+)">(.*?)</article>', html, flags=re.DOTALL)
    assert [int(number) for number, _ in sheets] == list(range(1, 13))
    for number, sheet in sheets:
        steps = set(re.findall(r'<a(?: class="next")? href="#s(\d+)">', sheet))
        assert steps == {str(int(number) + step) for step in (-1, 1) if 1 <= int(number) + step <= 12}
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)


def test_the_class_at_a_glance() -> None:
    text = spaced(class_pages()["index.html"])
    scores = [one.percent for one in students().values() if one.words]
    assert f"{sum(scores) / len(scores):.1f} % on average, of 11 texts" in text
    assert "How many texts have which score: 4 texts from 0 to 10 %" in class_pages()["index.html"]
    look = text[text.index("Whom to look at") : text.index("All students Search")]
    assert look == (
        "Whom to look at Not scored (1) ines The text looks like Spanish; the method reads English. No text (1) hugo "
        "Copied (3) daniel pasted from reference B elif put together from reference E, reference C, reference D, "
        "reference A kavya 53 % copied from source 1 A list of words (1) farid Very short (1) jonas No idea found (2) "
        "grace liam Contradicts the models (2) chloe in 2 places kavya in 1 place "
    )
    missed = text[text.index("What most of them missed") : text.index("Whom to look at")]
    assert missed.index("Freshwater mussels were used as part of the remedy missed by 8 of 11") > 0
    assert "Farmers left strips along the streams unploughed missed by 8 of 11" in missed


def test_who_could_not_be_read_is_told_so_and_in_the_list() -> None:
    index, ines = class_pages()["index.html"], Page(class_pages()["ines-unread.html"]).text
    assert "The program could not read your text, so there is no feedback and no score yet." in ines
    assert "The text looks like Spanish; the method reads English." in ines
    assert "ines not scored The text looks like Spanish" in spaced(index)
    assert 'href="ines-unread.html"' in index
    second = [("lake", Unread("ben", "The file is damaged.", number)) for number in ("7", "8")]
    made = pages(list(students().values()), second)
    assert {"ben.html", "ben-unread-7.html", "ben-unread-8.html"} < set(made)


def test_a_thousand_students_make_a_list_of_moderate_size() -> None:
    made = thousand()
    assert len(made) == 1002
    index = made["index.html"].decode()
    assert index.count("<tr>") == 1001
    assert len(index) < 1_000_000
    assert "and 959 more" in index  # of those who missed an idea; the list itself has everybody
