r"""SCUs that a language model finds in the references, behind any OpenAI-compatible chat endpoint.

*Facts.* The model lists what each reference states, with the words that state it (``language/llm/prompts/units.txt``).
A reference is asked about by itself, so that the facts of one do not depend on the others.

*SCUs.* Then the model groups the facts of all references that state the same, and labels each group
(``language/llm/prompts/groups.txt``). The grouping is the model's own, at temperature 0; what it must be is checked:
every fact in one group, no fact that is not there. What is still wrong at the second try is repaired, with a warning: a
fact in several groups stays in the first, one in none is an SCU of its own. One reference needs no grouping: a fact is
an SCU.

*Contributors.* Facts of one reference in one group are one contributor, whose spans are where the reference has the
quotes. A fact whose quote is not there (:mod:`pyramidion.language.text.quotes`) may be invented: it is left out before
the facts are grouped. With ``unsupported="count"`` it counts; its contributor has no spans, the fact as its label, and
is not supported. Either way a warning counts these facts.

References are put in order by their text, and copies of one text are one voice, as in the other builders: neither order
nor names of references are in a question. An answer that cannot be read is an error; those that could are kept, so that
the next run goes on from there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from pyramidion.base.choices import check_choices
from pyramidion.base.threads import in_parallel
from pyramidion.builders.assemble import Voice, voices_of
from pyramidion.errors import PyramidionError
from pyramidion.language.llm.chat import AnswerError, Client, Question, client, prompt, structured
from pyramidion.language.llm.endpoint import Endpoint, tokens
from pyramidion.language.text.quotes import Unsupported, located
from pyramidion.model import SCU, Contributor, Pyramid, Span, Topic
from pyramidion.notes import note


def _list_of(name: str, properties: dict[str, object]) -> str:
    """Return the JSON schema of an object that has one list of objects."""
    item = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return json.dumps(
        {
            "type": "object",
            "properties": {name: {"type": "array", "items": item}},
            "required": [name],
            "additionalProperties": False,
        }
    )


_FACTS = _list_of("facts", {"fact": {"type": "string"}, "quote": {"type": "string"}})
_GROUPS = _list_of("groups", {"label": {"type": "string"}, "facts": {"type": "array", "items": {"type": "integer"}}})


class _QuotedFact(msgspec.Struct):
    fact: str
    quote: str | None = None


class _Facts(msgspec.Struct):
    facts: list[_QuotedFact]


class _Group(msgspec.Struct):
    label: str
    facts: list[int]


class _Groups(msgspec.Struct):
    groups: list[_Group]


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of a reference, and its place; it has no spans if the model's quote is not in the text."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Builder:
    """A builder that asks a model."""

    model: str
    english: ClassVar[bool] = False

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Return what decides the answers besides the settings: the versions of the prompts."""
        return (("prompts", f"{prompt('units').version},{prompt('groups').version}"),)

    def questions(self, topic: Topic, analyser: str = "en-minilm") -> list[Question]:
        """Return the first questions, which ask for the facts of each reference."""
        return [self._facts_question(voice.segmented.analysis.text) for voice in voices_of(topic, analyser)]

    def _facts_question(self, text: str) -> Question:
        material = json.dumps({"text": text}, ensure_ascii=False)
        return Question(self.model, prompt("units"), material, _FACTS, expected=3 * tokens(text))

    def grouping(self, facts: Sequence[Sequence[str]]) -> Question:
        """Return the second questions, which ask which facts of several references state the same."""
        number = 0
        texts = []
        for stated in facts:
            texts.append([{"id": number + place, "fact": fact} for place, fact in enumerate(stated, 1)])
            number += len(stated)
        material = json.dumps({"texts": texts}, ensure_ascii=False)
        expected = sum(tokens(fact) + 12 for stated in facts for fact in stated)
        return Question(self.model, prompt("groups"), material, _GROUPS, expected)

    @check_choices
    def __call__(
        self, topic: Topic, *, unsupported: Unsupported = "drop", base_url: str = "", analyser: str = "en-minilm"
    ) -> Pyramid:
        """Return the pyramid of the topic's references."""
        counts = unsupported == "count"
        voices = voices_of(topic, analyser)
        chat = client(Endpoint.named(base_url))
        try:
            listed = in_parallel(lambda voice: self._find_facts(chat, voice), voices, chat.endpoint.concurrency)
            facts = self._counting_facts(topic, listed, counts)
            groups = self._find_groups(chat, topic, facts)
        except AnswerError as error:
            raise PyramidionError(
                f"Topic {topic.id!r}: {self.model} gave no usable answer: {error.what}",
                do="run it again; the answers so far are kept",
            ) from None
        return _pyramid(topic, voices, facts, groups)

    @check_choices
    def kept(
        self, topic: Topic, chat: Client, unsupported: Unsupported = "drop", analyser: str = "en-minilm"
    ) -> Pyramid | None:
        """Return the pyramid if all answers that it needs are cached, else None; nobody is asked."""
        counts = unsupported == "count"
        voices = voices_of(topic, analyser)
        if not all(chat.knows(self._facts_question(voice.segmented.analysis.text), _read_facts) for voice in voices):
            return None
        facts = self._counting_facts(topic, [self._find_facts(chat, voice) for voice in voices], counts)
        # Facts of a single reference are not grouped, so that no answer about groups is needed.
        question, count = self.grouping([[fact.text for fact in stated] for stated in facts]), sum(map(len, facts))
        if sum(map(bool, facts)) > 1 and not chat.knows(question, lambda content: _read_groups(content, count)):
            return None
        return _pyramid(topic, voices, facts, self._find_groups(chat, topic, facts))

    def _find_facts(self, chat: Client, voice: Voice) -> list[Fact]:
        text = voice.segmented.analysis.text
        answer = chat.ask(self._facts_question(text), _read_facts)
        return [Fact(fact.fact, located(fact.quote or "", text)) for fact in answer]

    def _counting_facts(self, topic: Topic, listed: Sequence[Sequence[Fact]], counts: bool) -> list[Sequence[Fact]]:
        """Return the facts that count; a note counts those whose quotes are not in their reference."""
        bare = sum(not fact.spans for facts in listed for fact in facts)
        if not bare:
            return [*listed]
        count = sum(map(len, listed))
        what = f"Topic {topic.id!r}: {bare} of {count} facts quote words that are not in their reference"
        if bare == count and not counts:
            raise PyramidionError(what, do=f"use another model than {self.model}, or set unsupported=count")
        how = "count by the model's word alone" if counts else "are left out"
        note(f"{what}; they {how}")
        return [*listed] if counts else [[fact for fact in facts if fact.spans] for facts in listed]

    def _find_groups(self, chat: Client, topic: Topic, facts: Sequence[Sequence[Fact]]) -> list[_Group]:
        """Return the model's groups, asked for if several references state something, and repaired if need be."""
        all_facts = [fact for stated in facts for fact in stated]
        count = len(all_facts)
        if sum(map(bool, facts)) == 1:
            return [_Group(fact.text, [number]) for number, fact in enumerate(all_facts, 1)]
        question = self.grouping([[fact.text for fact in stated] for stated in facts])
        try:
            return chat.ask(question, lambda content: _read_groups(content, count))
        except AnswerError as error:  # the client has asked a second time by now
            groups, faults = _repair(structured(error.content, _Groups).groups, count)
            note(
                f"Topic {topic.id!r}: {self.model} put {faults} of {count} facts into no group or into several; "
                "they are SCUs of their own, or in the first of these groups"
            )
            return groups


