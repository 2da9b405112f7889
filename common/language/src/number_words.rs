//! Numbers from zero to twelve in words, and other words for an amount.

use std::sync::LazyLock;

use super::detect::detect;
use super::scale::scale;
use super::script::is_unspaced;
use super::table::{FoundWord, Row, Table};
use super::tag::Language::{self, *};
use super::words::{Unspaced, WrittenWord, split};

/// The numbers from zero on in each language, in lower case; forms of one number are joined by `|`, `-` is none.
///
/// A word that is something common in another language counts only in its own texts. Vietnamese `năm` is left out: it is five, and year.
const NUMBERS: [(Language, &str); 22] = [
    (En, "zero - two three four five six seven eight nine ten eleven|~once twelve"),
    (De, "!null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
    (Fr, "zéro - deux trois quatre cinq six !sept huit neuf dix onze douze"),
    (Es, "cero - !dos tres cuatro cinco seis siete ocho nueve diez !once doce"),
    (It, "zero - !due tre quattro cinque !sei sette !otto nove !dieci undici dodici"),
    (Pt, "zero - dois|duas|~dos três quatro cinco seis sete oito nove dez onze doze"),
    (Nl, "nul - twee drie vier vijf zes zeven acht negen tien elf twaalf"),
    (Pl, "zero jeden dwa|dwie|dwóch trzy|trzech cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście"),
    (Cs, "nula jeden dva|dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct"),
    (Sv, "noll - två !tre fyra !fem !sex sju åtta nio !tio elva tolv"),
    (Da, "nul - !to !tre !fire !fem seks syv otte !ni !ti elleve tolv"),
    (Ru, "ноль один два|две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать"),
    (Uk, "нуль один|одна два|дві три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять"),
    (Tr, "sıfır - iki üç dört beş altı yedi sekiz dokuz !on on_bir on_iki"),
    (
        Ar,
        "صفر واحد|واحدة اثنان|اثنين|اثنتان|اثنتين ثلاثة|ثلاث أربعة|أربع خمسة|خمس ستة|ست سبعة|سبع ثمانية|ثماني تسعة|تسع عشرة|عشر \
        أحد_عشر اثنا_عشر|اثني_عشر",
    ),
    (Hi, "शून्य - दो तीन चार पाँच|पांच छह|छः सात आठ नौ दस ग्यारह बारह"),
    (
        Ja,
        "零|〇 一|一つ|~一部|~一般|~一緒|~一方|~一層|~一切 二|二つ 三|三つ 四|四つ 五|五つ 六|六つ 七|七つ 八|八つ 九|九つ 十 十一 十二|~十分",
    ),
    (Ko, "영 하나 둘|두 셋|세 넷 다섯 여섯 일곱 여덟 아홉 열 열하나|열한 열둘|열두"),
    (
        Zh,
        "零|〇 一|~一些|~一切|~统一|~統一|~一样|~一樣|~一般|~万一|~一起|~之一|~一定|~一直|~唯一|~第一 二|两|兩 三 四 五 六 七 八 九 十|~十分 \
        十一 十二",
    ),
    (Vi, "!không_số một !hai !ba bốn - sáu bảy tám chín mười mười_một mười_hai"),
    (Th, "ศูนย์|~ศูนย์กลาง หนึ่ง สอง สาม|~สามารถ|~สามี สี่ ห้า|~ห้าม|~ห้าง หก เจ็ด แปด|~แปดริ้ว เก้า|~เก้าอี้ สิบ สิบเอ็ด สิบสอง"),
    (El, "μηδέν - δύο|δυο τρία|τρεις τέσσερα|τέσσερις πέντε έξι επτά|εφτά οκτώ|οχτώ εννέα|εννιά δέκα έντεκα δώδεκα"),
];

/// Words for one that are also articles.
const ONES: [Row<()>; 13] = [
    (En, (), "one"),
    (De, (), "ein eine einen einem einer eines"),
    (Fr, (), "un une"),
    (Es, (), "uno una un"),
    (It, (), "uno una un"),
    (Pt, (), "um uma"),
    (Nl, (), "een één"),
    (Sv, (), "!en ett"),
    (Da, (), "!en !et én ét"),
    (Tr, (), "bir"),
    (Hi, (), "एक"),
    (El, (), "ένα ένας μία μια"),
    (Ru, (), "одна одно"),
];

/// Larger numbers and fractions in words, in lower case.
const AMOUNTS: [Row<()>; 22] = [
    (En, (), "twenty thirty forty fifty sixty seventy eighty ninety dozen half third quarter twice double"),
    (De, (), "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig dutzend hälfte drittel viertel doppelt"),
    (Fr, (), "vingt trente quarante cinquante soixante quinzaine moitié tiers quart double"),
    (Es, (), "veinte treinta cuarenta cincuenta sesenta docena mitad tercio cuarto doble"),
    (It, (), "venti trenta quaranta cinquanta sessanta dozzina metà terzo quarto doppio"),
    (Pt, (), "vinte trinta quarenta cinquenta sessenta dúzia metade terço quarto dobro"),
    (Nl, (), "twintig dertig veertig vijftig zestig dozijn helft derde kwart dubbel"),
    (Pl, (), "dwadzieścia trzydzieści czterdzieści pięćdziesiąt tuzin połowa połowę ćwierć"),
    (Cs, (), "dvacet třicet čtyřicet padesát tucet polovina polovinu třetina čtvrtina"),
    (Sv, (), "tjugo trettio fyrtio femtio dussin hälften hälft tredjedel fjärdedel"),
    (Da, (), "tyve tredive fyrre halvtreds dusin halvdelen halvdel tredjedel fjerdedel"),
    (Ru, (), "двадцать тридцать сорок пятьдесят дюжина половина половину треть четверть"),
    (Uk, (), "двадцять тридцять сорок п'ятдесят дюжина половина половину третина чверть"),
    (Tr, (), "yirmi otuz kırk elli düzine yarısı yarım çeyrek"),
    (Ar, (), "عشرون عشرين ثلاثون ثلاثين خمسون خمسين نصف ثلث ربع"),
    (Hi, (), "बीस तीस चालीस पचास दर्जन आधा आधे तिहाई चौथाई"),
    (Ja, (), "半分 半数"),
    (Ko, (), "스물 서른 절반"),
    (Zh, (), "一半 半数"),
    (Vi, (), "mười_lăm hai_mươi ba_mươi nửa một_nửa"),
    (Th, (), "ยี่สิบ ครึ่ง"),
    (El, (), "είκοσι τριάντα σαράντα πενήντα μισό μισά τρίτο τέταρτο"),
];

static NUMBER_WORDS: LazyLock<Table<u8>> = LazyLock::new(|| {
    let forms = |(language, row): (Language, &'static str)| {
        let numbers = row.split_whitespace().zip(0_u8..);
        numbers.flat_map(move |(forms, number)| forms.split('|').map(move |form| (language, number, form)))
    };
    Table::new(NUMBERS.into_iter().flat_map(forms).filter(|row| row.2 != "-"))
});

static ONE_WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(ONES));
static AMOUNT_WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(AMOUNTS));

