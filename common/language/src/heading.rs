//! Words of headings, captions, labels and furniture of documents.
//!
//! What readers of documents ask (`is_item_label`, `names_title`, `begins_caption`, `heads_references`, `numbers_page`) decides the blocks of
//! a text: a change there is a new version of the readers.

use super::sets::{phrase_sets, word_sets};
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` becomes a heading or a caption if a number follows it: "Definition 18".
    is_label: [
        (En, "definition theorem lemma remark example proposition corollary figure table chapter section appendix annex exercise step"),
        (De, "satz bemerkung beispiel korollar abbildung tabelle kapitel abschnitt aufgabe"),
        (Fr, "définition théorème lemme remarque exemple tableau chapitre"),
        (Es, "definición teorema lema ejemplo figura tabla"),
    ];
    /// Whether `word` names a numbered part of a law or book: "Article 1.", "Kapitel 2."
    names_part: [
        (
            En,
            "article articles art section sections sec sect chapter chap rule clause paragraph para part title schedule annex appendix item step \
            regulation figure fig table example definition theorem lemma remark",
        ),
        (De, "artikel kapitel kap abschnitt absatz abs teil anhang satz tabelle abbildung"),
        (Fr, "paragraf chapitre titre annexe"),
        (Es, "artículo capítulo sección título cláusula"), (Pt, "artigo"), (It, "capitolo articolo sezione"),
        (Nl, "hoofdstuk lid"),
        (Pl, "artykuł rozdział ustęp ust pkt"), (Cs, "článek čl kapitola"), (Ru, "статья ст глава пункт раздел"),
        (Uk, "стаття глава пункт розділ"),
        (Tr, "madde md bölüm"), (Vi, "điều khoản chương"), (Sv, "paragraf kapitel avsnitt"),
        (Da, "paragraf kapitel afsnit"), (El, "άρθρο κεφάλαιο ενότητα"),
        (Ar, "مادة المادة"), (Hi, "धारा अनुच्छेद"),
    ];
    /// Whether `word` is a label that is the marker of an item together with a number.
    is_item_label: [
        (En, "article section clause rule step chapter"), (De, "artikel abschnitt kapitel schritt"),
        (Fr, "titre chapitre"), (Es, "artículo sección"),
        (It, "articolo"), (Pt, "artigo"),
    ];
    /// Whether `word` is a small word within headings.
    joins_titles: [
        (En, "of and the in on for to with by from a an or at vs & - – — / |"),
        (De, "und der die das des von für im zur zum"), (Fr, "et de la le les du"),
        (Es, "y del"), (It, "e di"), (Nl, "van en"),
    ];
    /// Whether `word` may occur inside a name.
    joins_names: [
        (En, "of"), (Fr, "de la le du des"), (De, "der den von"), (Nl, "van"), (Ar, "al bin"), (Es, "y"),
        (Pt, "do da"), (It, "di"),
    ];
    /// Whether `word` joins the last two entries of a list.
    joins_list: [(En, "and"), (De, "und"), (Fr, "et"), (Es, "y")];
    /// Whether `name` is the name of a title field.
    names_title: [
        (En, "title subject"), (De, "titel betreff"), (Fr, "titre objet"), (Es, "título asunto"),
        (It, "titolo oggetto"),
    ];
    /// Whether `word`, with its stop if it has one, begins a caption if a number follows.
    begins_caption: [
        (En, "figure fig. fig table tab. chart scheme plate exhibit box listing"),
        (De, "abbildung abb. tabelle schaubild"), (Fr, "tableau graphique"),
        (Es, "figura tabla cuadro gráfico"), (It, "tabella"),
    ];
    /// Whether `heading` is the heading of a list of references.
    heads_references: [
        (En, "references bibliography works_cited literature_cited"), (De, "literatur literaturverzeichnis"),
        (Fr, "références bibliographie"),
        (Es, "referencias bibliografía"), (Zh, "参考文献 参考资料"),
    ];
    /// Whether `heading` is one under which a model lists the documents of its report. Readers of documents do not ask this.
    heads_own_references: [
        (En, "references sources citations bibliography works_cited"), (De, "quellen literatur"), (Fr, "références"),
        (Es, "referencias"), (Zh, "参考文献 来源"), (Ja, "出典"),
    ];
    /// Whether `heading` is that of an abstract.
    heads_abstract: [
        (En, "abstract summary overview introduction"), (De, "zusammenfassung überblick einleitung"), (Fr, "résumé"),
        (Es, "resumen introducción"),
        (Zh, "摘要"), (Ja, "概要"), (It, "riassunto introduzione"), (Pt, "resumo introdução"),
        (Nl, "samenvatting inleiding"), (Pl, "streszczenie wstęp"),
        (Cs, "souhrn úvod"), (Sv, "sammanfattning inledning"), (Da, "resumé indledning"), (Ru, "аннотация введение"),
        (Uk, "анотація вступ"), (Tr, "özet giriş"),
        (Ar, "ملخص مقدمة"), (Hi, "सारांश"), (Ko, "요약 초록"), (Vi, "tóm_tắt"), (Th, "บทคัดย่อ"), (El, "περίληψη εισαγωγή"),
    ];
    /// Whether `heading` is that of a section that gives reasons.
    heads_reasons: [
        (
            En,
            "motivation motivations motivation_and_rationale rationale rationale_and_goals reasons reasoning why purpose justification",
        ),
        (De, "gründe begründung beweggründe anlass zweck"), (Fr, "raisons motifs"),
        (Es, "motivación razones justificación"), (It, "motivazione"),
        (Pt, "motivação"), (Zh, "动机 动因"), (Nl, "motivering redenen"), (Pl, "uzasadnienie"), (Cs, "odůvodnění"),
        (Sv, "motivering"), (Da, "begrundelse"),
        (Ru, "обоснование"), (Uk, "обґрунтування"), (Tr, "gerekçe"), (El, "αιτιολόγηση"),
    ];
    /// Whether `word` stands beside the number of a page: `Page 3 of 7`.
    numbers_page: [
        (En, "page p. of"), (De, "seite von"), (Fr, "sur"), (Es, "página de"), (It, "pagina"),
    ];
}

phrase_sets! {
    /// Whether `text` has words of menus, forms and legal lines.
    has_navigation: [
        (
            En,
            "click_here sign_in sign_up log_in read_more all_rights_reserved copyright © cookie terms_of_use terms_of_service privacy_policy \
            subscribe_to follow_us share_this skip_to back_to_top table_of_contents this_section_needs citation_needed",
        ),
        (De, "weiterlesen impressum alle_rechte_vorbehalten"), (Fr, "tous_droits_réservés"),
        (Es, "todos_los_derechos"), (It, "tutti_i_diritti_riservati"),
        (Pt, "todos_os_direitos_reservados"), (Nl, "alle_rechten_voorbehouden"), (Pl, "wszelkie_prawa_zastrzeżone"),
        (Ru, "все_права_защищены"),
    ];
    /// Whether `text` refers to parts of its own document.
    has_signpost: [
        (En, "in_section in_chapter this_section this_chapter see_below"), (De, "in_abschnitt in_kapitel"),
        (Fr, "dans_la_section"),
    ];
}

/// How many signs of a reference list `text`, in lower case, has.
pub fn reference_signs(text: &str) -> usize {
    const SIGNS: [&str; 12] = [
        "doi:",
        "doi.org",
        "isbn",
        "issn",
        "arxiv:",
        "in proceedings",
        "in proc.",
        "pp. ",
        "retrieved on",
        "accessed on",
        "(pdf)",
        "abgerufen am",
    ];
    SIGNS.iter().filter(|sign| text.contains(*sign)).count()
}

/// Whether `text`, in lower case, opens like a keyword line.
pub fn opens_keywords(text: &str) -> bool {
    const OPENINGS: [&str; 8] = [
        "keywords ",
        "keywords:",
        "key words",
        "index terms",
        "schlüsselwörter",
        "stichwörter",
        "mots-clés",
        "palabras clave",
    ];
    OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// Whether `c` is a digit of a number in a Chinese or Japanese heading.
pub fn is_east_asian_digit(c: char) -> bool {
    "一二三四五六七八九十百千０１２３４５６７８９".contains(c)
}

/// The text behind the mark of a numbered part in Chinese and Japanese: `条` of `第3条`, or `、` where no `第` comes before the number.
pub fn behind_east_asian_part(text: &str, is_ordinal: bool) -> Option<&str> {
    const PARTS: &[char] = &['条', '條', '章', '节', '節', '款', '项', '項', '編', '编'];
    text.strip_prefix(if is_ordinal { PARTS } else { &['、'] })
}