def make(model: str) -> Builder:
    """Return the builder that asks the model of that name; nobody is asked yet."""
    if not model:
        raise PyramidionError("No model is named", do="name a model that the endpoint serves: llm:MODEL")
    return Builder(model)


def _read_facts(content: str) -> list[_QuotedFact]:
    """Return the facts that say something, each once."""
    facts: dict[str, _QuotedFact] = {}
    for fact in structured(content, _Facts).facts:
        text = " ".join(fact.fact.split())
        if any(map(str.isalnum, text)):
            facts.setdefault(text, _QuotedFact(text, fact.quote))
    if not facts:
        raise AnswerError("The answer has no fact", content=content)
    return list(facts.values())


def _read_groups(content: str, count: int) -> list[_Group]:
    """Return the groups if every fact is in exactly one of them; else the answer is an error."""
    groups, faults = _repair(structured(content, _Groups).groups, count)
    if faults:
        raise AnswerError(f"{faults} facts are in no group or in several", content=content)
    return groups


def _repair(groups: Sequence[_Group], count: int) -> tuple[list[_Group], int]:
    """Return groups that have every fact once, and how many facts were in no group, in several, or unknown."""
    named = Counter(number for group in groups for number in set(group.facts))
    faults = sum(named[number] != 1 for number in range(1, count + 1))
    faults += sum(not 1 <= number <= count for number in named)
    left = set(range(1, count + 1))
    repaired = []
    for group in groups:
        facts = sorted(left.intersection(group.facts))
        left.difference_update(facts)
        if facts:
            repaired.append(_Group(" ".join(group.label.split()), facts))
    return [*repaired, *(_Group("", [number]) for number in sorted(left))], faults


def _pyramid(
    topic: Topic, voices: Sequence[Voice], facts: Sequence[Sequence[Fact]], groups: Sequence[_Group]
) -> Pyramid:
    """Return the pyramid whose SCUs are the groups, heaviest first; of equals, the one whose first fact comes first."""
    numbered = dict(enumerate(((voice, fact) for voice, stated in enumerate(facts) for fact in stated), 1))
    units = []
    for group in groups:
        by_voice: dict[int, list[Fact]] = {}
        for number in group.facts:
            voice, fact = numbered[number]
            by_voice.setdefault(voice, []).append(fact)
        contributors = tuple(
            _contributor(reference.id, by_voice[voice])
            for voice in sorted(by_voice)
            for _, reference in voices[voice].copies
        )
        units.append((group.label or numbered[group.facts[0]][1].text, contributors, group.facts[0]))
    units.sort(key=lambda unit: (-len(unit[1]), unit[2]))
    scus = tuple(SCU(str(number), label, contributors) for number, (label, contributors, _) in enumerate(units, 1))
    return Pyramid(topic.id, tuple(reference for voice in voices for _, reference in voice.copies), scus)


def _contributor(reference: str, facts: Sequence[Fact]) -> Contributor:
    """Return the contributor of a reference: the places of its facts, overlapping ones joined."""
    spans: list[Span] = []
    for span in sorted(span for fact in facts for span in fact.spans):
        if spans and span.start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, span.end))
        else:
            spans.append(span)
    if spans:
        return Contributor(reference, tuple(spans))
    return Contributor(reference, label=" ".join(fact.text for fact in facts), supported=False)
