//! Words that ask, and the kind of answer they ask for.

use std::sync::LazyLock;

use super::detect::detect;
use super::heading::joins_list;
use super::sets::word_sets;
use super::table::{Row, Table};
use super::tag::Language::{self, *};
use super::words::lower_words;

/// The kind of answer a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKind {
    /// Who: a name.
    Name,
    /// When: a date, year or time.
    Time,
    /// Where: a name of a place.
    Place,
    /// How many, how much, how long: a number.
    Number,
    /// Why: a reason.
    Reason,
    /// Anything else.
    Anything,
}

impl AnswerKind {
    /// Of the kinds that a question has words of, the first one counts, unless one of them opens the question.
    const IN_ORDER: [Self; 5] = [Self::Number, Self::Time, Self::Name, Self::Place, Self::Reason];
}

const NUMBER: AnswerKind = AnswerKind::Number;
const TIME: AnswerKind = AnswerKind::Time;
const NAME: AnswerKind = AnswerKind::Name;
const PLACE: AnswerKind = AnswerKind::Place;
const REASON: AnswerKind = AnswerKind::Reason;

/// The phrases of each language by what they ask for, in lower case.
const PHRASES: [Row<AnswerKind>; 115] = [
    (
        En,
        NUMBER,
        "how_many how_much how_long how_far how_old how_tall how_high how_large how_big how_often how_fast how_deep how_wide \
        how_heavy how_few percentage what_percent what_number what_proportion what_temperature what_distance what_version which_version \
        which_versions",
    ),
    (
        En,
        TIME,
        "when what_year which_year what_date which_date what_day which_day what_month what_century which_century what_decade what_time \
        since_when",
    ),
    (En, NAME, "who whom whose what_person"),
    (En, PLACE, "where what_city what_country which_city which_country"),
    (En, REASON, "why what_reason what_caused what_causes"),
    (
        De,
        NUMBER,
        "wie_viele wie_viel wieviel wieviele wie_lange wie_hoch wie_groß wie_alt wie_oft wie_weit wie_schnell wie_schwer welche_version \
        welcher_version welchen_versionen",
    ),
    (De, TIME, "wann welchem_jahr welches_jahr welchem_datum welchem_jahrhundert welchem_monat"),
    (De, NAME, "wer wen wem wessen"),
    (De, PLACE, "wo wohin woher welcher_stadt welchem_land"),
    (De, REASON, "warum weshalb wieso"),
    (Fr, NUMBER, "combien quel_pourcentage quelle_proportion quelle_version quelles_versions"),
    (Fr, TIME, "quand quelle_année quelle_date quel_siècle"),
    (Fr, NAME, "qui"),
    (Fr, PLACE, "où quel_pays quelle_ville"),
    (Fr, REASON, "pourquoi"),
    (Es, NUMBER, "cuántos cuántas cuánto cuánta qué_porcentaje qué_versión qué_versiones"),
    (Es, TIME, "cuándo qué_año qué_fecha qué_siglo qué_día"),
    (Es, NAME, "quién quiénes"),
    (Es, PLACE, "dónde adónde qué_país qué_ciudad"),
    (Es, REASON, "por_qué"),
    (It, NUMBER, "quanti quante quanto quanta"),
    (It, TIME, "quando che_anno quale_anno"),
    (It, NAME, "!chi"),
    (It, PLACE, "dove quale_città quale_paese"),
    (It, REASON, "perché"),
    (Pt, NUMBER, "quantos quantas quanto quanta"),
    (Pt, TIME, "quando que_ano qual_ano"),
    (Pt, NAME, "quem"),
    (Pt, PLACE, "onde aonde"),
    (Pt, REASON, "por_que por_quê"),
    (Nl, NUMBER, "hoeveel hoe_lang hoe_hoog hoe_groot hoe_oud hoe_vaak hoe_ver"),
    (Nl, TIME, "wanneer welk_jaar"),
    (Nl, NAME, "!wie wiens"),
    (Nl, PLACE, "waar waarheen welke_stad welk_land"),
    (Nl, REASON, "waarom"),
    (Pl, NUMBER, "ile ilu jak_długo jak_często"),
    (Pl, TIME, "kiedy którym_roku"),
    (Pl, NAME, "kto kogo komu !kim"),
    (Pl, PLACE, "gdzie dokąd skąd"),
    (Pl, REASON, "dlaczego"),
    (Cs, NUMBER, "kolik jak_dlouho jak_často"),
    (Cs, TIME, "kdy kterém_roce"),
    (Cs, NAME, "kdo koho komu"),
    (Cs, PLACE, "kde kam odkud"),
    (Cs, REASON, "proč"),
    (Sv, NUMBER, "hur_många hur_mycket hur_länge hur_ofta hur_lång hur_hög hur_stor"),
    (Sv, TIME, "när vilket_år"),
    (Sv, NAME, "vem vilka_personer"),
    (Sv, PLACE, "!var vart varifrån"),
    (Sv, REASON, "varför"),
    (Da, NUMBER, "hvor_mange hvor_meget hvor_længe hvor_ofte hvor_høj hvor_stor"),
    (Da, TIME, "hvornår hvilket_år"),
    (Da, NAME, "hvem"),
    (Da, PLACE, "hvor hvorhen hvorfra"),
    (Da, REASON, "hvorfor"),
    (Ru, NUMBER, "сколько какой_процент какой_версии какая_версия"),
    (Ru, TIME, "когда каком_году какого_года каком_веке"),
    (Ru, NAME, "кто кого кем кому"),
    (Ru, PLACE, "где куда откуда"),
    (Ru, REASON, "почему зачем"),
    (Uk, NUMBER, "скільки як_довго"),
    (Uk, TIME, "коли якому_році"),
    (Uk, NAME, "хто кого ким кому"),
    (Uk, PLACE, "де куди звідки"),
    (Uk, REASON, "чому навіщо"),
    (Tr, NUMBER, "kaç ne_kadar"),
    (Tr, TIME, "ne_zaman hangi_yıl hangi_tarihte"),
    (Tr, NAME, "!kim kimin"),
    (Tr, PLACE, "nerede nereye nereden"),
    (Tr, REASON, "neden niçin"),
    (Ar, NUMBER, "كم"),
    (Ar, TIME, "متى أي_عام أي_سنة"),
    (Ar, NAME, "من"),
    (Ar, PLACE, "أين"),
    (Ar, REASON, "لماذا"),
    (Hi, NUMBER, "कितने कितनी कितना"),
    (Hi, TIME, "कब किस_वर्ष किस_साल"),
    (Hi, NAME, "कौन किसने किसके"),
    (Hi, PLACE, "कहाँ कहां"),
    (Hi, REASON, "क्यों"),
    (Ja, NUMBER, "何人 何個 いくつ いくら どのくらい どれくらい 何パーセント どのバージョン"),
    (Ja, TIME, "いつ 何年 何月 何時"),
    (Ja, NAME, "誰 だれ"),
    (Ja, PLACE, "どこ"),
    (Ja, REASON, "なぜ どうして"),
    (Ko, NUMBER, "몇 얼마 얼마나"),
    (Ko, TIME, "언제 몇_년"),
    (Ko, NAME, "누가 누구"),
    (Ko, PLACE, "어디 어디서 어디에"),
    (Ko, REASON, "왜 어째서"),
    (Zh, NUMBER, "多少 几个 几种 几年 几次 多大 多长 多高 多久 哪个版本"),
    (Zh, TIME, "什么时候 何时 何時 哪一年 哪年 几月"),
    (Zh, NAME, "谁 誰"),
    (Zh, PLACE, "哪里 哪儿 何处 何處"),
    (Zh, REASON, "为什么 為什麼 为何"),
    (Vi, NUMBER, "bao_nhiêu mấy"),
    (Vi, TIME, "khi_nào năm_nào lúc_nào"),
    (Vi, NAME, "!ai"),
    (Vi, PLACE, "ở_đâu nơi_nào"),
    (Vi, REASON, "tại_sao vì_sao"),
    (Th, NUMBER, "กี่ เท่าไร เท่าไหร่ เท่าใด"),
    (Th, TIME, "เมื่อไหร่ เมื่อไร เมื่อใด ปีใด ปีไหน"),
    (Th, NAME, "ใคร"),
    (Th, PLACE, "ที่ไหน ที่ใด"),
    (Th, REASON, "ทำไม เพราะเหตุใด"),
    (El, NUMBER, "πόσα πόσοι πόσες πόσο πόσους"),
    (El, TIME, "πότε"),
    (El, NAME, "ποιος ποια ποιοι"),
    (El, PLACE, "πού"),
    (El, REASON, "γιατί"),
    (Ro, NUMBER, "câți câte cât"),
    (Ro, TIME, "când"),
    (Ro, NAME, "cine !ai"),
    (Ro, PLACE, "unde"),
    (Ro, REASON, "de_ce"),
];

