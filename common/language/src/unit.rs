//! Units of measure and money.

use std::sync::LazyLock;

use super::table::{Row, Table};
use super::tag::Language::{self, *};

/// Signs and symbols of each unit in every language; the first is its common name. Those of one or two letters are spelled as here, `MW` is
/// not `mW`; longer ones in any case.
const SYMBOLS: [&str; 47] = [
    "% ％ pct",
    "EUR €",
    "USD $ US$",
    "GBP £",
    "JPY ¥ 円",
    "CHF",
    "CNY 元 RMB",
    "KRW ₩ 원",
    "INR ₹",
    "RUB ₽",
    "UAH ₴",
    "PLN zł",
    "CZK Kč",
    "SEK",
    "DKK",
    "TRY ₺",
    "VND ₫",
    "THB ฿",
    "km",
    "m",
    "cm",
    "mm",
    "mile mi",
    "foot ft",
    "acre",
    "hectare ha",
    "km²",
    "m²",
    "kg",
    "g",
    "mg",
    "t",
    "l L",
    "ml mL",
    "s",
    "min",
    "h",
    "°C °c ℃ celsius",
    "°F ℉ fahrenheit",
    "kW kw",
    "MW mw",
    "GW gw",
    "kWh",
    "MWh",
    "GWh",
    "MB mb",
    "GB gb",
];

