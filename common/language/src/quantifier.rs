//! Words that say how far a statement reaches: universal words, and words that limit it.

use std::sync::LazyLock;

use super::table::{FoundWord, Row, Table};
use super::tag::Language::{self, *};

/// How a word limits or widens a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Without exception: "all".
    Universal,
    /// Some, or a possibility: "some", "may".
    Hedge,
    /// Exactly one, which limits a statement and is universal at once: "only".
    Only,
}

impl Quantifier {
    /// Whether a statement with it claims more than one without.
    pub fn is_universal(self) -> bool {
        matches!(self, Self::Universal | Self::Only)
    }

    /// Whether a statement without it claims more than one with.
    pub fn is_hedge(self) -> bool {
        matches!(self, Self::Hedge | Self::Only)
    }
}

const UNIVERSAL: Quantifier = Quantifier::Universal;
const HEDGE: Quantifier = Quantifier::Hedge;
const ONLY: Quantifier = Quantifier::Only;

const ROWS: [Row<Quantifier>; 66] = [
    (En, UNIVERSAL, "all always every everyone everybody everything entire entirely completely"),
    (
        En,
        HEDGE,
        "some few several many often sometimes usually may might could possibly probably perhaps unless except",
    ),
    (En, ONLY, "only exclusively solely"),
    (De, UNIVERSAL, "alle allen aller immer jeder jede jedes jeden jedem sämtliche sämtlichen stets"),
    (
        De,
        HEDGE,
        "einige einigen manche manchen mehrere mehreren oft manchmal meist könnte könnten möglicherweise vielleicht wahrscheinlich außer",
    ),
    (De, ONLY, "nur ausschließlich lediglich"),
    (Fr, UNIVERSAL, "tous toutes toujours chaque"),
    (Fr, HEDGE, "certains certaines plusieurs souvent parfois pourrait peut sauf"),
    (Fr, ONLY, "uniquement seulement exclusivement"),
    (Es, UNIVERSAL, "todos todas siempre cada"),
    (Es, HEDGE, "algunos algunas varios varias podría puede quizás salvo"),
    (Es, ONLY, "únicamente solo sólo solamente exclusivamente"),
    (It, UNIVERSAL, "tutti tutte sempre ogni ciascuno ciascuna"),
    (It, HEDGE, "alcuni alcune parecchi spesso talvolta potrebbe può forse salvo tranne"),
    (It, ONLY, "solo soltanto solamente esclusivamente"),
    (Pt, UNIVERSAL, "todos todas sempre cada"),
    (Pt, HEDGE, "alguns algumas vários várias poderia pode talvez salvo exceto"),
    (Pt, ONLY, "somente apenas exclusivamente !só"),
    (Nl, UNIVERSAL, "alle altijd elke elk ieder iedere iedereen"),
    (Nl, HEDGE, "sommige enkele verscheidene vaak soms misschien mogelijk waarschijnlijk behalve tenzij"),
    (Nl, ONLY, "alleen slechts uitsluitend enkel"),
    (Pl, UNIVERSAL, "wszyscy wszystkie wszystko zawsze każdy każda każde każdego"),
    (Pl, HEDGE, "niektórzy niektóre kilka często czasami może mogą prawdopodobnie chyba zazwyczaj"),
    (Pl, ONLY, "tylko jedynie wyłącznie"),
    (Cs, UNIVERSAL, "všichni všechny všechna vždy každý každá každé"),
    (Cs, HEDGE, "někteří některé několik často někdy možná pravděpodobně obvykle může"),
    (Cs, ONLY, "pouze jen jenom výhradně"),
    (Sv, UNIVERSAL, "alla alltid varje"),
    (Sv, HEDGE, "några vissa flera ofta ibland kanske möjligen sannolikt utom såvida"),
    (Sv, ONLY, "bara endast enbart"),
    (Da, UNIVERSAL, "alle altid hver hvert"),
    (Da, HEDGE, "nogle visse flere ofte måske muligvis sandsynligvis undtagen medmindre"),
    (Da, ONLY, "kun udelukkende"),
    (Ru, UNIVERSAL, "все всех всем всегда каждый каждая каждое каждого любой"),
    (Ru, HEDGE, "некоторые некоторых несколько многие часто иногда может могут возможно вероятно кроме обычно"),
    (Ru, ONLY, "только лишь исключительно"),
    (Uk, UNIVERSAL, "всі всіх завжди кожен кожна кожне кожного"),
    (Uk, HEDGE, "деякі деяких кілька багато часто іноді може можуть можливо ймовірно крім зазвичай"),
    (Uk, ONLY, "тільки лише виключно"),
    (Tr, UNIVERSAL, "tüm bütün !her herkes daima hep"),
    (Tr, HEDGE, "bazı birkaç çoğu sık_sık bazen belki muhtemelen genellikle hariç olabilir"),
    (Tr, ONLY, "yalnızca sadece yalnız"),
    (Ar, UNIVERSAL, "كل جميع دائما دائماً كافة"),
    (Ar, HEDGE, "بعض عدة غالبا أحيانا قد ربما يمكن باستثناء إلا"),
    (Ar, ONLY, "فقط حصرا"),
    (Hi, UNIVERSAL, "सभी सब हमेशा हर प्रत्येक"),
    (Hi, HEDGE, "कुछ कई अक्सर कभी-कभी शायद संभवतः"),
    (Hi, ONLY, "केवल सिर्फ"),
    (Ja, UNIVERSAL, "すべて 全て 全員 常に 必ず いつも 毎"),
    (
        Ja,
        HEDGE,
        "一部 いくつか 多く しばしば 時々 かもしれない かもしれません おそらく 恐らく たぶん ことがある 場合がある 通常",
    ),
    (Ja, ONLY, "だけ のみ しか"),
    (Ko, UNIVERSAL, "모든 모두 항상 언제나 전체 매"),
    (Ko, HEDGE, "일부 여러 많은 종종 때때로 아마 아마도 보통 제외하고"),
    (Ko, ONLY, "오직 오로지 단지"),
    (Zh, UNIVERSAL, "所有 全部 一切 每个 每個 始终 始終 总是 總是 任何"),
    (Zh, HEDGE, "一些 某些 部分 许多 許多 经常 經常 有时 有時 可能 也许 也許 大概 除非 除外 通常"),
    (Zh, ONLY, "只有 仅 僅 只能 唯一"),
    (Vi, UNIVERSAL, "tất_cả mọi luôn mỗi toàn_bộ"),
    (Vi, HEDGE, "một_số vài nhiều thường đôi_khi có_thể có_lẽ ngoại_trừ trừ"),
    (Vi, ONLY, "chỉ duy_nhất"),
    (Th, UNIVERSAL, "ทั้งหมด ทุก เสมอ ตลอด"),
    (Th, HEDGE, "บาง บางส่วน หลาย มัก บางครั้ง อาจ ~อาจารย์ คงจะ ยกเว้น เว้นแต่"),
    (Th, ONLY, "เท่านั้น เพียง เฉพาะ"),
    (El, UNIVERSAL, "όλοι όλες όλα πάντα κάθε πάντοτε"),
    (El, HEDGE, "μερικοί μερικές ορισμένοι ορισμένες αρκετοί συχνά μπορεί ίσως πιθανώς εκτός"),
    (El, ONLY, "μόνο μόνον αποκλειστικά"),
];

