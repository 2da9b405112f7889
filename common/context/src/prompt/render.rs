//! The wording: versioned templates, and untrusted text between marks that it cannot forge.
//!
//! Each piece of untrusted text follows a line `#NONCE …`; after the last piece comes `#NONCE end`. The nonce is derived from the task
//! until it occurs in none of its texts, so no source can close its own piece or open another.

mod evidence;
mod gaps;
mod nonce;
mod piece;
mod pieces;
mod rating;
mod research;
mod shown;

use askama::Template;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::prior::Prior;
use precis_proto::task::{JudgePartsTask, JudgePassage, JudgeTask, ShortText, SynthesizeTask, Task};

use nonce::nonce;
pub(super) use piece::Piece;
use pieces::pieces;
pub(super) use research::KEPT_THOUGHTS;
use shown::{LabelledText, one_line, render_template, title};

/// Most characters of a complaint that are shown to the model.
const MAX_COMPLAINT_CHARS: usize = 400;

/// A payload before it is fitted: fixed text around pieces that may be cut.
#[derive(Debug, Clone)]
pub(super) struct PayloadDraft<'a> {
    /// Prefix of the lines that enclose untrusted text.
    pub(super) nonce: String,
    /// Name and version of the wording.
    pub(super) version: &'static str,
    /// L1.
    pub(super) system: String,
    /// L3, in the order shown.
    pub(super) pieces: Vec<Piece<'a>>,
    /// The question; an overlong piece keeps the sentences relevant to it.
    pub(super) query: &'a str,
    /// Whether a piece that does not fit is left out rather than shortened, the least important first.
    pub(super) drops_whole: bool,
    /// The line after the last piece.
    pub(super) end: String,
    /// L5.
    pub(super) user: String,
}

/// The kind of summary requested; [`FidelityLevel`] has levels that cannot be requested.
#[derive(Debug, Clone, Copy)]
enum Level {
    Condensed,
    KeyPoints,
    Headline,
}

impl From<FidelityLevel> for Level {
    fn from(level: FidelityLevel) -> Self {
        match level {
            FidelityLevel::Raw | FidelityLevel::Condensed => Self::Condensed,
            FidelityLevel::KeyPoints | FidelityLevel::Digest => Self::KeyPoints,
            FidelityLevel::Headline | FidelityLevel::Truncated | FidelityLevel::Dropped => Self::Headline,
        }
    }
}

#[derive(Template)]
#[template(path = "summarize_v1.txt", block = "system")]
struct SummarizeSystem;

#[derive(Template)]
#[template(path = "summarize_v1.txt", block = "user")]
struct SummarizeUser<'a> {
    nonce: &'a str,
    query: &'a str,
    level: Level,
    target_tokens: u64,
    target_words: u64,
}

#[derive(Template)]
#[template(path = "summarize_together_v1.txt", block = "system")]
struct TogetherSystem;

#[derive(Template)]
#[template(path = "summarize_together_v1.txt", block = "user")]
struct TogetherUser<'a> {
    nonce: &'a str,
    query: &'a str,
    level: Level,
    rooms: Vec<SummaryRoom>,
}

/// Length limit for the summary of a text.
struct SummaryRoom {
    id: u32,
    tokens: u64,
    words: u64,
}

#[derive(Template)]
#[template(path = "compress_v2.txt", block = "system")]
struct CompressSystem;

#[derive(Template)]
#[template(path = "compress_v2.txt", block = "user")]
struct CompressUser<'a> {
    nonce: &'a str,
    query: &'a str,
    topic: &'a str,
    max_findings: usize,
    /// Whether the shape is shown by an example. On a retry it is described in words, since a model that copied the example once would copy
    /// it again.
    shows_shape: bool,
}

#[derive(Template)]
#[template(path = "synthesize_v2.txt", block = "system")]
struct SynthesizeSystem;

#[derive(Template)]
#[template(path = "synthesize_v2.txt", block = "user")]
struct SynthesizeUser<'a> {
    nonce: &'a str,
    query: &'a str,
    target_tokens: u64,
    target_words: u64,
}

#[derive(Template)]
#[template(path = "synthesize_v3.txt", block = "system")]
struct SynthesizeWithNotesSystem;

#[derive(Template)]
#[template(path = "synthesize_v3.txt", block = "user")]
struct SynthesizeWithNotesUser<'a> {
    nonce: &'a str,
    query: &'a str,
    target_tokens: u64,
    target_words: u64,
}

#[derive(Template)]
#[template(path = "synthesize_notes_v1.txt", block = "system")]
struct SynthesizeFromNotesSystem;

#[derive(Template)]
#[template(path = "synthesize_notes_v1.txt", block = "user")]
struct SynthesizeFromNotesUser<'a> {
    nonce: &'a str,
    query: &'a str,
    target_tokens: u64,
    target_words: u64,
}

