"""Make the lemma table: ``python train/lemmas.py ../shared/data/treebanks`` writes ``language/models/lemmas/``.

Base forms are the lemmas that the training treebanks have for verbs, nouns and adjectives; exceptions are the forms
whose most frequent lemma the rules do not give, in lower case where that settles it and as written where it does not.
Irregular verbs and plurals are those of a grammar, since treebanks lack some (*risen*) and have slips (*fled*: flead).
Prints the accuracy on the development and test sets with gold tags. The same treebanks give the same bytes.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import Word
from pyramidion.language.text import lemmas

TRAIN = ("ewt-train", "gum-open-train")
KINDS = {"VERB": "verb", "AUX": "verb", "NOUN": "noun", "PROPN": "noun", "ADJ": "adjective", "ADV": "adjective"}
VERBS = """
    abide abode abode | arise arose arisen | awake awoke awoken | bear bore born | bear bore borne | beat beat
    beaten | become became become | befall befell befallen | beget begot begotten | begin began begun | behold
    beheld beheld | bend bent bent | bereave bereft bereft | beseech besought besought | bespeak bespoke
    bespoken | bid bade bidden | bind bound bound | bite bit bitten | bleed bled bled | blow blew blown | break
    broke broken | breastfeed breastfed breastfed | breed bred bred | bring brought brought | build built built
    | burn burnt burnt | buy bought bought | catch caught caught | choose chose chosen | cleave clove cloven |
    cling clung clung | come came come | creep crept crept | deal dealt dealt | dig dug dug | dive dove dived |
    do did done | draw drew drawn | dream dreamt dreamt | drink drank drunk | drive drove driven | dwell dwelt
    dwelt | eat ate eaten | fall fell fallen | feed fed fed | feel felt felt | fight fought fought | find found
    found | flee fled fled | fling flung flung | fly flew flown | forbear forbore forborne | forbid forbade
    forbidden | forget forgot forgotten | forgive forgave forgiven | forsake forsook forsaken | freeze froze
    frozen | get got gotten | give gave given | go went gone | grind ground ground | grow grew grown | hang hung
    hung | have had had | hear heard heard | hew hewed hewn | hide hid hidden | hold held held | keep kept kept
    | kneel knelt knelt | know knew known | lay laid laid | lead led led | lean leant leant | leap leapt leapt |
    learn learnt learnt | leave left left | lend lent lent | lie lay lain | light lit lit | lose lost lost |
    make made made | mean meant meant | meet met met | mow mowed mown | partake partook partaken | pay paid paid
    | plead pled pled | prove proved proven | ride rode ridden | ring rang rung | rise rose risen | run ran run
    | saw sawed sawn | say said said | see saw seen | seek sought sought | sell sold sold | send sent sent | sew
    sewed sewn | shake shook shaken | shave shaved shaven | shear sheared shorn | shine shone shone | shoe shod
    shod | shoot shot shot | show showed shown | shrink shrank shrunk | shrink shrunk shrunken | sing sang sung
    | sink sank sunk | sit sat sat | slay slew slain | sleep slept slept | slide slid slid | sling slung slung |
    slink slunk slunk | smell smelt smelt | smite smote smitten | sow sowed sown | speak spoke spoken | speed
    sped sped | spell spelt spelt | spend spent spent | spill spilt spilt | spin spun spun | spit spat spat |
    spoil spoilt spoilt | spring sprang sprung | stand stood stood | steal stole stolen | stick stuck stuck |
    sting stung stung | stink stank stunk | strew strewed strewn | stride strode stridden | strike struck
    stricken | strike struck struck | string strung strung | strive strove striven | swear swore sworn | sweep
    swept swept | swell swelled swollen | swim swam swum | swing swung swung | take took taken | teach taught
    taught | tear tore torn | tell told told | think thought thought | thrive throve thriven | throw threw
    thrown | tread trod trodden | wake woke woken | wear wore worn | weave wove woven | weep wept wept | win won
    won | wind wound wound | wring wrung wrung | write wrote written
