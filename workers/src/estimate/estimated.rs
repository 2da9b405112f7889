//! The estimate of a session: what each of its phases may cost at most, and what it usually costs.

use std::collections::BTreeSet;

use precis_door::{Estimate, EstimateRow, Figures};
use precis_proto::Phase;
use precis_proto::research::ResearchOptions;
use precis_proto::task::Role;
use precis_runtime::config::Settings;

use super::bound::{most, payable};
use super::calls::most_calls;
use super::facts::SessionFacts;
use super::likely::likely;
use super::search_limits::{SearchLimits, requests};
use crate::meaning::ServedModel;
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
                row.most = row.most.and(most);
                row.likely = row.likely.zip(likely).map(|(a, b)| a.and(b));
            }
            None => phases.push(EstimateRow { phase, role, models: payable(settings, role), most, likely }),
        }
    }
    let mut strange_providers = Vec::new();
    if let Some(options) = &facts.research {
        strange_providers = add_searches(&mut phases, settings, options);
    }
    let free = Figures { usd: Some(0.0), ..Figures::default() };
    let most = phases.iter().fold(free, |sum, row| sum.and(row.most));
    let likely = phases.iter().map(|row| row.likely).try_fold(free, |sum, row| row.map(|row| sum.and(row)));
    let models: BTreeSet<&String> = phases.iter().flat_map(|row| &row.models).collect();
    let known = prices(settings);
    let mut without_price: Vec<String> =
        models.into_iter().filter(|model| known.of(model).is_none()).cloned().collect();
    without_price.extend(strange_providers);
    Estimate {
        most_tokens: facts.max_tokens.map_or(most.tokens(), |ceiling| ceiling.min(most.tokens())),
        most_usd: lower(most.usd, facts.max_usd),
        likely_tokens: lower_of_known(likely.map(|likely| likely.tokens()), facts.max_tokens),
        likely_usd: lower_of_known(likely.and_then(|likely| likely.usd), facts.max_usd),
        max_spend_usd: facts.max_usd,
        max_spend_tokens: facts.max_tokens,
        without_price,
        not_counted: ServedModel::from_settings(settings).iter().map(|model| model.link().to_owned()).collect(),
        unread_sources: facts.texts.iter().filter(|tokens| tokens.is_none()).count() as u64,
        unreadable_sources: facts.unreadable,
        phases,
    }
}

/// Adds the requests to search providers to the row of the researchers, which there is then also where no model researches. Returns the
/// providers whose price is not known.
fn add_searches(phases: &mut Vec<EstimateRow>, settings: &Settings, options: &ResearchOptions) -> Vec<String> {
    let (searches, usd, unknown) = requests(settings, options, SearchLimits::of(options).searches);
    if searches == 0 {
        return Vec::new();
    }
    let most = Figures { searches, usd, ..Figures::default() };
    let (phase, role) = (Phase::Gathering, Role::Research);
    match phases.iter_mut().find(|row| row.phase == phase && row.role == role) {
        Some(row) => row.most = row.most.and(most),
        None => {
            let at = phases.iter().take_while(|row| matches!(row.phase, Phase::Planning | Phase::Gathering)).count();
            phases.insert(at, EstimateRow { phase, role, models: Vec::new(), most, likely: None });
        }
    }
    unknown
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
    use serde_json::json;

    use super::*;

    fn settings(prices: serde_json::Value) -> Settings {
        let role = json!({ "providers": ["anthropic:claude-haiku-4-5", "a:m"] });
        let settings = json!({ "roles": { "summarization": role, "compression": role, "synthesis": role, "evaluation": role,
            "supervision": role, "research": role }, "prices": prices });
        serde_json::from_value(settings).expect("settings")
    }

    fn facts(max_usd: Option<f64>, research: Option<ResearchOptions>) -> SessionFacts {
        SessionFacts { texts: vec![Some(1_000), Some(2_000)], max_usd, research, ..SessionFacts::default() }
    }

    #[test]
    fn dollars_are_unknown_while_a_named_model_has_no_price() {
        let unknown = estimate(&settings(json!({})), &facts(None, None));
        assert_eq!((unknown.most_usd, &unknown.without_price[..]), (None, &["a:m".to_owned()][..]));
        assert!(unknown.likely_usd.is_some(), "the first model of the chain has one");
        let known = estimate(&settings(json!({ "a:m": { "input": 0.0, "output": 0.0 } })), &facts(None, None));
        assert!(known.without_price.is_empty() && known.most_usd > known.likely_usd, "{known:?}");
        assert!(Some(known.most_tokens) > known.likely_tokens);
    }

    #[test]
    fn the_ceiling_is_the_most_where_lower_or_the_only_bound() {
        let priced = settings(json!({ "a:m": { "input": 0.0, "output": 0.0 } }));
        let free = estimate(&priced, &facts(None, None)).most_usd.expect("a bound");
        for (ceiling, want) in [(free / 2.0, free / 2.0), (free, free), (free * 2.0, free)] {
            assert_eq!(estimate(&priced, &facts(Some(ceiling), None)).most_usd, Some(want));
        }
    }

    #[test]
    fn a_search_has_a_most_and_its_providers_are_paid_in_it() {
        let priced = settings(json!({ "a:m": { "input": 0.0, "output": 0.0 } }));
        let web = |providers: &[&str]| -> Option<ResearchOptions> {
            serde_json::from_value(json!({ "web": providers })).expect("options")
        };
        let searched = |providers, ceiling| estimate(&priced, &facts(ceiling, web(providers)));
        let (folders, found) = (searched(&[], None), searched(&["brave"], None));
        let most = found.most_usd.expect("a bound");
        assert_eq!(searched(&["brave"], Some(2.0)).most_usd, Some(2.0));
        assert_eq!((found.likely_usd, folders.likely_usd), (None, None), "it is not known what a search costs");
        let row = |found: &Estimate| {
            let is_it = |row: &&EstimateRow| (row.phase, row.role) == (Phase::Gathering, Role::Research);
            found.phases.iter().find(is_it).map(|row| row.most)
        };
        let row = row(&found).expect("a row");
        assert_eq!(row.searches, 60);
        let free = estimate(&priced, &facts(None, web(&["wikipedia"]))).most_usd.expect("a bound");
        assert!((most - free - 0.3).abs() < 1e-6, "{most} {free}");
        let strange = searched(&["strange"], None);
        assert_eq!((strange.most_usd, &strange.without_price[..]), (None, &["strange".to_owned()][..]));
        let alone = estimate(&Settings::default(), &facts(None, web(&["brave"])));
        assert_eq!((alone.phases.len(), alone.most_tokens, alone.phases[0].most.searches), (1, 0, 60), "{alone:?}");
    }

    #[test]
    fn the_built_in_model_costs_nothing() {
        let found = estimate(&Settings::default(), &facts(None, None));
        assert_eq!((found.phases.len(), found.most_tokens, found.most_usd), (0, 0, Some(0.0)));
    }
}
