"""Find what a statement leaves to the text around it: what was refused, the outcome of what, better than what."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pyramidion.language.parse.analysis import ROOT
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.text.word_lists import words

_TOO_LITTLE, _OF_SOMETHING = words("says too little alone"), words("of something")
_SPEECH = words("speech")
_COMPLEMENTS = {"obj", "iobj", "ccomp", "xcomp", "obl", "advcl", "parataxis"}
_ABOUT_CASES = {"about", "against", "as", "at", "for", "from", "in", "into", "of", "on", "to", "with"}
_BESIDE = {"nsubj", "aux", "punct", "advmod", "mark", "cc"}
_DESCRIBES = {"nmod", "acl", "amod", "compound", "appos", "nummod", "ccomp", "flat", "parataxis"}
_SOME = {"all", "few", "half", "many", "most", "several", "some"}
_NUMBERS = {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
_BRIEF = 8
"""With more words, what a verb lacks is in them somewhere, though the tree has put it elsewhere."""
_BECOMING = {"become", "get", "grow", "make", "turn", "keep", "go", "rise", "fall"}
_IN_TIME = {"early", "late", "long", "soon", "far", "further", "old", "young", "more", "less"}


def lacking(tree: DependencyTree, head: int, inside: Sequence[int], known: Collection[int]) -> str:
    """Return what a statement's words lack, empty if nothing; ``known`` are words that are written out."""
    members = set(inside)
    last = tree.words[inside[-1]]
    if last.form.lower() == "against" or last.xpos == "TO":
        return f"{last.form} what?"
    return (
        _without_complement(tree, head, members)
        or next(filter(None, (_of_what(tree, word, head, members, known) for word in inside)), "")
        or next(filter(None, (_than_what(tree, word, head, members) for word in inside)), "")
    )


def _without_complement(tree: DependencyTree, head: int, members: set[int]) -> str:
    """Return what a predicate without its complement lacks: *A steward refused*, *No males took part*, *Ann's are*."""
    own_word, form = tree.words[head], tree.words[head].form
    dependents = [child for child in tree.dependents[head] if child in members and tree.types[child] not in _BESIDE]
    if own_word.upos == "AUX" and not dependents:
        return f"nobody can tell what {form!r} stands for"
    about = f"nobody can tell what {form!r} is about"
    complements = [child for child in dependents if tree.types[child] in _COMPLEMENTS and _completes(tree, child)]
    brief = not complements and len(members) <= _BRIEF
    if own_word.upos == "ADJ" or tree.is_marked_passive(head):
        return about if brief and form.lower() in _TOO_LITTLE else ""
    if own_word.upos != "VERB":
        return ""
    speech = [child for child in complements if tree.types[child] == "xcomp" and tree.name(child) in _SPEECH]
    # *She liked to say* lacks what *say* lacks.
    if speech and tree.words[speech[0]].upos == "VERB":
        return _without_complement(tree, speech[0], members)
    bare = [tree.name(c) for c in complements if tree.types[c] == "obj" and not tree.with_type(c, {"det", "amod"})]
    if tree.name(head) == "take" and bare == ["part"]:
        whole = [*dependents, *(modifier for child in complements for modifier in tree.with_type(child, {"nmod"}))]
        inside = any(tree.marker(word, {"case"}) == "in" for word in whole)
        return "" if inside else "nobody can tell in what they take part"
    if tree.name(head) == "tell":
        brief = len(members) <= _BRIEF and all(tree.types[complement] in ("obj", "iobj") for complement in complements)
        brief = brief and len(complements) < 2
    verb = "_".join(
        [
            tree.name(head),
            *(tree.name(particle) for particle in dependents if tree.relations[particle] == "compound:prt"),
        ]
    )
    return about if brief and verb in _TOO_LITTLE | _SPEECH else ""


def _completes(tree: DependencyTree, child: int) -> bool:
    """Return whether a dependent says what its verb is about (*insists on it*), not where or when (*over tea*)."""
    plain = tree.types[child] != "obl" or tree.name(tree.heads[child]) not in _SPEECH
    return plain or tree.marker(child, {"case"}) in _ABOUT_CASES


def _of_what(tree: DependencyTree, word: int, head: int, members: set[int], known: Collection[int]) -> str:
    """Return what a noun or number lacks: *Every listener heard the outcome*, *There was a price*, *He wanted five*."""
    kind, own_word, governor = tree.types[word], tree.words[word], tree.heads[word]
    if word in known or kind not in ("nsubj", "obj") or governor not in members:
        return ""
    described = [child for child in tree.with_type(word, _DESCRIBES) if child in members]
    there = any(tree.types[child] == "expl" for child in tree.dependents[governor])
    if there:
        described = [child for child in described if tree.words[child].relation != "acl:relcl"]
    owned = any(tree.words[child].relation == "nmod:poss" for child in tree.dependents[word])
    determiners = {tree.words[child].form.lower() for child in tree.with_type(word, {"det"})}
    bare = not described and not owned
    if own_word.xpos == "NN" and tree.name(word) in _OF_SOMETHING | ({"price"} if there else set()) and bare:
        explained = tree.with_type(governor, {"ccomp", "csubj", "parataxis"})
        vague = there or "the" in determiners or not (determiners or tree.name(word) == "rest")
        return f"nobody can tell which {own_word.form!r} is meant" if vague and not explained else ""
    counted = own_word.upos == "NUM" and kind == "nsubj"
    whole = word + 1 < len(tree.words) and tree.words[word + 1].upos == "ADP"
    is_share = own_word.form.lower() in _SOME and kind == "nsubj" and not whole
    counts = counted or is_share or own_word.form.lower() in _NUMBERS
    if governor != head or not counts or not bare or determiners - {"the"} or tree.name(head) in _SPEECH:
        return ""
    return f"nobody can tell of what {own_word.form!r} speaks"


def _than_what(tree: DependencyTree, word: int, head: int, members: set[int]) -> str:
    """Return what a comparison lacks: *The cooks were happier*, *Fewer employees left*, *Their song was similar*."""
    own_word, governor, kind = tree.words[word], tree.heads[word], tree.types[word]
    forms = {tree.words[member].form.lower() for member in members}
    form = own_word.form.lower()
    if form == "as" and kind == "advmod" and governor in members and tree.words[governor].upos in ("ADJ", "ADV"):
        later = [
            member
            for member in members
            if member > governor and tree.words[member].form.lower() in ("as", "possible", "usual")
        ]
        return "" if later or governor != word + 1 else f"as {tree.words[governor].form!r} as what?"
    if form == "similar" and word == head and not tree.with_type(word, {"obl", "advcl"}):
        return "similar to what?"
    if form == "so" and kind == "advmod" and governor in members and word == governor + 1:
        return f"nobody can tell what {form!r} stands for"
    if own_word.xpos not in ("JJR", "RBR") or "than" in forms or (governor == ROOT and word != head):
        return ""
    counted = (
        kind == "amod"
        and form in ("more", "fewer", "less")
        and (tree.types[governor] == "nsubj" and tree.heads[governor] == head)
    )
    leads = word == head or (governor == head and kind in ("xcomp", "advmod"))
    grows = governor != ROOT and tree.name(governor) in _BECOMING
    if counted or (leads and not grows and tree.name(word) not in _IN_TIME):
        return f"{own_word.form!r} than what?"
    return ""