/// The number from zero to twelve that `word`, in lower case, spells in a text of `language`; none for an article that may also mean one.
pub fn number(word: &str, language: Option<Language>) -> Option<u8> {
    NUMBER_WORDS.get(word, language)
}

/// The numbers from zero to twelve that `text`, which is in `language`, spells out, without articles.
pub fn numbers_in(text: &str, language: Option<Language>) -> Vec<FoundWord<u8>> {
    NUMBER_WORDS.find_in(text, language)
}

/// Words that a part of a number word may be joined by: `hundred and five`.
const JOINED_WITHIN: usize = 2;

/// The numbers from two to twelve that `text`, which is in `language`, spells out and that are no part of a larger number, an ordinal, a
/// fraction or a span: not `five` of `twenty five`, `hundred and five` and `four to five`.
pub fn whole_numbers_in(text: &str, language: Option<Language>) -> Vec<FoundWord<u8>> {
    let words = split(text, Unspaced::Runs, &[]);
    let is_amount = |word: &WrittenWord<'_>| is_amount(&word.lower(), language) || word.text.contains(char::is_numeric);
    let sign = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || is_numeral(c));
    let is_whole = |found: &FoundWord<u8>| {
        let range = &found.range;
        if text[range.clone()].starts_with(is_unspaced) {
            let behind = &text[range.end..];
            let is_fraction = FRACTION_MARKS.iter().any(|mark| behind.starts_with(mark));
            let before = text[..range.start].chars().next_back();
            return !sign(before)
                && before != Some('第')
                && !is_fraction
                && !behind.chars().next().is_some_and(is_digit_sign);
        }
        let Some(at) = words.iter().position(|word| word.range.start == range.start) else { return false };
        let before = words[at.saturating_sub(JOINED_WITHIN)..at].iter();
        let next = words.iter().find(|word| word.range.start >= range.end);
        let is_larger = next.is_some_and(|word| is_amount(word) && scale(&word.lower(), language).is_none());
        let is_hyphened = text[..range.start].ends_with('-') || text[range.end..].starts_with('-');
        !before.into_iter().any(is_amount) && !is_larger && !is_hyphened
    };
    numbers_in(text, language).into_iter().filter(|found| found.value > 1 && is_whole(found)).collect()
}

