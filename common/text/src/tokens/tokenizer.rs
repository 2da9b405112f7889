//! The vocabulary of a model, and counting by it.

use precis_proto::closed_words;

use super::estimate::estimate;
use super::vocabulary::{CL100K, O200K};

closed_words! {
    /// How tokens are counted.
    #[derive(Default, PartialOrd, Ord, Hash, serde::Serialize)]
    pub enum Tokenizer: serde {
        /// The vocabulary `o200k_base`, exactly.
        #[default]
        O200k => "o200k",
        /// The vocabulary `cl100k_base`, exactly.
        Cl100k => "cl100k",
        /// Without the model's own vocabulary; see [`estimate`].
        Estimate => "estimate",
    }
}

/// Name prefixes of models with `o200k_base`, then of those with `cl100k_base`; the first match counts.
/// Source: the table of models in OpenAI's tiktoken, read in November 2026.
const MODELS: [(&str, Tokenizer); 14] = [
    ("gpt-4o", Tokenizer::O200k),
    ("gpt-4.1", Tokenizer::O200k),
    ("gpt-4.5", Tokenizer::O200k),
    ("gpt-5", Tokenizer::O200k),
    ("gpt-oss", Tokenizer::O200k),
    ("chatgpt-4o", Tokenizer::O200k),
    ("codex-mini", Tokenizer::O200k),
    ("o1", Tokenizer::O200k),
    ("o3", Tokenizer::O200k),
    ("o4", Tokenizer::O200k),
    ("gpt-4", Tokenizer::Cl100k),
    ("gpt-3.5", Tokenizer::Cl100k),
    ("gpt-35", Tokenizer::Cl100k),
    ("text-embedding", Tokenizer::Cl100k),
];

impl Tokenizer {
    /// The tokenizer of `provider` (`NAME:MODEL`, optionally with `[cli]` before it and folders in the model name): exact for OpenAI's
    /// models, whoever serves them, and for the built-in model; [`Tokenizer::Estimate`] for all others.
    #[must_use]
    pub fn of_model(provider: &str) -> Self {
        let bare = provider.strip_prefix("[cli]").unwrap_or(provider);
        let (name, model) = bare.split_once(':').unwrap_or(("", bare));
        if name == "local" {
            return Self::O200k;
        }
        let model = model.rsplit('/').next().unwrap_or(model).to_lowercase();
        let begins = |stem: &str| {
            let rest = model.strip_prefix(stem)?;
            (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(())
        };
        MODELS.iter().find(|(stem, _)| begins(stem).is_some()).map_or(Self::Estimate, |(_, tokenizer)| *tokenizer)
    }

    /// Tokens of `text`; 0 for the empty text. Linear in its length, also on hostile text.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::O200k => O200K.count(text),
            Self::Cl100k => CL100K.count(text),
            Self::Estimate => estimate(text),
        }
    }

    /// Whether its counts equal those of the model.
    #[must_use]
    pub fn is_exact(self) -> bool {
        match self {
            Self::O200k | Self::Cl100k => true,
            Self::Estimate => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_counts_are_those_of_the_vocabulary() {
        // Reference: Python tiktoken, `len(get_encoding(name).encode(text, disallowed_special=()))`.
        let table = [("", 0, 0), ("hello world", 2, 2), ("<|endoftext|>", 7, 7)];
        for (text, o200k, cl100k) in table {
            assert_eq!((Tokenizer::O200k.count(text), Tokenizer::Cl100k.count(text)), (o200k, cl100k), "{text:?}");
        }
    }

    #[test]
    fn a_model_is_counted_by_its_own_vocabulary_where_that_is_known() {
        use Tokenizer::{Cl100k, Estimate, O200k};
        for (provider, tokenizer) in [
            ("openai:gpt-4.1-mini", O200k),
            ("openai:gpt-4o-2024-08-06", O200k),
            ("codex:gpt-5.2-codex", O200k),
            ("[cli]opencode:openai/gpt-5.2-codex", O200k),
            ("codex:o3", O200k),
            ("gateway:o4-mini", O200k),
            ("ollama:gpt-oss:20b", O200k),
            ("local:extractive", O200k),
            ("openai:gpt-4", Cl100k),
            ("gateway:azure/GPT-4-Turbo", Cl100k),
            ("openai:gpt-3.5-turbo", Cl100k),
            ("claude:sonnet", Estimate),
            ("gemini:flash", Estimate),
            ("ollama:qwen3:4b", Estimate),
            ("house:o30", Estimate),
            ("house:gpt-4all", Estimate),
            ("", Estimate),
        ] {
            assert_eq!(Tokenizer::of_model(provider), tokenizer, "{provider}");
        }
    }

    #[test]
    fn floods_are_counted_in_linear_time() {
        for flood in [" ".repeat(300_000), "a".repeat(300_000), "字".repeat(100_000), "e\u{301}".repeat(100_000)] {
            for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
                assert!(tokenizer.count(&flood) > 0);
            }
        }
    }
}