"""
"""The irregular verbs of any grammar of English: base form, past tense, participle."""

PREFIXED = """
    back: slide | brow: beat | cross: breed | for: go | fore: go know see tell | ghost: write | hand: write |
    in: lay | inter: weave | mis: deal hear lay lead speak spell spend take teach tell understand | off: lay |
    out: bid blow do draw fight fly grow lay ride run sell shine shoot speak spend swim think throw wear write |
    over: blow bear come do draw drive eat fall feed fly grow hang hear lay lie pay ride run see sell shoot
    sleep speak spend take think throw wind write | pre: pay | re: awake bind break bring build buy do draw
    drive find forget freeze give grind grow hang hear hide lay lead learn light make pay rise run see sell send
    sew shoot sing sit speak spend spin stand stick strike string swear take teach tear tell think throw tread
    wake wear weave win wind write | un: bend bind do draw freeze hang lay learn make say see sling stick string
    swear teach think wear weave wind write | under: bid eat feed go lay lie pay sell shoot spend stand take
    write | up: hold rise sell spring sweep take wind | way: lay | with: draw hold stand
"""
"""What verbs are made of them."""

NOUNS = """
    addenda addendum | algae alga | alumnae alumna | alumni alumnus | analyses analysis | antennae antenna |
    apices apex | appendices appendix | bacilli bacillus | bacteria bacterium | bureaux bureau | cacti cactus |
    calves calf | catalyses catalysis | children child | corpora corpus | crises crisis | criteria criterion |
    curricula curriculum | diagnoses diagnosis | dice die | dwarves dwarf | ellipses ellipsis | elves elf |
    emphases emphasis | errata erratum | feet foot | foci focus | formulae formula | fungi fungus | geese goose
    | genera genus | grandchildren grandchild | halves half | hooves hoof | hypotheses hypothesis | indices
    index | knives knife | larvae larva | leaves leaf | lice louse | lives life | loaves loaf | loci locus |
    matrices matrix | memoranda memorandum | men man | metamorphoses metamorphosis | mice mouse | millennia
    millennium | nebulae nebula | neuroses neurosis | nuclei nucleus | oases oasis | octopi octopus | ova ovum |
    oxen ox | paralyses paralysis | parentheses parenthesis | phenomena phenomenon | plateaux plateau |
    polyhedra polyhedron | prognoses prognosis | psychoses psychosis | quanta quantum | quizzes quiz | radii
    radius | scarves scarf | schoolchildren schoolchild | selves self | series series | sheaves sheaf | shelves
    shelf | species species | spectra spectrum | stepchildren stepchild | stigmata stigma | stimuli stimulus |
    strata stratum | syllabi syllabus | symposia symposium | syntheses synthesis | teeth tooth | theses thesis |
    thieves thief | uteri uterus | vertebrae vertebra | vertices vertex | vortices vortex | wharves wharf |
    wives wife | wolves wolf | women woman
