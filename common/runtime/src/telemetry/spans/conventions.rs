//! Which spans there are, and every name in them: those of the semantic conventions of OpenTelemetry for generative models and for
//! messaging, and our own below `precis.`.
//!
//! One session is one trace over all workers:
//!
//! ```text
//! process precis.requests                    the request is accepted; part of the caller's span, if it sent a `traceparent`
//! `-- invoke_workflow precis                 from acceptance to result
//!     |-- plan, process precis.session.…     each time a phase is worked on
//!     |   |-- chat MODEL, retrieval NAME     a request to a model, a request to a search provider
//!     |   `-- process precis.jobs.…          a job, on whatever worker
//!     |       `-- chat MODEL, retrieval NAME
//!     `-- …
//! ```

use std::time::Duration;

use precis_proto::{Phase, SessionId};

use super::ids::{accept_span, session_span, unit_span};
use super::span::{Span, SpanKind};
use crate::telemetry::trace::TraceContext;

/// The name of the workflow that a session is.
const WORKFLOW: &str = "precis";

const OPERATION: &str = "gen_ai.operation.name";
const WORKFLOW_NAME: &str = "gen_ai.workflow.name";
const PROVIDER: &str = "gen_ai.provider.name";
const MODEL: &str = "gen_ai.request.model";
const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
const DATA_SOURCE: &str = "gen_ai.data_source.id";
const CONVERSATION: &str = "gen_ai.conversation.id";
const ERROR: &str = "error.type";
const MESSAGING_SYSTEM: &str = "messaging.system";
const MESSAGING_OPERATION: &str = "messaging.operation.name";
const MESSAGING_OPERATION_TYPE: &str = "messaging.operation.type";
const DESTINATION: &str = "messaging.destination.name";
const MESSAGE_ID: &str = "messaging.message.id";
const MESSAGE_CONVERSATION: &str = "messaging.message.conversation_id";
const SESSION: &str = "precis.session.id";
const PHASE: &str = "precis.phase";
const ATTEMPT: &str = "precis.attempt";
const OUTCOME: &str = "precis.outcome";
const STATUS: &str = "precis.status";
const STOP_REASON: &str = "precis.stop_reason";

/// A message that was worked on.
#[derive(Debug, Clone, Copy)]
pub struct WorkedMessage<'a> {
    /// The messaging system: `rabbitmq`, or `precis` where the queues are in the process.
    pub system: &'static str,
    /// Its queue.
    pub queue: &'a str,
    /// Its id.
    pub id: &'a str,
    /// The number of its attempt.
    pub attempt: u32,
    /// The word of what became of it.
    pub outcome: &'a str,
    /// The time it took.
    pub took: Duration,
}

/// What a session ended with.
#[derive(Debug, Clone, Copy)]
pub struct EndedWorkflow<'a> {
    /// The word of its status.
    pub status: &'a str,
    /// Why it ended where it did.
    pub stop_reason: Option<&'a str>,
    /// The code of its failure.
    pub error: Option<&'a str>,
    /// The time from its acceptance.
    pub took: Duration,
}

/// What a request to a model used, or the code of its failure.
pub type ModelUse<'a> = Result<ModelTokens, &'a str>;

/// Tokens of a request to a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelTokens {
    /// Tokens of its input.
    pub input: u64,
    /// Those of them that the provider had kept.
    pub cached: u64,
    /// Tokens of its output.
    pub output: u64,
}

/// The span of a request that was accepted, part of `caller`; of nothing if `caller` is this span itself, by which a trace begins that no
/// caller began.
#[must_use]
pub fn accepted_span(
    trace: TraceContext,
    caller: Option<u64>,
    session: &SessionId,
    message: &WorkedMessage<'_>,
) -> Span {
    let context = accept_span(trace, session.as_str());
    let caller = caller.filter(|span| *span != context.span());
    processed_span(context, caller, session, message, format!("process {}", message.queue))
}

/// The span of a session that has ended.
#[must_use]
pub fn workflow(trace: TraceContext, session: &SessionId, ended: &EndedWorkflow<'_>) -> Span {
    let context = session_span(trace, session.as_str());
    let parent = accept_span(trace, session.as_str()).span();
    let name = format!("invoke_workflow {WORKFLOW}");
    let span = Span::ending_now(context, Some(parent), SpanKind::Internal, name, ended.took);
    let span = about(span, session).word(OPERATION, "invoke_workflow").word(WORKFLOW_NAME, WORKFLOW);
    let span = span.word(STATUS, ended.status);
    let span = match ended.stop_reason {
        Some(reason) => span.word(STOP_REASON, reason),
        None => span,
    };
    with_error(span, ended.error)
}

/// The span of a phase that was worked on, at `revision`.
#[must_use]
pub fn phase(
    trace: TraceContext,
    session: &SessionId,
    phase: Phase,
    revision: u64,
    message: &WorkedMessage<'_>,
) -> Span {
    let context = unit_span(trace, session.as_str(), revision);
    let parent = session_span(trace, session.as_str()).span();
    let is_plan = phase == Phase::Planning;
    let name = if is_plan { "plan".to_owned() } else { format!("process {}", message.queue) };
    let span = processed_span(context, Some(parent), session, message, name).word(PHASE, phase.as_str());
    if is_plan { span.word(OPERATION, "plan") } else { span }
}

/// The span of a job, at the id `context`, of the phase at `revision`.
#[must_use]
pub fn job(
    context: TraceContext,
    session: &SessionId,
    phase: Phase,
    revision: u64,
    message: &WorkedMessage<'_>,
) -> Span {
    let parent = unit_span(context, session.as_str(), revision).span();
    let name = format!("process {}", message.queue);
    processed_span(context, Some(parent), session, message, name).word(PHASE, phase.as_str())
}

