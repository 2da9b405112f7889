//! The numbers of a research against each other: every hit has one fate, every search its hits.

use precis_proto::research::Research;

use super::Mismatch;

/// What does not add up: hits and their fates, hits of each search, searches made and counted.
pub(super) fn check(research: &Research) -> Vec<Mismatch> {
    let hits = &research.hits;
    let fates = [hits.read, hits.duplicate, hits.below_cut, hits.over_budget, hits.refused, hits.failed];
    let mut found = vec![differs("hits.found".to_owned(), hits.found, sum(&fates))];
    let queries = research.rounds.iter().flat_map(|round| &round.directives).flat_map(|directive| {
        directive.queries.iter().map(move |query| (format!("{}#{}", directive.id, query.n), query))
    });
    let queries: Vec<_> = queries.collect();
    found.extend(queries.iter().map(|(name, query)| {
        differs(format!("hits of {name}"), query.hits, sum(&[query.new, query.related, query.duplicate]))
    }));
    let told: Vec<u32> = queries.iter().map(|(_, query)| query.hits).collect();
    found.push(differs("hits.found beside the searches".to_owned(), hits.found, sum(&told)));
    let made = queries.iter().filter(|(_, query)| query.withheld.is_none()).count();
    found.push(differs(
        "budget.searches".to_owned(),
        research.budget.searches[0],
        u32::try_from(made).unwrap_or(u32::MAX),
    ));
    found.into_iter().flatten().collect()
}

fn sum(parts: &[u32]) -> u32 {
    parts.iter().fold(0, |all, part| all.saturating_add(*part))
}

fn differs(what: String, said: u32, sum: u32) -> Option<Mismatch> {
    (said != sum).then_some(Mismatch::Research { what, said, sum })
}