"""
"""Irregular plurals: those of words that a newspaper may have, less those of two words (*axes*)."""

TARGET = Path(__file__).parents[1] / "src" / "pyramidion" / "language" / "models" / "lemmas" / "lemmas.json.gz"


def main(folder: Path) -> None:
    """Make the table, write it, measure it."""
    words = [word for name in TRAIN for word in read(folder, name)]
    known = base_forms(words)
    exceptions = find_exceptions(words, known)
    raw = {"exceptions": exceptions, "known": {kind: sorted(forms) for kind, forms in sorted(known.items())}}
    text = json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    count = sum(map(len, exceptions.values()))
    print(
        f"{TARGET.name}: {TARGET.stat().st_size} bytes, {count} exceptions, {sum(map(len, known.values()))} base forms"
    )
    lemmas.load.cache_clear()
    seen = {(word.form.lower(), word.upos, word.xpos) for word in words}
    for name in ("ewt-dev", "gum-dev", "ewt-test", "gum-test"):
        measure(name, list(read(folder, name)), seen)


def read(folder: Path, name: str) -> Iterator[Word]:
    """The words of a treebank that have a lemma (parts of words that ``goeswith`` joins have none)."""
    with gzip.open(folder / f"{name}.conllu.gz", "rt", encoding="utf-8") as file:
        for analysis in conllu.loads(file.read(), name):
            yield from (word for word in analysis.words if word.lemma)


def base_forms(words: Iterable[Word]) -> dict[str, frozenset[str]]:
    """The lemmas of verbs, nouns and adjectives, in lower case, and the irregular ones."""
    found: dict[str, set[str]] = defaultdict(set)
    for word in words:
        if word.upos in KINDS and word.lemma.isalpha():
            found[KINDS[word.upos]].add(word.lemma.lower())
    for (upos, _, _), base in irregular().items():
        found[KINDS[upos]].add(base)
    return {kind: frozenset(forms) for kind, forms in found.items()}


def irregular() -> dict[tuple[str, str, str], str]:
    """Tags and form -> lemma; a past tense also as a participle and the other way round, since taggers confuse them."""
    verbs = [verb.split() for verb in VERBS.split("|")]
    made = {prefix.strip(): bases.split() for prefix, bases in (row.split(":") for row in PREFIXED.split("|"))}
    verbs += [[prefix + form for form in verb] for prefix, bases in made.items() for verb in verbs if verb[0] in bases]
    found = {("VERB", xpos, form): base for base, *forms in verbs for form in forms for xpos in ("VBD", "VBN")}
    return found | {("NOUN", "NNS", form): base for form, base in (noun.split() for noun in NOUNS.split("|"))}


def find_exceptions(words: Iterable[Word], known: dict[str, frozenset[str]]) -> dict[str, dict[str, str]]:
    """Tags -> form -> lemma, where the rules give another; a grammar is right where a treebank differs from it."""
    grammar = irregular()
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for word in words:
        if word.xpos not in ("GW", "ADD") and "@" not in word.lemma:  # parts of words, and addresses of people
            lemma = grammar.get((word.upos, word.xpos, word.form.lower()), word.lemma)
            counts[f"{word.upos} {word.xpos}"][word.form][lemma] += 1
    for (upos, xpos, form), base in grammar.items():
        counts[f"{upos} {xpos}"][form][base] += 1
    exceptions: dict[str, dict[str, str]] = {}
    for tags, forms in sorted(counts.items()):
        upos, xpos = tags.split(" ")
        lower: dict[str, Counter[str]] = defaultdict(Counter)
        for form, found in forms.items():
            lower[form.lower()].update(found)
        table = {
            form: best
            for form, found in lower.items()
            if (best := top(found)) != lemmas.by_rule(form, upos, xpos, known)
        }
        if upos == "PROPN":  # a name's lemma has the case of the name: what one spelling has says nothing of another
            table = {}
        written = {
            form: top(found)
            for form, found in forms.items()
            if top(found) != (table.get(form.lower()) or lemmas.by_rule(form, upos, xpos, known))
        }
        if table or written:
            exceptions[tags] = dict(sorted((table | written).items()))
    return exceptions


def top(found: Counter[str]) -> str:
    """The most frequent, the first of the alphabet among equals."""
    return min(found, key=lambda lemma: (-found[lemma], lemma))


def measure(name: str, words: list[Word], seen: set[tuple[str, str, str]]) -> None:
    """Print the accuracy with gold tags: of all words, and of those seen in training or not."""
    right: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for word in words:
        known = (word.form.lower(), word.upos, word.xpos) in seen
        total[known] += 1
        right[known] += lemmas.lemma(word.form, word.upos, word.xpos) == word.lemma
    print(
        f"{name}: {sum(right.values()) / sum(total.values()):.2%} of {sum(total.values())}; "
        f"seen {right[True] / total[True]:.2%} of {total[True]}; "
        f"unseen {right[False] / total[False]:.2%} of {total[False]}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
