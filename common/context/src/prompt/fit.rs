//! The gate: a payload is written, counted as its provider will count it, cut until it fits, and only then returned.
//!
//! No payload exceeds its room: the last step counts the finished payload and refuses one that is too large.

use std::sync::Arc;

use precis_proto::prior::Prior;
use precis_proto::task::{CritiqueDirectivesTask, CritiquePlanTask, DelegateTask, PlanTask, SynthesizeTask, Task};
use precis_proto::warning::{Warning, WarningCode};

use super::earlier_context::{self, EarlierContext};
use super::evidence::Evidence;
use super::evidence_cut::EvidenceCut;
use super::layers::{Layer, LayerCount, Message, Speaker, count_messages};
use super::limits::{Limits, Room};
use super::render::{PayloadDraft, Piece, draft};
use super::schema::{self, AnswerRoom, OutputSchema, Tool};
use super::supplement::supplement;
use super::window::{WindowSum, quarter};
use super::window_share;
use crate::models::ModelLimits;
use crate::truncate::Count;

/// What is known from earlier attempts of a call, and its earlier context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// How often the provider has reported an overflow; each time the payload gets smaller.
    pub shrink: u32,
    /// The window, if the provider has reported it.
    pub window: Option<u64>,
    /// What was wrong with the previous answer.
    pub complaint: Option<String>,
    /// Earlier context of the session, for tasks that are sent with it.
    pub prior: Arc<Prior>,
}

/// A payload that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedPayload {
    /// Rules, then evidence and question.
    pub messages: Vec<Message>,
    /// Schema of the answer.
    pub schema: Option<OutputSchema>,
    /// Tools the model may call instead of answering by the schema; empty for most tasks.
    pub tools: Vec<Tool>,
    /// Longest answer, in tokens.
    pub max_output_tokens: u64,
    /// Tokens of messages and schema as the provider counts them; at most `input_room`.
    pub input_tokens: u64,
    /// Tokens available for both.
    pub input_room: u64,
    /// Name and version of the wording.
    pub prompt_version: &'static str,
    /// One row for each layer that is not empty.
    pub layers: Vec<LayerCount>,
    /// Pieces left out or shortened, by number.
    pub cut: Vec<EvidenceCut>,
    /// `LIMITS_DEFAULTED`, `TOKEN_COUNT_ESTIMATE_USED`, `CONTENT_DROPPED`, `CONTENT_TRUNCATED`; without a phase.
    pub warnings: Vec<Warning>,
}

/// Error: not even the smallest useful payload fits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the prompt needs {needed} tokens but has room for {budget} ({sum}): {remedy}")]
pub struct OverBudget {
    /// Tokens of the smallest useful payload.
    pub needed: u64,
    /// Tokens available.
    pub budget: u64,
    /// How the available tokens are computed.
    pub sum: WindowSum,
    /// Which setting to change.
    pub remedy: String,
}

/// Least tokens of evidence that are worth a call. Chosen, not measured.
const MIN_EVIDENCE_TOKENS: u64 = 16;
/// How often the evidence is cut again after the finished payload was counted. Each pass removes more than the excess, so a payload that
/// still does not fit is refused.
const MAX_PASSES: u64 = 2;
/// Share of the evidence left after each overflow a provider reports, in percent. Chosen, not measured.
const SHRINK_PERCENT: u64 = 65;
/// Bytes of evidence per token of room above which the shortcut for whole evidence is skipped: hardly any text has as many bytes per token.
const HOPELESS_BYTES: u64 = 6;
/// Most shrinking steps; further ones change nothing.
const MAX_SHRINKS: u32 = 8;

