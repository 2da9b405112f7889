//! The pieces of evidence of a task, each after a mark line that its text cannot forge.

use std::borrow::Cow;

use precis_proto::finding::Unit;
use precis_proto::quote_context::ContextRole;
use precis_proto::task::{ShortText, Task, TaskNote, TaskPassage};
use precis_text::field_places::UnseenPart;

use super::piece::Piece;
use super::shown::{LabelledText, readable, title};
use super::{evidence, rating};
use crate::source_notes;

/// The pieces of `task`, in order; `rows` are those of [`super::rows`].
pub(super) fn pieces<'a>(task: &'a Task, rows: Vec<LabelledText>, nonce: &str) -> Vec<Piece<'a>> {
    match task {
        Task::Summarize(t) => {
            vec![piece(0, 1.0, format!("#{nonce} source: {}", title(&t.title)), &t.text)]
        }
        Task::SummarizeTogether(t) => {
            let shown = |one: &'a ShortText| {
                piece(one.id, 1.0, format!("#{nonce} {}: {}", one.id, title(&one.title)), &one.text)
            };
            t.texts.iter().map(shown).collect()
        }
        Task::Compress(t) => {
            let passages = t.passages.iter().map(|p| {
                let place = |unit: Option<&Unit>| unit.and_then(|unit| unit.place);
                let unseen = UnseenPart::between(place(p.units.first()), place(p.units.last())).in_words();
                let unseen = unseen.map_or(String::new(), |words| format!(" ({words})"));
                let head = format!("#{nonce} {}: {}{unseen}{}", p.id, title(&p.title), under(p));
                Piece { units: &p.units, ..piece(p.id, p.score, head, &p.text) }
            });
            notes(&t.notes, nonce).chain(passages).collect()
        }
        Task::Synthesize(t) => {
            let findings = evidence::findings_beside(t).into_iter().map(|f| {
                let about = if f.topic.is_empty() {
                    title(&f.title)
                } else {
                    format!("{} ({})", title(&f.topic), title(&f.title))
                };
                piece(f.id, f.score, format!("#{nonce} {}: {about}", f.id), &f.statement)
            });
            let passages = evidence::evidence_pieces(&t.evidence, nonce);
            let beside = notes(&t.notes, nonce).chain(findings).chain(raw_notes(&t.raw_notes, nonce));
            passages.into_iter().chain(beside).collect()
        }
        Task::JudgeStatements(t) => evidence::judge_pieces(t, nonce),
        Task::Repair(t) => evidence::repair_pieces(t, nonce),
        Task::Rate(t) => {
            let shown = |(row, is_note)| Piece { is_note, ..labelled_piece(row, nonce) };
            rating::rate_rows(t).into_iter().map(shown).collect()
        }
        Task::Plan(_)
        | Task::CritiquePlan(_)
        | Task::Think(_)
        | Task::Delegate(_)
        | Task::CritiqueDirectives(_)
        | Task::Gaps(_)
        | Task::Turn(_)
        | Task::Judge(_)
        | Task::JudgeParts(_) => rows.into_iter().map(|row| labelled_piece(row, nonce)).collect(),
    }
}

/// What limits the items of a passage and is not part of its text, so that a model does not take them for the contrary.
fn under(passage: &TaskPassage) -> String {
    let above = passage.context.iter().filter(|range| match range.role {
        ContextRole::LeadIn
        | ContextRole::Heading
        | ContextRole::Question
        | ContextRole::Term
        | ContextRole::Condition => true,
        ContextRole::Column
        | ContextRole::RowLabel
        | ContextRole::Answer
        | ContextRole::Item
        | ContextRole::Outcome => false,
    });
    let above: Vec<String> =
        above.filter(|range| !passage.text.contains(&range.text)).map(|range| title(&range.text)).collect();
    if above.is_empty() { String::new() } else { format!(" (under: {})", above.join(" / ")) }
}

/// A row as a piece.
fn labelled_piece(LabelledText { id, score, label, body }: LabelledText, nonce: &str) -> Piece<'static> {
    Piece {
        id,
        score,
        head: format!("#{nonce} {label}"),
        body: Cow::Owned(readable(body.trim()).into_owned()),
        units: &[],
        is_note: false,
        is_shared: false,
    }
}

/// A model's summaries of sources: shown before the evidence, without a number that could be cited.
fn notes<'a>(notes: &[TaskNote], nonce: &str) -> impl Iterator<Item = Piece<'a>> {
    notes.iter().map(move |n| Piece {
        id: 0,
        score: 0.0,
        head: format!("#{nonce} summary, not citable: {}", title(&n.title)),
        body: Cow::Owned(source_notes::render_note(n)),
        units: &[],
        is_note: true,
        is_shared: false,
    })
}

/// Raw notes of researchers: shown after the findings, without a number that could be cited.
fn raw_notes<'a>(notes: &'a [String], nonce: &str) -> impl Iterator<Item = Piece<'a>> {
    notes.iter().map(move |text| Piece {
        id: 0,
        score: 0.0,
        head: format!("#{nonce} supplementary notes, not citable"),
        body: readable(text.trim()),
        units: &[],
        is_note: true,
        is_shared: false,
    })
}

fn piece(id: u32, score: f64, head: String, text: &str) -> Piece<'_> {
    let head = head.trim_end_matches([' ', ':']).to_owned();
    Piece { id, score, head, body: readable(text.trim()), units: &[], is_note: false, is_shared: false }
}
