//! Tests the law of sentences: a word that reverses the meaning of a sentence is never separated from it.
//!
//! Negations and similar words of thirteen languages, each with its sentence, behind every numbering style, alone and among other
//! sentences. In every case one range must hold both the word and its sentence.

use super::of_block;

/// The cases of a language, and the sentences put before and behind them.
struct LanguageCases {
    name: &'static str,
    before: &'static str,
    behind: &'static str,
    cases: &'static [(&'static str, &'static str)],
}

/// Markers put in front of a sentence, as in lists and laws.
const MARKERS: &[&str] = &[
    "",
    "3. ",
    "12. ",
    "2.2 ",
    "1.4.2. ",
    "(a) ",
    "b) ",
    "(iv) ",
    "- ",
    "– ",
    "• ",
    "§ 4 ",
    "§ 4. ",
    "Article 1. ",
    "Art. 7. ",
    "1) ",
    "A. ",
];

/// Each case is a reversing word as written and the text it applies to; Chinese, Japanese and Thai have no space between them.
const LANGUAGES: &[LanguageCases] = &[
    LanguageCases {
        name: "en",
        before: "The rules hold since Jan. 5.",
        behind: "Members vote by letter.",
        cases: &[
            ("No Federal ", "Judge may be removed from office."),
            ("No ", "Member State may leave the U.S. before 2040."),
            ("Not ", "All of the tablets are safe."),
            ("Never ", "Give Dexol to children under twelve years."),
            ("Neither ", "House may adjourn, nor may Dr. Lee."),
            ("Unless ", "A doctor agrees, do not take it."),
            ("Except ", "In Emergencies, no Employee may enter."),
            ("Only ", "The Auditor may inspect it."),
            ("Nobody ", "May Vote twice."),
            ("Nothing ", "In this Act applies to No. 5."),
            ("Do Not ", "Exceed the dose of 3.5 g per day."),
            ("Without ", "Permission, Visitors leave at 5 p.m. sharp."),
        ],
    },
    LanguageCases {
        name: "de",
        before: "Die Satzung gilt seit dem 3. Mai.",
        behind: "Der Rest bleibt.",
        cases: &[
            ("Nicht ", "Erwerbstätige zahlen keine Beiträge."),
            ("Kein ", "Mitglied zahlt nach dem 30. Mai."),
            ("Keine ", "Frist läuft gem. Abs. 3 ab."),
            ("Nie ", "Darf gemischt werden."),
            ("Niemals ", "Wird am 1. Januar gezahlt."),
            ("Weder ", "Arbeitgeber noch Arbeitnehmer zahlen."),
            ("Niemand ", "Darf z. B. rauchen."),
            ("Nur ", "Dr. Meier darf unterschreiben."),
            ("Außer ", "Notfällen gilt das nicht."),
            ("Ohne ", "Ausweis kommt niemand hinein."),
        ],
    },
    LanguageCases {
        name: "fr",
        before: "Le dépôt est ouvert.",
        behind: "Le reste est libre.",
        cases: &[
            ("Aucun ", "Visiteur ne peut entrer sans badge."),
            ("Aucune ", "Personne n’entre avant le 1er mai."),
            ("Jamais ", "Les Enfants ne peuvent entrer."),
            ("Ni ", "Le Gardien ni M. Dupont ne peuvent ouvrir."),
            ("Nul ", "Ne peut être jugé deux fois."),
            ("Ne ", "Pas dépasser la dose."),
            ("Sauf ", "Urgence, il n’entre pas."),
            ("Seul ", "Le Juge décide."),
            ("Personne ", "Ne vote deux fois."),
        ],
    },
    LanguageCases {
        name: "es",
        before: "El contrato vale.",
        behind: "El resto vale.",
        cases: &[
            ("Ningún ", "Socio puede firmar sin testigo."),
            ("Ninguna ", "Parte paga antes del art. 5."),
            ("Nunca ", "El Cajero puede firmar."),
            ("No ", "Se debe superar la dosis."),
            ("Sin ", "Permiso nadie puede firmar."),
            ("Nadie ", "Puede votar dos veces."),
            ("Salvo ", "Acuerdo de la Sra. López, no se paga."),
            ("Solo ", "El Juez decide."),
            ("Ni ", "El Socio ni el Cajero firman."),
        ],
    },
    LanguageCases {
        name: "it",
        before: "La regola vale.",
        behind: "Il resto vale.",
        cases: &[
            ("Nessun ", "Socio può firmare."),
            ("Nessuno ", "Può votare due volte."),
            ("Mai ", "Superare la dose del Dott. Rossi."),
            ("Non ", "Si può uscire."),
            ("Né ", "Il Socio né il Giudice firmano."),
            ("Senza ", "Permesso non si entra."),
            ("Tranne ", "I Giudici, nessuno decide."),
            ("Solo ", "Il Giudice decide."),
        ],
    },
    LanguageCases {
        name: "pl",
        before: "Regulamin obowiązuje.",
        behind: "Reszta zostaje.",
        cases: &[
            ("Nie ", "Wolno mieszać środków z kwasem."),
            ("Nigdy Nie ", "Należy mieszać środków w domu."),
            ("Żaden ", "Pracownik nie może mieszać wg art. 5."),
            ("Nikt ", "Nie może głosować."),
            ("Ani ", "Sędzia ani dr Nowak nie decyduje."),
            ("Bez ", "Zgody nie wolno."),
            ("Tylko ", "Sędzia decyduje."),
        ],
    },
    LanguageCases {
        name: "cs",
        before: "Pravidla platí.",
        behind: "Zbytek zůstává.",
        cases: &[
            ("Nikdo ", "Nesmí volit dvakrát."),
            ("Nikdy ", "Nemíchejte s kyselinou."),
            ("Žádný ", "Člen neplatí podle čl. 5."),
            ("Ani ", "Soudce nerozhoduje."),
            ("Bez ", "Souhlasu nelze vstoupit."),
            ("Pouze ", "Soudce rozhoduje."),
        ],
    },
    LanguageCases {
        name: "ru",
        before: "Правила действуют с 2020 года.",
        behind: "Остальное остаётся.",
        cases: &[
            ("Не ", "Превышайте дозу, т. е. 3 г."),
            ("Нет ", "Права голоса у членов."),
            ("Никто ", "Не может голосовать дважды."),
            ("Никогда ", "Не смешивайте средства."),
            ("Ни ", "Один судья не решает по ст. 5."),
            ("Ничто ", "Не меняет правила."),
            ("Только ", "Судья решает."),
            ("Кроме ", "Судьи никто не решает."),
        ],
    },
    LanguageCases {
        name: "zh",
        before: "本规则自2020年起施行。",
        behind: "其余不变。",
        cases: &[
            ("不得", "超过每日剂量（4片）。"),
            ("没有", "成员可以投票两次。"),
            ("请勿", "与iPhone一起使用！"),
            ("禁止", "进入A区。"),
            ("除非", "医生同意，否则不要服用。"),
            ("只有", "法官可以决定。"),
            ("从不", "混合3.5克以上。"),
        ],
    },
    LanguageCases {
        name: "ja",
        before: "規則は有効です。",
        behind: "残りは自由です。",
        cases: &[
            ("何人も", "二度投票してはならない。"),
            ("決して", "混ぜないでください。"),
            ("医師の許可なしに", "服用しないこと。"),
            ("緊急時を除き", "「入るな。」と書かれた扉を開けない。"),
            ("監査人のみ", "が閲覧できる。"),
            ("誰も", "iPhoneを使わない。"),
        ],
    },
    LanguageCases {
        name: "ar",
        before: "القواعد سارية.",
        behind: "الباقي حر.",
        cases: &[
            ("لا ", "يجوز لأي عضو التصويت مرتين."),
            ("لم ", "يوافق د. محمد على ذلك."),
            ("لن ", "تدفع الرسوم قبل ذلك."),
            ("ليس ", "لأحد حق الدخول؟"),
            ("إلا ", "في الطوارئ لا يدخل أحد."),
            ("فقط ", "القاضي يقرر."),
            ("بدون ", "إذن لا يدخل أحد."),
        ],
    },
    LanguageCases {
        name: "hi",
        before: "नियम लागू हैं।",
        behind: "बाकी मुक्त है।",
        cases: &[
            ("नहीं ", "दी जानी चाहिए यह दवा।"),
            ("कोई नहीं ", "दो बार वोट दे सकता।"),
            ("कभी नहीं ", "मिलाएँ, डॉ. राम कहते हैं।"),
            ("न ", "सदस्य न न्यायाधीश निर्णय करता है।"),
            ("केवल ", "न्यायाधीश निर्णय करता है।"),
            ("बिना ", "अनुमति कोई प्रवेश नहीं।"),
        ],
    },
    LanguageCases {
        name: "tr",
        before: "Kurallar geçerlidir.",
        behind: "Kalanı serbesttir.",
        cases: &[
            ("Hiçbir ", "Üye iki kez oy kullanamaz."),
            ("Asla ", "Dr. Kaya’nın dozunu aşmayın."),
            ("Hiç ", "Kimse giremez."),
            ("Değil ", "Hiç kimse md. 5 uyarınca ödeme yapmaz."),
            ("Yalnızca ", "Hâkim karar verir."),
            ("Ne ", "Üye ne de Hâkim imzalar."),
        ],
    },
    LanguageCases {
        name: "vi",
        before: "Quy định có hiệu lực.",
        behind: "Phần còn lại tự do.",
        cases: &[
            ("Không ", "Ai được bỏ phiếu hai lần."),
            ("Chưa ", "Có TS. Nguyễn đồng ý thì không dùng."),
            ("Đừng ", "Vượt quá liều 3,5 g."),
            ("Cấm ", "Vào khu A."),
            ("Trừ ", "Khi khẩn cấp, không ai được vào."),
            ("Chỉ ", "Thẩm phán quyết định."),
        ],
    },
];

