"""Closed classes of English that decide which relation a word has in a meaning graph."""

from __future__ import annotations

from pyramidion.language.text.number_words import MONTHS, WEEKDAYS, is_year


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


QUANTIFIERS = _words(
    "all every each both some any several many few much more most another half enough various numerous"
)
"""Determiners and adjectives of quantity; other determiners say nothing that a graph keeps."""
DEGREES = _words("more most less least")
CONNECTIVES = _words(
    "also too however therefore thus moreover furthermore meanwhile so indeed then hence besides anyway "
    "otherwise as just how when where why that ever yet"
)
"""Adverbs that tie sentences together, or ask."""
MODALS = dict.fromkeys(("can", "could", "may", "might"), "possible") | dict.fromkeys(("must", "shall"), "obligate")
MODALS |= {"should": "recommend", "ought": "recommend"}
TITLES = _words("mr mr. mrs mrs. ms ms. miss dr dr. sir")
SUFFIXES = _words("jr jr. sr sr. inc inc. ltd ltd. corp corp. co co. plc ii iii iv")
"""Ends of names that are not what one goes by."""
POSSESSIVES = {"my": "i", "mine": "i", "your": "you", "yours": "you", "his": "he", "her": "she", "hers": "she"}
POSSESSIVES |= {"its": "it", "our": "we", "ours": "we", "their": "they", "theirs": "they"}
REFLEXIVES = _words("myself yourself himself herself itself ourselves yourselves themselves oneself")
CURRENCIES = {"$": "dollar", "us$": "dollar", "\u00a3": "pound", "\u20ac": "euro", "\u00a5": "yen", "%": "percent"}
LIMITS = {"more than": "more-than", "over": "more-than", "above": "more-than", "less than": "less-than"}
LIMITS |= {"fewer than": "less-than", "under": "less-than", "below": "less-than", "up to": "at-most"}
LIMITS |= {"at least": "at-least", "at most": "at-most", "no more than": "at-most", "only": "only"}
"""Words that bound a number; *about*, *nearly* and the like say nothing."""
LABILE = _words(
    "begin break burn change close collapse crash decrease decline double drop end explode expire freeze grow halt "
    "improve increase melt open rise shrink shut sink slow spread start stop triple worsen"
)
"""Verbs whose only argument is what changes: *the door opened*, *she opened the door*."""
RAISING = _words("seem appear tend happen prove turn-out remain stay look sound")
"""Verbs whose subject is that of their complement alone."""
TOLD = _words("ask tell order urge advise warn inform remind promise teach instruct request beg notify assure show")
"""Verbs with a person to whom a clause, their ARG1, is said."""
DATIVE = TOLD | _words("give send offer hand lend sell pay award grant bring owe pass donate present write read feed")
"""Verbs whose *to* marks the ARG2."""
SAYING = _words("say add claim report announce note explain believe think tell warn write state reveal admit insist")
"""Verbs in the parenthesis of a quotation."""
WITHOUT_OBJECT = _words(
    "come go stop stay sit stand turn arrive return run walk step rise get travel fly rush apologise apologize die "
    "resign appear happen laugh smile cry fall flee escape wait work live sleep play retire"
)
"""Verbs that share no object of the verb after them: *he came and saw it*."""
PARTITIVES = _words("number lot lots couple dozen hundred thousand million billion plenty majority handful")
"""Nouns that say of how much *of* something one speaks."""
PARTS = PARTITIVES | _words("half third quarter part rest group series pair bit piece kind sort type city town state")
"""Nouns whose *of* is no possession."""
NOUN_ADVERBS = {"reason": "cause", "way": "manner"}
CLAUSE_ROLES = dict.fromkeys(("because", "because of", "due to", "owing to", "thanks to", "as a result of"), "cause")
CLAUSE_ROLES |= dict.fromkeys(("if", "unless", "provided", "if only"), "condition")
CLAUSE_ROLES |= dict.fromkeys(("when", "whenever", "while", "as soon as", "once"), "time")
CLAUSE_ROLES |= dict.fromkeys(("although", "though", "even though", "despite", "in spite of"), "concession")
CLAUSE_ROLES |= dict.fromkeys(("to", "for to", "in order to", "so that", "so as to"), "purpose")
"""Roles that the marker of a clause or noun gives by itself."""

_TIMES = _words(
    "second minute hour day night morning afternoon evening noon midnight week weekend month season spring summer "
    "autumn winter year decade century moment today tomorrow yesterday tonight date christmas easter"
)
_TIME_ADVERBS = _words(
    "now today tomorrow yesterday tonight then ago recently soon already currently later earlier previously once "
    "lately before afterwards afterward nowadays still again always often sometimes usually early late"
)
_PLACE_ADVERBS = _words("here there abroad nearby everywhere elsewhere upstairs downstairs outside inside home away")
_PLACES = _words(
    "city town village country state house home school hospital street road airport hotel area region world park court "
    "prison jail station university building room sea ocean capital island place office church shop store restaurant "
    "garden field forest mountain river lake beach coast border camp zone province county district college museum "
    "stadium theatre theater kitchen bar club factory farm market north south east west suburb neighbourhood"
)
_AT_A_TIME = _words("in on at during over throughout within")


def is_temporal(word: str) -> bool:
    """Return whether a lemma names a time: a day, a month, a year or a stretch of them."""
    return word in _TIMES or word in WEEKDAYS or word in MONTHS or word == "date-entity" or is_year(word)


def oblique_role(marker: str, noun: str, is_name: bool) -> str:
    """Return the role of a noun with this preposition, or with none."""
    if marker in CLAUSE_ROLES and marker != "to":
        return CLAUSE_ROLES[marker]
    if is_temporal(noun):
        if not marker or marker in _AT_A_TIME:
            return "time"
        if marker == "for":
            return "duration"
    if marker in ("in", "at", "inside", "within") and (is_name or noun in _PLACES or noun in _PLACE_ADVERBS):
        return "location"
    return preposition(marker)


def preposition(marker: str) -> str:
    """Return the relation that is named by its preposition or conjunction, as AMR does where it has no better name."""
    return "-".join(["prep", *words]) if (words := [word for word in marker.split() if word.isalpha()]) else "mod"


def adverb_role(adverb: str) -> str:
    """Return the role of an adverb."""
    return "time" if adverb in _TIME_ADVERBS else "location" if adverb in _PLACE_ADVERBS else "mod"