static QUANTIFIERS: LazyLock<Table<Quantifier>> = LazyLock::new(|| Table::new(ROWS));

/// What `word`, in lower case, does to the reach of a statement in `language`.
pub fn quantifier(word: &str, language: Option<Language>) -> Option<Quantifier> {
    QUANTIFIERS.get(word, language)
}

/// The quantifiers in `text`, which is in `language`, in order.
pub fn quantifiers_in(text: &str, language: Option<Language>) -> Vec<FoundWord<Quantifier>> {
    QUANTIFIERS.find_in(text, language)
}

#[cfg(test)]
mod tests {
    use super::super::detect::detect;
    use super::*;

    /// A sentence of each language with a universal word, a word that limits, and a word for "only", in this order.
    const SENTENCES: [(Language, &str); 22] = [
        (En, "All members vote, some vote twice, and only the judge decides."),
        (De, "Alle Mitglieder wählen, manche wählen zweimal, und nur der Richter entscheidet."),
        (Fr, "Tous les membres votent, certains votent deux fois, et seulement le juge décide."),
        (Es, "Todos los miembros votan, algunos votan dos veces y solo el juez decide."),
        (It, "Tutti i membri votano, alcuni votano due volte e solo il giudice decide."),
        (Pt, "Todos os membros votam, alguns votam duas vezes e apenas o juiz decide."),
        (Nl, "Alle leden stemmen, sommige stemmen twee keer en alleen de rechter beslist."),
        (Pl, "Wszyscy członkowie głosują, niektórzy dwa razy, a tylko sędzia decyduje."),
        (Cs, "Všichni členové volí, někteří dvakrát a pouze soudce rozhoduje."),
        (Sv, "Alla medlemmar röstar, vissa röstar två gånger och endast domaren beslutar."),
        (Da, "Alle medlemmer stemmer, nogle stemmer to gange, og kun dommeren afgør det."),
        (Ru, "Все члены голосуют, некоторые дважды, и только судья решает."),
        (Uk, "Всі члени голосують, деякі двічі, і тільки суддя вирішує."),
        (Tr, "Tüm üyeler oy verir, bazı üyeler iki kez verir ve yalnızca yargıç karar verir."),
        (Ar, "جميع الأعضاء يصوتون، وبعض الأعضاء مرتين، والقاضي فقط يقرر."),
        (Hi, "सभी सदस्य वोट देते हैं, कुछ दो बार, और केवल न्यायाधीश फैसला करता है।"),
        (Ja, "すべての会員が投票し、一部は二度投票し、裁判官だけが決める。"),
        (Ko, "모든 회원이 투표하고 일부는 두 번 투표하며 오직 판사가 결정한다."),
        (Zh, "所有成员投票，一些成员投两次，只有法官决定。"),
        (Vi, "Tất cả thành viên bỏ phiếu, một số bỏ hai lần và chỉ thẩm phán quyết định."),
        (Th, "สมาชิกทุกคนลงคะแนน บางคนลงสองครั้ง และผู้พิพากษาเท่านั้นที่ตัดสิน"),
        (El, "Όλοι ψηφίζουν, μερικοί ψηφίζουν δύο φορές και μόνο ο δικαστής αποφασίζει."),
    ];

    #[test]
    fn quantifiers_are_found_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && QUANTIFIERS.has_row(language), "{language:?}");
        }
        for (language, sentence) in SENTENCES {
            let found: Vec<Quantifier> =
                quantifiers_in(sentence, detect(sentence).known).into_iter().map(|word| word.value).collect();
            assert_eq!(found, [UNIVERSAL, HEDGE, ONLY], "{language:?} {sentence}");
        }
    }

    #[test]
    fn no_unmarked_word_widens_and_limits_in_different_languages() {
        for (word, entries) in QUANTIFIERS.all() {
            let values: Vec<Quantifier> = entries.iter().filter(|entry| entry.2).map(|entry| entry.1).collect();
            assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{word} {entries:?}");
        }
    }
}
