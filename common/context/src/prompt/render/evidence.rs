//! Passages grouped by document, as the models that write, judge and repair see them.
//!
//! One line introduces a document, one short line each of its passages. These tasks have one system text, and their rules follow the
//! passages: calls about the same passages then begin with the same bytes, so a provider can reuse what it has read.

use std::borrow::Cow;

use askama::Template;
use precis_proto::task::{
    JudgeStatementsTask, JudgedStatement, RepairTask, ShownDocument, ShownEvidence, ShownPassage, SynthesizeTask,
    TaskFinding,
};
use precis_text::equal_words::equal_words;

use super::piece::Piece;
use super::shown::{one_line, readable, render_template, title};

/// Most characters of a heading path, of a field and of a doubt on their lines.
const PATH_CHARS: usize = 160;
const FIELD_CHARS: usize = 400;
const DOUBT_CHARS: usize = 200;
/// Scores of what goes last if not everything fits: statements, then the lines that introduce documents.
const STATEMENT_SCORE: f64 = 3.0;
const DOCUMENT_SCORE: f64 = 2.0;
/// Between the headings of a path.
const BELOW: &str = " > ";

#[derive(Template)]
#[template(path = "passages_v1.txt", block = "system")]
struct PassagesSystem;

#[derive(Template)]
#[template(path = "judge_v3.txt", block = "user")]
struct JudgeUser<'a> {
    nonce: &'a str,
}

#[derive(Template)]
#[template(path = "repair_v1.txt", block = "user")]
struct RepairUser<'a> {
    nonce: &'a str,
    query: &'a str,
}

#[derive(Template)]
#[template(path = "write_v1.txt", block = "user")]
struct WriteUser<'a> {
    nonce: &'a str,
    query: &'a str,
    target_tokens: u64,
    target_words: u64,
    /// Whether there are findings, summaries or raw notes beside the passages.
    has_findings: bool,
    has_summaries: bool,
    has_notes: bool,
}

/// Name, system text and user text of a task to write a report from passages.
pub(super) fn write(task: &SynthesizeTask, target_words: u64, nonce: &str) -> (&'static str, String, String) {
    let user = WriteUser {
        nonce,
        query: &task.query,
        target_tokens: task.target_tokens,
        target_words,
        has_findings: !findings_beside(task).is_empty(),
        has_summaries: !task.notes.is_empty(),
        has_notes: !task.raw_notes.is_empty(),
    };
    ("write_v1", system(), render_template(&user))
}

/// The system text of every task on passages.
pub(super) fn system() -> String {
    render_template(&PassagesSystem)
}

/// Name, system text and user text of a task to judge statements.
pub(super) fn judge(nonce: &str) -> (&'static str, String, String) {
    ("judge_v3", system(), render_template(&JudgeUser { nonce }))
}

/// As [`judge`], of a task to repair statements.
pub(super) fn repair(task: &RepairTask, nonce: &str) -> (&'static str, String, String) {
    ("repair_v1", system(), render_template(&RepairUser { nonce, query: &task.query }))
}

/// The pieces of a task to judge.
pub(super) fn judge_pieces<'a>(task: &'a JudgeStatementsTask, nonce: &str) -> Vec<Piece<'a>> {
    with_statements(&task.evidence, &task.statements, nonce)
}

/// The pieces of a task to repair.
pub(super) fn repair_pieces<'a>(task: &'a RepairTask, nonce: &str) -> Vec<Piece<'a>> {
    with_statements(&task.evidence, &task.statements, nonce)
}

fn with_statements<'a>(evidence: &'a ShownEvidence, statements: &'a [JudgedStatement], nonce: &str) -> Vec<Piece<'a>> {
    let mut pieces = evidence_pieces(evidence, nonce);
    pieces.extend(statements.iter().map(|one| statement(one, nonce)));
    pieces
}

