//! How many tokens a phase may use: a share of the room of its model.

use precis_context::prompt::{ANALYSIS_BUDGET_PERCENT, SYNTHESIS_BUDGET_PERCENT};
use precis_proto::task::Role;
use precis_runtime::config::{self, Settings};

use super::models::limits;

/// Longest conversation of a researcher, in tokens, even if its model's window is larger. Chosen, not measured.
const MOST_CONVERSATION: u64 = 200_000;

/// Returns the tokens of evidence that one call of the analysis may carry: 80 % of the room of the compression model.
#[must_use]
pub fn analysis_budget(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Compression, ANALYSIS_BUDGET_PERCENT)
}

/// Returns how many calls make findings of the texts; `None` if the built-in model does, which costs nothing.
#[must_use]
pub fn compression_calls(settings: &Settings) -> Option<usize> {
    super::is_model(settings, Role::Compression).then_some(settings.tokens.compression_calls as usize)
}

/// Returns the tokens of findings in the synthesis prompt: 85 % of the room of its model.
#[must_use]
pub fn synthesis_budget(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Synthesis, SYNTHESIS_BUDGET_PERCENT)
}

/// Least budget of a report call with which its model sees passages. Chosen: the rules for passages are longer than those for findings.
const LEAST_FOR_PASSAGES: u64 = 2_000;

/// Returns the tokens of passages that a model sees when it writes the report; 0 if it writes from findings alone, because the setting
/// says so or its window is small, or if no model writes.
#[must_use]
pub fn writer_budget(settings: &Settings) -> u64 {
    if !super::is_model(settings, Role::Synthesis) {
        return 0;
    }
    // Of the first model itself: where its window leaves nothing, the budget of the phase is that of the built-in model.
    let first = settings.chain(Role::Synthesis).into_iter().next().unwrap_or_default();
    let own = match settings.tokens.enabled {
        true => limits(settings).phase_budget(&first, SYNTHESIS_BUDGET_PERCENT),
        false => u64::MAX,
    };
    if own < LEAST_FOR_PASSAGES { 0 } else { own.min(settings.report.writer_evidence_tokens) }
}

/// Most tokens of statements and passages in one call to judge, even if its model's window is larger. Chosen: twelve statements with about
/// four passages each.
const MOST_JUDGING: u64 = 16_000;

/// Returns the tokens of statements and passages in one call to judge.
#[must_use]
pub fn judging_budget(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Evaluation, ANALYSIS_BUDGET_PERCENT).min(MOST_JUDGING)
}

/// Returns the most tokens of a researcher's conversation: the room of its model, as far as it is known.
#[must_use]
pub fn research_window(settings: &Settings) -> u64 {
    phase_budget(settings, Role::Research, 100).min(MOST_CONVERSATION)
}

/// Returns the budget of the first model of the chain that has any room; one without room would answer no call.
fn phase_budget(settings: &Settings, role: Role, percent: u64) -> u64 {
    if !settings.tokens.enabled {
        return u64::MAX;
    }
    let limits = limits(settings);
    let mut chain = settings.chain(role);
    chain.push(config::LOCAL_MODEL.to_owned());
    chain.iter().map(|link| limits.phase_budget(link, percent)).find(|budget| *budget > 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use precis_proto::digest::DigestPolicy;
    use serde_json::json;

    use super::*;
    use crate::options::DigestOptions;

    fn settings(json: serde_json::Value) -> Settings {
        serde_json::from_value(json).expect("settings")
    }

    #[test]
    fn a_phase_budget_is_that_of_the_first_fitting_model() {
        let roles = json!({ "compression": { "providers": ["claude:sonnet"] }, "synthesis": { "providers": ["a:b"] } });
        let given = |window: u64| {
            settings(json!({ "roles": roles, "model_context_overrides": { "a:b": { "context_window": window } } }))
        };
        assert_eq!(analysis_budget(&given(128_000)), 51_680);
        assert_eq!(synthesis_budget(&given(128_000)), 43_210);
        let local = 1_000_000 * 85 / 100 * 85 / 100;
        assert_eq!(
            synthesis_budget(&given(60_000)),
            local,
            "nothing is left of the window: the built-in model answers"
        );
    }

    #[test]
    fn writer_passages_are_limited_by_setting_and_window_share() {
        let given = |window: u64, most: u64| {
            writer_budget(&settings(
                json!({ "roles": { "synthesis": { "providers": ["a:b"] } }, "writer_evidence_tokens": most,
                "model_context_overrides": { "a:b": { "context_window": window } } }),
            ))
        };
        assert_eq!(given(128_000, 32_000), 32_000);
        assert_eq!((given(128_000, 43_209), given(128_000, 43_210), given(128_000, 43_211)), (43_209, 43_210, 43_210));
        assert_eq!((given(128_000, 0), given(60_000, 32_000)), (0, 0));
        let seen: Vec<u64> =
            (70_900..71_060).map(|window| given(window, 1_000_000)).filter(|budget| *budget > 0).collect();
        assert_eq!(seen.first(), Some(&LEAST_FOR_PASSAGES), "a smaller budget is none");
        assert!(seen.len() < 160 && seen.contains(&(LEAST_FOR_PASSAGES + 1)), "{seen:?}");
        assert_eq!(writer_budget(&Settings::default()), 0, "no model writes");
        assert_eq!(Settings::default().report.writer_evidence_tokens, 32_000);
    }

    #[test]
    fn without_token_management_only_the_models_own_limits_stand() {
        let off = settings(json!({ "token_management_enabled": false, "auto_compact_threshold": 2_000 }));
        assert_eq!((analysis_budget(&off), synthesis_budget(&off)), (u64::MAX, u64::MAX));
        assert_eq!(DigestOptions::from_settings(&off).policy, DigestPolicy::Off, "nothing is digested");
        assert_eq!(DigestOptions::from_settings(&Settings::default()).policy, DigestPolicy::Auto);
        assert_eq!(limits(&off).effective_context("claude:sonnet"), 136_000);
        assert_eq!(limits(&Settings::default()).effective_context("claude:sonnet"), 64_600);
    }
}
