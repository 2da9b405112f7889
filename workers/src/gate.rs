//! The seam between models and decisions: the runtime asks, `distill` answers.

use std::sync::Arc;

use precis_distill::prices::{self, Prices};
use precis_distill::prompt::{self, Fitted, Limits};
use precis_distill::{extractive, tokens};
use precis_proto::state::LayerUsage;
use precis_proto::task::Task;
use precis_runtime::model::{Attempt, Gate, GateError, Message, OutputSchema, Prepared, Price, Speaker};
use serde_json::Value;

/// Bump when the built-in model may answer otherwise.
const LOCAL_VERSION: &str = "extractive-1";

/// Writes, counts and fits payloads; reads answers; answers itself where nobody else is asked.
#[derive(Debug)]
pub struct DistillGate {
    /// How much each model takes.
    pub limits: Limits,
    /// What each model charges.
    pub prices: Prices,
}

impl Gate for DistillGate {
    fn prepare(&self, task: &Task, provider: &str, attempt: &Attempt) -> Result<Prepared, GateError> {
        let count = |text: &str| attempt.scaled(tokens::count(text));
        let tried = prompt::Attempt {
            shrink: attempt.shrink,
            window: attempt.window,
            complaint: attempt.complaint.clone(),
            prior: Arc::clone(&attempt.prior),
        };
        let fitted = prompt::prepare(task, provider, &self.limits, &tried, &count);
        fitted.map(prepared).map_err(|over| GateError::OverBudget {
            needed: over.needed,
            budget: over.budget,
            remedy: over.remedy,
        })
    }

    fn read(&self, task: &Task, text: &str) -> Result<Value, String> {
        prompt::read(task, text)
    }

    fn step_down(&self, task: &Task) -> Option<Task> {
        prompt::step_down(task)
    }

    fn local(&self, task: &Task) -> Value {
        let answer = match task {
            Task::Summarize(task) => serde_json::to_value(extractive::summarize(task, &tokens::count)),
            Task::Compress(task) => serde_json::to_value(extractive::compress(task)),
            Task::Synthesize(task) => serde_json::to_value(extractive::synthesize(task, &tokens::count)),
        };
        answer.expect("answers have string keys and finite numbers")
    }

    fn local_version(&self) -> &'static str {
        LOCAL_VERSION
    }

    fn count(&self, text: &str) -> u64 {
        tokens::count(text)
    }

    fn price(&self, provider: &str) -> Option<Price> {
        let prices::Price { input, cached_input, output } = self.prices.of(provider)?;
        Some(Price { input, cached_input, output })
    }
}

fn prepared(fitted: Fitted) -> Prepared {
    let messages = fitted.messages.into_iter().map(|message| Message {
        speaker: match message.speaker {
            prompt::Speaker::System => Speaker::System,
            prompt::Speaker::User => Speaker::User,
        },
        text: message.text,
    });
    let layers = fitted.layers.into_iter().map(|layer| LayerUsage {
        call_key: String::new(),
        layer: layer.layer.as_str().to_owned(),
        estimated: layer.estimated,
        budget: layer.budget,
        kept: layer.kept,
        dropped: layer.dropped,
    });
    Prepared {
        messages: messages.collect(),
        schema: fitted.schema.map(|s| OutputSchema { name: s.name.to_owned(), schema: s.schema }),
        max_output_tokens: fitted.max_output_tokens,
        input_tokens: fitted.input_tokens,
        input_room: fitted.input_room,
        prompt_version: fitted.prompt_version,
        layers: layers.collect(),
        warnings: fitted.warnings,
    }
}