/// The names of units in each language, in lower case: groups apart by `;`, each the common name of a unit and the words for it.
const NAMES: [(Language, &str); 22] = [
    (
        En,
        "% percent per_cent; EUR euro euros; USD dollar dollars; GBP pounds sterling; JPY yen; CHF francs franc; CNY yuan; \
        INR rupee rupees; RUB rouble roubles ruble rubles; TRY lira; km kilometre kilometres kilometer kilometers; \
        m metre metres meter meters; cm centimetre centimetres centimeter centimeters; mm millimetre millimetres millimeter millimeters; \
        mile miles; foot feet; acre acres; hectare hectares; kg kilogram kilograms; g gram grams; mg milligram milligrams; \
        t tonne tonnes tons; l litre litres liter liters; ml millilitre millilitres milliliter milliliters; s !second seconds; \
        min minute minutes; h hour hours; day days; week weeks; month months; year years; decade decades; century centuries; \
        MW megawatt megawatts; kW kilowatt kilowatts; GW gigawatt gigawatts; GB gigabyte gigabytes; MB megabyte megabytes",
    ),
    (
        De,
        "% prozent; EUR euro; USD dollar; GBP pfund; JPY yen; CHF franken; km kilometer kilometern; m meter metern; cm zentimeter; \
        mm millimeter; mile meile meilen; foot fuß; hectare hektar; kg kilogramm kilo; g gramm; mg milligramm; t tonne tonnen; \
        l liter; ml milliliter; s sekunde sekunden; min minute minuten; h stunde stunden; day tag tage tagen; week woche wochen; \
        month monat monate monaten; year jahr jahre jahren; decade jahrzehnt jahrzehnte jahrzehnten; \
        century jahrhundert jahrhunderte jahrhunderten; MW megawatt; kW kilowatt; GW gigawatt; GB gigabyte; MB megabyte",
    ),
    (
        Fr,
        "% pourcent pour_cent; EUR euro euros; USD dollar dollars; GBP livres_sterling; CHF francs franc; km kilomètre kilomètres; \
        m mètre mètres; cm centimètre centimètres; mm millimètre millimètres; hectare hectares; kg kilogramme kilogrammes; \
        g gramme grammes; mg milligramme milligrammes; t tonne tonnes; l litre litres; ml millilitre millilitres; \
        s seconde secondes; min minute minutes; h heure heures; day jour jours; week semaine semaines; month mois; \
        year !an ans année années; decade décennie décennies; century siècle siècles; MW mégawatt mégawatts",
    ),
    (
        Es,
        "% por_ciento; EUR euro euros; USD dólar dólares; GBP libras; CHF francos; km kilómetro kilómetros; m metro metros; \
        cm centímetro centímetros; mm milímetro milímetros; mile milla millas; foot pies; hectare hectárea hectáreas; \
        kg kilogramo kilogramos kilo kilos; g gramo gramos; mg miligramo miligramos; t tonelada toneladas; l litro litros; \
        ml mililitro mililitros; s segundo segundos; min minuto minutos; h hora horas; day día días; week semana semanas; \
        month !mes meses; year año años; decade década décadas; century siglo siglos; MW megavatio megavatios",
    ),
    (
        It,
        "% per_cento; EUR euro; USD dollaro dollari; GBP sterline; CHF franchi; km chilometro chilometri; m metro metri; \
        cm centimetro centimetri; mm millimetro millimetri; hectare ettaro ettari; kg chilogrammo chilogrammi !chilo !chili; \
        g grammo grammi; mg milligrammo milligrammi; t tonnellata tonnellate; l litro litri; ml millilitro millilitri; \
        s secondo secondi; min minuto minuti; h !ora !ore; day giorno giorni; week settimana settimane; month mese mesi; \
        year anno anni; decade decennio decenni; century secolo secoli; MW megawatt",
    ),
    (
        Pt,
        "% por_cento; EUR euro euros; USD dólar dólares; GBP libras; km quilômetro quilômetros quilómetro quilómetros; m metro metros; \
        cm centímetro centímetros; mm milímetro milímetros; hectare hectare hectares; kg quilograma quilogramas quilo quilos; \
        g grama gramas; t tonelada toneladas; l litro litros; s segundo segundos; min minuto minutos; h hora horas; day dia dias; \
        week semana semanas; month mês meses; year ano anos; decade década décadas; century século séculos",
    ),
    (
        Nl,
        "% procent; EUR euro; USD dollar; GBP !pond; km kilometer; m meter; cm centimeter; mm millimeter; mile mijl; foot voet; \
        hectare hectare; kg kilogram kilo; g gram; t ton; l liter; s seconde seconden; min minuut minuten; h uur; day dag dagen; \
        week weken; month maand maanden; year jaar jaren; decade decennium decennia; century eeuw eeuwen; MW megawatt",
    ),
    (
        Pl,
        "% procent procenta procentów; EUR euro; USD dolar dolary dolarów; PLN złoty złote złotych; km kilometr kilometry kilometrów; \
        m metr metry metrów; cm centymetr centymetrów; hectare hektar hektary hektarów; kg kilogram kilogramy kilogramów; \
        g gram gramy gramów; t tona !tony; l litr litry litrów; s sekunda sekundy sekund; min minuta minuty minut; \
        h godzina godziny godzin; day dzień dni; week tydzień tygodnie tygodni; month miesiąc miesiące miesięcy; year rok lata lat; \
        century wiek wieki wieków",
    ),
    (
        Cs,
        "% procento procenta procent; EUR euro eur; USD dolar dolary dolarů; CZK koruna koruny korun; km kilometr kilometry kilometrů; \
        m metr metry metrů; cm centimetr centimetrů; hectare hektar hektary hektarů; kg kilogram kilogramů; g gram gramů; \
        t !tuna !tuny !tun; l litr litry litrů; s sekunda sekundy sekund; min minuta minuty minut; h hodina hodiny hodin; \
        day !den dny dní; week týden týdny týdnů; month měsíc měsíce měsíců; year rok roky !let; century století",
    ),
    (
        Sv,
        "% procent; EUR euro; USD dollar; SEK krona kronor; km kilometer; m meter; cm centimeter; mm millimeter; hectare hektar; \
        kg kilogram kilo; g gram; t !ton; l liter; s sekund sekunder; min minut minuter; h timme timmar; day dag dagar; \
        week vecka veckor; month månad månader; year år; decade årtionde årtionden; century århundrade århundraden",
    ),
    (
        Da,
        "% procent; EUR euro; USD dollar; DKK krone kroner; km kilometer; m meter; cm centimeter; mm millimeter; hectare hektar; \
        kg kilogram kilo; g gram; t !ton; l liter; s sekund sekunder; min minut minutter; h !time !timer; day dag dage; \
        week uge uger; month måned måneder; year år; decade årti årtier; century århundrede århundreder",
    ),
    (
        Ru,
        "% процент процента процентов; EUR евро; USD доллар доллара долларов; RUB рубль рубля рублей руб; \
        km км километр километра километров; m м метр метра метров; cm см сантиметр сантиметров; mm мм миллиметр миллиметров; \
        hectare га гектар гектара гектаров; kg кг килограмм килограмма килограммов; g г грамм грамма граммов; \
        t т тонна тонны тонн; l л литр литра литров; s секунда секунды секунд; min минута минуты минут; h час часа часов; \
        day день дня дней; week неделя недели недель; month месяц месяца месяцев; year год года лет; century век века веков; \
        MW мвт мегаватт; GB гб",
    ),
    (
        Uk,
        "% відсоток відсотка відсотків; EUR євро; USD долар долара доларів; UAH гривня гривні гривень грн; \
        km км кілометр кілометра кілометрів; m м метр метра метрів; cm см сантиметрів; mm мм міліметрів; hectare га гектар гектарів; \
        kg кг кілограм кілограмів; g г грам грамів; t т тонна тонни тонн; l л літр літра літрів; s секунда секунди секунд; \
        min хвилина хвилини хвилин; h година години годин; day день дні днів; week тиждень тижні тижнів; \
        month місяць місяці місяців; year рік роки років; century століття",
    ),
    (
        Tr,
        "% yüzde; EUR avro euro; USD dolar doları; TRY lira lirası; km kilometre; m metre; cm santimetre; mm milimetre; \
        hectare hektar; kg kilogram kilo; g gram; t ton; l litre; s saniye; min dakika; h saat; day gün; week hafta; month !ay; \
        year yıl sene; century yüzyıl",
    ),
    (
        Ar,
        "% بالمئة بالمائة في_المئة في_المائة; EUR يورو; USD دولار دولارا دولارات; km كيلومتر كيلومترا كيلومترات كم; m متر مترا أمتار; \
        cm سنتيمتر سم; hectare هكتار هكتارا هكتارات; kg كيلوغرام كيلوغراما كجم; g غرام غراما غرامات; t طن طنا أطنان; l لتر لترا لترات; \
        s ثانية ثواني; min دقيقة دقائق; h ساعة ساعات; day يوم يوما أيام; week أسبوع أسابيع; month شهر شهرا أشهر; \
        year سنة سنوات عام عاما أعوام; century قرن قرون",
    ),
    (
        Hi,
        "% प्रतिशत फीसदी; EUR यूरो; USD डॉलर; INR रुपये रुपए रुपया रुपयों; km किलोमीटर किमी; m मीटर; cm सेंटीमीटर; \
        hectare हेक्टेयर; acre एकड़; kg किलोग्राम किलो; g ग्राम; t टन; l लीटर; s सेकंड; min मिनट; h घंटा घंटे घंटों; day दिन दिनों; \
        week सप्ताह हफ्ते; month महीना महीने महीनों; year साल वर्ष वर्षों; century सदी शताब्दी",
    ),
    (
        Ja,
        "% パーセント; EUR ユーロ; USD ドル 米ドル; JPY 円; km キロメートル キロ; m メートル; cm センチ センチメートル; \
        hectare ヘクタール; kg キログラム; g グラム; t トン; l リットル; s 秒; min 分; h 時間; day 日間; week 週間; month か月 ヶ月 カ月 ヵ月; \
        year 年間; century 世紀; MW メガワット; GB ギガバイト",
    ),
    (
        Ko,
        "% 퍼센트 프로; EUR 유로; USD 달러; KRW 원; km 킬로미터; m 미터; cm 센티미터; hectare 헥타르; kg 킬로그램; g 그램; t 톤; \
        l 리터; s 초; min 분; h 시간; day 일간; week 주 주간; month 개월; year 년간; century 세기; MW 메가와트",
    ),
    (
        Zh,
        "% 百分点 百分點; EUR 欧元 歐元; USD 美元; CNY 元 人民币 人民幣; JPY 日元; km 公里 千米; m 米 公尺; cm 厘米 公分; mm 毫米; \
        hectare 公顷 公頃; kg 公斤 千克; g 克; t 吨 噸; l 升; ml 毫升; s 秒 秒钟; min 分钟 分鐘; h 小时 小時; day 天; week 周 星期; \
        month 个月 個月; century 世纪 世紀; MW 兆瓦",
    ),
    (
        Vi,
        "% phần_trăm; EUR euro; USD đô_la; VND đồng; km ki_lô_mét; m mét; cm xăng_ti_mét; hectare héc_ta; \
        kg ki_lô_gam; g gam; t tấn; l lít; s giây; min phút; h giờ; day ngày; week tuần; month tháng; year năm; century thế_kỷ",
    ),
    (
        Th,
        "% เปอร์เซ็นต์ ร้อยละ; EUR ยูโร; USD ดอลลาร์ เหรียญสหรัฐ; THB บาท; km กิโลเมตร; m เมตร; cm เซนติเมตร; hectare เฮกตาร์; \
        kg กิโลกรัม; g กรัม; t ตัน; l ลิตร; s วินาที; min นาที; h ชั่วโมง; day วัน; week สัปดาห์; month เดือน; year ปี; century ศตวรรษ",
    ),
    (
        El,
        "% τοις_εκατό; EUR ευρώ; USD δολάριο δολάρια δολαρίων; km χλμ χιλιόμετρο χιλιόμετρα χιλιομέτρων; m μέτρο μέτρα μέτρων; \
        cm εκατοστό εκατοστά; hectare εκτάριο εκτάρια εκταρίων; kg κιλό κιλά κιλών; g γραμμάριο γραμμάρια; t τόνος τόνοι τόνους τόνων; \
        l λίτρο λίτρα λίτρων; s δευτερόλεπτο δευτερόλεπτα; min λεπτό λεπτά; h ώρα ώρες ωρών; day ημέρα ημέρες μέρες ημερών; \
        week εβδομάδα εβδομάδες; month μήνας μήνες μηνών; year έτος έτη χρόνια χρόνος ετών; century αιώνας αιώνες",
    ),
];

