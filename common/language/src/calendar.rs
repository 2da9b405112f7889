//! Months, days of the week, and other words for a time.

use std::sync::LazyLock;

use super::sets::{phrase_sets, word_sets};
use super::table::{Row, Table};
use super::tag::Language::{self, *};

/// The months of each language in lower case, January first; forms of one month are joined by `|`.
const MONTHS: [(Language, &str); 22] = [
    (
        En,
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov \
        december|dec",
    ),
    (De, "januar|jänner februar märz april mai juni juli august september oktober|okt november dezember|dez"),
    (Fr, "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    (Es, "enero febrero marzo|~mar abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    (It, "gennaio febbraio marzo|~mar aprile maggio|~mai giugno luglio agosto settembre ottobre novembre dicembre"),
    (Pt, "janeiro fevereiro março|~mar abril maio junho julho agosto setembro outubro novembro dezembro"),
    (Nl, "januari februari maart april mei juni juli augustus september oktober november december"),
    (
        Pl,
        "styczeń|stycznia|styczniu luty|lutego|lutym marzec|marca|marcu kwiecień|kwietnia|kwietniu maj|maja|maju czerwiec|czerwca|czerwcu \
        lipiec|lipca|lipcu sierpień|sierpnia|sierpniu wrzesień|września|wrześniu październik|października|październiku \
        listopad|listopada|listopadzie grudzień|grudnia|grudniu",
    ),
    (
        Cs,
        "leden|ledna|lednu únor|února|únoru březen|března|březnu duben|dubna|dubnu květen|května|květnu červen|června|červnu \
        červenec|července|červenci srpen|srpna|srpnu září říjen|října|říjnu listopad|listopadu prosinec|prosince|prosinci",
    ),
    (Sv, "januari februari mars april maj juni juli augusti september oktober november december"),
    (Da, "januar februar marts april maj juni juli august september oktober november december"),
    (
        Ru,
        "январь|января|январе февраль|февраля|феврале март|марта|марте апрель|апреля|апреле май|мая|мае июнь|июня|июне июль|июля|июле \
        август|августа|августе сентябрь|сентября|сентябре октябрь|октября|октябре ноябрь|ноября|ноябре декабрь|декабря|декабре",
    ),
    (
        Uk,
        "січень|січня|січні лютий|лютого|лютому березень|березня|березні квітень|квітня|квітні травень|травня|травні червень|червня|червні \
        липень|липня|липні серпень|серпня|серпні вересень|вересня|вересні жовтень|жовтня|жовтні листопад|листопада|листопаді \
        грудень|грудня|грудні",
    ),
    (Tr, "!ocak şubat !mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"),
    (Ar, "يناير فبراير مارس أبريل|ابريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
    (Hi, "जनवरी फरवरी|फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर दिसंबर|दिसम्बर"),
    (Ja, "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"),
    (Ko, "일월 이월 삼월 사월 오월 유월 칠월 팔월 구월 시월 십일월 십이월"),
    (Zh, "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"),
    (
        Vi,
        "tháng_một|tháng_giêng|~mai tháng_hai tháng_ba tháng_tư tháng_năm tháng_sáu tháng_bảy tháng_tám tháng_chín tháng_mười \
        tháng_mười_một tháng_mười_hai|tháng_chạp",
    ),
    (Th, "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"),
    (
        El,
        "ιανουάριος|ιανουαρίου|ιανουάριο φεβρουάριος|φεβρουαρίου|φεβρουάριο μάρτιος|μαρτίου|μάρτιο απρίλιος|απριλίου|απρίλιο μάιος|μαΐου|μάιο \
        ιούνιος|ιουνίου|ιούνιο ιούλιος|ιουλίου|ιούλιο αύγουστος|αυγούστου|αύγουστο σεπτέμβριος|σεπτεμβρίου|σεπτέμβριο \
        οκτώβριος|οκτωβρίου|οκτώβριο νοέμβριος|νοεμβρίου|νοέμβριο δεκέμβριος|δεκεμβρίου|δεκέμβριο",
    ),
];

/// Month names that are ordinary words without a capital, except in a text of a language that writes months without one.
const WORDS_TOO: [&str; 6] = ["may", "march", "mar", "mars", "august", "mai"];

/// The days of each language in lower case, Monday first.
const WEEKDAYS: [(Language, &str); 22] = [
    (En, "monday tuesday wednesday thursday friday saturday sunday"),
    (De, "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag"),
    (Fr, "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    (Es, "lunes martes miércoles jueves viernes sábado domingo"),
    (It, "lunedì martedì mercoledì giovedì venerdì sabato domenica"),
    (Pt, "segunda_feira terça_feira quarta_feira quinta_feira sexta_feira sábado domingo"),
    (Nl, "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
    (
        Pl,
        "poniedziałek|poniedziałku wtorek|wtorku środa|środę|środy czwartek|czwartku piątek|piątku sobota|sobotę|soboty niedziela|niedzielę|niedzieli",
    ),
    (Cs, "pondělí úterý středa|středu|středy čtvrtek|čtvrtku pátek|pátku sobota|sobotu|soboty neděle|neděli"),
    (
        Sv,
        "måndag|måndagen tisdag|tisdagen onsdag|onsdagen torsdag|torsdagen fredag|fredagen lördag|lördagen söndag|söndagen",
    ),
    (Da, "mandag tirsdag onsdag torsdag fredag lørdag søndag"),
    (
        Ru,
        "понедельник|понедельника вторник|вторника среда|среду|среды четверг|четверга пятница|пятницу|пятницы суббота|субботу|субботы воскресенье",
    ),
    (
        Uk,
        "понеділок|понеділка вівторок|вівторка середа|середу|середи четвер|четверга п'ятниця|п'ятницю|п'ятниці субота|суботу|суботи неділя|неділю|неділі",
    ),
    (Tr, "pazartesi salı çarşamba perşembe cuma cumartesi !pazar"),
    (Ar, "الاثنين|الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد"),
    (Hi, "सोमवार मंगलवार बुधवार गुरुवार|बृहस्पतिवार शुक्रवार शनिवार रविवार"),
    (Ja, "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日"),
    (Ko, "월요일 화요일 수요일 목요일 금요일 토요일 일요일"),
    (
        Zh,
        "星期一|周一|週一 星期二|周二|週二 星期三|周三|週三 星期四|周四|週四 星期五|周五|週五 星期六|周六|週六 星期日|星期天|周日|週日",
    ),
    (Vi, "thứ_hai thứ_ba thứ_tư thứ_năm thứ_sáu thứ_bảy chủ_nhật"),
    (Th, "วันจันทร์ วันอังคาร วันพุธ วันพฤหัสบดี|วันพฤหัส วันศุกร์ วันเสาร์ วันอาทิตย์"),
    (
        El,
        "δευτέρα|δευτέρας τρίτη|τρίτης τετάρτη|τετάρτης πέμπτη|πέμπτης παρασκευή|παρασκευής σάββατο|σαββάτου κυριακή|κυριακής",
    ),
];

/// Other words that tell when something was, in lower case: centuries, today, ago.
const TIMES: [Row<()>; 22] = [
    (En, (), "century centuries decade decades ago yesterday today tomorrow"),
    (De, (), "jahrhundert jahrhunderts jahrhunderte jahrzehnt heute gestern morgen"),
    (Fr, (), "siècle siècles décennie aujourd'hui aujourd !hier demain"),
    (Es, (), "siglo siglos década hoy ayer mañana"),
    (It, (), "secolo secoli oggi ieri domani"),
    (Pt, (), "século séculos hoje ontem amanhã"),
    (Nl, (), "eeuw eeuwen vandaag gisteren geleden"),
    (Pl, (), "wiek wieku wieki dziś dzisiaj wczoraj temu"),
    (Cs, (), "století dnes včera"),
    (Sv, (), "århundrade århundradet idag igår !sedan"),
    (Da, (), "århundrede århundredet !idag igår siden"),
    (Ru, (), "век века веке столетие сегодня вчера назад"),
    (Uk, (), "століття століттю сьогодні вчора тому"),
    (Tr, (), "yüzyıl yüzyılda bugün dün önce"),
    (Ar, (), "قرن القرن اليوم أمس"),
    (Hi, (), "सदी शताब्दी आज कल पहले"),
    (Ja, (), "世紀 昨日 今日 前"),
    (Ko, (), "세기 어제 오늘 전"),
    (Zh, (), "世纪 世紀 昨天 今天"),
    (Vi, (), "thế_kỷ hôm_qua hôm_nay"),
    (Th, (), "ศตวรรษ เมื่อวาน วันนี้"),
    (El, (), "αιώνας αιώνα σήμερα χθες"),
];

static MONTH_NAMES: LazyLock<Table<u8>> = LazyLock::new(|| Table::new(number_words(&MONTHS)));
static WEEKDAY_NAMES: LazyLock<Table<u8>> = LazyLock::new(|| Table::new(number_words(&WEEKDAYS)));
static TIME_WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(TIMES));

/// The words of each row with their places in it, from 1.
fn number_words(rows: &'static [(Language, &'static str)]) -> impl Iterator<Item = Row<u8>> {
    rows.iter().flat_map(|(language, row)| {
        let places = row.split_whitespace().zip(1_u8..);
        places.flat_map(move |(forms, place)| forms.split('|').map(move |form| (*language, place, form)))
    })
}

/// The month, from 1, that `word`, as written, is in a text of `language`. `may`, `march` and the like need a capital, except where months
/// are written without one.
pub fn month(word: &str, language: Option<Language>) -> Option<u8> {
    let lower = word.to_lowercase();
    let needs_capital = WORDS_TOO.contains(&lower.as_str()) && !word.starts_with(char::is_uppercase);
    let is_written_small = match lower.as_str() {
        "mars" => matches!(language, Some(Fr | Sv)),
        "mai" => language == Some(Fr),
        "august" => language == Some(Da),
        _ => false,
    };
    if needs_capital && !is_written_small { None } else { MONTH_NAMES.get(&lower, language) }
}

/// The month, from 1, that `word`, as written, is beside a day or a year, which proves French months written small.
pub fn month_beside_number(word: &str) -> Option<u8> {
    month(word, None)
        .or_else(|| month(word, Some(Fr)))
        .or_else(|| month(word, Some(Pl)))
        .or_else(|| month(word, Some(Tr)))
}

/// Whether `word`, in lower case, is the name of a month somewhere.
pub fn is_month_name(word: &str) -> bool {
    MONTH_NAMES.get(word, None).is_some()
}

/// Whether `word`, in lower case, is a day of the week in a text of `language`.
pub fn is_weekday(word: &str, language: Option<Language>) -> bool {
    WEEKDAY_NAMES.get(word, language).is_some()
}

/// Least letters of a short form of a month or day of the week. Forms of two letters, such as German `so`, are words too.
const SHORT_LETTERS: usize = 3;

/// Whether `short` is the beginning of `name`, the name of a month or a day of the week somewhere, as in `mon` for `monday`; both in lower
/// case.
pub fn is_short_for(short: &str, name: &str) -> bool {
    name.len() > short.len()
        && name.starts_with(short)
        && short.chars().count() >= SHORT_LETTERS
        && (is_weekday(name, None) || is_month_name(name))
}

word_sets! {
    /// Whether `word`, in lower case, makes an hour of the day of the number beside it.
    marks_hour: [
        (En, "o'clock oclock am pm noon"), (De, "uhr"), (Fr, "heures heure"), (Es, "horas"), (It, "ore"), (Pt, "horas"), (Nl, "uur"),
        (Pl, "godzinie"), (Cs, "hodin"), (Sv, "klockan kl"), (Da, "klokken kl"), (Ru, "часов часа"), (Uk, "годині"), (Tr, "saat"),
    ];
}

phrase_sets! {
    /// Whether `text`, in lower case, refers to the date of the sentence before it.
    means_same_time: [
        (En, "the_same_day the_same_week the_same_month the_same_year that_same"),
        (De, "am_selben_tag am_gleichen_tag im_selben_jahr im_gleichen_jahr"), (Fr, "le_même_jour la_même_année"),
        (Es, "el_mismo_día el_mismo_año"),
        (It, "lo_stesso_giorno lo_stesso_anno"), (Pt, "no_mesmo_dia no_mesmo_ano"),
        (Nl, "dezelfde_dag hetzelfde_jaar"), (Pl, "tego_samego_dnia w_tym_samym_roku"),
        (Cs, "téhož_dne téhož_roku"), (Sv, "samma_dag samma_år"), (Da, "samme_dag samme_år"),
        (Ru, "в_тот_же_день в_том_же_году"),
        (Uk, "того_ж_дня того_ж_року"), (Tr, "aynı_gün aynı_yıl"), (Ar, "في_نفس_اليوم في_نفس_العام"),
        (Hi, "उसी_दिन उसी_वर्ष"), (Ja, "同日 同年"), (Ko, "같은_날 같은_해"),
        (Zh, "同日 同年"), (Vi, "cùng_ngày cùng_năm"), (Th, "ในวันเดียวกัน ในปีเดียวกัน"),
        (El, "την_ίδια_μέρα την_ίδια_χρονιά"),
    ];
}

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatePart {
    /// A year.
    Year,
    /// A month.
    Month,
    /// A day of a month.
    Day,
}

/// The part of a date whose number a Chinese, Japanese or Korean `sign` stands behind: `年` in `2001年`.
pub fn date_part(sign: &str) -> Option<DatePart> {
    match sign {
        "年" | "년" => Some(DatePart::Year),
        "月" | "월" => Some(DatePart::Month),
        "日" | "号" | "號" | "일" => Some(DatePart::Day),
        _ => None,
    }
}

/// Whether `word`, as written, is a month or a day of the week.
pub fn is_date_word(word: &str, language: Option<Language>) -> bool {
    month(word, language).is_some() || is_weekday(&word.to_lowercase(), language)
}

/// Whether `word`, as written, tells when something was: a month, a day of the week, a century, `yesterday`.
pub fn is_time(word: &str, language: Option<Language>) -> bool {
    TIME_WORDS.get(&word.to_lowercase(), language).is_some() || is_date_word(word, language)
}

/// The marks of the halves of a day behind a time, in lower case, with the hours that each adds.
const HALVES: [(&str, u32); 4] = [("a.m.", 0), ("p.m.", 12), ("am", 0), ("pm", 12)];

/// The hours that the mark of a half of the day adds with which `text` begins, and its length in bytes: 12 of `pm`.
pub fn leading_half_of_day(text: &str) -> Option<(u32, usize)> {
    HALVES.into_iter().find_map(|(mark, hours)| {
        let is_mark = text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark));
        (is_mark && !text[mark.len()..].starts_with(char::is_alphanumeric)).then_some((hours, mark.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::detect::detect;
    use super::*;

    /// A sentence of each language with its month and its day of the week.
    const SENTENCES: [(Language, &str, u8, u8); 22] = [
        (En, "It may open on Monday in March.", 3, 1),
        (De, "Es öffnet am Montag im März.", 3, 1),
        (Fr, "Il ouvre un mardi en février.", 2, 2),
        (Es, "Abre el martes en el mes de enero.", 1, 2),
        (It, "Apre il lunedì e chiude in maggio.", 5, 1),
        (Pt, "A loja não abre na segunda-feira em maio.", 5, 1),
        (Nl, "Het gaat op maandag in maart open.", 3, 1),
        (Pl, "Otwiera się w poniedziałek w maju.", 5, 1),
        (Cs, "Otevírá v pondělí v květnu.", 5, 1),
        (Sv, "Det öppnar på måndag i maj och är stängt.", 5, 1),
        (Da, "Det åbner på mandag og er lukket i maj.", 5, 1),
        (Ru, "Он откроется в понедельник в мае.", 5, 1),
        (Uk, "Він відкриється в понеділок у травні.", 5, 1),
        (Tr, "Mayıs ayında pazartesi günü açılır.", 5, 1),
        (Ar, "يفتح يوم الاثنين في مايو.", 5, 1),
        (Hi, "यह मई में सोमवार को खुलता है।", 5, 1),
        (Ja, "五月の月曜日に開く。", 5, 1),
        (Ko, "오월 월요일에 연다.", 5, 1),
        (Zh, "五月的星期一开门。", 5, 1),
        (Vi, "Mở cửa thứ hai vào tháng năm.", 5, 1),
        (Th, "เปิดวันจันทร์ในเดือนพฤษภาคม", 5, 1),
        (El, "Ανοίγει τη Δευτέρα τον Μάιο.", 5, 1),
    ];

    #[test]
    fn months_and_days_are_found_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            let has_rows =
                MONTH_NAMES.has_row(language) && WEEKDAY_NAMES.has_row(language) && TIME_WORDS.has_row(language);
            assert!(SENTENCES.iter().any(|row| row.0 == language) && has_rows, "{language:?}");
        }
        for (language, sentence, month, day) in SENTENCES {
            let known = detect(sentence).known;
            let months: Vec<u8> = MONTH_NAMES.find_in(sentence, known).into_iter().map(|word| word.value).collect();
            let days: Vec<u8> = WEEKDAY_NAMES.find_in(sentence, known).into_iter().map(|word| word.value).collect();
            assert!(months.contains(&month) && days == [day], "{language:?} {sentence} {months:?} {days:?}");
        }
    }

    #[test]
    fn an_ambiguous_month_needs_its_capital_or_language() {
        for (word, language, want) in [
            ("may", Some(En), None),
            ("May", Some(En), Some(5)),
            ("may", None, None),
            ("march", None, None),
            ("March", None, Some(3)),
            ("mars", None, None),
            ("Mars", None, Some(3)),
            ("mars", Some(Fr), Some(3)),
            ("mai", Some(It), None),
            ("Mai", Some(De), Some(5)),
            ("mai", Some(Fr), Some(5)),
            ("mar", Some(Es), None),
            ("août", None, Some(8)),
            ("augusti", None, Some(8)),
        ] {
            assert_eq!(month(word, language), want, "{word} {language:?}");
        }
        assert_eq!((month_beside_number("mars"), month_beside_number("may")), (Some(3), None));
    }

    #[test]
    fn every_row_has_twelve_months_and_seven_days() {
        for (language, row) in MONTHS {
            assert_eq!(row.split_whitespace().count(), 12, "{language:?}");
        }
        for (language, row) in WEEKDAYS {
            assert_eq!(row.split_whitespace().count(), 7, "{language:?}");
        }
        for (word, entries) in MONTH_NAMES.all().chain(WEEKDAY_NAMES.all()) {
            let plain: Vec<u8> = entries.iter().filter(|entry| entry.2).map(|entry| entry.1).collect();
            assert!(plain.windows(2).all(|pair| pair[0] == pair[1]), "{word} {entries:?}");
        }
    }
}
