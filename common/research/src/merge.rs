//! Merges the investigations of several lanes: their findings side by side, and one selection of documents to read.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::research::{Answered, Coverage, Round, Stop};

use super::investigation::{ChosenDocument, Investigation};

/// Merges the investigations of all lanes, which share one plan. At most `sources` documents are chosen, the best of each lane in turn.
///
/// # Panics
/// If `investigations` is empty.
#[must_use]
pub fn merge(investigations: Vec<Investigation>, sources: u32) -> Investigation {
    merged_holding(investigations, sources, &BTreeSet::new())
}

/// As [`merge`], for a session that already holds documents, given by path or address: they are chosen first.
///
/// # Panics
/// As [`merge`].
#[must_use]
pub fn merged_holding(investigations: Vec<Investigation>, sources: u32, held: &BTreeSet<String>) -> Investigation {
    let mut lanes = investigations.into_iter();
    let first = lanes.next().expect("a session searches in at least one lane");
    let others: Vec<Investigation> = lanes.collect();
    if others.is_empty() {
        return first;
    }
    let all: Vec<Investigation> = std::iter::once(first).chain(others).collect();
    let mut one = all[0].clone();
    one.rounds = rounds(&all);
    one.coverage = (0..one.coverage.len()).map(|at| best_covered(&all, at)).collect();
    one.unanswered
        .retain(|open| all.iter().all(|lane| lane.unanswered.iter().any(|o| o.sub_question == open.sub_question)));
    for open in &mut one.unanswered {
        let of = |lane: &Investigation| lane.unanswered.iter().find(|o| o.sub_question == open.sub_question).cloned();
        let tried = all.iter().filter_map(of).flat_map(|open| open.tried);
        open.tried = tried.collect();
    }
    // A word is unknown only if no lane has it.
    one.unknown_words.retain(|word| all.iter().all(|lane| lane.unknown_words.contains(word)));
    // Only folder lanes know term frequencies.
    one.rarity = all.iter().find(|lane| !lane.rarity.is_empty()).map(|lane| lane.rarity.clone()).unwrap_or_default();
    one.found_again = all.iter().flat_map(|lane| lane.found_again.clone()).collect();
    one.pointers = all.iter().flat_map(|lane| lane.pointers.clone()).collect();
    one.disagreements = all.iter().flat_map(|lane| lane.disagreements.clone()).collect();
    one.stop = stop(&all);
    one.hits = precis_proto::research::HitCounts::default();
    for lane in &all {
        let (sum, more) = (&mut one.hits, lane.hits);
        sum.found += more.found;
        sum.read += more.read;
        sum.duplicate += more.duplicate;
        sum.below_cut += more.below_cut;
        sum.over_budget += more.over_budget;
        sum.refused += more.refused;
        sum.failed += more.failed;
    }
    let (chosen, left_out) = choice(&all, sources as usize, held);
    one.hits.read -= left_out;
    one.hits.over_budget += left_out;
    one.budget.rounds = [all.iter().map(|lane| lane.budget.rounds[0]).max().unwrap_or(0), one.budget.rounds[1]];
    one.budget.searches = all
        .iter()
        .fold([0, 0], |[used, limit], lane| [used + lane.budget.searches[0], limit + lane.budget.searches[1]]);
    one.budget.folder_searches = Some(all.iter().filter_map(|lane| lane.budget.folder_searches).sum());
    one.budget.sources = [chosen.len() as u32, sources];
    one.chosen = chosen;
    one
}

/// The rounds of all lanes, merged by number; the id of a directive has its lane.
fn rounds(all: &[Investigation]) -> Vec<Round> {
    let mut by_number: BTreeMap<u32, Round> = BTreeMap::new();
    for round in all.iter().flat_map(|lane| &lane.rounds) {
        let Some(known) = by_number.get_mut(&round.n) else {
            by_number.insert(round.n, round.clone());
            continue;
        };
        known.directives.extend(round.directives.iter().cloned());
        known.coverage.extend(round.coverage.iter().cloned());
        known.decision = known.decision.max(round.decision);
        if known.reason != round.reason {
            known.reason = format!("{}; {}", known.reason, round.reason);
        }
        known.seconds = both(known.seconds, round.seconds, f64::max);
        known.usd = both(known.usd, round.usd, |a, b| a + b);
    }
    by_number.into_values().collect()
}