/// The findings of `task` that say something in other words than its passages, and need a piece of their own.
pub(super) fn findings_beside(task: &SynthesizeTask) -> Vec<&TaskFinding> {
    let shown: Vec<String> = task.evidence.passages.iter().map(|passage| equal_words(&passage.text)).collect();
    let is_shown = |finding: &&TaskFinding| {
        let words = equal_words(&finding.statement);
        shown.iter().any(|passage| passage.contains(&words))
    };
    task.findings.iter().filter(|finding| !is_shown(finding)).collect()
}

/// The documents of `evidence`, each followed by its passages. Documents without a passage are left out.
pub(super) fn evidence_pieces<'a>(evidence: &'a ShownEvidence, nonce: &str) -> Vec<Piece<'a>> {
    let mut pieces = Vec::with_capacity(evidence.documents.len() + evidence.passages.len());
    for one in &evidence.documents {
        let mut passages = evidence.of(one.id).peekable();
        if passages.peek().is_some() {
            pieces.push(document(one, nonce));
            pieces.extend(passages.map(|passage| shown_passage(passage, nonce)));
        }
    }
    pieces
}

/// Every untrusted text of `evidence`.
pub(super) fn untrusted_texts(evidence: &ShownEvidence) -> Vec<&str> {
    let documents = evidence.documents.iter().flat_map(|one| {
        let fields = one.fields.iter().map(String::as_str);
        [one.title.as_str(), &one.address, &one.kind].into_iter().chain(fields)
    });
    let passages = evidence
        .passages
        .iter()
        .flat_map(|passage| std::iter::once(passage.text.as_str()).chain(passage.headings.iter().map(String::as_str)));
    documents.chain(passages).collect()
}

/// Every untrusted text of `statements`.
pub(super) fn untrusted_statements(statements: &[JudgedStatement]) -> Vec<&str> {
    let texts = statements.iter().flat_map(|one| {
        let others = one.doubts.iter().chain(&one.under).map(String::as_str);
        [one.text.as_str(), &one.reason].into_iter().chain(others)
    });
    texts.collect()
}

fn document(one: &ShownDocument, nonce: &str) -> Piece<'static> {
    let parts = [title(&one.title), title(&one.address), title(&one.kind)];
    let named = parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(", ");
    let fields: Vec<String> = one.fields.iter().map(|field| one_line(&readable(field), FIELD_CHARS)).collect();
    Piece {
        id: 0,
        score: DOCUMENT_SCORE,
        head: format!("#{nonce} document {}: {named}", one.id),
        body: Cow::Owned(fields.join("\n")),
        units: &[],
        is_note: false,
        is_shared: true,
    }
}

fn shown_passage<'a>(passage: &'a ShownPassage, nonce: &str) -> Piece<'a> {
    let path = one_line(&readable(&passage.headings.join(BELOW)), PATH_CHARS);
    let page = passage.page.map(|page| format!("page {page}"));
    let place = [Some(path).filter(|path| !path.is_empty()), page].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let head = format!("#{nonce} {}: {place}", passage.id);
    Piece {
        id: passage.id,
        score: passage.score,
        head: head.trim_end_matches([' ']).to_owned(),
        body: readable(&passage.text),
        units: &[],
        is_note: false,
        is_shared: true,
    }
}

fn statement<'a>(one: &'a JudgedStatement, nonce: &str) -> Piece<'a> {
    let cites = one.cites.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let doubts = one_line(&readable(&one.doubts.join("; ")), DOUBT_CHARS);
    let under = one.under.iter().map(|name| title(name)).collect::<Vec<_>>().join(" > ");
    let parts = [
        ("under", under),
        ("cites", cites),
        ("look at", doubts),
        ("wrong", one_line(&readable(&one.reason), DOUBT_CHARS)),
    ];
    let said = parts.iter().filter(|(_, text)| !text.is_empty()).map(|(word, text)| format!("{word} {text}"));
    let said = said.collect::<Vec<_>>().join("; ");
    let head = format!("#{nonce} statement {}{}{said}", one.id, if said.is_empty() { "" } else { ": " });
    Piece {
        id: 0,
        score: STATEMENT_SCORE,
        head,
        body: Cow::Owned(one_line(&readable(&one.text), usize::MAX)),
        units: &[],
        is_note: false,
        is_shared: false,
    }
}

#[cfg(test)]
mod tests;
