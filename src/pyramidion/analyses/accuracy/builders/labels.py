"""Is a label a statement that can be read by itself? A rule over the label alone, not a reader's judgement.

A label passes if all of this holds of its words and their parse (a full stop is added where it has none):

* it has 4 to 16 words, two of them of content (nouns, names, numbers, adjectives, full verbs);
* its main clause has a subject and a finite verb, or is an order (``Fold the dough gently``);
* the subject is no pronoun, as in ``It will survive`` or ``These are now cut``;
* it does not begin with a word that leans on something before (``and``, ``however``, ``which``, ``this``);
* every other pronoun of the third person has a noun before it in the label that it can stand for;
* its last word can end a sentence: it is no preposition, article, conjunction or auxiliary.

The rule knows nothing of what a label should have said: ``Experts disagreed about the figures`` passes.
"""

from __future__ import annotations

from pyramidion.language.parse.analysers import analyse
from pyramidion.language.parse.analysis import ROOT, Word

SHORTEST, LONGEST = 4, 16

_FINITE = {"VBD", "VBZ", "VBP", "MD"}
_SUBJECTS = {"nsubj", "csubj", "expl"}
_CONTENT = {"NOUN", "PROPN", "NUM", "ADJ", "VERB"}
_OPEN_END = {"ADP", "DET", "CCONJ", "SCONJ", "AUX", "PART"}
_CONNECTIVES = {
    *("and", "but", "or", "nor", "so", "yet", "however", "therefore", "thus", "then", "also", "instead", "besides"),
    *("otherwise", "still", "because", "that", "when", "while", "where", "whereas", "although", "though", "if"),
    *("unless", "until", "since", "as", "than"),
}
_QUESTION_WORDS = {"which", "who", "whom", "whose", "whatever", "whoever", "what", "why", "how"}
_THIRD_PERSON = {
    *("it", "he", "she", "they", "him", "them", "its", "his", "her", "their", "itself", "himself", "herself"),
    *("this", "these", "those"),
}
_LEANING = _CONNECTIVES | _QUESTION_WORDS | _THIRD_PERSON | {"such", "i", "we", "my", "our"}


def self_contained(label: str) -> bool:
    """Return whether a label passes the rule.

    >>> [self_contained(label) for label in ("The oats soak overnight", "Some scientists say", "These are now cut")]
    [True, False, False]
    """
    text = label.strip()
    if not SHORTEST <= len(text.split()) <= LONGEST:
        return False
    parsed = analyse(text if text[-1] in ".!?" else f"{text}.").words
    words = [word for word in parsed if word.upos not in {"PUNCT", "SYM"}]
    if not words or (
        words[0].form.lower() in _LEANING and words[0].relation != "case"
    ):  # "since 2019" leans on nothing
        return False
    if words[-1].upos in _OPEN_END and words[-1].xpos != "POS":
        return False
    if sum(word.upos in _CONTENT and word.lemma != "be" for word in words) < 2:
        return False
    return _has_a_main_clause(parsed) and _pronouns_are_bound(words)


def _has_a_main_clause(words: tuple[Word, ...]) -> bool:
    """Return whether the root is a finite verb whose subject is no pronoun, or an order."""
    root = next((index for index, word in enumerate(words) if word.head == ROOT), None)
    if root is None:
        return False
    children = [word for word in words if word.head == root]
    subjects = [word for word in children if word.relation.partition(":")[0] in _SUBJECTS]
    helpers = [word for word in children if word.relation.partition(":")[0] in {"aux", "cop"}]
    if not subjects:
        return words[root].xpos == "VB" and not helpers
    if subjects[0].upos == "PRON" and subjects[0].relation.partition(":")[0] != "expl":
        return False
    if any(word.xpos in _FINITE for word in (words[root], *helpers)):
        return True
    # without an auxiliary, what the tagger calls a participle is the past tense: "the terms limited it"
    return words[root].xpos == "VBN" and not helpers


def _pronouns_are_bound(words: list[Word]) -> bool:
    """Return whether a noun stands before every pronoun of the third person."""
    noun = False
    for word in words:
        if word.form.lower() in _THIRD_PERSON and word.upos == "PRON" and word.relation != "expl" and not noun:
            return False
        noun = noun or word.upos in {"NOUN", "PROPN"}
    return True
