//! W3C trace context: one trace per session, one span per message. The caller's trace is continued; what is recorded of it is in
//! [`spans`](super::spans).

use std::fmt;

/// The flag of a trace that is recorded.
const SAMPLED: u8 = 1;

/// `traceparent` of the W3C Trace Context recommendation, version 00.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceContext {
    /// Parses a `traceparent`; `None` for anything the recommendation calls invalid. A later version is parsed as far as version 00
    /// goes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex =
            |part: &str, len| part.len() == len && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let more = parts.next().is_some();
        if !is_hex(version, 2) || version == "ff" || (version == "00" && more) {
            return None;
        }
        if !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
            return None;
        }
        let context = Self {
            trace: u128::from_str_radix(trace, 16).ok()?,
            span: u64::from_str_radix(span, 16).ok()?,
            flags: u8::from_str_radix(flags, 16).ok()?,
        };
        (context.trace != 0 && context.span != 0).then_some(context)
    }

    /// Starts a new trace, sampled: whoever has a collector records it. A caller that does not want its trace recorded clears the flag.
    #[must_use]
    pub fn start() -> Self {
        Self { trace: rand::random::<u128>().max(1), span: rand::random::<u64>().max(1), flags: SAMPLED }
    }

    /// The id of the trace.
    #[must_use]
    pub fn trace(self) -> u128 {
        self.trace
    }

    /// The id of the span.
    #[must_use]
    pub fn span(self) -> u64 {
        self.span
    }

    /// Whether the trace is recorded.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// Returns the context of the span `span` of the same trace.
    #[must_use]
    pub fn with_span(self, span: u64) -> Self {
        Self { span: span.max(1), ..self }
    }

    /// Returns the context of a message that follows from this one: same trace, new span.
    #[must_use]
    pub fn child(self) -> Self {
        Self { span: rand::random::<u64>().max(1), ..self }
    }

    /// Returns the `traceparent` of a message that follows from one with `parent`; a new trace if `parent` is absent or invalid.
    #[must_use]
    pub fn follow(parent: Option<&str>) -> Self {
        parent.and_then(Self::parse).map_or_else(Self::start, Self::child)
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_child_keeps_trace_and_flags_with_its_own_span() {
        let parent = TraceContext::parse(EXAMPLE).expect("valid");
        assert_eq!(parent.to_string(), EXAMPLE);
        let child = TraceContext::follow(Some(EXAMPLE)).to_string();
        assert_ne!(child, EXAMPLE);
        assert!(child.starts_with(&EXAMPLE[..36]) && child.ends_with("-01"), "{child}");
        assert!(TraceContext::parse(&child).is_some());
    }

    #[test]
    fn our_own_traces_are_recorded_and_a_callers_as_flagged() {
        assert!(TraceContext::start().is_sampled());
        for (flags, is_sampled) in [("00", false), ("01", true), ("02", false), ("03", true)] {
            let parent = format!("{}-{flags}", &EXAMPLE[..52]);
            assert_eq!(TraceContext::follow(Some(&parent)).is_sampled(), is_sampled, "{flags}");
        }
    }

    #[test]
    fn what_is_no_trace_context_starts_a_new_one() {
        for text in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        ] {
            assert_eq!(TraceContext::parse(text), None, "{text}");
            assert!(TraceContext::parse(&TraceContext::follow(Some(text)).to_string()).is_some());
        }
        let later = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x";
        assert!(TraceContext::parse(later).is_some());
    }
}
