"""Which texts an English parser may see."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse import conllu
from pyramidion.language.text.english import is_english
from pyramidion.language.text.words import split_words


def english(text: str) -> bool:
    return is_english(text, split_words(text))


ENGLISH = {
    "prose": "The council voted on Monday to close the old bridge. It had been built by hand, and nobody knew how long it would stand.",
    "headlines": "Council votes to close old bridge. Fire destroys market hall in Leeds. Rates rise again as prices climb. Two held over theft of painting.",
    "capitals": "THE COUNCIL VOTED ON MONDAY TO CLOSE THE OLD BRIDGE. IT HAD BEEN BUILT BY HAND, AND NOBODY KNEW HOW LONG IT WOULD STAND.",
    "names": "Anna Schmidt, Jean Dupont, Maria Rossi, Sven Larsson",
    "with foreign names": "The trio of Jean de la Fontaine, Ludwig van der Berg and María del Carmen was to play in the hall, but they were late.",
    "one word": "Bridge",
    "numbers": "12 1,400 3.5 99 2024-01-01 7 8 9 10 11 12 13 14 15",
    "pictographs": "🚀🚀 👍 ❤️",
    "nothing": "",
    "no punctuation": "so i went to the shop and they did not have any milk which was a bit odd because it was only nine",
}

OTHERS = {
    "German": "Der Rat der Stadt hat gestern getagt. Die alte Brücke wird geschlossen. Niemand weiß, wie lange sie noch steht. "
    "Viele Bürger sind nicht zufrieden. Sie müssen nun einen weiten Weg gehen. Im Sommer soll es eine neue Brücke geben.",
    "French": "Le conseil de la ville s'est réuni hier. Le vieux pont sera fermé. Personne ne sait combien de temps il tiendra. "
    "Beaucoup d'habitants ne sont pas contents. Ils doivent faire un long détour. Un nouveau pont est prévu pour l'été.",
    "Spanish": "El consejo de la ciudad se reunió ayer. El viejo puente se cerrará. Nadie sabe cuánto tiempo aguantará. "
    "Muchos vecinos no están contentos. Tienen que dar una vuelta muy larga. Habrá un puente nuevo en verano.",
    "Dutch": "De raad van de stad kwam gisteren bijeen. De oude brug gaat dicht. Niemand weet hoe lang zij nog blijft staan. "
    "Veel bewoners zijn niet tevreden. Ze moeten nu een heel eind omlopen. In de zomer komt er een nieuwe brug.",
    "Swedish": "Stadens råd samlades i går. Den gamla bron ska stängas. Ingen vet hur länge den står kvar. "
    "Många invånare är inte nöjda. De måste gå en lång omväg. Till sommaren kommer det att finnas en ny bro.",
    "Indonesian": "Dewan kota berkumpul kemarin. Jembatan tua itu akan ditutup. Tidak ada yang tahu berapa lama jembatan itu bertahan. "
    "Banyak warga tidak senang. Mereka harus berjalan memutar jauh. Jembatan baru akan dibangun pada musim panas.",
    "Finnish": "Kaupungin neuvosto kokoontui eilen. Vanha silta suljetaan. Kukaan ei tiedä, kuinka kauan se kestää. "
    "Monet asukkaat eivät ole tyytyväisiä. Heidän on nyt kierrettävä pitkä matka. Uusi silta valmistuu kesällä.",
    "Chinese": "市议会昨天开会。旧桥将关闭。没有人知道它还能坚持多久。",
    "Arabic": "اجتمع مجلس المدينة أمس. سيتم إغلاق الجسر القديم.",
    "Russian": "Городской совет собрался вчера. Старый мост закроют. Никто не знает, сколько он простоит.",
}


@pytest.mark.parametrize("text", ENGLISH.values(), ids=ENGLISH)
def test_english(text: str) -> None:
    assert english(text)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_languages(text: str) -> None:
    assert not english(text)
    assert not english(text.upper())


@pytest.mark.parametrize("language", ["German", "French", "Spanish", "Dutch", "Swedish", "Indonesian", "Finnish"])
def test_three_sentences_are_enough_to_tell(language: str) -> None:
    assert not english(". ".join(OTHERS[language].split(". ")[1:5]))


SHORT = [
    "Der Hund ist sehr groß.",
    "Le chien est très grand.",
    "Il cane è molto grande.",
    "El perro es muy grande.",
    "Hunden är mycket stor.",
    "Pies jest bardzo duży.",
    "Anjing itu sangat besar.",
    "Le chien dort.",
    "Con mèo của tôi rất thích ngủ trên ghế vào buổi chiều khi trời mưa to và gió thổi mạnh bên ngoài.",
]


@pytest.mark.parametrize("text", SHORT)
def test_a_short_sentence_in_another_language(text: str) -> None:
    assert not english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Die", "War", "Los Angeles", "LOS ANGELES", "Das Boot", "Le Monde", "Tour de France", "Smith et al. 2019",
        "Oscar de la Renta dies aged 82", "Ludwig van der Berg wins again", "Los Angeles police arrest two suspects",
        "Lakers beat Clippers, LA celebrates", "de facto leader", "Crème brûlée", "Rates rise again, prices climb",
        "José García meets Zoë Müller, Kraków", "We had crème brûlée and pâté.", "\ufb01rst \ufb02oor, \ufb01nal o\ufb00er, \ufb01xed price",
    ],
)  # fmt: skip
def test_names_headlines_and_borrowed_words_are_no_evidence_against_english(text: str) -> None:
    assert english(text)


@pytest.mark.data
@pytest.mark.parametrize("name", ["ewt-dev", "gum-dev"])
def test_no_paragraph_of_the_treebanks_is_taken_for_another_language(data: Path, name: str) -> None:
    text = gzip.decompress((data / "treebanks" / f"{name}.conllu.gz").read_bytes()).decode()
    paragraphs = [one for analysis in conllu.loads(text) for one in analysis.text.split("\n\n")]
    assert [one for one in paragraphs if not english(one)] == []


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert english(text) in (True, False)