/// Combines two numbers; if one is missing, the other.
fn both(a: Option<f64>, b: Option<f64>, of: fn(f64, f64) -> f64) -> Option<f64> {
    a.zip(b).map(|(a, b)| of(a, b)).or(a).or(b)
}

fn best_covered(all: &[Investigation], at: usize) -> Coverage {
    let mut best = all[0].coverage[at].clone();
    for lane in &all[1..] {
        let other = &lane.coverage[at];
        if (other.answered, other.adequacy) > (best.answered, best.adequacy) {
            best = other.clone();
        }
    }
    best
}

/// `Covered` if the lanes together cover every part; else the stop of the lane with the most rounds.
fn stop(all: &[Investigation]) -> Stop {
    let covers = |at: usize| all.iter().any(|lane| lane.coverage[at].answered == Answered::Yes);
    if (0..all[0].coverage.len()).all(covers) {
        return Stop::Covered;
    }
    let nothing = |stop: Stop| matches!(stop, Stop::NothingFound | Stop::AllFailed | Stop::NoDirectives);
    let longest = all.iter().filter(|lane| !nothing(lane.stop)).max_by_key(|lane| lane.rounds.len());
    longest.unwrap_or(&all[0]).stop
}

/// The documents to read, the best of each lane in turn, held ones first; and the hits counted as read of those cut off.
fn choice(all: &[Investigation], sources: usize, held: &BTreeSet<String>) -> (Vec<ChosenDocument>, u32) {
    let longest = all.iter().map(|lane| lane.chosen.len()).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|rank| all.iter().filter_map(move |lane| lane.chosen.get(rank)));
    let mut chosen: Vec<ChosenDocument> = in_turn.cloned().collect();
    // A stable sort keeps the turns within held, opened and other documents.
    let is_held = |one: &ChosenDocument| held.contains(one.address.as_ref().unwrap_or(&one.document));
    chosen.sort_by_key(|one| (!is_held(one), !one.is_opened));
    let left_out = chosen.split_off(sources.min(chosen.len()));
    (chosen, left_out.iter().map(|one| one.hits).sum())
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;
    use precis_proto::CharRange;
    use precis_proto::research::{Hit, Lane};

    use super::super::{Depth, PassageSearch, PassageSearchError, TermFrequencies, investigate, plan};
    use super::*;

    struct One(&'static str, &'static str);

    impl TermFrequencies for One {}

    impl PassageSearch for One {
        fn search(&mut self, _: &str, _: usize) -> Result<Vec<Hit>, PassageSearchError> {
            Ok(vec![Hit {
                document: self.0.to_owned(),
                range: CharRange::new(0, self.1.chars().count()),
                text: self.1.to_owned(),
                score: 1.0,
                ..Hit::default()
            }])
        }
    }

    fn found(document: &'static str, text: &'static str) -> Investigation {
        let question = plan(&analyse("Who directed Blue Moon, and who owns the ferry of Leeds?"));
        investigate(question, Lane::Local, Depth::Standard, None, &mut One(document, text))
    }

    #[test]
    fn lanes_are_reported_as_one_and_every_hit_has_a_fate() {
        let a = found("a.txt", "Blue Moon was directed by Ann Bell in 1950.");
        let b = found("https://b.example/", "The ferry of Leeds is owned by Tom Fox.");
        let searches = [&a, &b].map(|lane| lane.budget.folder_searches.expect("it is counted")).iter().sum::<u32>();
        let found = a.hits.found + b.hits.found;
        for (sources, read) in [(10, 2), (1, 1), (0, 0)] {
            let one = merge(vec![a.clone(), b.clone()], sources);
            let hits = one.hits;
            let sum = hits.read + hits.duplicate + hits.below_cut + hits.over_budget + hits.refused + hits.failed;
            assert_eq!((hits.found, sum), (found, found), "{sources}");
            assert_eq!((one.chosen.len(), one.budget.sources), (read, [read as u32, sources]));
            assert_eq!((one.budget.searches[0], one.budget.folder_searches), (0, Some(searches)));
            assert!(one.unanswered.len() <= a.unanswered.len().min(b.unanswered.len()));
        }
        assert_eq!(merge(vec![a.clone()], 10), a);
        // The web lane has no frequencies; the folder's count for both, whichever lane comes first.
        let knows = Investigation { rarity: [("ferri".to_owned(), 2.0)].into(), ..b };
        for lanes in [[a.clone(), knows.clone()], [knows.clone(), a]] {
            assert_eq!(merge(lanes.to_vec(), 10).rarity, knows.rarity);
        }
    }
}