/// Writes and fits the payload of `task` for `provider` (`NAME:MODEL`); `count` is the counter of [`Limits::tokenizer`].
///
/// A model's summaries are shortened first, then long pieces of evidence. If that is not enough and the limits allow it, pieces are left
/// out, lowest score first. Rules and question are never cut.
///
/// Raw notes only use room that the findings of a report leave free; they never replace a finding.
///
/// # Errors
/// [`OverBudget`] if rules, question and [`MIN_EVIDENCE_TOKENS`] of evidence do not fit.
pub fn prepare(
    task: &Task,
    provider: &str,
    limits: &Limits,
    attempt: &Attempt,
    count: Count<'_>,
) -> Result<FittedPayload, OverBudget> {
    let (synthesis, raw_notes) = match task {
        Task::Synthesize(synthesis) if !synthesis.raw_notes.is_empty() => (synthesis, &synthesis.raw_notes),
        _ => return prepare_whole(task, provider, limits, attempt, count),
    };
    let with = |raw_notes| Task::Synthesize(SynthesizeTask { raw_notes, ..synthesis.clone() });
    let bare = prepare_whole(&with(Vec::new()), provider, limits, attempt, count)?;
    // After a cut or an overflow there is no room for notes.
    if !bare.cut.is_empty() || attempt.shrink > 0 {
        return Ok(bare);
    }
    let window = within(limits.of(provider).0, attempt).context_window;
    let beside = supplement(raw_notes, window, bare.input_room.saturating_sub(bare.input_tokens), count);
    if beside.is_empty() {
        return Ok(bare);
    }
    match prepare_whole(&with(beside), provider, limits, attempt, count) {
        Ok(full) if full.cut.is_empty() => Ok(full),
        _ => Ok(bare),
    }
}

fn prepare_whole(
    task: &Task,
    provider: &str,
    limits: &Limits,
    attempt: &Attempt,
    count: Count<'_>,
) -> Result<FittedPayload, OverBudget> {
    let (model, defaulted) = limits.of(provider);
    let model = within(model, attempt);
    let room = limits.room(provider, &model, wanted_output(task));
    let again = attempt.complaint.as_ref().map(|_| AnswerRoom(room.output));
    let form = AnswerForm { schema: schema::of(task, again), tools: schema::tools(task) };
    let alone = Prior::default();
    let prior = if earlier_context::concerns(task) { &*attempt.prior } else { &alone };
    let (task, left_out) = window_share::within(task, shrunk(room.input, attempt.shrink, 0), count);
    let draft = draft(&task, attempt.complaint.as_deref(), prior);
    let rows = draft.pieces.len() + left_out.iter().filter(|cut| cut.tokens_after == 0).count();
    let how = FitOptions { room, shrink: attempt.shrink, may_drop: limits.allow_dropping };
    let mut fitted = fit(draft, prior, form, how, count).map_err(|mut over| {
        over.sum = limits.sum(provider, &model);
        over.remedy = over.sum.remedy(provider);
        over
    })?;
    fitted.leave_out(left_out, rows);
    if !limits.tokenizer(provider).is_exact() {
        let message = format!("no exact tokenizer for `{provider}`; token counts are estimates");
        fitted.warnings.insert(0, warning(WarningCode::TokenCountEstimateUsed, message));
    }
    if defaulted {
        let message = format!("limits of `{provider}` are unknown; default limits are used");
        fitted.warnings.insert(0, warning(WarningCode::LimitsDefaulted, message));
    }
    Ok(fitted)
}

impl FittedPayload {
    /// Records the `cuts` made among `rows` rows before the payload was written.
    fn leave_out(&mut self, cuts: Vec<EvidenceCut>, rows: usize) {
        let lost: u64 = cuts.iter().map(|cut| cut.tokens_before - cut.tokens_after).sum();
        for layer in self.layers.iter_mut().filter(|layer| layer.layer == Layer::Evidence) {
            *layer = LayerCount::new(Layer::Evidence, layer.estimated + lost, layer.budget, layer.kept);
        }
        self.warnings.extend(cut_warnings(&cuts, rows));
        self.cut.extend(cuts);
    }
}

/// Tokens kept free next to a part of a text, because a retry adds a complaint to the same call.
const COMPLAINT_ROOM: u64 = 192;

/// Tokens of source text that one call of `task`'s kind to `provider` can carry besides rules, question and schema; `task` is given
/// without its text. 0 if the window has no room for any.
#[must_use]
pub fn text_room(task: &Task, provider: &str, limits: &Limits, count: Count<'_>) -> u64 {
    let room = limits.room(provider, &limits.of(provider).0, wanted_output(task));
    let draft = draft(task, None, &Prior::default());
    let pieces: Vec<&Piece<'_>> = draft.pieces.iter().collect();
    let fixed = count_messages(&messages(&draft, &EarlierContext::default(), &pieces), count)
        + AnswerForm { schema: schema::of(task, None), tools: schema::tools(task) }.count(count);
    let left = room.input.saturating_sub(fixed);
    left - (left / 8).min(COMPLAINT_ROOM)
}

