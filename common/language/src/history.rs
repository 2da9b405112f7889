//! Words that ask for a history, and words for events that happen once.

use super::sets::{phrase_sets, word_sets};
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` asks for a history.
    is_history_word: [
        (En, "timeline history chronology chronological evolution"), (De, "zeitleiste geschichte chronologie verlauf"),
        (Fr, "chronologie historique histoire"), (Es, "cronología historia"), (It, "cronologia storia"),
        (Pt, "cronologia história"),
        (Nl, "tijdlijn geschiedenis chronologie"), (Pl, "historia historię chronologia"),
        (Cs, "historie historii chronologie"),
        (Sv, "historia historien tidslinje"), (Da, "historie historien tidslinje"), (Ru, "история историю хронология"),
        (Uk, "історія історію хронологія"), (Tr, "tarihçe tarihçesi tarihi kronoloji"), (Ar, "تاريخ التسلسل"),
        (Hi, "इतिहास कालक्रम"),
        (Ko, "역사 연혁 연대표"), (Vi, "lịch_sử"), (El, "ιστορία ιστορικό χρονολόγιο"),
    ];
    /// Whether `word` is an auxiliary of the past or the perfect.
    is_past_auxiliary: [
        (En, "did has have had"), (De, "hat haben hatte"), (Fr, "ont"), (Es, "ha han"), (It, "ha hanno"),
        (Nl, "heeft hebben"), (Sv, "har"), (Da, "har"),
    ];
    /// Whether `word` is a verb of development in a past form.
    is_past_development: [
        (De, "entwickelte entwickelten"), (Fr, "évolué développé évolua évoluèrent"),
        (Es, "evolucionó evolucionaron desarrolló desarrollaron"), (It, "evoluto sviluppato evolse"),
        (Pt, "evoluiu evoluíram desenvolveu"),
        (Nl, "ontwikkelde ontwikkelden"), (Pl, "rozwinął rozwinęła rozwijał rozwijała"),
        (Cs, "vyvinul vyvíjel vyvíjela"), (Sv, "utvecklades"),
        (Da, "udviklede"), (Ru, "развивался развивалась развивалось"), (Uk, "розвивався розвивалася"),
        (Tr, "gelişti"), (Hi, "विकसित"), (El, "εξελίχθηκε"),
    ];
    /// Whether `word` is an event that happens once to a thing, or the name of a field for one.
    is_single_event: [
        (
            En,
            "founded established born died created written published issued released launched signed adopted enacted approved ratified accepted \
            opened built completed finished discovered invented introduced abolished repealed dissolved expires expired ends ended begins began \
            starts started enters entered effective due terminates inaugurated incorporated patented demolished closed",
        ),
        (
            De,
            "gegründet geboren gestorben erstellt geschrieben veröffentlicht herausgegeben unterzeichnet unterschrieben beschlossen verabschiedet \
            genehmigt eröffnet erbaut gebaut fertiggestellt entdeckt erfunden eingeführt abgeschafft aufgehoben endet beginnt tritt trat",
        ),
        (
            Fr,
            "fondé fondée né née mort morte créé créée écrit publié publiée signé signée adopté adoptée approuvé ouvert ouverte construit \
            construite achevé découvert inventé aboli expire commence entre",
        ),
        (
            Es,
            "fundado fundada nacido nació murió creado creada escrito publicado publicada firmado firmada adoptado adoptada aprobado aprobada \
            abierto inaugurado inaugurada construido construida terminado descubierto inventado abolido vence termina comienza entra",
        ),
        (It, "fondato fondata nato nata morto morta creato creata pubblicato pubblicata firmato firmata inaugurato inaugurata costruito costruita"),
        (Pt, "fundada nasceu morreu criado criada publicada assinado assinada inaugurado construído construída"),
        (Nl, "opgericht geboren overleden gepubliceerd ondertekend geopend gebouwd"),
        (Pl, "założono założony założona urodził urodziła zmarł zmarła opublikowano podpisano otwarto zbudowano"),
        (Cs, "založen založena narozen zemřel vydán podepsán otevřen postaven postavena"),
        (Sv, "grundades föddes publicerades undertecknades öppnades byggdes invigdes"),
        (Da, "grundlagt født døde udgivet underskrevet åbnet bygget indviet"),
        (Ru, "основан основана родился родилась умер умерла создан создана опубликован подписан открыт открыта построен построена"),
        (Uk, "заснований заснована народився народилася помер померла створений опублікований підписаний відкритий збудований"),
        (Tr, "kuruldu doğdu öldü yayımlandı imzalandı açıldı inşa"),
        (Ar, "تأسس تأسست ولد ولدت توفي نشر وقع افتتح بني"),
        (Hi, "स्थापित स्थापना जन्म निधन प्रकाशित हस्ताक्षरित उद्घाटन निर्मित"),
        (Ko, "설립되었다 설립 태어났다 사망했다 출판되었다 서명되었다 개통되었다"),
        (Vi, "thành_lập sinh mất xuất_bản ký khánh_thành"),
        (El, "ιδρύθηκε γεννήθηκε πέθανε δημοσιεύθηκε υπογράφηκε άνοιξε χτίστηκε"),
    ];
    /// Whether `word` is the name of a field for a date, besides single events.
    names_date_field: [
        (En, "creation publication expiry"), (De, "erstellung veröffentlichung"), (Es, "creación publicación"),
    ];
    /// Whether `word` is a tense, which does not matter for a single event.
    is_tense: [(En, "was were been is"), (De, "war waren wurde wurden ist"), (Fr, "est était"), (Es, "fue fueron es")];
    /// Whether `word` before a date bounds it.
    bounds_date: [
        (En, "before after until till by than"), (De, "vor nach bis"), (Fr, "avant après jusqu"),
        (Es, "antes después hasta"), (It, "prima dopo entro"),
        (Pt, "antes depois até"), (Nl, "voor na"), (Pl, "przed po"), (Cs, "před po"), (Sv, "före efter"),
        (Da, "før efter"),
        (Ru, "до после"), (Uk, "до після"), (Tr, "önce sonra kadar"), (El, "πριν μετά"),
    ];
    /// Whether `word` shows that a text is German, where a capital marks no name.
    is_german: [(De, "der die das den dem des ein eine am im wurde ist")];
    /// Whether `word` may follow the first word of a sentence that is a name.
    follows_opening_name: [(En, "was is"), (De, "wurde"), (Es, "fue"), (Fr, "est")];
}

phrase_sets! {
    /// Whether `text` asks for things in their order, which beside "when" is a history.
    asks_in_order: [
        (En, "in_order"), (De, "der_reihe_nach in_der_reihenfolge"), (Fr, "dans_l’ordre dans_l'ordre"),
        (Es, "en_orden"), (It, "in_ordine"), (Pt, "em_ordem"),
    ];
    /// Whether `text` has a verb of development, which beside an auxiliary of the past asks for a history.
    has_development: [
        (En, "develop evolve changed_over change_over"), (De, "entwickelt verändert"),
        (Es, "evolucionado desarrollado"), (Nl, "ontwikkeld"),
        (Sv, "utvecklat"), (Da, "udviklet"),
    ];
    /// Whether `text` asks for a history, in scripts without spaces.
    has_unspaced_history: [
        (Zh, "历史 歷史 时间线 時間線 年表 沿革 大事记 发展历程 發展歷程 按时间顺序"), (Ja, "歴史 年表"), (Th, "ประวัติศาสตร์ ประวัติความเป็นมา"),
    ];
    /// Whether `text` asks for the order of time, in scripts without spaces.
    asks_by_time: [(Zh, "按时间顺序")];
    /// Whether `text` asks for one fact, in scripts without spaces.
    has_unspaced_one_fact: [(Zh, "谁 誰 哪里 哪年 什么时候"), (Ja, "いつ どこ"), (Th, "ใคร เมื่อไร ที่ไหน")];
}

/// The event that happens once in `text`, in scripts without spaces.
pub fn unspaced_event(text: &str) -> Option<&'static str> {
    const EVENTS: &str = "成立 出生 去世 发布 發布 签署 簽署 生效 通过 建成 开业 创建 設立 公開 ก่อตั้ง เกิด เสียชีวิต ลงนาม";
    EVENTS.split_whitespace().find(|event| text.contains(event))
}

#[cfg(test)]
mod tests {
    use super::super::words::lower_words;
    use super::*;

    /// A sentence of each language that asks for the history of a bridge.
    const QUESTIONS: [(Language, &str); 22] = [
        (En, "the history of the bridge"),
        (De, "die Geschichte der Brücke"),
        (Fr, "l’histoire du pont"),
        (Es, "la historia del puente"),
        (It, "la storia del ponte"),
        (Pt, "a história da ponte"),
        (Nl, "de geschiedenis van de brug"),
        (Pl, "historia mostu"),
        (Cs, "historie mostu"),
        (Sv, "brons historia"),
        (Da, "broens historie"),
        (Ru, "история моста"),
        (Uk, "історія мосту"),
        (Tr, "köprünün tarihçesi"),
        (Ar, "تاريخ الجسر"),
        (Hi, "पुल का इतिहास"),
        (Ja, "橋の歴史"),
        (Ko, "다리의 역사"),
        (Zh, "桥的历史"),
        (Vi, "lịch sử của cây cầu"),
        (Th, "ประวัติศาสตร์ของสะพาน"),
        (El, "η ιστορία της γέφυρας"),
    ];

    #[test]
    fn a_history_is_asked_for_in_every_language() {
        for language in Language::COVERED {
            assert!(QUESTIONS.iter().any(|row| row.0 == language), "{language:?}");
        }
        for (language, question) in QUESTIONS {
            let words = lower_words(question);
            let pairs = words.windows(2).map(|pair| pair.join(" "));
            let is_word =
                words.iter().any(|word| is_history_word(word)) || pairs.into_iter().any(|pair| is_history_word(&pair));
            assert!(is_word || has_unspaced_history(question), "{language:?} {question}");
        }
        assert!(!lower_words("the store of the hotel").iter().any(|word| is_history_word(word)));
    }
}