static PHRASE_TABLE: LazyLock<Table<AnswerKind>> = LazyLock::new(|| Table::new(PHRASES));

/// The kind of answer that `question` asks for, and the words that ask for it; `Anything` and none if no phrase is known.
///
/// A phrase that opens the question decides: "Who may apply when there is no post?" asks for somebody. Before a comma and another word that
/// asks, it opens a clause of time, "When it is full, who empties it?", and what stands behind decides.
pub fn asked_kind(question: &str) -> (AnswerKind, String) {
    if let Some((clause, rest)) = question.split_once(", ") {
        let words = lower_words(clause);
        let asks = |rest: &str| lower_words(rest).iter().any(|word| is_question_word(word));
        if words.first().is_some_and(|word| asks_when(word)) && asks(rest) {
            return asked_kind(rest);
        }
    }
    let mut found = PHRASE_TABLE.find_in(question, detect(question).known);
    found
        .retain(|word| word.value != TIME || !joins_clauses(question, word.range.start, &question[word.range.clone()]));
    let opening = found.first().filter(|word| !question[..word.range.start].contains(char::is_alphanumeric));
    let by_kind = || AnswerKind::IN_ORDER.iter().find_map(|kind| found.iter().find(|word| word.value == *kind));
    opening
        .or_else(by_kind)
        .map_or((AnswerKind::Anything, String::new()), |word| (word.value, question[word.range.clone()].to_lowercase()))
}

