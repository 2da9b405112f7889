//! The estimate of a session: what each of its phases may cost at most, and what it usually costs.

use std::collections::BTreeSet;

use precis_door::{Estimate, EstimateRow, Figures};
use precis_runtime::config::Settings;

use super::bound::{most, payable};
use super::calls::most_calls;
use super::facts::SessionFacts;
use super::likely::likely;
use crate::options::prices;

/// Estimates a session with these facts.
#[must_use]
pub fn estimate(settings: &Settings, facts: &SessionFacts) -> Estimate {
    let mut phases: Vec<EstimateRow> = Vec::new();
    for calls in most_calls(settings, facts) {
        let (phase, role) = (calls.phase, calls.work.role());
        let (most, likely) = (most(settings, &calls), likely(settings, facts, &calls));
        match phases.iter_mut().find(|row| row.phase == phase && row.role == role) {
            Some(row) => {
                row.most = row.most.zip(most).map(|(a, b)| a.and(b));
                row.likely = row.likely.zip(likely).map(|(a, b)| a.and(b));
            }
            None => phases.push(EstimateRow { phase, role, models: payable(settings, role), most, likely }),
        }
    }
    let free = Figures { usd: Some(0.0), ..Figures::default() };
    let sum = |of: fn(&EstimateRow) -> Option<Figures>| {
        phases.iter().map(of).try_fold(free, |sum, row| row.map(|row| sum.and(row)))
    };
    let (most, likely) = (sum(|row| row.most), sum(|row| row.likely));
    let models: BTreeSet<&String> = phases.iter().flat_map(|row| &row.models).collect();
    let known = prices(settings);
    let without_price = models.into_iter().filter(|model| known.of(model).is_none()).cloned().collect();
    Estimate {
        most_tokens: lower(most.map(|most| most.tokens()), facts.max_tokens),
        most_usd: lower(most.and_then(|most| most.usd), facts.max_usd),
        likely_tokens: lower_of_known(likely.map(|likely| likely.tokens()), facts.max_tokens),
        likely_usd: lower_of_known(likely.and_then(|likely| likely.usd), facts.max_usd),
        max_spend_usd: facts.max_usd,
        max_spend_tokens: facts.max_tokens,
        without_price,
        unread_sources: facts.texts.iter().filter(|tokens| tokens.is_none()).count() as u64,
        unreadable_sources: facts.unreadable,
        phases,
    }
}

/// The lower of a bound and a ceiling, each of which may be missing.
fn lower<T: PartialOrd>(bound: Option<T>, ceiling: Option<T>) -> Option<T> {
    match (bound, ceiling) {
        (Some(bound), Some(ceiling)) if ceiling < bound => Some(ceiling),
        (bound, ceiling) => bound.or(ceiling),
    }
}

/// As [`lower`], but a ceiling alone says nothing of what is likely.
fn lower_of_known<T: PartialOrd>(likely: Option<T>, ceiling: Option<T>) -> Option<T> {
    likely.and_then(|likely| lower(Some(likely), ceiling))
}

#[cfg(test)]
mod tests {
    use precis_proto::research::Depth;
    use serde_json::json;

    use super::*;

    fn settings(prices: serde_json::Value) -> Settings {
        let role = json!({ "providers": ["anthropic:claude-haiku-4-5", "a:m"] });
        let settings = json!({ "roles": { "summarization": role, "compression": role, "synthesis": role, "evaluation": role,
            "supervision": role, "research": role }, "prices": prices });
        serde_json::from_value(settings).expect("settings")
    }

    fn facts(max_usd: Option<f64>, research: Option<Depth>) -> SessionFacts {
        SessionFacts { texts: vec![Some(1_000), Some(2_000)], max_usd, research, ..SessionFacts::default() }
    }

    #[test]
    fn dollars_are_unknown_while_a_named_model_has_no_price() {
        let unknown = estimate(&settings(json!({})), &facts(None, None));
        assert_eq!((unknown.most_usd, &unknown.without_price[..]), (None, &["a:m".to_owned()][..]));
        assert!(unknown.likely_usd.is_some(), "the first model of the chain has one");
        let known = estimate(&settings(json!({ "a:m": { "input": 0.0, "output": 0.0 } })), &facts(None, None));
        assert!(known.without_price.is_empty() && known.most_usd > known.likely_usd, "{known:?}");
        assert!(known.most_tokens > known.likely_tokens);
    }

    #[test]
    fn the_ceiling_is_the_most_where_lower_or_the_only_bound() {
        let priced = settings(json!({ "a:m": { "input": 0.0, "output": 0.0 } }));
        let free = estimate(&priced, &facts(None, None)).most_usd.expect("a bound");
        for (ceiling, want) in [(free / 2.0, free / 2.0), (free, free), (free * 2.0, free)] {
            assert_eq!(estimate(&priced, &facts(Some(ceiling), None)).most_usd, Some(want));
        }
        let searched = |ceiling| estimate(&priced, &facts(ceiling, Some(Depth::Standard)));
        assert_eq!((searched(None).most_usd, searched(Some(2.0)).most_usd), (None, Some(2.0)));
        assert_eq!(searched(Some(2.0)).likely_usd, None, "it is not known what a search costs");
    }

    #[test]
    fn the_built_in_model_costs_nothing() {
        let found = estimate(&Settings::default(), &facts(None, None));
        assert_eq!((found.phases.len(), found.most_tokens, found.most_usd), (0, Some(0), Some(0.0)));
    }
}