/// Most tokens of a judgement: a quote, a reason, and the model's reasoning before them. Chosen, not measured.
const JUDGEMENT_TOKENS: u64 = 1_024;
/// Tokens of one verdict of several: a quote and a reason. Chosen, not measured.
const VERDICT_TOKENS: u64 = 192;
/// Tokens of the new sentences in place of one statement. Chosen, not measured.
const REPLACEMENT_TOKENS: u64 = 256;
/// Most tokens of an answer with scores: eight, each with a quote and a reason, and the model's reasoning. Chosen, not measured.
pub const RATINGS_TOKENS: u64 = 3_072;

/// Tokens of answer a task may need: twice its target, plus some for the JSON around it.
fn wanted_output(task: &Task) -> u64 {
    match task {
        Task::Summarize(t) => t.target_tokens.saturating_mul(2).saturating_add(512),
        Task::SummarizeTogether(t) => {
            let targets = t.texts.iter().map(|one| one.target_tokens).fold(0, u64::saturating_add);
            targets.saturating_mul(2).saturating_add(512)
        }
        Task::Compress(t) => (t.max_findings as u64).saturating_mul(160).saturating_add(512),
        Task::Synthesize(t) => t.target_tokens.saturating_mul(2).saturating_add(1_024),
        Task::Plan(PlanTask { max_sub_questions: most, .. })
        | Task::CritiquePlan(CritiquePlanTask { max_sub_questions: most, .. }) => {
            (*most as u64).saturating_mul(160).saturating_add(1_024)
        }
        Task::Delegate(DelegateTask { max_directives: most, .. })
        | Task::CritiqueDirectives(CritiqueDirectivesTask { max_directives: most, .. }) => {
            (*most as u64).saturating_mul(320).saturating_add(1_024)
        }
        Task::Think(_) | Task::Gaps(_) | Task::Turn(_) => 2_048,
        Task::Judge(_) => JUDGEMENT_TOKENS,
        Task::JudgeParts(t) => (t.parts.len() as u64).saturating_mul(VERDICT_TOKENS).saturating_add(JUDGEMENT_TOKENS),
        Task::JudgeStatements(t) => {
            (t.statements.len() as u64).saturating_mul(VERDICT_TOKENS).saturating_add(JUDGEMENT_TOKENS)
        }
        Task::Repair(t) => {
            (t.statements.len() as u64).saturating_mul(REPLACEMENT_TOKENS).saturating_add(JUDGEMENT_TOKENS)
        }
        Task::Rate(_) => RATINGS_TOKENS,
    }
}

/// `model`, limited to the window that its provider has reported if that is smaller.
fn within(mut model: ModelLimits, attempt: &Attempt) -> ModelLimits {
    if let Some(window) = attempt.window.filter(|w| *w < model.context_window) {
        model.context_window = window;
        model.output_reserved = model.output_reserved.min(quarter(window));
        model.max_output_tokens = model.max_output_tokens.min(quarter(window)).max(1);
    }
    model
}

/// The constraints for fitting a payload.
#[derive(Clone, Copy)]
struct FitOptions {
    room: Room,
    /// Number of overflows reported.
    shrink: u32,
    /// Whether pieces of evidence may be left out.
    may_drop: bool,
}

/// The parts of a request that specify the form of the answer.
struct AnswerForm {
    schema: Option<OutputSchema>,
    tools: Vec<Tool>,
}

impl AnswerForm {
    /// Tokens of the larger of both, since a request carries only one of them.
    fn count(&self, count: Count<'_>) -> u64 {
        self.schema.as_ref().map_or(0, |s| s.count(count)).max(schema::count_tools(&self.tools, count))
    }
}