/// Words that may stand before the word that asks: "Ab wann", "And since when".
const BEFORE_OPENING: usize = 2;

/// Whether `word` at the byte `at` of `question`, one that asks when, joins a clause instead: "Is it cached when I test it?". It asks where it
/// opens the question, or stands beside another part of it: "where and when".
fn joins_clauses(question: &str, at: usize, word: &str) -> bool {
    let before = question[..at].trim_end();
    let words = lower_words(before);
    let is_beside = before.ends_with([',', ';', '–', ':']) || words.last().is_some_and(|word| joins_list(word));
    asks_when(&word.to_lowercase()) && words.len() > BEFORE_OPENING && !is_beside
}

word_sets! {
    /// Whether `word` asks, whatever for.
    is_question_word: [
        (En, "who what when where which why how whose whom"),
        (
            De,
            "wer was wann wo wovon womit wodurch worin wozu wohin woher woraus welche welcher welches welchen welchem warum wieso wie \
            wessen wem wen",
        ),
        (Fr, "qui que quoi quel quelle quels quelles quand où pourquoi comment combien"),
        (Es, "quién quiénes qué cuándo dónde cuál cuáles cómo cuánto cuántos cuánta cuántas"),
        (It, "quale quali quando dove perché quanto quanti quante"),
        (Pt, "quem qual quais quando onde quanto quantos quantas"),
        (Nl, "wat wanneer waar waarom welke welk hoe hoeveel"),
        (Pl, "kto kiedy gdzie dlaczego który która które ile jak jaki jaka jakie"),
        (Cs, "kdo kdy kde proč který která které kolik jak jaký jaká jaké"),
        (Sv, "vad vem när varför vilken vilket vilka hur"),
        (Da, "hvad hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke"),
        (
            Ru,
            "кто что какой какая какое какие какого каких какими какую кого кому чем где когда почему сколько как",
        ),
        (Uk, "хто що який яка яке які коли де чому скільки як"),
        (Tr, "kim hangi nasıl neden niçin nerede kaç"),
        (Ar, "ماذا متى أين لماذا كيف كم"),
        (Hi, "क्या कौन कब कहाँ कहां क्यों कैसे कितने कितना कितनी"),
        (Ja, "何 誰 いつ どこ なぜ どう どの"),
        (Ko, "무엇 누가 누구 언제 어디 왜 어떻게 몇"),
        (Zh, "什么 什麼 谁 誰 哪里 哪 怎么 怎麼 为什么 為什麼 多少"),
        (Vi, "gì ai đâu nào sao"),
        (Th, "อะไร ใคร ที่ไหน เมื่อไร ทำไม อย่างไร กี่"),
        (El, "ποιος ποια ποιο ποιοι πού πότε γιατί πώς πόσο πόσα πόσοι"),
    ];
    /// Whether `word` asks for a person who does what the clause says.
    asks_for_subject: [
        (En, "who"), (De, "wer"), (Fr, "qui"), (Es, "quién quiénes"), (Pt, "quem"), (Pl, "kto"), (Cs, "kdo"),
        (Ru, "кто"), (Uk, "хто"),
    ];
    /// Whether `word` asks for an answer that nobody calls "it".
    asks_for_no_thing: [(En, "who when why how"), (De, "wer wann warum wieso wie")];
    /// Whether `word` asks when.
    asks_when: [
        (En, "when"), (De, "wann"), (Fr, "quand"), (Es, "cuándo"), (It, "quando"), (Pt, "quando"), (Nl, "wanneer"),
        (Pl, "kiedy"),
        (Cs, "kdy"), (Sv, "när"), (Da, "hvornår"), (Ru, "когда"), (Uk, "коли"), (El, "πότε"),
    ];
    /// Whether `word` asks how something came about.
    asks_how: [
        (En, "how"), (De, "wie"), (Fr, "comment"), (Es, "cómo"), (Pt, "como"), (Nl, "hoe"), (Pl, "jak"), (Cs, "jak"),
        (Sv, "hur"), (Da, "hvordan"), (Ru, "как"), (Uk, "як"), (Tr, "nasıl"), (Ar, "كيف"), (Hi, "कैसे"), (Ko, "어떻게"),
        (El, "πώς"),
    ];
    /// Whether `word` asks for one fact, even in a question with a word for a history: `Who wrote the history of Rome?`.
    asks_for_one_fact: [
        (En, "who when where"), (De, "wer wann wo"), (Fr, "qui quand où"), (Es, "quién cuándo dónde"),
        (It, "quando dove"), (Pt, "quem quando onde"),
        (Nl, "wanneer waar"), (Pl, "kto kiedy gdzie"), (Cs, "kdo kdy kde"), (Sv, "vem när"), (Da, "hvem hvornår"),
        (Ru, "кто когда где"),
        (Uk, "хто коли де"), (Tr, "kim nerede"), (Ar, "من متى أين"), (Hi, "कौन कब कहाँ"), (Ko, "누가 언제 어디"),
        (El, "ποιος πότε πού"), (Zh, "谁"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions of each language for a number and for a person.
    const QUESTIONS: [(Language, &str, &str); 22] = [
        (En, "How many rooms are there?", "Who built the bridge?"),
        (De, "Wie viele Zimmer gibt es?", "Wer hat die Brücke gebaut?"),
        (Fr, "Combien de chambres y a-t-il ?", "Qui a construit le pont ?"),
        (Es, "¿Cuántas habitaciones hay?", "¿Quién construyó el puente?"),
        (It, "Quante stanze ci sono nella casa?", "Chi ha costruito il ponte?"),
        (Pt, "Quantos quartos há na casa?", "Quem construiu a ponte?"),
        (Nl, "Hoeveel kamers zijn er?", "Wie heeft de brug gebouwd en waar is het?"),
        (Pl, "Ile jest pokoi?", "Kto zbudował most?"),
        (Cs, "Kolik je tam pokojů?", "Kdo postavil most?"),
        (Sv, "Hur många rum finns det?", "Vem byggde bron?"),
        (Da, "Hvor mange rum er der?", "Hvem byggede broen?"),
        (Ru, "Сколько там комнат?", "Кто построил мост?"),
        (Uk, "Скільки там кімнат?", "Хто збудував міст?"),
        (Tr, "Kaç oda var?", "Köprüyü kim yaptı?"),
        (Ar, "كم غرفة في البيت؟", "من بنى الجسر؟"),
        (Hi, "कितने कमरे हैं?", "पुल किसने बनाया?"),
        (Ja, "部屋はいくつありますか", "誰が橋を建てましたか"),
        (Ko, "방이 몇 개 있습니까?", "누가 다리를 지었습니까?"),
        (Zh, "有多少房间？", "谁建了这座桥？"),
        (Vi, "Có bao nhiêu phòng?", "Ai đã xây cầu?"),
        (Th, "มีห้องกี่ห้อง", "ใครสร้างสะพาน"),
        (El, "Πόσα δωμάτια υπάρχουν;", "Ποιος έχτισε τη γέφυρα;"),
    ];

    #[test]
    fn a_question_of_every_language_tells_what_it_asks_for() {
        for language in Language::COVERED {
            assert!(QUESTIONS.iter().any(|row| row.0 == language) && PHRASE_TABLE.has_row(language), "{language:?}");
        }
        for (language, many, who) in QUESTIONS {
            assert_eq!((asked_kind(many).0, asked_kind(who).0), (NUMBER, NAME), "{language:?} {many} {who}");
        }
    }

    #[test]
    fn the_word_that_opens_a_question_decides_what_it_asks_for() {
        for (question, kind) in [
            ("Who may apply when there is no post?", NAME),
            ("Wer legt fest, wann die Versammlung tagt?", NAME),
            ("In which version, and when, was it removed?", NUMBER),
            ("Why does it take how long it takes?", REASON),
            ("When the tank is full, who empties it?", NAME),
            ("When the light is red, what should I do?", AnswerKind::Anything),
            ("When was it built, and by order of the king?", TIME),
            ("Le cache fonctionne-t-il quand je développe ?", AnswerKind::Anything),
            ("Is it cached when I test it?", AnswerKind::Anything),
            ("The bridge was built where and when?", TIME),
            ("Ab wann darf man das?", TIME),
        ] {
            assert_eq!(asked_kind(question).0, kind, "{question}");
        }
    }

    #[test]
    fn an_interrogative_of_another_language_asks_nothing_here() {
        for (question, kind) in [
            ("Is AI part of the plan?", AnswerKind::Anything),
            ("Is the Chi square test used?", AnswerKind::Anything),
            ("Nenne die Var des Plans", AnswerKind::Anything),
            ("Kim did it", AnswerKind::Anything),
        ] {
            assert_eq!(asked_kind(question).0, kind, "{question}");
        }
    }
}
