//! What one call has met on its way along the chain, and the answer or error it ends with.

use std::collections::BTreeMap;

use precis_proto::Phase;
use precis_proto::call::{CallRecord, LayerUsage};
use precis_proto::task::{Role, Task};
use precis_proto::warning::{Warning, WarningCode, push_once};
use serde_json::Value;

use super::answer::{ModelAnswer, ModelError};
use super::chain::LOCAL;
use super::failure::{Code, Failure};
use super::gate::PieceCut;
use crate::telemetry::metrics;

/// The running account of one call.
#[derive(Debug)]
pub(super) struct Tally {
    role: Role,
    /// Whether nobody but a language model can answer: no answer is then what its record says, and nothing takes its place.
    is_opinion: bool,
    phase: Phase,
    records: Vec<CallRecord>,
    usage: Vec<LayerUsage>,
    /// Providers that failed, in order, each with what may be done about it.
    failures: Vec<(String, Failure, Option<String>)>,
    /// Answers that could not be read, by who gave them.
    unreadable: BTreeMap<String, u32>,
    /// Payloads that were made smaller because they overflowed.
    overflows: u32,
}

/// A checked answer of one provider.
#[derive(Debug)]
pub(super) struct CheckedAnswer {
    pub(super) value: Value,
    /// The task it answers, where that is one level down.
    pub(super) stepped_down: Option<Task>,
    /// About the payload it answers.
    pub(super) warnings: Vec<Warning>,
    /// Pieces of evidence that were not sent whole.
    pub(super) cut: Vec<PieceCut>,
}

impl Tally {
    pub(super) fn new(task: &Task, phase: Phase) -> Self {
        Self {
            role: task.role(),
            is_opinion: matches!(task, Task::Rate(_)),
            phase,
            records: Vec::new(),
            usage: Vec::new(),
            failures: Vec::new(),
            unreadable: BTreeMap::new(),
            overflows: 0,
        }
    }

    /// Notes a finished request, whatever its text was worth, with the tokens of its layers.
    pub(super) fn record(&mut self, record: CallRecord, layers: &[LayerUsage]) {
        for layer in layers {
            metrics().models.layer(self.role.as_str(), layer);
            self.usage.push(LayerUsage {
                call_key: record.call_key.clone(),
                phase: Some(self.phase),
                role: Some(self.role),
                provider: record.provider.clone(),
                ..layer.clone()
            });
        }
        self.records.push(record);
    }

    /// Notes that an answer of `provider` could not be read.
    pub(super) fn unreadable(&mut self, provider: &str) {
        *self.unreadable.entry(provider.to_owned()).or_default() += 1;
        metrics().models.unreadable(self.role.as_str(), provider);
    }

    /// Notes that a payload overflowed a window and is made smaller.
    pub(super) fn overflowed(&mut self) {
        self.overflows += 1;
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Notes that `provider` gave no answer, and what whoever set it up may do about it.
    pub(super) fn failed(&mut self, provider: &str, failure: Failure, advice: Option<String>) {
        tracing::warn!(
            provider,
            role = self.role.as_str(),
            code = failure.code.as_str(),
            detail = failure.detail,
            "model provider failed"
        );
        self.failures.push((provider.to_owned(), failure, advice));
    }

    /// The end of a call that `provider` answered.
    pub(super) fn answered(self, provider: &str, answered: CheckedAnswer) -> ModelAnswer {
        let mut warnings = self.fallbacks(&format!("`{provider}` answered"));
        if self.is_opinion && provider == LOCAL {
            // The ceiling of a session is told all the same.
            warnings.retain(|warning| warning.code != WarningCode::ProviderFallback);
        }
        if provider == LOCAL {
            warnings.extend(self.summary_failure());
        }
        for mut warning in answered.warnings {
            warning.phase = warning.phase.or(Some(self.phase));
            push_once(&mut warnings, warning);
        }
        ModelAnswer {
            value: answered.value,
            provider: provider.to_owned(),
            stepped_down: answered.stepped_down,
            records: self.records,
            usage: self.usage,
            warnings,
            cut: answered.cut,
            unreadable: self.unreadable,
            overflows: self.overflows,
        }
    }

    /// The end of a call that is to be asked anew in another shape: nothing failed, and nobody is told.
    pub(super) fn asked_anew(self, code: Code) -> ModelError {
        let tried = self.tried();
        ModelError { role: self.role, code, is_transient: true, tried, records: self.records, warnings: Vec::new() }
    }

    /// The end of a call that nobody answered.
    pub(super) fn exhausted(self) -> ModelError {
        let mut warnings = self.fallbacks("no provider is left");
        warnings.extend(self.summary_failure());
        ModelError {
            role: self.role,
            code: self.failures.last().map_or(Code::Internal, |(_, f, _)| f.code),
            is_transient: self.failures.iter().any(|(_, f, _)| may_pass(f.code)),
            tried: self.tried(),
            records: self.records,
            warnings,
        }
    }

    /// A warning per failed provider: its name and code, what it said, what to do. A ceiling is the session's, and told once for all.
    fn fallbacks(&self, end: &str) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (provider, failure, advice) in &self.failures {
            let (code, message) = match failure.code {
                Code::CeilingReached => {
                    (WarningCode::SpendCeilingReached, format!("{} leaves no room; {end}", failure.detail))
                }
                _ => {
                    let words = Some(failure.words()).filter(|words| !words.is_empty());
                    let told = [words, advice.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
                    let colon = if told.is_empty() { "" } else { ": " };
                    let message = format!("`{provider}` failed ({}){colon}{told}; {end}", failure.code);
                    (WarningCode::ProviderFallback, message)
                }
            };
            push_once(&mut warnings, Warning::new(code, self.phase, message));
        }
        warnings
    }

    fn summary_failure(&self) -> Option<Warning> {
        let has_failed = self.failures.iter().any(|(_, failure, _)| failure.code != Code::CeilingReached);
        let concerns = self.role == Role::Summarization && has_failed;
        let message = || format!("all summarization providers failed: {}", self.tried());
        concerns.then(|| Warning::new(WarningCode::SummaryProviderFailed, self.phase, message()))
    }

    fn tried(&self) -> String {
        self.failures.iter().map(|(p, f, _)| format!("`{p}` ({})", f.code)).collect::<Vec<_>>().join(", ")
    }
}

/// Whether asking again later may help.
fn may_pass(code: Code) -> bool {
    code.is_transient() || matches!(code, Code::BreakerOpen | Code::LimitReached | Code::OutOfTime | Code::Stopped)
}
