//! Pairs the statements of the later report with those of the earlier one.

use std::collections::BTreeSet;

use precis_text::terms::terms;

/// Least share of common terms (Jaccard) for two statements to be one that changed. Chosen, not measured.
const ALIKE: f64 = 0.5;
/// Statements of a report that are compared by terms; later ones are paired only if equal. Bounds time.
const MOST_COMPARED: usize = 400;

/// For each of `later` its partner among `earlier`: an equal one, else the most similar unpaired one, if similar enough.
pub(super) fn pair_statements(earlier: &[&str], later: &[&str]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> =
        later.iter().map(|text| earlier.iter().position(|known| known == text)).collect();
    let held = |texts: &[&str]| -> Vec<BTreeSet<String>> {
        texts.iter().take(MOST_COMPARED).map(|text| terms(text).into_iter().collect()).collect()
    };
    let (before, now) = (held(earlier), held(later));
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, own) in now.iter().enumerate().filter(|(at, _)| found[*at].is_none()) {
        let free = before.iter().enumerate().filter(|(other, _)| !found.contains(&Some(*other)));
        let alike = free.map(|(other, held)| (likeness(own, held), at, other));
        pairs.extend(alike.filter(|(likeness, _, _)| *likeness >= ALIKE));
    }
    // Most similar pairs first; ties go to earlier statements.
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, at, other) in pairs {
        if found[at].is_none() && !found.contains(&Some(other)) {
            found[at] = Some(other);
        }
    }
    found
}

fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_pair_first_then_the_most_alike_without_repeats() {
        let earlier = ["The dam holds 40 million litres of water.", "Bananas grow in warm countries."];
        for (later, want) in [
            (vec!["Bananas grow in warm countries.", earlier[0]], vec![Some(1), Some(0)]),
            (vec!["The dam holds 50 million litres of water."], vec![Some(0)]),
            (vec!["The dam holds 50 million litres of water.", earlier[0]], vec![None, Some(0)]),
            (
                vec!["The old dam holds 50 million litres of water.", "The dam holds 45 million litres of water."],
                vec![None, Some(0)],
            ),
            (vec!["Ice melts."], vec![None]),
            (vec![], vec![]),
        ] {
            assert_eq!(pair_statements(&earlier, &later), want, "{later:?}");
        }
    }

    #[test]
    fn statements_beyond_the_limit_are_paired_by_equal_words_alone() {
        let earlier: Vec<String> =
            (0..=MOST_COMPARED).map(|n| format!("Number {n}w of the long list stands.")).collect();
        let earlier: Vec<&str> = earlier.iter().map(String::as_str).collect();
        for (place, is_paired) in [(MOST_COMPARED - 1, true), (MOST_COMPARED, false)] {
            let mut later = vec!["x"; place];
            later.push("Number 9999w of the long list stands.");
            assert_eq!(pair_statements(&earlier, &later)[place].is_some(), is_paired, "{place}");
            later[place] = earlier[MOST_COMPARED];
            assert_eq!(pair_statements(&earlier, &later)[place], Some(MOST_COMPARED));
        }
    }
}