#[derive(Template)]
#[template(path = "go_on_v1.txt", block = "user", escape = "none")]
struct GoOnUser<'a> {
    nonce: &'a str,
    begun: &'a str,
}

#[derive(Template)]
#[template(path = "judge_answer_v1.txt", block = "system")]
struct JudgeAnswerSystem;

#[derive(Template)]
#[template(path = "judge_answer_v1.txt", block = "user")]
struct JudgeAnswerUser<'a> {
    nonce: &'a str,
}

#[derive(Template)]
#[template(path = "judge_parts_v1.txt", block = "system")]
struct JudgePartsSystem;

#[derive(Template)]
#[template(path = "judge_parts_v1.txt", block = "user")]
struct JudgePartsUser<'a> {
    nonce: &'a str,
}

/// Writes the payload of `task`. `complaint` is what was wrong with the previous answer; `prior` will be enclosed in the same marks, so
/// the nonce must not occur in it.
pub(super) fn draft<'a>(task: &'a Task, complaint: Option<&str>, prior: &Prior) -> PayloadDraft<'a> {
    let rows = rows(task);
    let nonce = nonce(task, &rows, prior);
    let pieces = pieces(task, rows, &nonce);
    let query = query(task);
    let (version, system, mut user) = wording(task, &nonce, complaint.is_none());
    if let Task::Synthesize(synthesis) = task
        && !synthesis.begun.is_empty()
    {
        let begun = shown::readable(&synthesis.begun);
        user.push_str(&format!("\n\n{}", render_template(&GoOnUser { nonce: &nonce, begun: &begun })));
    }
    if let Some(complaint) = complaint {
        let complaint = one_line(complaint, MAX_COMPLAINT_CHARS);
        user.push_str(&format!("\n\nYour answer before this one was refused: {complaint}. {}", again(task)));
    }
    let drops_whole = matches!(task, Task::Compress(_));
    PayloadDraft { version, system, pieces, query, drops_whole, end: format!("#{nonce} end"), user, nonce }
}

/// The question of `task`. If a piece is too long, the sentences relevant to it are kept.
fn query(task: &Task) -> &str {
    match task {
        Task::Summarize(t) => &t.query,
        Task::SummarizeTogether(t) => &t.query,
        Task::Compress(t) => &t.query,
        Task::Synthesize(t) => &t.query,
        Task::Plan(t) => &t.question,
        Task::CritiquePlan(t) => &t.question,
        Task::Think(t) => &t.question,
        Task::Delegate(t) => &t.seen.question,
        Task::CritiqueDirectives(t) => &t.question,
        Task::Gaps(t) => &t.question,
        Task::Turn(t) => &t.directive.topic,
        Task::Judge(t) => &t.question,
        Task::JudgeParts(t) => t.parts.first().map_or("", String::as_str),
        // Passages are cut for the statements, not for a question.
        Task::JudgeStatements(t) => t.statements.first().map_or("", |one| one.text.as_str()),
        Task::Repair(t) => &t.query,
        Task::Rate(t) => &t.question,
    }
}

/// Returns the versioned name of the prompt of `task`, its system text and its user text; with an example answer if it `is_first`.
fn wording(task: &Task, nonce: &str, is_first: bool) -> (&'static str, String, String) {
    match task {
        Task::Summarize(t) => {
            let user = SummarizeUser {
                nonce,
                query: &t.query,
                level: t.level.into(),
                target_tokens: t.target_tokens,
                target_words: words(t.target_tokens),
            };
            ("summarize_v1", render_template(&SummarizeSystem), render_template(&user))
        }
        Task::SummarizeTogether(t) => {
            let room = |one: &ShortText| SummaryRoom {
                id: one.id,
                tokens: one.target_tokens,
                words: words(one.target_tokens),
            };
            let rooms = t.texts.iter().map(room).collect();
            let user = TogetherUser { nonce, query: &t.query, level: t.level.into(), rooms };
            ("summarize_together_v1", render_template(&TogetherSystem), render_template(&user))
        }
        Task::Compress(t) => {
            let (query, topic, max_findings) = (t.query.as_str(), t.topic.as_str(), t.max_findings);
            let user = CompressUser { nonce, query, topic, max_findings, shows_shape: is_first };
            ("compress_v2", render_template(&CompressSystem), render_template(&user))
        }
        Task::Synthesize(t) => synthesis_wording(t, nonce),
        Task::Plan(t) => research::plan(t, nonce),
        Task::CritiquePlan(t) => research::critique_plan(t, nonce),
        Task::Think(t) => research::think(t, nonce),
        Task::Delegate(t) => research::delegate(t, nonce),
        Task::CritiqueDirectives(t) => research::critique_directives(t, nonce),
        Task::Gaps(t) => gaps::gaps(t, nonce),
        Task::Turn(t) => research::turn(t, nonce),
        Task::Judge(_) => {
            ("judge_answer_v1", render_template(&JudgeAnswerSystem), render_template(&JudgeAnswerUser { nonce }))
        }
        Task::JudgeParts(_) => {
            ("judge_parts_v1", render_template(&JudgePartsSystem), render_template(&JudgePartsUser { nonce }))
        }
        Task::JudgeStatements(_) => evidence::judge(nonce),
        Task::Repair(t) => evidence::repair(t, nonce),
        Task::Rate(t) => rating::rate(t, nonce),
    }
}

