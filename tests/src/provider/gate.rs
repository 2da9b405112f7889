//! The gate as the program wires it: real prompts, real counts, and a built-in model that is easy to recognise.

use std::sync::Arc;

use precis_distill::extractive;
use precis_distill::prompt::{self, LimitOverride, Limits};
use precis_distill::tokens::{self, Tokenizer};
use precis_proto::call::LayerUsage;
use precis_proto::prior::Prior;
use precis_proto::task::{FindingDraft, FindingDrafts, Judgement, ReportDraft, Summary, Task};
use precis_runtime::model::{
    Gate, GateAttempt, GateError, GateMessage, GatePrice, GateSchema, GateSpeaker, GateTool, PreparedPayload,
};
use serde_json::Value;

/// What the built-in model of tests says.
const LOCAL_TEXT: &str = "said by the built-in model";

/// Prompts and limits behind the runtime's gate.
#[derive(Debug, Clone, Default)]
pub struct PromptGate {
    /// Limits of the providers.
    pub limits: Limits,
}

impl PromptGate {
    /// Limits for `provider` alone: a shared window with `output` tokens kept for the answer.
    #[must_use]
    pub fn with_window(provider: &str, window: u64, output: u64) -> Self {
        let limits = LimitOverride {
            context_window: Some(window),
            max_output_tokens: Some(output),
            output_reserved: Some(output),
            budgeting_mode: None,
            // What the scripted provider counts by.
            tokenizer: Some(Tokenizer::O200k),
        };
        let mut gate = Self::default();
        gate.limits.overrides.insert(provider.to_owned(), limits);
        gate
    }
}

impl Gate for PromptGate {
    fn prepare(&self, task: &Task, provider: &str, attempt: &GateAttempt) -> Result<PreparedPayload, GateError> {
        let count = |text: &str| attempt.scaled(tokens::count(text));
        let tried = prompt::Attempt {
            shrink: attempt.shrink,
            window: attempt.window,
            complaint: attempt.complaint.clone(),
            prior: Arc::clone(&attempt.prior),
        };
        let fitted = prompt::prepare(task, provider, &self.limits, &tried, &count).map_err(|o| {
            GateError::OverBudget { needed: o.needed, budget: o.budget, sum: o.sum.to_string(), remedy: o.remedy }
        })?;
        Ok(PreparedPayload {
            messages: fitted.messages.into_iter().map(message).collect(),
            schema: fitted.schema.map(|s| GateSchema { name: s.name.to_owned(), schema: s.schema }),
            tools: fitted
                .tools
                .into_iter()
                .map(|t| GateTool { name: t.name, description: t.description, parameters: t.parameters })
                .collect(),
            max_output_tokens: fitted.max_output_tokens,
            input_tokens: fitted.input_tokens,
            input_room: fitted.input_room,
            prompt_version: fitted.prompt_version,
            layers: fitted.layers.iter().map(layer).collect(),
            warnings: fitted.warnings,
            cut: Vec::new(),
        })
    }

    fn read(&self, task: &Task, text: &str) -> Result<Value, String> {
        prompt::read(task, text)
    }

    fn step_down(&self, task: &Task) -> Option<Task> {
        prompt::step_down(task)
    }

    fn local(&self, task: &Task) -> Value {
        let value = match task {
            Task::Summarize(_) => serde_json::to_value(Summary { summary: LOCAL_TEXT.into(), key_points: Vec::new() }),
            Task::Compress(_) => {
                let finding = FindingDraft { statement: LOCAL_TEXT.into(), passages: vec![1], span: None, score: 1.0 };
                serde_json::to_value(FindingDrafts { findings: vec![finding] })
            }
            Task::Synthesize(_) => serde_json::to_value(ReportDraft { markdown: LOCAL_TEXT.into() }),
            Task::Plan(t) => serde_json::to_value(extractive::research::plan(t)),
            Task::CritiquePlan(t) => serde_json::to_value(extractive::research::critique_plan(t)),
            Task::Think(t) => serde_json::to_value(extractive::research::think(t)),
            Task::Delegate(t) => serde_json::to_value(extractive::research::delegate(t)),
            Task::CritiqueDirectives(t) => serde_json::to_value(extractive::research::critique_directives(t)),
            Task::Turn(t) => serde_json::to_value(extractive::research::turn(t)),
            Task::Judge(_) => serde_json::to_value(Judgement::default()),
        };
        value.expect("an answer is JSON")
    }

    fn unread(&self, _: &Task, _: &Prior) -> Vec<LayerUsage> {
        Vec::new()
    }

    fn local_version(&self) -> &'static str {
        "test"
    }

    fn count(&self, text: &str) -> u64 {
        tokens::count(text)
    }

    fn price(&self, _provider: &str) -> Option<GatePrice> {
        Some(GatePrice { input: 1.0, cached_input: 0.1, output: 2.0 })
    }
}

fn message(message: prompt::Message) -> GateMessage {
    let speaker = match message.speaker {
        prompt::Speaker::System => GateSpeaker::System,
        prompt::Speaker::User => GateSpeaker::User,
    };
    GateMessage { speaker, text: message.text }
}

fn layer(row: &prompt::LayerCount) -> LayerUsage {
    LayerUsage {
        layer: row.layer.as_str().to_owned(),
        estimated: row.estimated,
        budget: row.budget,
        kept: row.kept,
        dropped: row.dropped,
        ..LayerUsage::default()
    }
}
