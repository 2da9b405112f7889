//! Names of header fields, and the words by which people ask for what stands in them: `author` answers "Who wrote it?".

use std::sync::LazyLock;

use super::detect::detect;
use super::question_words::AnswerKind::{self, Anything, Name, Number, Place, Time};
use super::table::{Row, Table};
use super::tag::Language::*;

/// What a header field says of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// Who made it.
    Author,
    /// Who answers for it.
    Owner,
    /// When it was made.
    Created,
    /// When it was last changed.
    Updated,
    /// Whether it holds.
    Status,
    /// What it rests on.
    Requires,
    /// Where it is talked about.
    Discussion,
}

use FieldRole::{Author, Created, Discussion, Owner, Requires, Status, Updated};

impl FieldRole {
    /// The kinds of answer that a question for it asks for.
    fn kinds(self) -> &'static [AnswerKind] {
        match self {
            Self::Author => &[Name],
            Self::Owner => &[Name, Anything],
            Self::Created | Self::Updated => &[Time, Number],
            Self::Status => &[Anything, Number],
            Self::Requires => &[Anything],
            Self::Discussion => &[Place, Anything],
        }
    }
}

/// Names of fields, in lower case; hyphens and underscores are spaces.
const NAMES: [Row<FieldRole>; 37] = [
    (En, Author, "author authors written_by creator creators proposer editor editors from"),
    (En, Owner, "owner owners owning_sig maintainer maintainers responsible contact champion shepherd"),
    (En, Created, "created creation_date date start_date published written_on"),
    (En, Updated, "updated last_updated modified last_modified changed revised"),
    (En, Status, "status state stage"),
    (En, Requires, "requires depends depends_on dependencies prerequisites"),
    (En, Discussion, "discussions_to discussion discussions_url rfc_pr post_history"),
    (De, Author, "autor autoren autorin verfasser verfasserin von"),
    (De, Owner, "zuständig verantwortlich ansprechpartner ansprechpartnerin inhaber"),
    (De, Created, "datum erstellt erstellt_am stand veröffentlicht"),
    (De, Updated, "geändert geändert_am aktualisiert"),
    (De, Status, "zustand"),
    (De, Requires, "voraussetzungen benötigt"),
    (De, Discussion, "diskussion"),
    (Fr, Author, "auteur auteurs autrice"),
    (Fr, Owner, "responsable"),
    (Fr, Created, "créé date_de_création publié"),
    (Fr, Updated, "modifié mis_à_jour"),
    (Fr, Status, "statut état"),
    (Fr, Requires, "dépend_de prérequis"),
    (Es, Author, "autora autores"),
    (Es, Created, "fecha creado publicado"),
    (Es, Updated, "modificado actualizado"),
    (Es, Status, "estado"),
    (Es, Requires, "requiere dependencias"),
    (It, Author, "autore autori"),
    (It, Created, "data creato pubblicato"),
    (It, Status, "stato"),
    (Pt, Created, "criado publicado_em"),
    (Nl, Author, "auteur_s schrijver"),
    (Nl, Created, "aangemaakt"),
    (Zh, Author, "作者"),
    (Zh, Created, "日期 创建日期"),
    (Zh, Status, "状态"),
    (Ja, Author, "著者 作成者"),
    (Ja, Created, "作成日 日付"),
    (Ja, Status, "状態"),
];

