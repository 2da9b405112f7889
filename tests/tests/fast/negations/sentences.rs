//! The sentences of each language: beginnings that reverse the meaning, combined with the texts they apply to.

/// A language.
pub(super) struct LanguageSentences {
    pub(super) name: &'static str,
    /// Whether the built-in fonts of PDF contain its letters.
    pub(super) is_latin: bool,
    /// Text before and behind a sentence in a paragraph.
    pub(super) around: [&'static str; 2],
    /// The question to the documents.
    pub(super) questions: [&'static str; 3],
    turning: &'static [&'static str],
    ruled: &'static [&'static str],
    /// The separator between beginning and text.
    between: &'static str,
}

impl LanguageSentences {
    /// Every beginning combined with every text.
    pub(super) fn sentences(&self) -> Vec<String> {
        let join = |turning: &&str| {
            self.ruled.iter().map(|ruled| format!("{turning}{}{ruled}", self.between)).collect::<Vec<_>>()
        };
        self.turning.iter().flat_map(join).collect()
    }
}

pub(super) const LANGUAGES: &[LanguageSentences] = &[
    LanguageSentences {
        name: "en",
        is_latin: true,
        around: ["The rules hold since Jan. 5.", "Members vote by letter."],
        questions: [
            "Who may open the archive?",
            "When is the dose of Dexol exceeded?",
            "May a judge be removed from office?",
        ],
        turning: &[
            "No Member",
            "Neither the Guard nor Dr. Lee",
            "Never, and not even at night,",
            "Only the Auditor",
            "Unless the Board agrees, nobody",
            "Except in Emergencies, no Employee",
            "Not every Visitor",
            "Without a Badge no Person",
            "Nothing and nobody",
        ],
        ruled: &[
            "may open the archive before 9 a.m. sharp.",
            "may exceed the dose of 3.5 g of Dexol per day.",
            "may remove a federal judge from office.",
            "Shall Disclose the terms of the contract.",
            "leaves the U.S. Federation before 2040.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "de",
        is_latin: true,
        around: ["Die Satzung gilt seit dem 3. Mai.", "Der Rest bleibt."],
        questions: ["Wer zahlt Beiträge zur Versicherung?", "Wer darf das Archiv öffnen?", "Wann endet die Frist?"],
        turning: &[
            "Kein Mitglied",
            "Weder der Wärter noch Dr. Meier",
            "Niemand",
            "Nur der Prüfer",
            "Außer im Notfall niemand",
            "Nicht jeder Besucher",
            "Ohne Ausweis kein Gast",
            "Keine der Parteien",
        ],
        ruled: &[
            "zahlt nach dem 30. Mai Beiträge zur Versicherung.",
            "darf das Archiv gem. Abs. 3 öffnen.",
            "verlängert die Frist.",
            "Haftet für Schäden.",
            "nimmt mehr als 3,5 g am Tag.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "fr",
        is_latin: true,
        around: ["Le dépôt est ouvert.", "Le reste est libre."],
        questions: ["Qui peut entrer dans le dépôt ?", "Qui signe le contrat ?", "Quelle est la dose ?"],
        turning: &[
            "Aucun Visiteur",
            "Ni le Gardien ni M. Dupont",
            "Jamais un Enfant",
            "Nul",
            "Sauf urgence, personne",
            "Sans badge, aucun Employé",
            "Personne",
        ],
        ruled: &[
            "ne peut entrer dans le dépôt avant le 1er mai.",
            "ne signe le contrat.",
            "ne dépasse la dose de 3,5 g.",
            "Ne Parle au juge.",
            "n’ouvre la porte.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "es",
        is_latin: true,
        around: ["El contrato vale.", "El resto vale."],
        questions: ["¿Quién puede firmar el contrato?", "¿Quién paga?", "¿Cuál es la dosis?"],
        turning: &[
            "Ningún Socio",
            "Ni el Cajero ni la Sra. López",
            "Nunca un Menor",
            "Nadie",
            "Sin permiso, nadie",
            "Salvo acuerdo, ningún Juez",
            "Solo el Juez",
        ],
        ruled: &[
            "puede firmar el contrato antes del art. 5.",
            "paga la cuota.",
            "supera la dosis de 3,5 g.",
            "Abre el archivo.",
            "sale del país.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "it",
        is_latin: true,
        around: ["La regola vale.", "Il resto vale."],
        questions: ["Chi può firmare il contratto?", "Chi paga?", "Qual è la dose?"],
        turning: &[
            "Nessun Socio",
            "Né il Custode né il Dott. Rossi",
            "Mai un Minore",
            "Nessuno",
            "Senza permesso nessuno",
            "Solo il Giudice",
        ],
        ruled: &[
            "può firmare il contratto.",
            "paga la quota.",
            "supera la dose di 3,5 g.",
            "Apre l’archivio.",
            "esce di notte.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "ru",
        is_latin: false,
        around: ["Правила действуют.", "Остальное остаётся."],
        questions: ["Кто может открыть архив?", "Кто платит взносы?", "Какова доза?"],
        turning: &[
            "Никто",
            "Ни сторож, ни г. Иванов",
            "Никогда и никто",
            "Без пропуска никто",
            "Ни один Член",
            "Кроме врача никто",
        ],
        ruled: &[
            "не может открыть архив.",
            "не платит взносы.",
            "не превышает дозу 3,5 г.",
            "Не Отвечает за ущерб.",
            "не выходит ночью.",
        ],
        between: " ",
    },
    LanguageSentences {
        name: "ar",
        is_latin: false,
        around: ["القواعد سارية.", "الباقي حر."],
        questions: ["من يفتح الأرشيف؟", "من يدفع الرسوم؟", "ما هي الجرعة؟"],
        turning: &["لا أحد", "لا يجوز أن أي زائر", "ليس كل عضو", "لن أي موظف", "بدون تصريح لا أحد", "إلا الحارس فلا أحد"],
        ruled: &["يفتح الأرشيف قبل الصباح.", "يدفع الرسوم.", "يتجاوز الجرعة اليومية.", "يوقع العقد.", "يغادر البلد."],
        between: " ",
    },
    LanguageSentences {
        name: "zh",
        is_latin: false,
        around: ["规则已经生效。", "其余不变。"],
        questions: ["谁可以打开档案？", "谁支付费用？", "剂量是多少？"],
        turning: &[
            "任何人不得",
            "未经许可，任何人都不能",
            "除非董事会同意，否则不得",
            "会员从不",
            "没有人可以",
            "只有审计员以外的人不得",
        ],
        ruled: &["打开档案。", "支付费用。", "超过每天3.5克的剂量。", "签署合同。", "离开本国。"],
        between: "",
    },
    LanguageSentences {
        name: "ja",
        is_latin: false,
        around: ["規則は有効です。", "その他は変わりません。"],
        questions: ["誰が記録を開けますか。", "誰が料金を払いますか。", "用量はいくらですか。"],
        turning: &["許可なしに会員は", "誰も", "監査人以外は", "いかなる者も", "夜間は決して", "会員以外は"],
        ruled: &[
            "記録を開けてはならない。",
            "料金を払わない。",
            "一日3.5グラムの用量を超えない。",
            "契約に署名できない。",
            "国を出ない。",
        ],
        between: "",
    },
];
