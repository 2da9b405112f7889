//! The running account of one call along its chain, and the answer or error built from it.

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
    /// Whether only a language model can answer this task. The built-in model's reply is then no substitute, and no fallback is reported.
    is_opinion: bool,
    phase: Phase,
    records: Vec<CallRecord>,
    usage: Vec<LayerUsage>,
    /// Providers that failed, in order, each with the failure and a remedy.
    failures: Vec<(String, Failure, Option<String>)>,
    /// Number of answers that could not be parsed, by `NAME:MODEL`.
    unreadable: BTreeMap<String, u32>,
    /// Number of payloads shrunk because they overflowed a window.
    overflows: u32,
}

/// A checked answer of one provider.
#[derive(Debug)]
pub(super) struct CheckedAnswer {
    pub(super) value: Value,
    /// The simpler task that was answered, if the provider stepped down.
    pub(super) stepped_down: Option<Task>,
    /// Warnings about the payload.
    pub(super) warnings: Vec<Warning>,
    /// Pieces of evidence that were left out or shortened.
    pub(super) cut: Vec<PieceCut>,
    /// Whether it is only the beginning of an answer that was cut off.
    pub(super) is_begun: bool,
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

    /// Records a finished request, whether its answer was valid or not, with the tokens of its layers.
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

    /// Counts an answer of `provider` that could not be parsed.
    pub(super) fn unreadable(&mut self, provider: &str) {
        *self.unreadable.entry(provider.to_owned()).or_default() += 1;
        metrics().models.unreadable(self.role.as_str(), provider);
    }

    /// Counts a payload that overflowed a window and is shrunk.
    pub(super) fn record_overflow(&mut self) {
        self.overflows += 1;
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Records and logs the failure of `provider`, with a remedy for the operator.
    pub(super) fn record_failure(&mut self, provider: &str, failure: Failure, advice: Option<String>) {
        tracing::warn!(
            provider,
            role = self.role.as_str(),
            code = failure.code.as_str(),
            detail = failure.detail,
            "model provider failed"
        );
        self.failures.push((provider.to_owned(), failure, advice));
    }

    /// Builds the answer of a call that `provider` answered.
    pub(super) fn into_answer(self, provider: &str, answered: CheckedAnswer) -> ModelAnswer {
        let mut warnings = self.fallbacks(&format!("`{provider}` answered"));
        if self.is_opinion && provider == LOCAL {
            // A reached ceiling is still reported.
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

    /// Builds the error of a call that the caller repeats with smaller parts: transient and without warnings, because nothing failed.
    pub(super) fn needs_smaller_parts(self, code: Code) -> ModelError {
        let tried = self.tried_providers();
        ModelError { role: self.role, code, is_transient: true, tried, records: self.records, warnings: Vec::new() }
    }

    /// Builds the error of a call that no provider answered.
    pub(super) fn into_error(self) -> ModelError {
        let mut warnings = self.fallbacks("no provider is left");
        warnings.extend(self.summary_failure());
        ModelError {
            role: self.role,
            code: self.failures.last().map_or(Code::Internal, |(_, f, _)| f.code),
            is_transient: self.failures.iter().any(|(_, f, _)| may_pass(f.code)),
            tried: self.tried_providers(),
            records: self.records,
            warnings,
        }
    }

    /// Builds one warning per failed provider: name, code, message and remedy. A reached ceiling gives one warning for all providers.
    fn fallbacks(&self, end: &str) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for (provider, failure, advice) in &self.failures {
            let (code, message) = match failure.code {
                Code::CeilingReached => (WarningCode::SpendCeilingReached, format!("{}; {end}", failure.detail)),
                _ => {
                    let words = Some(failure.words()).filter(|words| !words.is_empty());
                    let reason = [words, advice.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; ");
                    let colon = if reason.is_empty() { "" } else { ": " };
                    let message = format!("`{provider}` failed ({}){colon}{reason}; {end}", failure.code);
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
        let message = || format!("all summarization providers failed: {}", self.tried_providers());
        concerns.then(|| Warning::new(WarningCode::SummaryProviderFailed, self.phase, message()))
    }

    fn tried_providers(&self) -> String {
        self.failures.iter().map(|(p, f, _)| format!("`{p}` ({})", f.code)).collect::<Vec<_>>().join(", ")
    }
}

/// Whether the same call may succeed later.
fn may_pass(code: Code) -> bool {
    code.is_transient() || matches!(code, Code::BreakerOpen | Code::LimitReached | Code::OutOfTime | Code::Stopped)
}