fn fit(
    draft: PayloadDraft<'_>,
    prior: &Prior,
    form: AnswerForm,
    FitOptions { room, shrink, may_drop }: FitOptions,
    count: Count<'_>,
) -> Result<FittedPayload, OverBudget> {
    let form_tokens = form.count(count);
    let cost = |messages: &[Message]| count_messages(messages, count) + form_tokens;
    let total = |earlier: &EarlierContext| cost(&messages(&draft, earlier, &[]));
    let over = |needed| OverBudget { needed, budget: room.input, sum: WindowSum::default(), remedy: String::new() };
    let bare = total(&EarlierContext::default());
    if shrink == 0
        && prior.is_empty()
        && let Some((messages, tokens)) = whole(&draft, bare, room, cost)
    {
        let evidence = Share { offered: tokens - bare, kept: tokens - bare, budget: room.input - bare };
        let layers = layers(&draft, &EarlierContext::default(), evidence, room, count);
        return Ok(uncut_payload(&draft, messages, form, tokens, room, layers));
    }
    let mut evidence = Evidence::new(&draft.pieces, draft.query, may_drop, count).dropping_whole(draft.drops_whole);
    let least = evidence.offered_tokens().min(MIN_EVIDENCE_TOKENS);
    if room.output == 0 || bare + least > room.input {
        return Err(over(bare + least));
    }
    let free = shrunk(room.input - bare, shrink, least);
    let mut earlier = EarlierContext::fit(prior, &draft.nonce, free, evidence.offered_tokens(), least, count);
    if total(&earlier) + least > room.input {
        // Without earlier context the payload fits, so earlier context is what must go.
        earlier = EarlierContext::nothing_of(prior, &draft.nonce, count);
    }
    let fixed = total(&earlier);
    let budget = room.input - fixed;
    let mut allowed = shrunk(budget.min(evidence.offered_tokens()), shrink, MIN_EVIDENCE_TOKENS);
    let mut tokens = fixed;
    for pass in 0..=MAX_PASSES {
        evidence.cut_to(allowed, count);
        let messages = messages(&draft, &earlier, &evidence.pieces());
        tokens = cost(&messages);
        if tokens <= room.input {
            // Pieces counted one by one can come to more than they are together.
            let more = evidence.kept_tokens().saturating_sub(tokens - fixed);
            let share =
                Share { offered: evidence.offered_tokens() - more, kept: evidence.kept_tokens() - more, budget };
            let layers = layers(&draft, &earlier, share, room, count);
            let cut = evidence.cuts();
            let warnings = fit_warnings(&cut, &draft, &earlier);
            return Ok(FittedPayload { cut, warnings, ..uncut_payload(&draft, messages, form, tokens, room, layers) });
        }
        // Joined pieces cost more than their parts: remove the excess, and a little more each time.
        allowed = allowed.saturating_sub((tokens - room.input) * (pass + 1) + 2);
    }
    Err(over(tokens))
}

/// The messages with all evidence and no earlier context, and their tokens, if they fit. A shortcut: pieces need not be counted one by one.
fn whole(
    draft: &PayloadDraft<'_>,
    bare: u64,
    room: Room,
    cost: impl Fn(&[Message]) -> u64,
) -> Option<(Vec<Message>, u64)> {
    let bytes: usize = draft.pieces.iter().map(Piece::shown_bytes).sum();
    if room.output == 0 || bytes as u64 > room.input.saturating_mul(HOPELESS_BYTES) {
        return None;
    }
    let messages = messages(draft, &EarlierContext::default(), &draft.pieces.iter().collect::<Vec<_>>());
    let tokens = cost(&messages);
    (bare..=room.input).contains(&tokens).then_some((messages, tokens))
}

/// A payload without cuts.
fn uncut_payload(
    draft: &PayloadDraft<'_>,
    messages: Vec<Message>,
    form: AnswerForm,
    input_tokens: u64,
    room: Room,
    layers: Vec<LayerCount>,
) -> FittedPayload {
    FittedPayload {
        messages,
        schema: form.schema,
        tools: form.tools,
        max_output_tokens: room.output,
        input_tokens,
        input_room: room.input,
        prompt_version: draft.version,
        layers,
        cut: Vec::new(),
        warnings: Vec::new(),
    }
}