/// The span of a request to a model, part of `parent`. `error` codes are those of failures.
#[must_use]
pub fn chat(
    parent: TraceContext,
    session: &SessionId,
    named: (&str, &str),
    used: ModelUse<'_>,
    took: Duration,
) -> Span {
    model_request("chat", parent, session, named, used, took)
}

/// As [`chat`], of a request for vectors.
#[must_use]
pub fn embeddings(
    parent: TraceContext,
    session: &SessionId,
    named: (&str, &str),
    used: ModelUse<'_>,
    took: Duration,
) -> Span {
    model_request("embeddings", parent, session, named, used, took)
}

fn model_request(
    operation: &'static str,
    parent: TraceContext,
    session: &SessionId,
    (provider, model): (&str, &str),
    used: ModelUse<'_>,
    took: Duration,
) -> Span {
    let name = format!("{operation} {model}");
    let span = Span::ending_now(parent.child(), Some(parent.span()), SpanKind::Client, name, took);
    let span = about(span, session).word(OPERATION, operation).word(PROVIDER, provider).word(MODEL, model);
    match used {
        Ok(used) => {
            span.number(INPUT_TOKENS, used.input).number(CACHED_TOKENS, used.cached).number(OUTPUT_TOKENS, used.output)
        }
        Err(code) => with_error(span, Some(code)),
    }
}

/// The span of a request to a search provider, part of `parent`.
#[must_use]
pub fn retrieval(
    parent: TraceContext,
    session: &SessionId,
    provider: &str,
    error: Option<&str>,
    took: Duration,
) -> Span {
    let name = format!("retrieval {provider}");
    let span = Span::ending_now(parent.child(), Some(parent.span()), SpanKind::Client, name, took);
    with_error(about(span, session).word(OPERATION, "retrieval").word(DATA_SOURCE, provider), error)
}

fn processed_span(
    context: TraceContext,
    parent: Option<u64>,
    session: &SessionId,
    message: &WorkedMessage<'_>,
    name: String,
) -> Span {
    about(Span::ending_now(context, parent, SpanKind::Consumer, name, message.took), session)
        .word(MESSAGING_SYSTEM, message.system)
        .word(MESSAGING_OPERATION, "process")
        .word(MESSAGING_OPERATION_TYPE, "process")
        .word(DESTINATION, message.queue)
        .word(MESSAGE_ID, message.id)
        .word(MESSAGE_CONVERSATION, session.as_str())
        .number(ATTEMPT, u64::from(message.attempt))
        .word(OUTCOME, message.outcome)
}

fn about(span: Span, session: &SessionId) -> Span {
    span.word(SESSION, session.as_str()).word(CONVERSATION, session.as_str())
}

fn with_error(span: Span, error: Option<&str>) -> Span {
    let Some(code) = error else { return span };
    let span = span.word(ERROR, code);
    Span { error: Some(code.to_owned()), ..span }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn message(queue: &str) -> WorkedMessage<'_> {
        WorkedMessage {
            system: "rabbitmq",
            queue,
            id: "s/1",
            attempt: 1,
            outcome: "publish",
            took: Duration::from_millis(5),
        }
    }

    #[test]
    fn a_session_is_one_tree_for_any_recorders() {
        let trace = TraceContext::parse(TRACE).expect("a context");
        // Each worker knows the trace by the message that it got.
        let elsewhere = trace.child();
        let session = SessionId::new("s").expect("an id");
        let took = Duration::from_millis(5);
        let ended = EndedWorkflow { status: "completed", stop_reason: Some("satisfied"), error: None, took };
        let accepted_by = |caller| accepted_span(trace, Some(caller), &session, &message("precis.requests"));
        let accepted = accepted_by(7);
        let workflow = workflow(elsewhere, &session, &ended);
        let plan = phase(trace, &session, Phase::Planning, 2, &message("precis.session.planning"));
        let digest = phase(elsewhere, &session, Phase::Digest, 3, &message("precis.session.digest"));
        let job = job(elsewhere.child(), &session, Phase::Digest, 3, &message("precis.jobs.digest"));
        let chat = chat(job.context, &session, ("openai", "m"), Err("rate_limited"), took);
        let search = retrieval(plan.context, &session, "brave", None, took);
        let spans = [&accepted, &workflow, &plan, &digest, &job, &chat, &search];
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(4), Some(2)];
        for (place, (span, parent)) in spans.iter().zip(parents).enumerate() {
            let expected = parent.map_or(Some(7), |parent: usize| Some(spans[parent].context.span()));
            assert_eq!(span.parent, expected, "{place}");
            assert_eq!(span.context.trace(), trace.trace(), "{place}");
            let session = |name| {
                span.attributes.iter().any(|(n, v)| *n == name && *v == super::super::Attribute::Word("s".to_owned()))
            };
            assert!(session(SESSION) && session(CONVERSATION), "{place}");
        }
        let begun = accepted_by(accept_span(trace, "s").span());
        assert_eq!((begun.parent, begun.context), (None, accept_span(trace, "s")));
        let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "process precis.requests",
                "invoke_workflow precis",
                "plan",
                "process precis.session.digest",
                "process precis.jobs.digest",
                "chat m",
                "retrieval brave"
            ]
        );
        assert_eq!((chat.error.as_deref(), search.error), (Some("rate_limited"), None));
    }
}