/// Nouns that are counted like a unit: "in 1500 people" is no year.
const COUNTED: [Row<()>; 22] = [
    (En, (), "people persons inhabitants cases copies"),
    (De, (), "personen menschen einwohner fälle exemplare"),
    (Fr, (), "personnes habitants cas exemplaires"),
    (Es, (), "personas habitantes casos ejemplares"),
    (It, (), "persone abitanti !casi copie"),
    (Pt, (), "pessoas habitantes casos exemplares"),
    (Nl, (), "mensen personen inwoners gevallen exemplaren"),
    (Pl, (), "osób osoby ludzi mieszkańców przypadków"),
    (Cs, (), "lidí osob obyvatel případů"),
    (Sv, (), "personer människor invånare !fall"),
    (Da, (), "personer mennesker indbyggere tilfælde"),
    (Ru, (), "человек людей жителей случаев"),
    (Uk, (), "осіб людей мешканців випадків"),
    (Tr, (), "kişi kişinin insan vaka"),
    (Ar, (), "شخص أشخاص نسمة حالة"),
    (Hi, (), "लोग लोगों व्यक्ति मामले"),
    (Ja, (), "人 件 名"),
    (Ko, (), "명 사람 건"),
    (Zh, (), "人 名 例 件"),
    (Vi, (), "người !ca"),
    (Th, (), "คน ราย"),
    (El, (), "άτομα άνθρωποι κάτοικοι κατοίκους περιπτώσεις"),
];

