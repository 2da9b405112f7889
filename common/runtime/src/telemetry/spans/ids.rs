//! Ids of spans that several processes must agree on without telling each other: made of what each of them knows. Pure.

use precis_proto::ids::sha256_hex;

use crate::telemetry::trace::TraceContext;

/// The span of a session from its acceptance to its result.
#[must_use]
pub fn session_span(trace: TraceContext, session: &str) -> TraceContext {
    made_of(trace, &["session", session])
}

/// The span in which a request is accepted.
#[must_use]
pub fn accept_span(trace: TraceContext, session: &str) -> TraceContext {
    made_of(trace, &["accept", session])
}

/// The span of a phase of a session at `revision`: what its jobs are part of, on whatever worker they run.
#[must_use]
pub fn unit_span(trace: TraceContext, session: &str, revision: u64) -> TraceContext {
    made_of(trace, &["phase", session, &revision.to_string()])
}

fn made_of(trace: TraceContext, parts: &[&str]) -> TraceContext {
    let named: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    let hash = sha256_hex(format!("{:032x}{named}", trace.trace()).as_bytes());
    trace.with_span(u64::from_str_radix(&hash[..16], 16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_trace_session_and_revision_alone() {
        let trace = |text: &str| TraceContext::parse(text).expect("a context");
        let here = trace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let there = trace("00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01");
        let other = trace("00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-01");
        assert_eq!(session_span(here, "s"), session_span(there, "s"));
        let ids = [
            session_span(here, "s"),
            session_span(here, "t"),
            session_span(other, "s"),
            accept_span(here, "s"),
            unit_span(here, "s", 1),
            unit_span(here, "s", 2),
        ];
        for (place, id) in ids.iter().enumerate() {
            assert!(!ids[..place].contains(id), "{place}");
        }
    }
}
