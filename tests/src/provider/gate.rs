//! The gate of the program, with a built-in model that is easy to recognise and a price for everything.

use precis_context::models::prices::Prices;
use precis_context::prompt::{LimitOverride, Limits};
use precis_proto::call::LayerUsage;
use precis_proto::prior::Prior;
use precis_proto::task::{FindingDraft, FindingDrafts, ReportDraft, Summary, Task};
use precis_runtime::model::{Gate, GateAttempt, GateError, GatePrice, PreparedPayload};
use precis_text::tokens::Tokenizer;
use precis_workers::assembly::model_gate::DistillGate;
use precis_workers::documents::token_counts::TokenCounts;
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

    /// The gate of the program, with these limits.
    fn wired(&self) -> DistillGate {
        DistillGate { limits: self.limits.clone(), prices: Prices::default(), counts: TokenCounts::default() }
    }
}

impl Gate for PromptGate {
    fn prepare(&self, task: &Task, provider: &str, attempt: &GateAttempt) -> Result<PreparedPayload, GateError> {
        self.wired().prepare(task, provider, attempt)
    }

    fn read(&self, task: &Task, text: &str) -> Result<Value, String> {
        self.wired().read(task, text)
    }

    fn parse_beginning(&self, task: &Task, text: &str) -> Option<Value> {
        self.wired().parse_beginning(task, text)
    }

    fn going_on(&self, task: &Task, begun: &Value) -> Option<Task> {
        self.wired().going_on(task, begun)
    }

    fn join_answers(&self, begun: Value, rest: &Value) -> Value {
        self.wired().join_answers(begun, rest)
    }

    fn step_down(&self, task: &Task) -> Option<Task> {
        self.wired().step_down(task)
    }

    fn local(&self, task: &Task) -> Value {
        let value = match task {
            Task::Summarize(_) => serde_json::to_value(Summary { summary: LOCAL_TEXT.into(), key_points: Vec::new() }),
            Task::Compress(_) => {
                let finding = FindingDraft {
                    statement: LOCAL_TEXT.into(),
                    passages: vec![1],
                    span: None,
                    score: 1.0,
                    answer: Vec::new(),
                    is_list: false,
                    similarity: None,
                };
                serde_json::to_value(FindingDrafts { findings: vec![finding] })
            }
            Task::Synthesize(_) => serde_json::to_value(ReportDraft { markdown: LOCAL_TEXT.into() }),
            other => return self.wired().local(other),
        };
        value.expect("an answer is JSON")
    }

    fn unread(&self, task: &Task, prior: &Prior) -> Vec<LayerUsage> {
        self.wired().unread(task, prior)
    }

    fn local_version(&self) -> &'static str {
        "test"
    }

    fn count(&self, text: &str) -> u64 {
        self.wired().count(text)
    }

    fn price(&self, _provider: &str) -> Option<GatePrice> {
        Some(GatePrice { input: 1.0, cached_input: 0.1, output: 2.0 })
    }
}