/// Money, in the order of [`SYMBOLS`].
const CURRENCIES: std::ops::Range<usize> = 1..18;

static UNITS: LazyLock<Table<&'static str>> = LazyLock::new(|| {
    let groups = |(language, row): (Language, &'static str)| {
        row.split(';').filter_map(move |group| {
            let (name, words) = group.trim().split_once(' ')?;
            Some((language, name, words))
        })
    };
    Table::new(NAMES.into_iter().flat_map(groups))
});

static COUNTED_NOUNS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(COUNTED));

/// The common name of the unit that `word`, as written, is in a text of `language`.
pub fn unit(word: &str, language: Option<Language>) -> Option<&'static str> {
    symbol(word, 0..SYMBOLS.len()).or_else(|| UNITS.get(&word.to_lowercase(), language))
}

/// The unit that `text`, of a script without spaces, begins with, and its length in bytes.
pub fn leading_unit(text: &str) -> Option<(&'static str, usize)> {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST_CHARS);
    ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| Some((unit(&text[..end], None)?, end)))
}

/// Most characters of the name of a unit in a script without spaces.
const LONGEST_CHARS: usize = 12;

/// The common name of the money that `sign` stands for: `€`, `EUR`.
pub fn currency(sign: &str) -> Option<&'static str> {
    symbol(sign, CURRENCIES)
}

/// Whether `name` is the common name of a unit.
pub fn is_unit_name(name: &str) -> bool {
    const PERIODS: [&str; 6] = ["day", "week", "month", "year", "decade", "century"];
    SYMBOLS.iter().any(|symbols| symbols.split(' ').next() == Some(name)) || PERIODS.contains(&name)
}

/// Whether `word`, as written, is a unit or a noun that is counted like one.
pub fn is_counted(word: &str, language: Option<Language>) -> bool {
    unit(word, language).is_some() || COUNTED_NOUNS.get(&word.to_lowercase(), language).is_some()
}

