//! Word lists for repairing sentence breaks. Chosen by hand and merged over languages, mainly English, German, French, Spanish, Italian,
//! Portuguese and Dutch; kept short on purpose: each entry is justified by a break seen in real text, or is a negation that opens a
//! sentence.

use std::sync::LazyLock;

use crate::word_list::{WordList, words};

/// Abbreviations that never end a sentence, lower case, without the last stop.
static INNER: WordList = LazyLock::new(|| {
    words(
        "dr mr mrs prof rev gen sen rep gov capt lt col sgt hon st mt messrs vs e.g eg i.e ie cf viz ca approx \
        resp incl esp bzw vgl ggf gem bspw bzgl evtl sog inkl zzgl hrsg geb ehem mme mlle sr sra dra dott bijv dhr mevr z.b \
        d.h u.a z.t i.d.r v.a p.ex jan feb aug sept oct nov dec okt dez dept univ assn np tzn tzw hab inż mgr ul św \
        например напр см им ул проф акад млн млрд тыс βλ δηλ doç örn bkz tp ts ths gs pgs např tj ing judr mudr \
        डॉ प्रो पं श्री",
    )
});

/// Abbreviations that may end a sentence: they do if the next word usually starts one.
static EITHER: WordList = LazyLock::new(|| {
    words(
        "inc ltd co corp ms col mm llc al jr bros u.s u.k u.n e.u u.s.a a.m p.m ph.d b.c a.d d.c gmbh str mio mrd tel est op \
        ave blvd itd itp atd apod др пр гг руб",
    )
});

/// Abbreviations that belong to the number behind them.
static NUMBERED: WordList = LazyLock::new(|| {
    words(
        "fig figs abb tab no nos nr p pp s abs art sec sect vol ch chap kap cap eq eqs gl par para ed ref refs bd pt \
        n núm num pág pag t c v al ex aufl stat u.s.c c.f.r reg item lit ust pkt poz rozdz čl odst č ст рис табл стр п пп гл md",
    )
});

/// Words that follow an ordinal ("3. Mai", "19. Jahrhundert"), lower case.
static ORDINAL_NOUNS: WordList = LazyLock::new(|| {
    words(
        "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jh auflage \
        kapitel lebensjahr klasse platz mal stock quartal weltkrieg band teil tag woche jahr person",
    )
});

/// German words that precede an ordinal ("am 30. Mai", "der 2. Senat"): the next word is a noun, so its capital does not start a
/// sentence.
static BEFORE_ORDINALS: WordList =
    LazyLock::new(|| words("am im zum vom beim der die das den dem des zur bis seit ab jeder jeden jedem"));

/// Words that open sentences and are rarely capitalized inside one. Lower case.
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
        voor door naar als nobody nothing none never neither nor unless except only everyone everybody never nothing \
        without kein keine keinen keinem keiner nicht nie niemals niemand weder nur außer ohne ni nul aucun aucune \
        jamais personne rien seul seule sauf ningún ninguna ninguno nunca jamás nadie nada solo sólo salvo nessun \
        nessuno nessuna mai niente nenhum nenhuma ninguém nie nikt żaden żadna nigdy tylko ani to nikdo žádný nikdy \
        не нет ни никто никогда ничто только кроме он она они это эта этот на но если hiçbir hiç kimse asla yalnızca \
        ancak bu không chỉ trừ nếu",
    )
});

/// Words that a number turns into a heading or a caption, lower case: "Definition 18".
static LABELS: WordList = LazyLock::new(|| {
    words(
        "definition theorem lemma remark example proposition corollary figure table chapter section appendix annex exercise step satz \
        bemerkung beispiel korollar abbildung tabelle kapitel abschnitt aufgabe définition théorème lemme remarque exemple \
        tableau chapitre définición teorema lema ejemplo figura tabla",
    )
});

/// Names of numbered parts of a law or book, lower case: "Article 1.", "Kapitel 2."
static TITLES: WordList = LazyLock::new(|| {
    words(
        "article articles art section sections sec sect chapter chap rule clause paragraph para part title schedule \
        annex appendix item step regulation artikel kapitel kap abschnitt absatz abs teil anhang paragraf chapitre \
        titre annexe artículo capítulo sección título cláusula artigo capitolo articolo sezione hoofdstuk lid \
        artykuł rozdział ustęp ust pkt článek čl kapitola статья ст глава пункт раздел madde md bölüm điều khoản chương \
        figure fig table example definition theorem lemma remark satz tabelle abbildung مادة المادة धारा अनुच्छेद",
    )
});

/// Small words within headings, lower case.
static CONNECTORS: WordList = LazyLock::new(|| {
    words(
        "of and the in on for to with by from a an or at vs und der die das des von für im zur zum et de la le les du \
        y del e di van en & - – — / |",
    )
});

pub(super) fn is_inner(stem: &str) -> bool {
    INNER.contains(stem)
}

/// Whether `word`, written with its stop, requires another word behind it.
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

pub(super) fn goes_before_ordinals(word: &str) -> bool {
    BEFORE_ORDINALS.contains(word.to_lowercase().as_str())
}

/// Whether `word` opens a sentence: it is capitalized and one of the starters.
pub(super) fn is_starter(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase) && STARTERS.contains(word.to_lowercase().as_str())
}

/// Whether `word` becomes a heading if a number follows it.
pub(super) fn is_label(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && LABELS.contains(word.to_lowercase().as_str())
}

/// Whether `word`, without its stop, names a numbered part.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.contains(word.to_lowercase().as_str())
}

pub(super) fn is_connector(word: &str) -> bool {
    CONNECTORS.contains(word)
}

/// Characters that open a list item; the last two are private-use code points that symbol fonts show as the first.
const BULLETS: &str = "•‣◦▪▫■□●○⁃➢➤✓✔\u{f0b7}\u{f0a7}";

/// Whether `c` opens a list item.
pub(super) fn is_bullet(c: char) -> bool {
    BULLETS.contains(c)
}