/// As [`wording`], for a report: by what it is written from.
fn synthesis_wording(t: &SynthesizeTask, nonce: &str) -> (&'static str, String, String) {
    let (query, target_tokens) = (t.query.as_str(), t.target_tokens);
    let target_words = words(target_tokens);
    if !t.evidence.is_empty() {
        evidence::write(t, target_words, nonce)
    } else if t.raw_notes.is_empty() {
        let user = SynthesizeUser { nonce, query, target_tokens, target_words };
        ("synthesize_v2", render_template(&SynthesizeSystem), render_template(&user))
    } else if t.findings.is_empty() {
        let user = SynthesizeFromNotesUser { nonce, query, target_tokens, target_words };
        ("synthesize_notes_v1", render_template(&SynthesizeFromNotesSystem), render_template(&user))
    } else {
        let user = SynthesizeWithNotesUser { nonce, query, target_tokens, target_words };
        ("synthesize_v3", render_template(&SynthesizeWithNotesSystem), render_template(&user))
    }
}

/// The instruction for a second answer to `task`. A report is requested as a list of statements, which more models get right than Markdown
/// with numbers in brackets.
fn again(task: &Task) -> &'static str {
    match task {
        Task::Compress(_) => {
            "Answer again with one JSON object: `findings` is a list, and each has a `statement`, one sentence that its passages \
             support, `passages`, the numbers of the passages it stands on, and a `score` from 0 to 1."
        }
        Task::Synthesize(_) => {
            "Answer with one JSON object in place of Markdown: `statements` is a list, and each has a `text`, one sentence that answers \
             the question, and `findings`, the numbers of the findings or passages it stands on."
        }
        _ => "Answer again, in the shape asked for.",
    }
}

/// The texts between the marks of a planning, supervision, research, judging or rating task; empty for the others.
fn rows(task: &Task) -> Vec<LabelledText> {
    match task {
        Task::Summarize(_)
        | Task::SummarizeTogether(_)
        | Task::Compress(_)
        | Task::Synthesize(_)
        | Task::JudgeStatements(_)
        | Task::Repair(_) => Vec::new(),
        Task::Plan(t) => research::plan_rows(t),
        Task::CritiquePlan(t) => research::critique_plan_rows(t),
        Task::Think(t) => research::think_rows(t),
        Task::Delegate(t) => research::delegate_rows(t),
        Task::CritiqueDirectives(t) => research::critique_directives_rows(t),
        Task::Gaps(t) => gaps::gaps_rows(t),
        Task::Turn(t) => research::turn_rows(t),
        Task::Judge(t) => judge_rows(t),
        Task::JudgeParts(t) => judge_parts_rows(t),
        Task::Rate(t) => rating::rate_rows(t).into_iter().map(|(row, _)| row).collect(),
    }
}

/// The question first, then the statements.
fn judge_rows(t: &JudgeTask) -> Vec<LabelledText> {
    let judged = LabelledText { id: 0, score: 1.0, label: "question".to_owned(), body: t.question.clone() };
    std::iter::once(judged).chain(t.passages.iter().map(stated)).collect()
}

/// The parts of the question first, then the statements.
fn judge_parts_rows(t: &JudgePartsTask) -> Vec<LabelledText> {
    let part = |(n, part): (usize, &String)| LabelledText {
        id: 0,
        score: 1.0,
        label: format!("part {}", n + 1),
        body: part.clone(),
    };
    t.parts.iter().enumerate().map(part).chain(t.passages.iter().map(stated)).collect()
}

/// A statement below its number and the title of its source.
fn stated(p: &JudgePassage) -> LabelledText {
    let label = format!("{}: {}", p.id, title(&p.title));
    let label = label.trim_end_matches([' ', ':']).to_owned();
    LabelledText { id: p.id, score: 1.0, label, body: p.text.clone() }
}

/// Approximate number of words in `tokens`: three for four. Chosen, not measured.
fn words(tokens: u64) -> u64 {
    (tokens * 3 / 4).max(1)
}

#[cfg(test)]
mod tests;
