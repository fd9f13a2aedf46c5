"""Pairs that differ in one point: roles, a denial, a number, a name, the order of time, a degree, a doubt.

Every form occurs with true units as often as with false ones, or a network learns that the form is false. A premise is
a gold sentence, a clause of it in one of its forms, or made of noun phrases and verbs of the treebanks, so that no
template of people and professions is learned by heart.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from train.entails.clauses import Clause, Forms, Sentence, clauses, coordinated

__all__ = [
    "CONTRADICTED",
    "NOT",
    "NOT_SAID",
    "SAID",
    "Renaming",
    "altered",
    "bag",
    "degrees",
    "denials",
    "doubts",
    "exchanged",
    "misspelt",
    "opposites",
    "perhaps",
    "roles",
    "weakened",
]

SAID, CONTRADICTED, NOT_SAID, NOT = range(4)
"""``NOT``: contradicted or not said, the source does not tell."""
Pair = tuple[str, str, int]

DOUBTED = [
    "It is possible that {}.",
    "It is unclear whether {}.",
    "Some people doubt whether {}.",
    "Perhaps {}.",
    "If {}, much would change.",
    "Nobody knows whether {}.",
    "Many had hoped that {}.",
    "It has been asked whether {}.",
    "Unless {}, there will be trouble.",
    "{} in her dream.",
    "He only imagined that {}.",
]
AFFIRMED = [
    "It is certain that {}.",
    "It is well known that {}.",
    "The report shows that {}.",
    "In fact, {}.",
    "Everyone agrees that {}.",
    "Because {}, people talked about it.",
    "We now know that {}.",
    "Of course {}.",
    "She was glad that {}.",
    "Although it surprised many, {}.",
    "He was reminded that {}.",
]
DENIED = [
    "It is not true that {}.",
    "It is false that {}.",
    "Nobody can say that {}, for it did not happen.",
    "It is a myth that {}.",
    "The claim that {} turned out to be wrong.",
    "It is simply wrong that {}.",
]
MAY_HAVE = [
    "may have {}",
    "might have {}",
    "could have {}",
    "may well have {}",
    "is said to have {}",
    "possibly {2}",
    "is thought to have {}",
    "perhaps {2}",
    "allegedly {2}",
    "is suspected of having {}",
    "would have {}",
    "is rumoured to have {}",
    "was supposed to have {}",
    "nearly {2}",
    "almost {2}",
]
MAY = [
    "may {}",
    "might {}",
    "could {}",
    "perhaps {2}",
    "possibly {2}",
    "might one day {}",
    "would {}",
    "may perhaps {}",
    "is supposed to {}",
    "is expected to {}",
    "may or may not {}",
    "supposedly {2}",
]
SURELY = ["certainly {2}", "clearly {2}", "indeed {2}", "soon {2}", "once again {2}", "as we know {2}", "really {2}"]
NO_TAIL = [
    ", but nobody has confirmed it.",
    ", although that is far from certain.",
    ", if the reports are right.",
    ", or so some people believe.",
    ", but it has not been decided.",
    "; there is no proof of it.",
    ", unless the witnesses were mistaken.",
    "; we do not know.",
    ", but the figures are not in yet.",
]
TAIL = [
    ", and nobody was surprised.",
    ", although it took some time.",
    ", as the papers wrote.",
    ", and that was that.",
    ", which many people had hoped for.",
    "; there is ample proof of it.",
    ", but not everyone liked it.",
]
BE = {
    " is ": (" may be ", " might be ", " could be ", " is perhaps ", " is possibly ", " would be ", " may not be "),
    " are ": (" may be ", " might be ", " could be ", " are perhaps ", " are possibly ", " would be "),
    " was ": (" may have been ", " might have been ", " was possibly ", " could have been ", " was perhaps "),
    " were ": (" may have been ", " might have been ", " were possibly ", " could have been ", " were perhaps "),
    " has ": (" may have ", " might have ", " could have ", " perhaps has "),
    " have ": (" may have ", " might have ", " could have ", " perhaps have "),
}
DEGREES = [
    ("taller", "shorter", "tall"),
    ("older", "younger", "old"),
    ("larger", "smaller", "large"),
    ("richer", "poorer", "rich"),
    ("faster", "slower", "fast"),
    ("heavier", "lighter", "heavy"),
    ("more expensive", "cheaper", "expensive"),
    ("hotter", "cooler", "hot"),
    ("louder", "quieter", "loud"),
    ("stronger", "weaker", "strong"),
    ("more popular", "less popular", "popular"),
    ("safer", "more dangerous", "safe"),
    ("longer", "shorter", "long"),
    ("more common", "rarer", "common"),
    ("better known", "less well known", "well known"),
    ("busier", "quieter", "busy"),
    ("healthier", "less healthy", "healthy"),
    ("earlier", "later", "early"),
]
CONVERSES = [
    ("{a} beat {b}", "{b} lost to {a}"),
    ("{a} sold the house to {b}", "{b} bought the house from {a}"),
    ("{a} lent money to {b}", "{b} borrowed money from {a}"),
    ("{a} taught {b}", "{b} was a pupil of {a}"),
    ("{a} lies north of {b}", "{b} lies south of {a}"),
    ("{a} lies east of {b}", "{b} lies west of {a}"),
    ("{a} owns {b}", "{b} belongs to {a}"),
    ("{a} hired {b}", "{b} got a job with {a}"),
    ("{a} is the parent of {b}", "{b} is the child of {a}"),
    ("{a} grew faster than {b}", "{b} grew more slowly than {a}"),
    ("{a} rose more than {b}", "{b} rose less than {a}"),
    ("{a} came before {b}", "{b} came after {a}"),
    ("{a} arrived earlier than {b}", "{b} arrived later than {a}"),
    ("{a} caused {b}", "{b} was a result of {a}"),
    ("{a} replaced {b}", "{b} gave way to {a}"),
    ("{a} led to {b}", "{b} came about because of {a}"),
    ("{a} depends on {b}", "{b} is needed by {a}"),
    ("{a} defeated {b} in the final", "{b} was beaten in the final by {a}"),
]
GIFTS = ["the keys", "a letter", "the prize", "some money", "an old map", "the contract", "a warning", "the ball"]
GIVEN = [("gave", "given"), ("sent", "sent"), ("showed", "shown"), ("offered", "offered"), ("handed", "handed")]
PLACES = """
    London Paris Boston Lima Cairo Oslo Madrid Delhi Kyoto Nairobi Berlin Denver Texas Brazil Norway Canada Egypt
    """.split()  # noqa: SIM905
NUMBERS = """
    two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand million
    """.split()  # noqa: SIM905
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
MONTHS = "january february march april june july august september october november december".split()  # noqa: SIM905
HOURS = "morning afternoon evening night midnight noon".split()  # noqa: SIM905
SEASONS = "spring summer autumn winter".split()  # noqa: SIM905
ORDINALS = "first second third fourth fifth sixth last".split()  # noqa: SIM905
_OPPOSITES = """
    rose/fell rise/fall rises/falls rising/falling increase/decrease increases/decreases increased/decreased
    increasing/decreasing grew/shrank growing/shrinking grow/shrink more/fewer higher/lower high/low highest/lowest
    won/lost win/lose wins/loses winning/losing accepted/rejected accept/reject accepts/rejects approved/rejected
    approve/reject approves/rejects supports/opposes supported/opposed support/oppose supporting/opposing
    opened/closed open/closed opens/closes opening/closing began/ended begins/ends begin/end started/stopped
    starts/stops start/stop starting/stopping bought/sold buy/sell buys/sells buying/selling legal/illegal
    lawful/unlawful guilty/innocent alive/dead safe/dangerous safer/riskier cheap/expensive cheaper/dearer rich/poor
    richer/poorer strong/weak stronger/weaker hot/cold warm/cool warmer/cooler wet/dry early/late earlier/later
    old/new older/newer young/old always/never everyone/nobody everybody/nobody everything/nothing all/no
    allowed/banned allows/bans allow/ban remembered/forgot remembers/forgets agreed/disagreed agrees/disagrees
    agree/disagree loved/hated loves/hates love/hate likes/dislikes liked/disliked arrived/left entered/left
    inside/outside above/below before/after possible/impossible likely/unlikely able/unable happy/unhappy
    succeeded/failed succeeds/fails succeed/fail successful/unsuccessful improved/worsened improves/worsens
    improve/worsen better/worse best/worst good/bad large/small larger/smaller big/small bigger/smaller long/short
    longer/shorter fast/slow faster/slower quickly/slowly easy/difficult easier/harder full/empty public/private
    male/female men/women man/woman boy/girl boys/girls north/south northern/southern east/west eastern/western
    left/right true/false gained/lost gains/loses built/destroyed builds/destroys build/destroy created/destroyed
    added/removed adds/removes add/remove strengthened/weakened strengthens/weakens expanded/shrank healthy/ill
    hired/fired praised/criticised hopeful/hopeless praised/criticized useful/useless major/minor many/few most/few
    often/rarely frequently/rarely near/far positive/negative profit/loss profits/losses friend/enemy
    friends/enemies summer/winter day/night morning/evening present/absent popular/unpopular voluntary/compulsory
    stable/unstable certain/uncertain permanent/temporary domestic/foreign urban/rural visible/invisible
    formal/informal direct/indirect with/without indoors/outdoors thick/thin deep/shallow heavy/light clean/dirty
    awake/asleep standing/sitting empty/crowded
    """.split()  # noqa: SIM905
OPPOSITES = {
    one: other
    for first, second in (pair.split("/") for pair in _OPPOSITES)
    for one, other in ((first, second), (second, first))
}
"""Words that cannot both be true of one thing, as forms."""
CYCLES = [NUMBERS, DAYS, MONTHS, HOURS, SEASONS, ORDINALS]


def _low(sentence: str) -> str:
    """A sentence as a part of another."""
    first = sentence.split(" ", 1)[0]
    lowered = first.lower() in (
        "the",
        "a",
        "an",
        "he",
        "she",
        "they",
        "we",
        "it",
        "this",
        "these",
        "some",
        "many",
        "his",
        "her",
        "their",
        "its",
        "our",
        "my",
        "most",
        "all",
        "you",
        "two",
        "three",
        "several",
    )
    made = sentence.rstrip(".")
    return made[0].lower() + made[1:] if lowered else made


def people(treebank: Sequence[Clause]) -> tuple[list[tuple[str, bool]], list[Clause]]:
    """Noun phrases that act, and clauses whose verbs are done to people."""
    own = {"i", "me", "he", "him", "she", "her", "we", "us", "they", "them", "you", "it", "this", "that"}
    agents = sorted({(c.subject, c.many[0]) for c in treebank if c.subject.lower() not in own and len(c.subject) < 50})
    done = [c for c in treebank if c.object.lower() in own - {"it"} or c.object.istitle()]
    return agents, done


def roles(treebank: Sequence[Sentence], chance: random.Random, made: int) -> Iterator[list[Pair]]:
    """Premises with units about who did what to whom, each a list of pairs with one premise."""
    forms = Forms(list(treebank))
    found = [clause for sentence in treebank for clause in clauses(sentence)]
    agents, done = people(found)
    for _ in range(made):
        (first, many), (second, more) = chance.sample(agents, 2)
        verb = chance.choice(done)
        found.append(Clause(first, second, verb.lemma, verb.tag, verb.particle, (many, more), "", False))
    for clause in found:
        shown = {
            key: clause.said(forms, *key)
            for passive in (False, True)
            for swapped in (False, True)
            for denied in (False, True)
            for key in [(passive, swapped, denied)]
        }
        if None in shown.values():
            continue
        own = clause.sentence
        premises = [(own, False)] if clause.main and len(own.split()) < 60 else []
        premises += [(shown[chance.random() < 0.5, False, denied], denied) for denied in (False, chance.random() < 0.6)]
        for premise, denied in premises:
            pairs = []
            for (_passive, swapped, negated), unit in shown.items():
                if chance.random() < 0.25:
                    continue
                if swapped:
                    label = NOT if negated == denied else NOT_SAID
                    if chance.random() < (0.3 if negated == denied else 0.8):
                        continue
                else:
                    label = SAID if negated == denied else CONTRADICTED
                pairs.append((premise, unit, label))
            other = chance.choice(found)
            strange = [
                Clause(clause.subject, clause.object, other.lemma, other.tag, other.particle, clause.many, "", False),
                Clause(
                    clause.subject,
                    other.object,
                    clause.lemma,
                    clause.tag,
                    clause.particle,
                    (clause.many[0], other.many[1]),
                    "",
                    False,
                ),
                Clause(
                    other.subject,
                    clause.object,
                    clause.lemma,
                    clause.tag,
                    clause.particle,
                    (other.many[0], clause.many[1]),
                    "",
                    False,
                ),
            ]
            for one in chance.sample(strange, 2):
                unit = one.said(forms, chance.random() < 0.4)
                if unit and one.lemma + one.subject + one.object != clause.lemma + clause.subject + clause.object:
                    pairs.append((premise, unit, NOT))
            yield pairs
        if chance.random() < 0.5:
            unit, passive = shown[False, False, False], shown[True, False, False]
            for shapes, label in ((DOUBTED, NOT_SAID), (AFFIRMED, SAID), (DENIED, CONTRADICTED)):
                premise = chance.choice(shapes).format(_low(unit))
                yield [(premise[0].upper() + premise[1:], one, label) for one in (unit, passive)]
    yield from _in_time(found, forms, chance)
    for sentence in treebank:
        parts = coordinated(sentence)
        if parts:
            yield [(sentence.text, part, SAID) for part in parts]
            yield [(" ".join(parts), sentence.text, SAID)]
            yield [(parts[0], sentence.text, NOT_SAID)]


def weakened(sentence: Sentence, forms: Forms, chance: random.Random) -> list[Pair]:
    """A sentence whose main verb becomes a mere possibility, and one in which it stays a fact."""
    for index, token in enumerate(sentence.tokens):
        if token.relation != "root" or token.upos != "VERB" or token.xpos not in ("VBD", "VBZ", "VBP"):
            continue
        relations = [sentence.tokens[child].relation for child in sentence.children(index)]
        if "aux" in relations or "nsubj" not in relations or any(t.lemma == "not" for t in sentence.tokens):
            return []
        form = forms(token.lemma.lower(), "VBN" if token.xpos == "VBD" else "VB")
        if not form:
            return []
        weak = _with_verb(sentence, index, chance.choice(MAY_HAVE if token.xpos == "VBD" else MAY), form)
        sure = _with_verb(sentence, index, chance.choice(SURELY), form)
        if chance.random() < 0.4:
            weak = weak.rstrip(".") + chance.choice(NO_TAIL)
            sure = sure.rstrip(".") + chance.choice(TAIL)
        pairs = [(weak, sentence.text, NOT_SAID), (sure, sentence.text, SAID)]
        return [*pairs, (weak, weak, SAID)] if chance.random() < 0.25 else pairs
    return []


def _with_verb(sentence: Sentence, index: int, shape: str, form: str) -> str:
    """The sentence with other words for its verb: ``{}`` stands for the form, ``{2}`` for the verb as it was."""
    token = sentence.tokens[index]
    words = [one.form + (" " if one.spaced else "") for one in sentence.tokens]
    words[index] = shape.replace("{2}", token.form).replace("{}", form) + (" " if token.spaced else "")
    return "".join(words).strip()


def perhaps(unit: str, chance: random.Random) -> Iterator[Pair]:
    """A statement of being as a mere possibility, and with a tail that takes nothing from it."""
    for verb, weaker in BE.items():
        if unit.count(verb) == 1 and unit.endswith(".") and " not " not in unit:
            weak = unit.replace(verb, chance.choice(weaker)).rstrip(".")
            yield weak + (chance.choice(NO_TAIL) if chance.random() < 0.4 else "."), unit, NOT_SAID
            yield unit.rstrip(".") + chance.choice(TAIL), unit, SAID
            if chance.random() < 0.2:
                yield weak + ".", weak + ".", SAID
            if chance.random() < 0.2:
                yield unit.rstrip(".") + chance.choice(NO_TAIL), unit, NOT_SAID
            return


def _in_time(found: Sequence[Clause], forms: Forms, chance: random.Random) -> Iterator[list[Pair]]:
    """Two clauses, one before the other."""
    past = [said for c in found if c.tag == "VBD" and len(c.subject + c.object) < 60 and (said := c.said(forms))]
    for _ in range(2500):
        first, last = (_low(one) for one in chance.sample(past, 2))
        orders = [
            f"{first} before {last}.",
            f"{last} after {first}.",
            f"After {first}, {last}.",
            f"Before {last}, {first}.",
            f"First {first}, then {last}.",
        ]
        false = [
            f"{last} before {first}.",
            f"{first} after {last}.",
            f"After {last}, {first}.",
            f"Before {first}, {last}.",
        ]
        premise = _capital(chance.choice(orders))
        yield [(premise, _capital(one), SAID) for one in chance.sample(orders, 2) if _capital(one) != premise] + [
            (premise, _capital(one), CONTRADICTED) for one in chance.sample(false, 2)
        ]


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def degrees(treebank: Sequence[Sentence], chance: random.Random, made: int) -> Iterator[list[Pair]]:
    """Comparisons, converses, gifts and journeys between noun phrases of the treebanks."""
    agents = [one for one, many in people([c for s in treebank for c in clauses(s)])[0] if not many]
    for _ in range(made):
        a, b = (_low(_capital(one)) for one in chance.sample(agents, 2))
        kind = chance.randrange(4)
        if kind == 0:
            more, less, plain = chance.choice(DEGREES)
            be = chance.choice(["is", "was"])
            true = [f"{a} {be} {more} than {b}.", f"{b} {be} {less} than {a}.", f"{b} {be} not as {plain} as {a}."]
            false = [f"{b} {be} {more} than {a}.", f"{a} {be} {less} than {b}.", f"{a} {be} not as {plain} as {b}."]
        elif kind == 1:
            one, other = chance.choice(CONVERSES)
            true = [one.format(a=a, b=b) + ".", other.format(a=a, b=b) + "."]
            false = [one.format(a=b, b=a) + ".", other.format(a=b, b=a) + "."]
        elif kind == 2:
            (past, given), gift = chance.choice(GIVEN), chance.choice(GIFTS)
            true, false = (
                [
                    f"{x} {past} {y} {gift}.",
                    f"{x} {past} {gift} to {y}.",
                    f"{y} was {given} {gift} by {x}.",
                    f"{gift} went from {x} to {y}.",
                ]
                for x, y in ((a, b), (b, a))
            )
        else:
            start, end = chance.sample(PLACES, 2)
            verb = chance.choice(["moved", "flew", "travelled", "drove", "walked", "was sent"])
            true, false = (
                [f"{a} {verb} from {x} to {y}.", f"{a} {verb} to {y} from {x}.", f"{a} left {x} for {y}."]
                for x, y in ((start, end), (end, start))
            )
        premise, *others = chance.sample(true, len(true))
        yield [(_capital(premise), _capital(one), SAID) for one in [*others, premise][:2]] + [
            (_capital(premise), _capital(one), CONTRADICTED if kind == 0 else NOT) for one in chance.sample(false, 2)
        ]


def altered(premise: str, unit: str, names: Sequence[str], chance: random.Random) -> Iterator[Pair]:
    """An entailed unit with a number, a day, a name changed, or denied."""
    words = unit.split()
    said = set(re.findall(r"\w+", premise.lower()))
    for place, word in enumerate(words):
        bare = re.sub(r"\W", "", word)
        low = bare.lower()
        if not bare or low not in said:
            continue
        cycle = next((cycle for cycle in CYCLES if low in cycle), None)
        new = ""
        if cycle:
            new = chance.choice([one for one in cycle if one not in said])
            label = CONTRADICTED
        elif bare.isdigit():
            value = int(bare)
            change = chance.choice([-3, -2, -1, 1, 2, 3, 10]) if value < 3000 else chance.choice([-1000, 500, 2000])
            new, label = str(max(0, value + change)), CONTRADICTED
            if new in said or new == bare:
                continue
        elif place and bare.istitle() and len(bare) > 2 and names:
            new, label = chance.choice(names), NOT
            if new.lower() in said:
                continue
        if new:
            if bare[0].isupper():
                new = new.capitalize()
            yield premise, " ".join([*words[:place], word.replace(bare, new), *words[place + 1 :]]), label
            break
    for place, word in enumerate(words[1:6], 1):
        if word in ("is", "are", "was", "were", "can", "will", "has", "have", "could", "should") and "not" not in words:
            if word in ("has", "have") and (place + 1 >= len(words) or not words[place + 1].endswith("ed")):
                break
            yield premise, " ".join([*words[: place + 1], "not", *words[place + 1 :]]), CONTRADICTED
            break


def opposites(premise: str, unit: str, chance: random.Random) -> Iterator[Pair]:
    """An entailed unit and its premise with a word replaced by its opposite, in one of them or in both.

    Both texts share the word, so the changed pair is true again when both change.
    """
    said = re.findall(r"\w+", premise.lower())
    words = re.findall(r"\w+", unit.lower())
    shared = [word for word in words if word in OPPOSITES and words.count(word) == said.count(word) == 1]
    shared = [word for word in shared if OPPOSITES[word] not in said + words]
    if not shared or "not" in words:
        return
    word = chance.choice(shared)
    change = {word: OPPOSITES[word], word.capitalize(): OPPOSITES[word].capitalize()}
    other, asked = _with_names(premise, change), _with_names(unit, change)
    yield premise, asked, CONTRADICTED
    yield other, asked, SAID
    if len(said) <= 40:
        yield other, unit, CONTRADICTED


NEGATED = {"VBD": ("did not {}", "didn't {}", "never {2}", "failed to {}"), "VBZ": ("does not {}", "doesn't {}")}
NEGATED["VBP"] = "do not {}", "don't {}"
FINITE = "is are was were can will could should would may must has have had does did do".split()  # noqa: SIM905


def denials(sentence: Sentence, forms: Forms, chance: random.Random) -> Iterator[Pair]:
    """A whole sentence whose main verb is denied, in several ways, beside itself and its own clause."""
    tokens = sentence.tokens
    if (
        not 5 <= len(tokens) <= 40
        or "?" in sentence.text
        or {"not", "n't", "never", "no", "if"} & {one.form.lower() for one in tokens}
    ):
        return
    root = next((index for index, token in enumerate(tokens) if token.relation == "root"), None)
    if root is None:
        return
    children = sentence.children(root)
    helpers = [c for c in children if tokens[c].relation in ("aux", "aux:pass", "cop")]
    if not any(tokens[c].relation.startswith("nsubj") for c in children):
        return
    if helpers:
        first = min(helpers)
        if tokens[first].form.lower() not in FINITE:
            return
        ways = [_with_verb(sentence, first, shape, "") for shape in ("{2} not", "{2} no longer", "{2} never")]
        if tokens[first].form.lower() in (
            "is",
            "are",
            "was",
            "were",
            "could",
            "should",
            "would",
            "has",
            "have",
            "does",
        ):
            ways[1] = _with_verb(sentence, first, "{2}n't", "")
    elif tokens[root].xpos in NEGATED and tokens[root].upos == "VERB":
        ways = [_with_verb(sentence, root, shape, tokens[root].lemma) for shape in NEGATED[tokens[root].xpos]]
    else:
        return
    one, other = chance.sample(ways, 2)
    yield sentence.text, one, CONTRADICTED
    yield other, sentence.text, CONTRADICTED
    if chance.random() < 0.6:
        yield one, other, SAID
    for clause in clauses(sentence):
        if clause.main and clause.lemma == tokens[root].lemma.lower() and (own := clause.said(forms)):
            yield one, own, CONTRADICTED


class Renaming:
    """An entailed unit and its premise with two words exchanged, or one replaced, in one of them or in both.

    What holds of Anna and Ben holds of Ben and Anna when both texts exchange them, so every false pair has a true one
    of the same form. The premise, which plays the summary, changes as well as the unit. Words are names, numbers, and
    nouns of one number where the unit has no other word that the premise lacks: *a dog chases a cat* tells nothing of
    *a cat chases a dog*. Two that are joined by *and*, *with*, *near* are left: there the order means nothing.
    """

    JOINED = re.compile(r"^\W*(?:and|or|with|near|beside|by|to|from|next to|,)?\W*(?:the|a|an)?\W*$", re.IGNORECASE)

    def __init__(self, texts: Sequence[str], treebank: Sequence[Sentence]) -> None:
        """``texts`` tell which words are no names; the treebank, which words are nouns."""
        self._common = {word for text in texts for word in re.findall(r"(?<!\w)[a-z]+(?!\w)", text)}
        self._common |= {word for cycle in CYCLES for word in cycle} | {"may"}
        seen: Counter[str] = Counter()
        nouns: Counter[str] = Counter()
        for sentence in treebank:
            for token in sentence.tokens:
                seen[token.form] += 1
                nouns[token.form] += token.upos == "NOUN"
        self._nouns = {word for word, count in nouns.items() if count > 0.9 * seen[word] and len(word) > 2}
        found = {match[0] for text in texts for match in re.finditer(r"(?<=[a-z] )[A-Z][a-z]{3,10}\b", text)}
        self.names = sorted(name for name in found if name.lower() not in self._common)

    def __call__(self, premise: str, unit: str, chance: random.Random) -> Iterator[Pair]:
        """Pairs made of one that is entailed."""
        change, label = self._change(premise, unit, chance)
        if change:
            other, asked = _with_names(premise, change), _with_names(unit, change)
            yield other, unit, label
            yield other, asked, SAID
            if chance.random() < 0.5:
                yield premise, asked, label

    def _change(self, premise: str, unit: str, chance: random.Random) -> tuple[dict[str, str], int]:
        """What is replaced by what, and what becomes of a pair in which one text alone is changed."""
        shared = [word for word in self._telling(unit) if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", premise)]
        pairs = [(a, b) for a, b in combinations(shared, 2) if a[0].isdigit() == b[0].isdigit()]
        pairs = [pair for pair in pairs if not self._joined(unit, *pair)] or self._things(premise, unit)
        if pairs and chance.random() < 0.7:
            first, second = chance.choice(pairs)
            return {first: second, second: first}, NOT
        if not shared:
            return {}, NOT
        first = chance.choice(shared)
        number = first[0].isdigit()
        new = str(int(first) + chance.choice([-3, -2, -1, 1, 2, 3, 10])) if number else chance.choice(self.names)
        if new.startswith("-") or new.lower() in f"{premise} {unit}".lower():
            return {}, NOT
        return {first: new}, CONTRADICTED if number else NOT

    def _telling(self, unit: str) -> list[str]:
        """The names and numbers of a unit, in alphabetical order; neighbouring names are one."""
        found = {match[0] for match in re.finditer(r"(?<!\w)[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*(?!\w)", unit)}
        found = {name for name in found if not any(word.lower() in self._common for word in name.split())}
        return sorted(found | set(re.findall(r"(?<![\w.,])\d{1,4}(?![\w.,%]*\d)(?!\w)", unit)))

    def _things(self, premise: str, unit: str) -> list[tuple[str, str]]:
        """Pairs of nouns of a unit whose words all stand in its premise."""
        said = set(re.findall(r"[a-z]+", premise.lower()))
        words = re.findall(r"[a-z]+", unit.lower())
        if not 4 <= len(words) <= 16 or any(word not in said for word in words if len(word) > 3):
            return []
        nouns = [word for word in dict.fromkeys(words) if word in self._nouns and words.count(word) == 1]
        pairs = [(a, b) for a, b in combinations(nouns, 2) if a.endswith("s") == b.endswith("s")]
        return [pair for pair in pairs if not self._joined(unit, *pair)]

    def _joined(self, unit: str, first: str, second: str) -> bool:
        """Whether nothing but a word of company stands between two words."""
        low = unit.lower()
        ends = sorted((low.find(word.lower()), len(word)) for word in (first, second))
        return bool(self.JOINED.match(low[ends[0][0] + ends[0][1] : ends[1][0]]))


def _with_names(text: str, change: dict[str, str]) -> str:
    """A text in which whole words are replaced, all at once."""
    words = "|".join(sorted(map(re.escape, change), key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda found: change[found[0]], text)


def exchanged(sentence: Sentence, forms: Forms, chance: random.Random) -> Iterator[Pair]:
    """A whole sentence in which the subject and the object of a clause have changed places, the rest as it was."""
    for clause in clauses(sentence):
        text = sentence.text
        if not clause.main or len(text.split()) > 50:
            continue
        places = [
            [found.start() for found in re.finditer(re.escape(part), text)] for part in (clause.subject, clause.object)
        ]
        own, swapped, passive = clause.said(forms), clause.said(forms, swapped=True), clause.said(forms, passive=True)
        if any(len(found) != 1 for found in places) or not (own and swapped and passive):
            continue
        (first,), (second,) = places
        if first + len(clause.subject) > second:
            continue
        between = text[first + len(clause.subject) : second]
        agent, patient = _as_agent(clause.object, first == 0), _as_patient(clause.subject)
        if agent is None or patient is None or clause.many[0] != clause.many[1]:
            continue
        other = text[:first] + agent + between + patient + text[second + len(clause.object) :]
        yield other, own if chance.random() < 0.6 else passive, NOT
        yield other, swapped, SAID
        yield text, own, SAID
        if chance.random() < 0.4:
            yield other, text, NOT


_PRONOUNS = {"i", "me", "he", "him", "she", "her", "we", "us", "they", "them", "who", "whom", "which", "that"}


def _as_agent(phrase: str, begins: bool) -> str | None:
    """An object as a subject, with a capital where the sentence begins with it; none for pronouns."""
    if phrase.lower() in _PRONOUNS:
        return None
    return _capital(phrase) if begins else phrase


def _as_patient(phrase: str) -> str | None:
    """A subject as an object; none for pronouns."""
    return None if phrase.lower() in _PRONOUNS else _low(phrase)


def doubts(unit: str, chance: random.Random) -> Iterator[Pair]:
    """A whole sentence under doubt, affirmed, denied."""
    for shapes, label in ((DOUBTED[:8], NOT_SAID), (AFFIRMED, SAID), (DENIED, CONTRADICTED)):
        if chance.random() < 0.67:
            yield _capital(chance.choice(shapes).format(_low(unit))), unit, label


def misspelt(text: str, chance: random.Random, one_in: int = 8) -> str:
    """The text with about one word in eight misspelt: letters exchanged, lost, doubled or another."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 3 and word.isalpha() and chance.random() < 1.3 / one_in:
            at = chance.randrange(1, len(word) - 1)
            kind = chance.randrange(4)
            if kind == 0:
                word = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            elif kind == 1:
                word = word[:at] + word[at + 1 :]
            elif kind == 2:
                word = word[:at] + word[at] + word[at:]
            else:
                word = word[:at] + chance.choice("aeiourstnl") + word[at + 1 :]
            words[place] = word
    return " ".join(words)


def bag(text: str, chance: random.Random) -> str:
    """The words of a text in any order."""
    words = re.findall(r"[\w'-]+", text)
    chance.shuffle(words)
    return " ".join(words)
