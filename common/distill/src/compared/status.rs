//! Parses the status of a thing from a field or a sentence in the present tense.

use std::ops::Range;

use crate::language::words::{Unspaced, split};

/// Groups of statuses. A thing cannot have statuses of two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Not decided.
    Pending,
    /// Decided, and holds.
    Holds,
    /// No longer holds, or never did.
    Ended,
}

/// A status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Status {
    standing: Standing,
    /// Index in [`STATUSES`]; equal for synonyms.
    class: usize,
    /// Whether it is from a field; two field statuses of different classes exclude each other.
    is_field: bool,
}

impl Status {
    /// The same status from a field.
    pub(super) fn in_field(self) -> Self {
        Self { is_field: true, ..self }
    }

    /// Whether a thing cannot have both.
    pub(super) fn differs(self, other: Self) -> bool {
        self.standing != other.standing || (self.is_field && other.is_field && self.class != other.class)
    }
}

/// The words of each status in lower case.
const STATUSES: [(Standing, &[&str]); 15] = [
    (Standing::Pending, &["draft", "entwurf", "brouillon", "projet", "borrador"]),
    (Standing::Pending, &["proposed", "vorgeschlagen", "proposé", "propuesto"]),
    (Standing::Pending, &["provisional", "vorläufig", "provisoire"]),
    (Standing::Pending, &["deferred", "zurückgestellt", "pending", "ausstehend", "open", "offen", "pendiente"]),
    (
        Standing::Holds,
        &[
            "accepted",
            "approved",
            "angenommen",
            "genehmigt",
            "accepté",
            "acceptée",
            "approuvé",
            "aceptado",
            "aceptada",
            "aprobado",
        ],
    ),
    (Standing::Holds, &["active", "aktiv", "actif", "activo"]),
    (Standing::Holds, &["final", "endgültig", "définitif"]),
    (Standing::Holds, &["in force", "valid", "in kraft", "gültig", "en vigueur", "valable", "en vigor", "vigente"]),
    (Standing::Ended, &["rejected", "abgelehnt", "rejeté", "rejetée", "rechazado", "rechazada"]),
    (Standing::Ended, &["withdrawn", "zurückgezogen", "retiré", "retirée", "retirado", "retirada"]),
    (
        Standing::Ended,
        &[
            "superseded",
            "replaced",
            "obsolete",
            "obsoleted",
            "ersetzt",
            "abgelöst",
            "remplacé",
            "obsoleto",
            "sustituido",
        ],
    ),
    (
        Standing::Ended,
        &["repealed", "revoked", "rescinded", "aufgehoben", "außer kraft", "abrogé", "abrogée", "derogado", "derogada"],
    ),
    (Standing::Ended, &["expired", "abgelaufen", "expiré", "expirée", "vencido", "caducado"]),
    (Standing::Ended, &["terminated", "gekündigt", "beendet", "résilié", "rescindido", "closed", "geschlossen"]),
    (Standing::Ended, &["deprecated", "veraltet"]),
];
/// Verbs in the present tense between a thing and its status.
const IS: [&str; 11] = ["is", "are", "remains", "ist", "bleibt", "est", "reste", "es", "está", "sigue", "permanece"];
/// Words that may come between verb and status.
const BETWEEN: [&str; 12] = ["a", "an", "the", "now", "still", "noch", "nun", "ein", "toujours", "un", "aún", "encore"];

/// The status that `value` begins with.
pub(super) fn leading_status(value: &str) -> Option<(Status, Range<usize>)> {
    read(value, &words(value), 0)
}

/// The current status that `sentence` states for its subject.
pub(super) fn predicate_status(sentence: &str) -> Option<(Status, Range<usize>)> {
    let words = words(sentence);
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.1.as_str()));
    // The subject may also be the word itself: `The status of PEP 8 is Draft`.
    let verb = (1..words.len()).find(|at| is(*at, &IS))?;
    let mut at = verb + 1;
    while is(at, &BETWEEN) {
        at += 1;
    }
    read(sentence, &words, at)
}

fn read(text: &str, words: &[(Range<usize>, String)], at: usize) -> Option<(Status, Range<usize>)> {
    let first = words.get(at)?;
    let pair = words.get(at + 1).map(|next| (first.0.start..next.0.end, format!("{} {}", first.1, next.1)));
    // The pair first: its first word may be the name of a status by itself.
    [pair, Some(first.clone())].into_iter().flatten().find_map(|(range, said)| {
        let class = STATUSES.iter().position(|(_, names)| names.contains(&said.as_str()))?;
        // `open-ended` and `final-year` are other words.
        let is_compound = text[range.end..].starts_with(['-', '\'', '’']);
        (!is_compound).then_some((Status { standing: STATUSES[class].0, class, is_field: false }, range))
    })
}

fn words(text: &str) -> Vec<(Range<usize>, String)> {
    split(text, Unspaced::Joined, &[]).into_iter().map(|word| (word.range.clone(), word.lower())).collect()
}