/// The texts of the ranges of `block`.
fn sentences(block: &str) -> Vec<String> {
    of_block(block).iter().map(|range| block.chars().skip(range.start).take(range.len()).collect()).collect()
}

/// Checks that every case stays whole in the block built for it, including its marker if `with_marker`; returns the number of cases.
fn check(with_marker: bool, block: impl Fn(&LanguageCases, &str) -> String) -> usize {
    let mut checked = 0;
    for language in LANGUAGES {
        for (turning, rest) in language.cases {
            for marker in MARKERS {
                let sentence = format!("{marker}{turning}{rest}");
                let text = block(language, &sentence);
                let kept = if with_marker { sentence.as_str() } else { &sentence[marker.len()..] };
                let whole = sentences(&text).iter().any(|found| found.contains(kept));
                assert!(whole, "{}: {sentence:?} was cut: {:?}", language.name, sentences(&text));
                checked += 1;
            }
        }
    }
    checked
}

#[test]
fn a_turning_word_alone_in_its_block_stays_with_what_it_rules() {
    assert!(check(true, |_, sentence| sentence.to_owned()) > 300);
}

#[test]
fn a_turning_word_among_other_sentences_stays_with_what_it_rules() {
    let frames: [fn(&LanguageCases, &str) -> String; 5] = [
        |l, s| format!("{} {s} {}", l.before, l.behind),
        |l, s| format!("{}\n{s}\n{}", l.before, l.behind),
        |l, s| format!("{}[12] {s}[3] {}", l.before, l.behind),
        |l, s| format!("“{}” {s} “{}”", l.before, l.behind),
        |l, s| format!("{s} {s} {s} {}", l.behind),
    ];
    for frame in frames {
        assert!(check(true, frame) > 300);
    }
}

#[test]
fn a_capitalized_adversative_word_stays_with_what_it_governs() {
    assert!(check(false, |_, sentence| format!("General Rules {sentence}")) > 300);
    for language in LANGUAGES {
        for (turning, rest) in language.cases {
            let shouted = format!("{turning}{rest}").to_uppercase();
            assert!(sentences(&shouted).iter().any(|found| found.starts_with(turning.to_uppercase().trim())));
        }
    }
}

#[test]
fn sentences_with_sure_ends_are_distinguished() {
    for language in LANGUAGES {
        let block = format!("{} {}", language.behind, language.behind);
        assert_eq!(sentences(&block), [language.behind, language.behind], "{}", language.name);
    }
}
