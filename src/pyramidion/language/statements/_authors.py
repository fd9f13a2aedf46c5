"""Who wrote what is summarised: words that stand for the author or for the text itself.

A summary of an article says *the author argues that* of most of its content. People leave that out when they name what
was said, and a student who writes the content without these words has said it. So what the author says is stated as
the text's own; what anybody else says keeps its speaker.

*The author* is a noun for a writer or a writing (*the article*, *the columnist*), or the person of whom the first
sentence says so: *an article by Ann Lee*, *Ann Lee discusses ... in her article*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.coreference import Substitution
from pyramidion.language.parse.deptree import DependencyTree

_WRITINGS = frozenset({"article", "text", "essay", "column", "passage", "piece", "op-ed"})
_WRITERS = frozenset({"author", "writer", "columnist"})
_MADE = frozenset({"write", "publish"})
_CLOSED = frozenset({'"', "''", "\u201d", "\u2019", "'"})
_MEANT = frozenset({"the", "this", "his", "her", "its"})


def authors(analysis: Analysis, tree: DependencyTree, stands_for: Mapping[int, Substitution]) -> frozenset[int]:
    """Return the words of a text that stand for its source or for whoever wrote that."""
    names = {analysis.words[last].form for last in _author_names(analysis, tree)}
    places = set()
    for place, word in enumerate(analysis.words):
        instead = stands_for.get(place, Substitution(())).words or ()
        forms = [piece if isinstance(piece, str) else analysis.words[piece].form for piece in instead] or [word.form]
        plain = [place, *(piece for piece in instead if isinstance(piece, int))]
        if forms[-1] in names or any(_is_meant(tree, noun) for noun in plain):
            places.add(place)
    return frozenset(places)


def _is_meant(tree: DependencyTree, word: int) -> bool:
    """Return whether a noun is the source or its author: *the article*; not *the author of a book*."""
    kind = tree.name(word)
    if tree.words[word].xpos != "NN" or kind not in _WRITINGS | _WRITERS:
        return False
    before = {tree.words[child].form.lower() for child in tree.with_type(word, {"det", "nmod"}) if child < word}
    of = [child for child in tree.with_type(word, {"nmod"}) if child > word and tree.name(child) not in _WRITINGS]
    return bool(before & _MEANT) and not (kind in _WRITERS and of)


def _author_names(analysis: Analysis, tree: DependencyTree) -> Iterator[int]:
    """Yield the last words of the names of whoever the first sentence says wrote the source."""
    first, last = _opening(analysis)
    writings = [
        place for place in range(first, last) if tree.name(place) in _WRITINGS and tree.words[place].xpos == "NN"
    ]
    for word in range(first, last if writings else first):
        if tree.words[word].upos == "PROPN" and (_wrote(tree, word, writings) or _is_quoted_before(tree, word, first)):
            yield max([word, *tree.with_type(word, {"flat"})])


def _wrote(tree: DependencyTree, name: int, writings: Collection[int]) -> bool:
    """Return whether the sentence says that a person wrote the source.

    It does in *an article by Ann Lee* and *In her article Ann Lee asks*; not in *Ann Lee read an article* or *a bridge
    by Ann Lee*.
    """
    above = tree.heads[name]
    if tree.marker(name, {"case"}) == "by":
        return above in writings or (above != ROOT and tree.name(above) in _MADE and tree.heads[above] in writings)
    inside = {
        writing
        for writing in writings
        if tree.types[writing] in ("obl", "nmod") and tree.marker(writing, {"case"}) == "in"
    }
    active = tree.types[name] == "nsubj" and above != ROOT and not tree.is_passive(above)
    return active and bool(inside & set(tree.below(above)))


def _is_quoted_before(tree: DependencyTree, name: int, first: int) -> bool:
    """Return whether a quoted title and *by* stand before a name, however the tree reads it: *"..." by Ann Lee*."""
    before = [tree.words[place].form.lower() for place in range(max(first, name - 2), name)]
    return before[1:] == ["by"] and before[0] in _CLOSED


def _opening(analysis: Analysis) -> tuple[int, int]:
    """Return the first sentence, with what follows in small letters after a title that ends in a question mark."""
    first, last = analysis.sentences[0]
    following = analysis.sentences[1][1] if len(analysis.sentences) > 1 else last
    return first, following if analysis.words[last : last + 1] and analysis.words[last].form.islower() else last
