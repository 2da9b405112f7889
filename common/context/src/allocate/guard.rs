//! Guardrails: what the budget should leave to sources, and the warnings if it does not.

use precis_proto::Phase;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::warning::{Warning, WarningCode};

use super::item::AllocationItem;
use super::ladder::Ladder;

/// Number of sources kept at `condensed` or better if the budget allows it: as many as an answer usually rests on. Chosen, not measured.
pub const TOP_ITEMS: usize = 5;
/// Number of sources kept at all if the budget allows it: fewer cannot be compared. Chosen, not measured.
pub const MIN_ITEMS: usize = 3;

/// What to do about protected sources that do not fit.
pub(super) const REMEDY: &str = "protect fewer sources, or use a model with a larger window";

/// The warnings about guardrails that were broken: `PROTECTED_OVERFLOW` if a protected source is below `headline`, `TOKEN_BUDGET_FLOORED`
/// if one of the first `guarded` is below `condensed`, or if fewer than [`MIN_ITEMS`] are left.
pub(super) fn warnings(
    order: &[&AllocationItem],
    ladders: &[Ladder],
    chosen: &[usize],
    guarded: usize,
    budget: u64,
) -> Vec<Warning> {
    let is_below = |place: usize, level| ladders[place].rungs[chosen[place]].level() > level;
    let is_out = |place: usize| ladders[place].rungs[chosen[place]].level() == FidelityLevel::Dropped;
    let mut warnings = Vec::new();
    let protected = order.iter().take_while(|item| item.protected).count();
    let cut = (0..protected).filter(|place| is_below(*place, FidelityLevel::Headline)).count();
    let out = (0..protected).filter(|place| is_out(*place)).count();
    if cut > 0 {
        let fate = match out {
            0 => format!("{cut} of them cut below a headline"),
            _ => format!("{} of them cut below a headline, {out} left out", cut - out),
        };
        let message = format!(
            "the budget of {budget} tokens is too small for a headline of each of the {protected} protected sources: {fate}; {REMEDY}"
        );
        warnings.push(Warning::new(WarningCode::ProtectedOverflow, Phase::Summarization, message));
    }
    let below = (0..guarded).filter(|place| is_below(*place, FidelityLevel::Condensed)).count();
    let kept = (0..order.len()).filter(|place| !is_out(*place)).count();
    let too_few = kept < MIN_ITEMS.min(order.len());
    if below > 0 || too_few {
        let fate = match too_few {
            true => format!("only {kept} of {} sources are left", order.len()),
            false => format!("{below} of them are shortened further"),
        };
        let message = format!(
            "the budget of {budget} tokens is too small for the {guarded} most important sources at `condensed`: {fate}"
        );
        warnings.push(Warning::new(WarningCode::TokenBudgetFloored, Phase::Summarization, message));
    }
    warnings
}
