//! Relations between documents: which one a question asks for, and where a passage states it.
//!
//! A relation runs from a subject to an object ("A requires B"). A question names one end and asks for the other. A passage states it in a
//! field at the head of a document (`Requires: B`, `Superseded-By: B`) or in a sentence with both identifiers.

use precis_language::negation::negations_in;
use precis_language::relation::{
    RelationKind, ReplacementEnd, goes_before_agent, holds_agent, means_itself, relation, replacement_end,
};
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_proto::CharRange;
use precis_proto::research::Hit;
use precis_text::sentences::sentences_with_ranges;

use super::entity::{family, identifiers, key, listed_identifiers, starts_with};
use super::field::{HEAD_CHARS, labels};

/// Words after a passive verb within which one for its agent must come.
const BY_REACH: usize = 2;
/// Words behind a negation within which a verb is denied.
const NOT_REACH: usize = 3;
/// Words before a row of a table among which the relation of the row before it is looked for: it, a word for "by" and an identifier.
const ROW_WORDS: usize = 4;
/// Most characters on either side of a verb in which its identifiers are searched; chosen, not measured.
const REACH: usize = 60;

/// Which end of the relation a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedEnd {
    /// "What does A require?"
    Subject,
    /// "What requires A?"
    Object,
}

/// A relation that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    which: RelationKind,
    /// The word that names it, as in the question.
    pub word: String,
    /// The identifier that the question names.
    pub anchor: String,
    pub(super) named: NamedEnd,
}

/// The other end of a relation, and the place that states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationStatement {
    /// The identifier at the other end.
    pub other: String,
    /// Whether a field states it.
    pub is_field: bool,
    /// Characters of the field or sentence in the passage.
    pub range: CharRange,
}

fn words(text: &str) -> Vec<WrittenWord<'_>> {
    split(text, Unspaced::Joined, &[])
}

fn which(word: &str) -> Option<RelationKind> {
    relation(&word.to_lowercase())
}

