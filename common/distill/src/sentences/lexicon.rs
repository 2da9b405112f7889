//! Word lists of sentence repair. Chosen by hand, joined over English, German, French, Spanish, Italian, Portuguese and
//! Dutch; short on purpose: an entry earns its place by a break or a heading seen in real text.

use std::sync::LazyLock;

use crate::word_list::{WordList, words};

/// Abbreviations a sentence never ends with, lower case, without the last stop.
static INNER: WordList = LazyLock::new(|| {
    words(
        "dr mr mrs prof rev gen sen rep gov capt lt col sgt hon st mt messrs vs e.g eg i.e ie cf viz ca approx \
        resp incl esp bzw vgl ggf evtl sog inkl zzgl hrsg geb ehem mme mlle sr sra dra dott bijv dhr mevr z.b \
        d.h u.a z.t i.d.r v.a p.ex jan feb aug sept oct nov dec okt dez dept univ assn",
    )
});

/// Abbreviations that may end a sentence: they do when a word follows that usually starts one.
static EITHER: WordList = LazyLock::new(|| {
    words(
        "inc ltd co corp ms col mm llc al jr bros u.s u.k u.n e.u u.s.a a.m p.m ph.d b.c a.d d.c gmbh str mio mrd tel est op \
        ave blvd",
    )
});

/// Abbreviations that belong to the number behind them.
static NUMBERED: WordList = LazyLock::new(|| {
    words(
        "fig figs abb tab no nos nr p pp s abs art sec sect vol ch chap kap cap eq eqs gl par para ed ref refs bd pt \
        n núm num pág pag t c v al ex aufl stat u.s.c c.f.r reg item lit",
    )
});

/// What stands behind an ordinal ("3. Mai", "19. Jahrhundert"), lower case, its first letters.
static ORDINAL_NOUNS: WordList = LazyLock::new(|| {
    words(
        "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jh auflage \
        kapitel lebensjahr klasse platz mal stock quartal",
    )
});

/// Words that open sentences and, written with a capital, seldom stand inside one. Lower case.
static STARTERS: WordList = LazyLock::new(|| {
    words(
        "the this these that those in on at for from with by as if when while since because although however thus \
        therefore moreover furthermore it its we our he she they their his her you your there here then but and or \
        so to an all both each some many most several no not after before during under between let what how why who \
        where which another other such one two given unlike despite once according today currently any using der die das den dem des ein eine einen \
        einem einer es er wir ist sind sei seien dann wenn falls für im auf mit bei nach aus von vom zum zur dies \
        diese dieser dieses da daher also auch aber und oder jede jeder jedes alle man nun zu durch über um seit \
        wird hier dabei damit dazu le la les un une il elle ils elles nous vous ce cet cette ces dans pour par sur \
        avec en au aux du mais si lorsque selon après avant el los las una uno lo este esta estos estas para por con \
        según pero como gli i nel nella questo questa per o os uma em na não de het een dit deze wij zij ook maar \
        voor door naar als",
    )
});

/// Of the starters, those that close a heading only behind a number or capitals: "Vitamin A is", "Hepatitis I is".
static WEAK_STARTERS: WordList = LazyLock::new(|| words("a i o e one two no all os as on so if er de"));

/// Words that, with a capital between two words in lower case, open a sentence in any of the languages.
static INSIDE_OPENERS: WordList = LazyLock::new(|| {
    words(
        "the this these in we it there our although when while since le la les ce cette ces dans pour un une el los las \
        en der die das ein eine es im",
    )
});

/// Openers that a name may follow: "The FAA is", "On March 13".
static BEFORE_NAMES: WordList = LazyLock::new(|| words("the in on since by during"));

/// German words that never carry a capital inside a sentence, so that the noun behind them does not hide that they open one.
static GERMAN_OPENERS: WordList = LazyLock::new(|| {
    words(
        "der die das den dem des ein eine einen einem einer diese dieser dieses jede jeder jedes für im mit bei nach \
        aus von vom zum zur durch über sei seien",
    )
});

/// Words that are a heading where they stand alone or behind a number, lower case.
static HEADINGS: WordList = LazyLock::new(|| {
    words(
        "abstract introduction background overview summary methods method methodology results result discussion \
        conclusion conclusions references acknowledgements acknowledgments purpose objective objectives scope \
        history motivation definition theorem lemma proof remark example einleitung einführung zusammenfassung \
        vorwort überblick hintergrund methoden ergebnisse diskussion fazit beweis satz bemerkung beispiel résumé \
        définition exemple resumen introducción conclusión sommario introduzione conclusione resumo introdução \
        samenvatting inleiding",
    )
});

