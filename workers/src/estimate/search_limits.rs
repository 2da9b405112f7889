//! How far a search goes at most: its rounds, directives and turns, its requests to search providers, and the documents it adds. Every
//! number is one that the code of research enforces; nothing is known before of what is found.

use precis_proto::research::{Depth, ResearchOptions};
use precis_research::refinement::{refinements, sources_allowed};
use precis_research::researcher::{DEFAULT_CALLS, TURNS_PER_CALL};
use precis_research::{MOST_DIRECTIVES, ResearchLimits};
use precis_runtime::config::Settings;

use crate::lanes::lanes_of;

/// Calls of a plan: one, and one that revises it at depth deep.
const PLANS: u64 = 1;
/// Calls of a supervisor before a round: a thought and a delegation, and one that revises the first delegation at depth deep.
const SUPERVISIONS: u64 = 2;
/// Requests of a search to one provider.
const TRIES: u64 = 2;

/// The most that a search does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchLimits {
    /// Calls that plan.
    pub(super) plans: u64,
    /// Calls that decide what a round searches.
    pub(super) supervisions: u64,
    /// Turns of researchers.
    pub(super) turns: u64,
    /// Calls that name the gaps of a report.
    pub(super) gaps: u64,
    /// Searches that search providers are asked for.
    pub(super) searches: u64,
}

impl SearchLimits {
    pub(super) fn of(options: &ResearchOptions) -> Self {
        let limits = ResearchLimits::for_options(options);
        let web = lanes_of(options).iter().filter(|lane| lane.is_public()).count() as u64;
        // Collections become corpora when a request is accepted.
        let folders = u64::from(!(options.corpus.is_empty() && options.collections.is_empty()));
        let lanes = web + folders;
        let revised = u64::from(options.depth == Depth::Deep);
        // Those of all lanes together: a lane whose own rounds are over is asked about again while another one goes on.
        let rounds = u64::from(limits.rounds) * lanes;
        let directives = rounds * MOST_DIRECTIVES as u64;
        let is_sent = web > 0 && options.question_label().is_public();
        Self {
            plans: PLANS + revised,
            // Once more than there are rounds, to find that there is no further one.
            supervisions: (rounds + 1) * lanes * (SUPERVISIONS + revised),
            turns: directives * u64::from(DEFAULT_CALLS * TURNS_PER_CALL),
            gaps: u64::from(refinements(options)),
            searches: if is_sent { u64::from(limits.searches) } else { 0 },
        }
    }
}

/// Documents that the session may have found, at most, in each of its passes from texts to a report: one, and one more after each further
/// iteration.
pub(super) fn found_in_passes(options: Option<&ResearchOptions>) -> Vec<u64> {
    let Some(options) = options else { return vec![0] };
    (0..=refinements(options)).map(|begun| u64::from(sources_allowed(options, begun))).collect()
}

/// What `searches` searches are at most: their requests, and US dollars if every provider's price is known; and the providers without one.
pub(super) fn requests(
    settings: &Settings,
    options: &ResearchOptions,
    searches: u64,
) -> (u64, Option<f64>, Vec<String>) {
    let price = |name: &String| {
        let provider = settings.search.search.provider(name)?;
        provider.usd_per_call.or_else(|| provider.kind.map(|kind| kind.list_price_usd()))
    };
    // Of two lanes, each search is of one; the longer and the dearer one bound it.
    let lanes = [&options.web, &options.academic];
    let longest = lanes.iter().map(|names| names.len() as u64).max().unwrap_or(0);
    let dollars = lanes.iter().map(|names| names.iter().map(price).sum::<Option<f64>>());
    let dearest = dollars.reduce(|one, other| one.zip(other).map(|(one, other)| one.max(other))).flatten();
    let sent = searches.saturating_mul(TRIES);
    let unknown = options.web.iter().chain(&options.academic).filter(|name| price(name).is_none()).cloned();
    let unknown = if searches == 0 { Vec::new() } else { unknown.collect() };
    let usd = if searches == 0 { Some(0.0) } else { dearest.map(|usd| sent as f64 * usd) };
    (sent.saturating_mul(longest), usd, unknown)
}

#[cfg(test)]
mod tests {
    use precis_runtime::search::SearchPolicy;
    use serde_json::json;

    use super::*;

    fn options(fields: serde_json::Value) -> ResearchOptions {
        serde_json::from_value(fields).expect("options")
    }

    #[test]
    fn a_search_is_bounded_by_its_lanes_rounds_and_iterations() {
        for (fields, want) in [
            (json!({ "web": ["brave"], "depth": "quick" }), (1, 4, 150, 0, 6)),
            (json!({ "web": ["brave"], "depth": "standard" }), (1, 8, 450, 1, 30)),
            (json!({ "web": ["brave"], "academic": ["arxiv"], "depth": "deep" }), (2, 78, 1_800, 2, 100)),
            (
                json!({ "web": ["brave"], "depth": "quick", "max_rounds": 2, "max_searches": 1, "max_refinements": 2 }),
                (1, 6, 300, 2, 1),
            ),
            (json!({ "web": ["brave"], "depth": "quick", "confidential_query": true }), (1, 4, 150, 0, 0)),
            (json!({ "collections": [{ "id": "a" }], "depth": "quick" }), (1, 4, 150, 0, 0)),
            (json!({ "collections": [{ "id": "a" }], "web": ["brave"], "depth": "quick" }), (1, 12, 300, 0, 6)),
        ] {
            let SearchLimits { plans, supervisions, turns, gaps, searches } =
                SearchLimits::of(&options(fields.clone()));
            assert_eq!((plans, supervisions, turns, gaps, searches), want, "{fields}");
        }
    }

    #[test]
    fn each_pass_may_have_the_documents_allowed_up_to_it() {
        assert_eq!(found_in_passes(None), [0]);
        for (fields, want) in [
            (json!({ "depth": "quick" }), &[10][..]),
            (json!({ "depth": "deep" }), &[10, 13, 16]),
            (json!({ "depth": "deep", "max_sources": 4 }), &[4, 4, 4]),
            (json!({ "depth": "deep", "max_refinements": 0 }), &[10]),
        ] {
            assert_eq!(found_in_passes(Some(&options(fields.clone()))), want, "{fields}");
        }
    }

    #[test]
    fn a_search_may_pay_each_provider_of_its_lane_twice() {
        assert_eq!(u64::from(SearchPolicy::default().tries), TRIES);
        let settings: Settings = serde_json::from_value(json!({
            "search": { "providers": { "own": { "kind": "searxng", "base_url": "http://127.0.0.1:1", "usd_per_call": 0.5 } } },
        }))
        .expect("settings");
        let of = |fields, searches| requests(&settings, &options(fields), searches);
        assert_eq!(of(json!({ "web": ["own", "searxng"] }), 3), (12, Some(3.0), Vec::new()));
        assert_eq!(of(json!({ "web": ["own"], "academic": ["arxiv", "crossref"] }), 3), (12, Some(3.0), Vec::new()));
        assert_eq!(of(json!({ "web": ["own", "strange"] }), 3), (12, None, vec!["strange".to_owned()]));
        assert_eq!(of(json!({ "web": ["strange"] }), 0), (0, Some(0.0), Vec::new()));
    }
}