/// Whether the verb at `at` is passive: a word for "by" follows closely, or is the first word of the text.
fn is_passive(words: &[WrittenWord<'_>], at: usize) -> bool {
    let is_by = |word: &WrittenWord<'_>| goes_before_agent(&word.lower());
    words.iter().skip(at + 1).take(BY_REACH).any(is_by) || words.first().is_some_and(is_by)
}

impl Relation {
    /// The relation that `question` asks for; `None` if it names no identifier or no relation.
    pub fn from_question(question: &str) -> Option<Self> {
        let anchor = identifiers(question).into_iter().next()?;
        // Text in brackets is taken for a title and ignored.
        let bare: String = question.split_inclusive(['(', ')']).filter(|piece| !piece.ends_with(')')).collect();
        let words = words(&bare);
        let number = anchor.rsplit([' ', '-']).next().unwrap_or_default().to_owned();
        let anchor_at = words.iter().position(|word| word.text.trim_start_matches('0').ends_with(&number))?;
        let noun = words.iter().find_map(|word| {
            let named = match replacement_end(&word.lower())? {
                ReplacementEnd::Predecessor => NamedEnd::Subject,
                ReplacementEnd::Successor => NamedEnd::Object,
            };
            Some((word, named))
        });
        if let Some((word, named)) = noun {
            return Some(Self { which: RelationKind::Replaces, word: word.text.to_owned(), anchor, named });
        }
        // The verb nearest to the anchor.
        let verbs = words.iter().enumerate().filter_map(|(at, word)| which(word.text).map(|which| (at, which)));
        let (at, which) = verbs.min_by_key(|(at, _)| at.abs_diff(anchor_at))?;
        let is_before = anchor_at < at;
        // "Which was superseded by A": A is the subject. "What was A superseded by": A is the object.
        let named = if is_before == is_passive(&words, at) { NamedEnd::Object } else { NamedEnd::Subject };
        Some(Self { which, word: words[at].text.to_owned(), anchor, named })
    }

    /// The statements of the relation in `hit`, in order, without the anchor itself. `own` is the identifier of the document.
    pub fn statements_in(&self, hit: &Hit, own: Option<&str>) -> Vec<RelationStatement> {
        let mut found = Vec::new();
        if hit.range.start < HEAD_CHARS {
            self.in_fields(hit, own, &mut found);
        }
        let head = own.filter(|_| hit.range.start < HEAD_CHARS);
        for (range, sentence) in sentences_with_ranges(&hit.text) {
            self.in_sentence(sentence, range, own, &mut found);
            if let Some(own) = head {
                self.in_rows(sentence, range, own, &mut found);
            }
        }
        found
    }

    /// Which end of this relation a noun in the name of a field is: `Replacement: B`.
    fn end_in(&self, word: &WrittenWord<'_>) -> Option<ReplacementEnd> {
        replacement_end(&word.lower()).filter(|_| self.which == RelationKind::Replaces)
    }

    fn is_anchor(&self, identifier: &str) -> bool {
        key(identifier) == key(&self.anchor)
    }

    fn push(&self, found: &mut Vec<RelationStatement>, other: String, is_field: bool, range: CharRange) {
        let is_known = found.iter().any(|held: &RelationStatement| key(&held.other) == key(&other));
        if !is_known && !self.is_anchor(&other) {
            found.push(RelationStatement { other, is_field, range });
        }
    }

    /// Adds the statements in head fields: the document's own identifier is one end, the field's values are the other.
    fn in_fields(&self, hit: &Hit, own: Option<&str>, found: &mut Vec<RelationStatement>) {
        let Some(own) = own else { return };
        let labels = labels(&hit.text);
        // As front matter does, and the fields of a record.
        let begins_with_one = labels.first().is_some_and(|first| first.at == 0);
        for label in labels {
            let is_relation =
                |word: &WrittenWord<'_>| self.end_in(word).is_some() || which(word.text) == Some(self.which);
            let Some(at) = label.words.iter().rposition(is_relation) else { continue };
            let word = &label.words[at];
            if !begins_with_one && !word.text.starts_with(char::is_uppercase) {
                continue;
            }
            let is_passive = is_passive(&label.words, at) || holds_agent(&word.lower());
            let own_is = match self.end_in(word) {
                // The value is what replaces the document.
                Some(ReplacementEnd::Successor) => NamedEnd::Object,
                None if is_passive => NamedEnd::Object,
                Some(ReplacementEnd::Predecessor) | None => NamedEnd::Subject,
            };
            let (values, end) = listed_identifiers(&hit.text[label.behind..], family(own));
            let range = char_range(&hit.text, label.at + word.range.start..label.behind + end);
            if self.is_anchor(own) && own_is == self.named {
                values.into_iter().for_each(|other| self.push(found, other, true, range));
            } else if own_is != self.named && values.iter().any(|value| self.is_anchor(value)) {
                self.push(found, own.to_owned(), true, range);
            }
        }
    }

    /// Adds the statements in rows of a table at the head of the document `own`, whose cells stand behind one another: "Status Final Requires
    /// B Replaces C". A row begins with a capital and has no subject of its own.
    fn in_rows(&self, sentence: &str, range: CharRange, own: &str, found: &mut Vec<RelationStatement>) {
        let words = words(sentence);
        for at in (0..words.len()).filter(|at| which(words[*at].text) == Some(self.which)) {
            if !words[at].text.starts_with(char::is_uppercase) || has_subject(&words, at, sentence) {
                continue;
            }
            let is_passive = words.get(at + 1).is_some_and(|word| goes_before_agent(&word.lower()));
            let cell = first_chars(&sentence[words[at + usize::from(is_passive)].range.end..]);
            let Some(other) = identifiers(cell).into_iter().next().filter(|other| starts_with(cell, other)) else {
                continue;
            };
            match self.named {
                NamedEnd::Subject if !is_passive && self.is_anchor(own) => self.push(found, other, true, range),
                NamedEnd::Object if is_passive && self.is_anchor(own) => self.push(found, other, true, range),
                NamedEnd::Subject if is_passive && self.is_anchor(&other) => {
                    self.push(found, own.to_owned(), true, range);
                }
                NamedEnd::Object if !is_passive && self.is_anchor(&other) => {
                    self.push(found, own.to_owned(), true, range);
                }
                NamedEnd::Subject | NamedEnd::Object => {}
            }
        }
    }

    /// Adds the statements in a sentence: "A requires B", "B is required by A", or "this PEP requires B" in the document of A.
    fn in_sentence(&self, sentence: &str, range: CharRange, own: Option<&str>, found: &mut Vec<RelationStatement>) {
        let (words, denied) = (words(sentence), negations_in(sentence));
        for at in (0..words.len()).filter(|at| which(words[*at].text) == Some(self.which)) {
            let verb = &words[at];
            let reach = words[at.saturating_sub(NOT_REACH)].range.start..verb.range.end;
            if denied.iter().any(|not| reach.start <= not.start && not.end <= reach.end) {
                continue;
            }
            // A field name is not a verb.
            if sentence[verb.range.end..].starts_with([':', '-']) {
                continue;
            }
            let before = last_chars(&sentence[..verb.range.start]);
            let behind = first_chars(&sentence[verb.range.end..]);
            let left = identifiers(before).into_iter().next_back().or_else(|| this(before, own));
            let right = identifiers(behind).into_iter().next().or_else(|| this(behind, own));
            let (Some(left), Some(right)) = (left, right) else { continue };
            let (subject, object) = if is_passive(&words, at) { (right, left) } else { (left, right) };
            match self.named {
                NamedEnd::Subject if self.is_anchor(&subject) => self.push(found, object, false, range),
                NamedEnd::Object if self.is_anchor(&object) => self.push(found, subject, false, range),
                _ => {}
            }
        }
    }
}

/// Whether an identifier stands directly before the word at `at` that is not the value of another row.
fn has_subject(words: &[WrittenWord<'_>], at: usize, text: &str) -> bool {
    let before = last_chars(&text[..words[at].range.start]).trim_end();
    let is_named = identifiers(before).pop().is_some_and(|last| {
        let number = last.rsplit([' ', '-']).next().unwrap_or_default();
        before.ends_with(number)
    });
    let is_value = words[at.saturating_sub(ROW_WORDS)..at].iter().any(|word| which(word.text).is_some());
    is_named && !is_value
}

/// `own` if `text` refers to its own document, as in "this PEP".
pub fn this(text: &str, own: Option<&str>) -> Option<String> {
    let own = own?;
    means_itself(&text.to_lowercase(), &family(own).to_lowercase()).then(|| own.to_owned())
}

/// The characters of `text` at these bytes.
pub(super) fn char_range(text: &str, bytes: std::ops::Range<usize>) -> CharRange {
    let start = text[..bytes.start].chars().count();
    CharRange::new(start, start + text[bytes].chars().count())
}

fn last_chars(text: &str) -> &str {
    let from = text.char_indices().rev().nth(REACH - 1).map_or(0, |(at, _)| at);
    &text[from..]
}

fn first_chars(text: &str) -> &str {
    let to = text.char_indices().nth(REACH).map_or(text.len(), |(at, _)| at);
    &text[..to]
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::super::own_identifier::own_identifier;
    use super::*;

    fn hit(document: &str, text: &str) -> Hit {
        Hit {
            document: document.to_owned(),
            range: CharRange::new(0, text.chars().count()),
            text: text.to_owned(),
            score: 1.0,
            ..Hit::default()
        }
    }

    #[test]
    fn a_question_names_one_end_and_wants_the_other() {
        use NamedEnd::{Object, Subject};
        for (question, want) in [
            ("What does PEP 409 require?", Some(("PEP 409", Subject))),
            ("Which PEP did PEP 446 replace", Some(("PEP 446", Subject))),
            ("Which PEP superseded PEP 554 (Replacing Parts)", Some(("PEP 554", Object))),
            ("Which RFC was obsoleted by RFC 7230?", Some(("RFC 7230", Subject))),
            ("What was RFC 2616 obsoleted by?", Some(("RFC 2616", Object))),
            ("By which RFC was RFC 2616 obsoleted?", Some(("RFC 2616", Object))),
            ("the PEP that PEP 458 requires", Some(("PEP 458", Subject))),
            ("Welche RFC wurde durch RFC 7230 ersetzt?", Some(("RFC 7230", Subject))),
            ("Quelle RFC remplace RFC 2616 ?", Some(("RFC 2616", Object))),
            ("¿Qué requiere PEP 9?", Some(("PEP 9", Object))),
            ("the predecessor of PEP 470", Some(("PEP 470", Subject))),
            ("Who is the successor of RFC 7230?", Some(("RFC 7230", Object))),
            ("Who wrote PEP 8?", None),
            ("What does it require?", None),
        ] {
            let found = Relation::from_question(question);
            assert_eq!(found.as_ref().map(|r| (r.anchor.as_str(), r.named)), want, "{question}");
        }
    }

    #[test]
    fn a_relation_is_stated_by_fields_and_sentences_in_its_direction_only() {
        let head = "PEP: 12 Title: T Requires: 4, 5 Superseded-By: 13 Status: Final";
        for (question, document, text, want) in [
            ("What does PEP 12 require?", "pep-0012.rst", head, vec!["PEP 4", "PEP 5"]),
            ("Which PEP superseded PEP 12?", "pep-0012.rst", head, vec!["PEP 13"]),
            ("Which PEP did PEP 12 replace?", "pep-0012.rst", head, vec![]),
            ("Which PEP requires PEP 5?", "pep-0012.rst", head, vec!["PEP 12"]),
            ("Which PEP did PEP 13 replace?", "pep-0012.rst", head, vec!["PEP 12"]),
            ("What does PEP 99 require?", "pep-0012.rst", head, vec![]),
            ("Which PEP superseded PEP 12?", "pep-0012.rst", "title: T supersededby spec: PEP 13", vec!["PEP 13"]),
            ("Which PEP did PEP 12 replace?", "pep-0012.rst", "title: T supersededby spec: PEP 13", vec![]),
            (
                "Which PEP superseded PEP 12?",
                "pep-0012.rst",
                "needs spec: PEP 3 supersededby spec: PEP 13",
                vec!["PEP 13"],
            ),
            ("Which PEP superseded PEP 12?", "pep-0012.rst", "Author: A B Superseded by: PEP 13", vec!["PEP 13"]),
            ("What does PEP 12 require?", "pep-0012.rst", "A PEP that requires: 5 of us", vec![]),
            ("Which PEP is to replace PEP 12?", "pep-0012.rst", "PEP: 12 Proposed-Replacement: 13", vec!["PEP 13"]),
            ("Which PEP did PEP 12 replace?", "pep-0012.rst", "PEP: 12 Proposed-Replacement: 13", vec![]),
            ("Which PEP did PEP 12 replace?", "pep-0012.rst", "PEP: 12 Predecessor: 11", vec!["PEP 11"]),
            ("What does PEP 12 require?", "a.txt", "It is said that PEP 12 requires PEP 7 now.", vec!["PEP 7"]),
            ("What does PEP 12 require?", "a.txt", "PEP 7 is required by PEP 12.", vec!["PEP 7"]),
            ("What does PEP 7 require?", "a.txt", "PEP 7 is required by PEP 12.", vec![]),
            ("What does PEP 12 require?", "pep-0012.rst", "This PEP depends on PEP 3 to work.", vec!["PEP 3"]),
            ("What does PEP 12 require?", "a.txt", "PEP 12 does not require PEP 7.", vec![]),
            ("What does PEP 12 require?", "pep-0012.rst", "This PEP requires care. PEP 3 does not.", vec![]),
        ] {
            let relation = Relation::from_question(question).expect("a relation");
            let hit = hit(document, text);
            let found = relation.statements_in(&hit, own_identifier(&hit).as_deref());
            let found: Vec<&str> = found.iter().map(|statement| statement.other.as_str()).collect();
            assert_eq!(found, want, "{question} {text}");
        }
    }

    #[test]
    fn a_leading_table_row_states_a_relation_of_its_document() {
        let table =
            "Field Value Author Ann Bell Status Final Requires SPEC-12 Replaces SPEC-3 Superseded by SPEC-9 End of it.";
        for (question, document, text, want) in [
            ("What does SPEC-7 require?", "spec-7.md", table, vec!["SPEC 12"]),
            ("Which SPEC did SPEC-7 replace?", "spec-7.md", table, vec!["SPEC 3"]),
            ("Which SPEC superseded SPEC-7?", "spec-7.md", table, vec!["SPEC 9"]),
            ("Which SPEC requires SPEC-12?", "spec-7.md", table, vec!["SPEC 7"]),
            ("What does SPEC-3 require?", "spec-7.md", table, vec![]),
            ("What does SPEC-8 require?", "spec-8.md", "SPEC-7 Requires SPEC-12", vec![]),
            ("What does SPEC-7 require?", "spec-7.md", "Status Final requires SPEC-12", vec![]),
            ("What does SPEC-7 require?", "spec-7.md", "Requires care and SPEC-12", vec![]),
            ("What does SPEC-7 require?", "other.md", table, vec![]),
        ] {
            let relation = Relation::from_question(question).expect("a relation");
            let hit = hit(document, text);
            let found = relation.statements_in(&hit, own_identifier(&hit).as_deref());
            let found: Vec<&str> = found.iter().map(|statement| statement.other.as_str()).collect();
            assert_eq!(found, want, "{question} {text}");
        }
    }
}