/// `tokens` reduced for `shrink` reported overflows, but to no less than `least` (or `tokens` if smaller).
fn shrunk(mut tokens: u64, shrink: u32, least: u64) -> u64 {
    for _ in 0..shrink.min(MAX_SHRINKS) {
        tokens = (tokens * SHRINK_PERCENT / 100).max(least.min(tokens));
    }
    tokens
}

/// Tokens of the evidence: offered, sent, and available.
struct Share {
    offered: u64,
    kept: u64,
    budget: u64,
}

fn layers(
    draft: &PayloadDraft<'_>,
    earlier: &EarlierContext,
    evidence: Share,
    room: Room,
    count: Count<'_>,
) -> Vec<LayerCount> {
    let (system, user) = (count(&draft.system), count(&draft.user));
    let mut rows = earlier.rows(system, room.input);
    rows.push(LayerCount::new(Layer::Evidence, evidence.offered, evidence.budget, evidence.kept));
    rows.push(LayerCount::new(Layer::User, user, room.input.saturating_sub(system), user));
    rows.sort_by_key(|row| row.layer);
    rows
}

/// Rules and background; then carried context, evidence, earlier turns and the question.
fn messages(draft: &PayloadDraft<'_>, earlier: &EarlierContext, pieces: &[&Piece<'_>]) -> Vec<Message> {
    let EarlierContext { project, carried, history, notice, .. } = earlier;
    let behind = [history, &draft.end, "\n\n", notice, &draft.user];
    // Reserved up front, since the text may be megabytes and would be copied while growing.
    let shown = pieces.iter().map(|piece| piece.shown_bytes()).chain(behind.iter().map(|part| part.len()));
    let mut user = String::with_capacity(carried.len() + shown.sum::<usize>());
    user.push_str(carried);
    let shared = pieces.iter().take_while(|piece| piece.is_shared).map(|piece| piece.shown_bytes()).sum::<usize>();
    let shared_bytes = if shared == 0 { 0 } else { carried.len() + shared };
    pieces.iter().for_each(|piece| piece.show(&mut user));
    behind.iter().for_each(|part| user.push_str(part));
    let system = format!("{}{project}", draft.system);
    vec![
        Message { speaker: Speaker::System, shared_bytes: if shared == 0 { 0 } else { system.len() }, text: system },
        Message { speaker: Speaker::User, text: user, shared_bytes },
    ]
}

fn warning(code: WarningCode, message: String) -> Warning {
    Warning { code, message, phase: None, item_id: None }
}

/// Warnings about the evidence and the earlier context left out of a payload.
fn fit_warnings(cut: &[EvidenceCut], draft: &PayloadDraft<'_>, earlier: &EarlierContext) -> Vec<Warning> {
    let mut warnings = cut_warnings(cut, draft.pieces.iter().filter(|piece| !piece.is_note).count());
    warnings.extend(earlier.warnings());
    warnings
}

fn cut_warnings(cut: &[EvidenceCut], of: usize) -> Vec<Warning> {
    let (notes, cut): (Vec<&EvidenceCut>, Vec<&EvidenceCut>) = cut.iter().partition(|c| c.is_note);
    let dropped = cut.iter().filter(|c| c.tokens_after == 0).count();
    let mut warnings = Vec::new();
    if !notes.is_empty() {
        let (before, after) = notes.iter().fold((0, 0), |(b, a), c| (b + c.tokens_before, a + c.tokens_after));
        let message = format!("source summaries cut from {before} to {after} tokens in a model call");
        warnings.push(warning(WarningCode::ContentTruncated, message));
    }
    if dropped > 0 {
        warnings.push(warning(
            WarningCode::ContentDropped,
            format!("{dropped} of {of} pieces of evidence left out of a model call"),
        ));
    }
    let shortened = || cut.iter().filter(|c| c.tokens_after > 0);
    if shortened().next().is_some() {
        let (before, after) = shortened().fold((0, 0), |(b, a), c| (b + c.tokens_before, a + c.tokens_after));
        let message = match shortened().count() {
            1 => format!("evidence cut from {before} to {after} tokens in a model call"),
            n => format!("{n} of {of} pieces of evidence cut from {before} to {after} tokens in a model call"),
        };
        warnings.push(warning(WarningCode::ContentTruncated, message));
    }
    warnings
}

#[cfg(test)]
mod tests;
