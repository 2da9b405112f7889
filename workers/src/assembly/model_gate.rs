//! Implements the runtime's model gate with [`precis_context::prompt`].

use std::sync::Arc;

use precis_context::models::prices;
use precis_context::models::prices::Prices;
use precis_context::prompt;
use precis_context::prompt::{FittedPayload, LayerCount, Limits};
use precis_proto::call::LayerUsage;
use precis_proto::prior::Prior;
use precis_proto::task::{GapDrafts, Judgement, PartVerdicts, Ratings, Replacements, Task, Verdicts};
use precis_research::extractive;
use precis_runtime::model::{
    Gate, GateAttempt, GateError, GateMessage, GatePrice, GateSchema, GateSpeaker, GateTool, PieceCut, PreparedPayload,
};
use precis_text::tokens;
use serde_json::Value;

use crate::documents::token_counts::TokenCounts;

/// Writes, counts and fits payloads; reads answers; answers as the built-in model.
#[derive(Debug)]
pub struct DistillGate {
    /// The windows and limits of the models.
    pub limits: Limits,
    /// The prices of the models.
    pub prices: Prices,
    /// Cached token counts.
    pub counts: TokenCounts,
}

impl Gate for DistillGate {
    fn prepare(&self, task: &Task, provider: &str, attempt: &GateAttempt) -> Result<PreparedPayload, GateError> {
        let tokenizer = self.limits.tokenizer(provider);
        let count = |text: &str| attempt.provider_tokens(self.counts.count(tokenizer, text));
        let tried = prompt::Attempt {
            shrink: attempt.shrink,
            window: attempt.window,
            complaint: attempt.complaint.clone(),
            prior: Arc::clone(&attempt.prior),
        };
        let fitted = prompt::prepare(task, provider, &self.limits, &tried, &count);
        fitted.map(prepare_payload).map_err(|over| GateError::OverBudget {
            needed: over.needed,
            budget: over.budget,
            sum: over.sum.to_string(),
            remedy: over.remedy,
        })
    }

    fn read(&self, task: &Task, text: &str) -> Result<Value, String> {
        prompt::read(task, text)
    }

    fn parse_beginning(&self, task: &Task, text: &str) -> Option<Value> {
        prompt::parse_beginning(task, text)
    }

    fn going_on(&self, task: &Task, begun: &Value) -> Option<Task> {
        prompt::going_on(task, begun)
    }

    fn join_answers(&self, begun: Value, rest: &Value) -> Value {
        prompt::join_parts(begun, rest)
    }

    fn step_down(&self, task: &Task) -> Option<Task> {
        prompt::step_down(task)
    }

    fn local(&self, task: &Task) -> Value {
        let answer = match task {
            Task::Summarize(task) => serde_json::to_value(extractive::summarize(task, &tokens::count)),
            Task::SummarizeTogether(task) => serde_json::to_value(extractive::summarize_together(task, &tokens::count)),
            Task::Compress(task) => serde_json::to_value(extractive::compress(task)),
            Task::Synthesize(task) => serde_json::to_value(extractive::synthesize(task, &tokens::count)),
            Task::Plan(task) => serde_json::to_value(extractive::research::plan(task)),
            Task::CritiquePlan(task) => serde_json::to_value(extractive::research::critique_plan(task)),
            Task::Think(task) => serde_json::to_value(extractive::research::think(task)),
            Task::Delegate(task) => serde_json::to_value(extractive::research::delegate(task)),
            Task::CritiqueDirectives(task) => serde_json::to_value(extractive::research::critique_directives(task)),
            // The gaps it could find are computed without a model already.
            Task::Gaps(_) => serde_json::to_value(GapDrafts::default()),
            Task::Turn(task) => serde_json::to_value(extractive::research::turn(task)),
            // It could only compare words, which the checks have done already.
            Task::Judge(_) => serde_json::to_value(Judgement::default()),
            Task::JudgeParts(_) => serde_json::to_value(PartVerdicts::default()),
            Task::JudgeStatements(_) => serde_json::to_value(Verdicts::default()),
            // It has no other words than those of the sources.
            Task::Repair(_) => serde_json::to_value(Replacements::default()),
            Task::Rate(_) => serde_json::to_value(Ratings::default()),
        };
        answer.expect("answers have string keys and finite numbers")
    }

    fn unread(&self, task: &Task, prior: &Prior) -> Vec<LayerUsage> {
        prompt::unread(task, prior, &tokens::count).into_iter().map(layer_usage).collect()
    }

    fn local_version(&self) -> &'static str {
        extractive::VERSION
    }

    fn count(&self, text: &str) -> u64 {
        tokens::count(text)
    }

    fn price(&self, provider: &str) -> Option<GatePrice> {
        let prices::Price { input, cached_input, output } = self.prices.of(provider)?;
        Some(GatePrice { input, cached_input, output })
    }
}

fn layer_usage(row: LayerCount) -> LayerUsage {
    LayerUsage {
        layer: row.layer.as_str().to_owned(),
        estimated: row.estimated,
        budget: row.budget,
        kept: row.kept,
        dropped: row.dropped,
        ..LayerUsage::default()
    }
}

fn piece_cut(cut: &prompt::EvidenceCut) -> PieceCut {
    PieceCut { id: cut.id, tokens_before: cut.tokens_before, tokens_after: cut.tokens_after }
}

fn tool(tool: prompt::Tool) -> GateTool {
    GateTool { name: tool.name, description: tool.description, parameters: tool.parameters }
}

fn prepare_payload(fitted: FittedPayload) -> PreparedPayload {
    let messages = fitted.messages.into_iter().map(|message| GateMessage {
        speaker: match message.speaker {
            prompt::Speaker::System => GateSpeaker::System,
            prompt::Speaker::User => GateSpeaker::User,
        },
        text: message.text,
        shared_bytes: message.shared_bytes,
    });
    let layers = fitted.layers.into_iter().map(layer_usage);
    PreparedPayload {
        messages: messages.collect(),
        schema: fitted.schema.map(|s| GateSchema { name: s.name.to_owned(), schema: s.schema }),
        tools: fitted.tools.into_iter().map(tool).collect(),
        max_output_tokens: fitted.max_output_tokens,
        input_tokens: fitted.input_tokens,
        input_room: fitted.input_room,
        prompt_version: fitted.prompt_version,
        layers: layers.collect(),
        warnings: fitted.warnings,
        cut: fitted.cut.iter().filter(|cut| !cut.is_note).map(piece_cut).collect(),
    }
}