/// Words that a number makes a heading or a caption, lower case: "Definition 18".
static LABELS: WordList = LazyLock::new(|| {
    words(
        "definition theorem lemma remark example proposition corollary figure table chapter section appendix annex exercise step satz \
        bemerkung beispiel korollar abbildung tabelle kapitel abschnitt aufgabe définition théorème lemme remarque exemple \
        tableau chapitre définición teorema lema ejemplo figura tabla",
    )
});

/// Of the headings, those that are hardly ever the first word of a sentence that goes on with a capital.
static SURE_HEADINGS: WordList = LazyLock::new(|| {
    words(
        "abstract introduction conclusion conclusions acknowledgements acknowledgments discussion einleitung \
        einführung zusammenfassung vorwort fazit bemerkung beweis résumé resumen introducción sommario introduzione \
        resumo introdução samenvatting inleiding",
    )
});

/// Link texts that pages leave behind a heading.
pub(super) const SECTION_LINKS: &[&str] = &["[edit]", "[Bearbeiten]", "[modifier]", "[editar]", "[bewerken]", "[編集]"];

/// Small words inside a heading, lower case.
static CONNECTORS: WordList = LazyLock::new(|| {
    words(
        "of and the in on for to with by from a an or at vs und der die das des von für im zur zum et de la le les du \
        y del e di van en & - – — / |",
    )
});

pub(super) fn is_inner(stem: &str) -> bool {
    INNER.contains(stem)
}

/// Whether `word`, as written with its stop, wants something behind it.
pub(super) fn is_open_abbreviation(word: &str) -> bool {
    let stem = word.trim_start_matches(['(', '[']).trim_end_matches('.');
    let is_label = stem.starts_with(char::is_uppercase) && NUMBERED.contains(stem.to_lowercase().as_str());
    is_label || INNER.contains(stem) || stem == "pp" || stem == "p"
}

pub(super) fn is_either(stem: &str) -> bool {
    EITHER.contains(stem)
}

pub(super) fn is_numbered(stem: &str) -> bool {
    NUMBERED.contains(stem)
}

pub(super) fn is_ordinal_noun(word: &str) -> bool {
    ORDINAL_NOUNS.contains(word)
}

/// Whether `word`, as written, opens a sentence: a capital and one of the starters.
pub(super) fn is_starter(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase) && STARTERS.contains(word.to_lowercase().as_str())
}

/// Whether `word`, as written, opens a sentence even behind a run of capitalised words.
pub(super) fn is_strong_starter(word: &str) -> bool {
    is_starter(word) && !WEAK_STARTERS.contains(word.to_lowercase().as_str())
}

/// Whether `word`, as written, opens a sentence even inside a run of words without an end mark.
pub(super) fn is_inside_opener(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && INSIDE_OPENERS.contains(word.to_lowercase().as_str())
}

pub(super) fn goes_before_names(word: &str) -> bool {
    BEFORE_NAMES.contains(word.to_lowercase().as_str())
}

pub(super) fn is_german_opener(word: &str) -> bool {
    GERMAN_OPENERS.contains(word.to_lowercase().as_str())
}

pub(super) fn is_heading(word: &str) -> bool {
    HEADINGS.contains(word.to_lowercase().as_str())
}

/// Whether `word`, as written, is made a heading by a number behind it.
pub(super) fn is_label(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && LABELS.contains(word.to_lowercase().as_str())
}

pub(super) fn is_sure_heading(word: &str) -> bool {
    SURE_HEADINGS.contains(word.to_lowercase().as_str())
}

pub(super) fn is_connector(word: &str) -> bool {
    CONNECTORS.contains(word)
}

/// Characters that open a list item; the last two stand in private-use fonts for the first.
const BULLETS: &str = "•‣◦▪▫■□●○⁃➢➤✓✔\u{f0b7}\u{f0a7}";

/// Whether `c` opens a list item.
pub(super) fn is_bullet(c: char) -> bool {
    BULLETS.contains(c)
}

/// Whether `text` opens with the bullet of a symbol font that came out as a letter, and a word with a capital behind it.
pub(super) fn is_strange_bullet(text: &str) -> bool {
    let mut chars = text.chars();
    let is_letter = chars.next().is_some_and(|c| ('À'..='Þ').contains(&c) && !"ÀÉÈÓÒÔÖÅÆØ".contains(c));
    is_letter && chars.next() == Some(' ') && chars.next().is_some_and(char::is_uppercase)
}