/// Words of a question for each role, in lower case.
const ASKING: [Row<FieldRole>; 32] = [
    (
        En,
        Author,
        "wrote written write author authored authors proposed created came_up_with idea behind invented drafted drew_up made by",
    ),
    (En, Owner, "responsible owns owner maintains looks_after in_charge_of in_charge"),
    (
        En,
        Created,
        "created written proposed first_proposed begun begin began started made drafted old come_into_being dated date work",
    ),
    (En, Updated, "updated last_updated last_changed changed modified revised"),
    (
        En,
        Status,
        "status state final accepted draft withdrawn still_change change far_along active approved rejected stage in_force",
    ),
    (
        En,
        Requires,
        "require requires depend depends depend_on build_on builds_on rest rests need needs be_there_before",
    ),
    (En, Discussion, "discussed discuss debated debate talk talked discussion pull_request brought"),
    (De, Author, "geschrieben schrieb verfasst verfasste autor stammt entworfen vorgeschlagen"),
    (De, Owner, "zuständig verantwortlich kümmert"),
    (De, Created, "von_wann vorgeschlagen entstand entstanden erstellt geschrieben veröffentlicht alt stammt"),
    (De, Updated, "geändert aktualisiert zuletzt"),
    (De, Status, "stand angenommen endgültig entwurf zurückgezogen gültig"),
    (De, Requires, "baut_auf baut aufbauen benötigt voraus setzt"),
    (De, Discussion, "gesprochen besprochen diskutiert"),
    (Fr, Author, "écrit rédigé auteur proposé"),
    (Fr, Owner, "responsable charge"),
    (Fr, Created, "date créé écrit proposé"),
    (Fr, Updated, "modifié mis_à_jour"),
    (Fr, Status, "où_en_est en_est statut état accepté"),
    (Fr, Requires, "appuie dépend repose"),
    (Fr, Discussion, "discuté parle"),
    (Es, Author, "escribió escrito autor propuso"),
    (Es, Created, "existe creado escrito propuso fecha"),
    (Es, Status, "estado aceptado"),
    (Es, Requires, "requiere depende basa"),
    (It, Author, "scritto scrisse autore proposto"),
    (It, Created, "scritto creato proposto"),
    (Pt, Author, "escreveu autor propôs"),
    (Nl, Author, "geschreven schreef"),
    (Ru, Author, "написал автор"),
    (Zh, Author, "写 作者 提出"),
    (Ja, Author, "書 著者 提案"),
];

static NAME_TABLE: LazyLock<Table<FieldRole>> = LazyLock::new(|| Table::new(NAMES));
static ASKING_TABLES: LazyLock<Vec<(FieldRole, Table<()>)>> = LazyLock::new(|| {
    let roles = [Owner, Author, Updated, Created, Status, Requires, Discussion];
    let rows = |role| ASKING.iter().filter(move |row| row.1 == role).map(|row| (row.0, (), row.2));
    roles.into_iter().map(|role| (role, Table::new(rows(role)))).collect()
});

/// What the header field called `name` says; `None` for a name that is not known.
pub fn field_role(name: &str) -> Option<FieldRole> {
    let name = name.trim().to_lowercase().replace(['-', '_'], " ");
    NAME_TABLE.get(&name, None)
}

/// The roles of header fields that `question`, for an answer of `kind`, may ask for, each with the words that do; likeliest first.
pub fn asked_roles(question: &str, kind: AnswerKind) -> Vec<(FieldRole, Vec<String>)> {
    let language = detect(question).known;
    let with_words = |(role, table): &(FieldRole, Table<()>)| {
        let found = table.find_in(question, language);
        let words: Vec<String> = found.into_iter().map(|word| question[word.range].to_lowercase()).collect();
        (role.kinds().contains(&kind) && !words.is_empty()).then_some((*role, words))
    };
    ASKING_TABLES.iter().filter_map(with_words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::question_words::asked_kind;
    use super::*;

    #[test]
    fn names_of_fields_have_a_role_however_they_are_written() {
        for (name, role) in [
            ("author", Some(Author)),
            ("Discussions-To", Some(Discussion)),
            ("last_updated", Some(Updated)),
            ("Verfasser", Some(Author)),
            ("作者", Some(Author)),
            ("eip", None),
            ("", None),
        ] {
            assert_eq!(field_role(name), role, "{name}");
        }
    }

    #[test]
    fn a_question_asks_for_the_role_that_its_kind_of_answer_fits() {
        for (question, role) in [
            ("Who wrote EIP-20?", Some(Author)),
            ("When was EIP-20 written?", Some(Created)),
            ("Whose idea was it?", Some(Author)),
            ("Who looks after KEP-9?", Some(Owner)),
            ("How old is EIP-20?", Some(Created)),
            ("Wer hat EIP-20 geschrieben?", Some(Author)),
            ("Is EIP-20 final?", Some(Status)),
            ("What does EIP-20 build on?", Some(Requires)),
            ("Where is EIP-20 debated?", Some(Discussion)),
            ("Where was the rest of it found?", None),
            ("What is a token?", None),
        ] {
            let found = asked_roles(question, asked_kind(question).0);
            assert_eq!(found.first().map(|(role, _)| *role), role, "{question}");
        }
    }
}
