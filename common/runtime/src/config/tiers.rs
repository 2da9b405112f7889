//! The models that a vendor's name alone stands for: a cheap one for the many simple calls, a strong one for the text readers see.

use precis_proto::task::Role;

/// Name, cheap model, strong model. Chosen by list price (see the catalogue of models), not measured.
const TIERS: [(&str, &str, &str); 3] = [
    ("anthropic", "claude-haiku-4-5", "claude-opus-4-5"),
    ("gemini", "gemini-3.5-flash-lite", "gemini-3.1-pro-preview"),
    ("openai", "gpt-5.4-nano", "gpt-5.4"),
];

/// Returns the `NAME:MODEL` that `entry` means for `role`: if `entry` is a vendor's name alone, the vendor's model for the role, else
/// `entry` itself.
pub(super) fn model(entry: &str, role: Role) -> String {
    match TIERS.iter().find(|(name, _, _)| *name == entry) {
        Some((name, cheap, strong)) => format!("{name}:{}", if is_cheap(role) { cheap } else { strong }),
        None => entry.to_owned(),
    }
}

/// Iterates over every `NAME:MODEL` that a vendor's name may stand for.
pub fn tier_models() -> impl Iterator<Item = String> {
    TIERS.iter().flat_map(|(name, cheap, strong)| [cheap, strong].map(|model| format!("{name}:{model}")))
}

/// Whether `entry` names a vendor whose tiers are known.
pub(super) fn is_vendor(entry: &str) -> bool {
    TIERS.iter().any(|(name, _, _)| *name == entry)
}

/// Whether a role makes many simple calls.
fn is_cheap(role: Role) -> bool {
    match role {
        Role::Summarization | Role::Compression => true,
        // A vendor's name alone never stands for a model that makes vectors: the configuration asks for its name.
        Role::Research | Role::Supervision | Role::Synthesis | Role::Evaluation | Role::Embedding => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vendor_alone_is_cheap_for_bulk_and_strong_for_readers() {
        for (entry, cheap, strong) in [
            ("anthropic", "anthropic:claude-haiku-4-5", "anthropic:claude-opus-4-5"),
            ("openai", "openai:gpt-5.4-nano", "openai:gpt-5.4"),
            ("anthropic:x", "anthropic:x", "anthropic:x"),
            ("ollama", "ollama", "ollama"),
        ] {
            assert_eq!(model(entry, Role::Summarization), cheap);
            assert_eq!(model(entry, Role::Compression), cheap);
            for role in [Role::Research, Role::Supervision, Role::Synthesis, Role::Evaluation] {
                assert_eq!(model(entry, role), strong, "{role:?}");
            }
        }
    }
}