fn symbol(word: &str, rows: std::ops::Range<usize>) -> Option<&'static str> {
    let is = |symbol: &str| {
        if symbol.chars().count() <= 2 { symbol == word } else { symbol.to_lowercase() == word.to_lowercase() }
    };
    SYMBOLS[rows].iter().find(|row| row.split(' ').any(is)).and_then(|row| row.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::super::detect::detect;
    use super::*;

    /// A sentence of each language with its units.
    const SENTENCES: [(Language, &str, &[&str]); 22] = [
        (En, "The road is 5 miles long and costs 3 percent.", &["mile", "%"]),
        (De, "Die Frist ist 14 Tage, die Strecke 5 Kilometer.", &["day", "km"]),
        (Fr, "Le délai est de 14 jours et 5 pour cent.", &["day", "%"]),
        (Es, "El plazo es de 3 años y 5 por ciento.", &["year", "%"]),
        (It, "La strada è di 5 chilometri e costa 3 euro.", &["km", "EUR"]),
        (Pt, "O prazo é de 3 meses e 5 por cento.", &["month", "%"]),
        (Nl, "Het duurt 3 weken en kost 5 euro.", &["week", "EUR"]),
        (Pl, "Kosztuje 5 złotych i waży 3 kilogramy.", &["PLN", "kg"]),
        (Cs, "Stojí 5 korun a váží 3 gramů.", &["CZK", "g"]),
        (Sv, "Det kostar 5 kronor och tar 3 timmar.", &["SEK", "h"]),
        (Da, "Det koster 5 kroner og tager 3 timer.", &["DKK", "h"]),
        (Ru, "Это стоит 5 рублей и длится 3 часа.", &["RUB", "h"]),
        (Uk, "Це коштує 5 гривень і триває 3 години.", &["UAH", "h"]),
        (Tr, "Yol 5 kilometre ve 3 saat sürer.", &["km", "h"]),
        (Ar, "الطريق 5 كيلومترات والمدة 3 أيام.", &["km", "day"]),
        (Hi, "सड़क 5 किलोमीटर लंबी है और 3 रुपये लगते हैं।", &["km", "INR"]),
        (Ja, "道は5キロメートルで、料金は3ユーロです。", &["km", "EUR"]),
        (Ko, "길은 5킬로미터이고 3시간 걸린다.", &["km", "h"]),
        (Zh, "路长5公里，需要3小时。", &["km", "h"]),
        (Vi, "Con đường dài 5 mét và mất 3 giờ.", &["m", "h"]),
        (Th, "ถนนยาว5กิโลเมตรใช้เวลา3ชั่วโมง", &["km", "h"]),
        (El, "Ο δρόμος είναι 5 χιλιόμετρα και κοστίζει 3 ευρώ.", &["km", "EUR"]),
    ];

    #[test]
    fn units_are_found_behind_the_numbers_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && UNITS.has_row(language), "{language:?}");
            assert!(COUNTED_NOUNS.has_row(language), "{language:?}");
        }
        for (language, sentence, want) in SENTENCES {
            let found = UNITS.find_in(sentence, detect(sentence).known);
            let digit = |at: usize| sentence[..at].trim_end().ends_with(|c: char| c.is_ascii_digit());
            let units: Vec<&str> = found.iter().filter(|w| digit(w.range.start)).map(|w| w.value).collect();
            assert_eq!(units, want, "{language:?} {sentence}");
        }
    }

    #[test]
    fn a_unit_has_one_name_however_it_is_written() {
        for (words, want) in [
            (&["°C", "celsius", "Celsius"][..], Some("°C")),
            (&["MW", "Megawatt", "mégawatts"], Some("MW")),
            (&["GB", "gigabytes"], Some("GB")),
            (&["pounds", "GBP", "£"], Some("GBP")),
            (&["円", "yen", "JPY", "¥"], Some("JPY")),
            (&["%", "Prozent", "percent"], Some("%")),
            (&["hectares", "Hektar", "гектаров"], Some("hectare")),
            (&["M", "people", "mW", ""], None),
        ] {
            for word in words {
                assert_eq!(unit(word, None), want, "{word}");
            }
        }
    }

    #[test]
    fn every_name_of_a_unit_is_a_listed_one() {
        for (word, entries) in UNITS.all() {
            assert!(entries.iter().all(|entry| is_unit_name(entry.1)), "{word} {entries:?}");
            let plain: Vec<&str> = entries.iter().filter(|entry| entry.2).map(|entry| entry.1).collect();
            assert!(plain.windows(2).all(|pair| pair[0] == pair[1]), "{word} {entries:?}");
        }
    }
}
