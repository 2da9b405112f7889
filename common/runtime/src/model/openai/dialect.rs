//! The parts of the chat format that not every server knows, and learning which ones a server does not.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What a model of a provider has refused so far. Each is learned once and kept for the life of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Says `max_tokens` instead of `max_completion_tokens`.
    pub(super) old_max_tokens: bool,
    /// Leaves `response_format` out; the prompt describes the shape too.
    pub(super) no_schema: bool,
    /// Leaves `temperature` and `seed` out.
    pub(super) no_sampling: bool,
}

impl Dialect {
    /// The dialect after a refusal that names `param` or says `message`; `None` where that teaches nothing new.
    pub(super) fn learn(self, param: &str, message: &str) -> Option<Self> {
        let about = |words: &[&str]| words.iter().any(|w| param.contains(w) || message.contains(w));
        if !self.old_max_tokens && about(&["max_completion_tokens"]) {
            return Some(Self { old_max_tokens: true, ..self });
        }
        if !self.no_schema && about(&["response_format", "json_schema", "structured output"]) {
            return Some(Self { no_schema: true, ..self });
        }
        if !self.no_sampling && about(&["temperature", "seed"]) {
            return Some(Self { no_sampling: true, ..self });
        }
        None
    }
}

/// The dialects of a provider's models.
#[derive(Debug, Default)]
pub(super) struct Dialects(Mutex<BTreeMap<String, Dialect>>);

impl Dialects {
    pub(super) fn of(&self, model: &str) -> Dialect {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    pub(super) fn keep(&self, model: &str, dialect: Dialect) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned(), dialect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_teaches_one_thing_once() {
        let plain = Dialect::default();
        let old = Dialect { old_max_tokens: true, ..plain };
        let free = Dialect { no_schema: true, ..plain };
        let warm = Dialect { no_sampling: true, ..plain };
        for (known, param, message, learned) in [
            (plain, "max_completion_tokens", "Unsupported parameter", Some(old)),
            (plain, "", "Unrecognized request argument supplied: max_completion_tokens", Some(old)),
            (old, "max_completion_tokens", "", None),
            (plain, "response_format", "This model does not support json_schema", Some(free)),
            (free, "response_format", "", None),
            (plain, "temperature", "Unsupported value: 'temperature' does not support 0", Some(warm)),
            (plain, "", "extra fields not permitted: seed", Some(warm)),
            (plain, "messages", "too many images", None),
        ] {
            assert_eq!(known.learn(param, message), learned, "{param} {message}");
        }
    }
}