/// What makes a fraction of the number before it, in scripts without spaces.
const FRACTION_MARKS: [&str; 3] = ["分の", "分之", "割"];

fn is_numeral(c: char) -> bool {
    "一二三四五六七八九十百千万萬亿億两兩〇零".contains(c)
}

/// Whether `c` goes on with a number, other than by a scale.
fn is_digit_sign(c: char) -> bool {
    c.is_ascii_digit() || "一二三四五六七八九十〇零".contains(c)
}

/// Whether `word`, in lower case, means one, perhaps as an article.
pub fn means_one(word: &str, language: Option<Language>) -> bool {
    ONE_WORDS.get(word, language).is_some()
}

/// Whether `word`, in lower case, says an amount: a number, a scale or a fraction.
pub fn is_amount(word: &str, language: Option<Language>) -> bool {
    number(word, language).is_some()
        || word == "one"
        || scale(word, language).is_some()
        || AMOUNT_WORDS.get(word, language).is_some()
}

/// Whether `text` spells a number in a script without spaces.
pub fn has_unspaced_number(text: &str) -> bool {
    const SIGNS: &str = "一二三四五六七八九十百千万萬亿億";
    let is_spelled = || {
        let words = NUMBER_WORDS.find_in(text, detect(text).known);
        words.iter().any(|word| text[word.range.clone()].starts_with(is_unspaced))
    };
    text.chars().any(|c| SIGNS.contains(c)) || (text.contains(is_unspaced) && is_spelled())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sentence of each language with its numbers.
    const SENTENCES: [(Language, &str, &[u8]); 22] = [
        (En, "It has two doors and twelve rooms, once six.", &[2, 12, 6]),
        (De, "Es hat zwei Türen und elf Räume.", &[2, 11]),
        (Fr, "Il y a deux portes et sept chambres dans la maison.", &[2, 7]),
        (Es, "La casa tiene dos puertas y once cuartos.", &[2, 11]),
        (It, "La casa ha due porte e sei stanze della nonna.", &[2, 6]),
        (Pt, "A casa dos pais tem três portas e oito quartos.", &[3, 8]),
        (Nl, "Het huis heeft twee deuren en zeven kamers.", &[2, 7]),
        (Pl, "Dom ma dwa okna i siedem pokoi.", &[2, 7]),
        (Cs, "Dům má dvě okna a sedm pokojů.", &[2, 7]),
        (Sv, "Huset har två dörrar och sex rum.", &[2, 6]),
        (Da, "Huset har to døre og syv rum.", &[2, 7]),
        (Ru, "В доме две двери и семь комнат.", &[2, 7]),
        (Uk, "У будинку дві двері і п’ять кімнат.", &[2, 5]),
        (Tr, "Evin iki kapısı ve on odası var.", &[2, 10]),
        (Ar, "في البيت ثلاثة أبواب وسبعة غرف.", &[3, 7]),
        (Hi, "घर में दो दरवाज़े और सात कमरे हैं।", &[2, 7]),
        (Ja, "家には三つの扉と十二の部屋が十分ある。", &[3, 12]),
        (Ko, "집에는 두 문과 일곱 방이 있다.", &[2, 7]),
        (Zh, "这些房子统一有三门十二室。", &[3, 12]),
        (Vi, "Nhà có hai cửa và bảy phòng.", &[2, 7]),
        (Th, "บ้านมีสองประตูและเจ็ดห้องสามารถใช้ได้", &[2, 7]),
        (El, "Το σπίτι έχει δύο πόρτες και επτά δωμάτια.", &[2, 7]),
    ];

    #[test]
    fn numbers_are_found_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && NUMBER_WORDS.has_row(language), "{language:?}");
            assert!(AMOUNT_WORDS.has_row(language), "{language:?}");
        }
        for (language, sentence, want) in SENTENCES {
            let found = numbers_in(sentence, detect(sentence).known);
            assert_eq!(found.into_iter().map(|word| word.value).collect::<Vec<_>>(), want, "{language:?} {sentence}");
        }
    }

    #[test]
    fn a_part_of_a_larger_number_is_no_number_of_its_own() {
        for (text, want) in [
            ("Three people met five others.", &[3, 5][..]),
            ("Twenty five people, one hundred and five dogs.", &[]),
            ("There are four to five cats.", &[4]),
            ("The two-thirds rule has three parts.", &[3]),
            ("有三人，二十五只猫，第三条，三分之一", &[3]),
            ("五百万人", &[5]),
            ("Drei Personen", &[3]),
        ] {
            let found = whole_numbers_in(text, detect(text).known);
            assert_eq!(found.into_iter().map(|word| word.value).collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn a_number_of_another_language_is_not_read_here() {
        for (word, language, want) in [
            ("once", Some(En), None),
            ("once", None, None),
            ("once", Some(Es), Some(11)),
            ("sept", None, None),
            ("sept", Some(Fr), Some(7)),
            ("six", None, Some(6)),
            ("six", Some(En), Some(6)),
            ("on", Some(En), None),
            ("to", Some(En), None),
            ("dos", Some(Pt), None),
            ("elf", Some(De), Some(11)),
        ] {
            assert_eq!(number(word, language), want, "{word} {language:?}");
        }
        assert!(!is_amount("once", Some(En)) && is_amount("twice", Some(En)) && is_amount("million", None));
    }

    #[test]
    fn no_word_is_two_numbers_without_a_mark() {
        for (word, entries) in NUMBER_WORDS.all() {
            let plain: Vec<u8> = entries.iter().filter(|entry| entry.2).map(|entry| entry.1).collect();
            assert!(plain.windows(2).all(|pair| pair[0] == pair[1]), "{word} {entries:?}");
        }
    }

    #[test]
    fn a_number_without_spaces_around_it_is_found_in_its_script() {
        for (text, has) in [
            ("ผู้ยืมต้องจ่ายเงินสองเท่าของราคา", true),
            ("ผู้ยืมต้องจ่ายเงินตามสามารถ", false),
            ("有三只猫", true),
            ("有猫", false),
            ("It has two cats.", false),
        ] {
            assert_eq!(has_unspaced_number(text), has, "{text}");
        }
    }
}
