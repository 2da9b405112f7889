//! Sections: which statements belong together, under which phrase of theirs.
//!
//! Headings lead: of the phrases that statements share, the ones that gather most worth become sections, greedily; what
//! shares no such phrase joins the section it resembles most. So a heading is true of its section by construction.

use std::collections::BTreeSet;

use super::phrases::{LONE_WORD, Phrase};
use super::query::is_covered;
use super::vectors::{Vector, cosine};
use crate::terms;

/// Most sections.
const MOST_SECTIONS: usize = 6;
/// Statements a section holds on average.
const STATEMENTS_EACH: usize = 3;
/// A phrase that more than this share of the statements have says what the report is about, not what a section is.
const COMMONPLACE: f64 = 0.5;
/// Likeness from which a statement joins a section whose phrase it lacks.
const JOINS: f64 = 0.08;
/// Likeness that two statements have by coming from the same source.
const SAME_SOURCE: f64 = 0.03;
/// What a phrase loses that only repeats the question.
const ASKED: f64 = 0.3;
/// Share of the best match that a statement of the remainder must have.
const SPEAKS: f64 = 0.35;
/// Most phrases of the heading over what fits nowhere.
const REMAINDER_PHRASES: usize = 2;

/// A statement that waits for its section.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'a> {
    /// Its position among the statements that the phrases were read from.
    pub(super) member: usize,
    /// Its source.
    pub(super) source: u32,
    /// The title of its source.
    pub(super) title: &'a str,
    /// What it says.
    pub(super) vector: &'a Vector,
    /// Share of the question it speaks to, 0 to 1.
    pub(super) matched: f64,
    /// Importance, 0 to 1.
    pub(super) worth: f64,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Theme {
    /// Drawn from the statements, first letter in upper case; distinct from the others. Empty where nothing offers itself.
    pub(super) heading: String,
    /// Positions of its statements, in the order given; at least one.
    pub(super) members: Vec<usize>,
}

/// Phrases that may head sections, and those that only repeat the question.
#[derive(Clone, Copy)]
pub(super) struct Headings<'a> {
    /// Heaviest first.
    pub(super) phrases: &'a [Phrase],
    /// Whether a phrase only repeats the question.
    pub(super) is_asked: &'a dyn Fn(&str) -> bool,
}

/// Groups `statements`, given best first; each is in one theme at most, and left out only where [`remainder`] does so. Themes come in the order of their best statement,
/// the remainder last.
pub(super) fn group(statements: &[Statement<'_>], headings: Headings<'_>) -> Vec<Theme> {
    let mut themes = seed(statements, headings);
    let left = join(statements, &mut themes);
    for theme in &mut themes {
        theme.members.sort_unstable();
    }
    themes.sort_by_key(|theme| theme.members.first().copied());
    remainder(statements, headings, left, &mut themes);
    for theme in &mut themes {
        theme.heading = capitalised(&theme.heading);
    }
    themes
}

/// Takes, again and again, the phrase that gathers most worth among the statements still free.
fn seed(statements: &[Statement<'_>], headings: Headings<'_>) -> Vec<Theme> {
    let most = (statements.len() / STATEMENTS_EACH).clamp(1, MOST_SECTIONS);
    let mut free: BTreeSet<usize> = (0..statements.len()).collect();
    let mut themes: Vec<Theme> = Vec::new();
    while themes.len() < most {
        let fresh = headings.phrases.iter().filter(|p| themes.iter().all(|t| is_distinct(&t.heading, &p.text)));
        let gain = |phrase: &Phrase| gain(phrase, statements, &free, headings);
        let best = fresh.map(|p| (gain(p), p)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, phrase)) = best.filter(|(value, _)| *value > 0.0) else {
            break;
        };
        let members: Vec<usize> =
            free.iter().copied().filter(|&i| phrase.members.contains(&statements[i].member)).collect();
        free.retain(|i| !members.contains(i));
        themes.push(Theme { heading: phrase.text.clone(), members });
    }
    themes
}

/// Worth that `phrase` would gather; 0 where it gathers fewer than two statements, or nearly all.
fn gain(phrase: &Phrase, statements: &[Statement<'_>], free: &BTreeSet<usize>, headings: Headings<'_>) -> f64 {
    let all = statements.iter().filter(|s| phrase.members.contains(&s.member)).count();
    let gathered: Vec<f64> = free
        .iter()
        .filter(|&&i| phrase.members.contains(&statements[i].member))
        .map(|&i| statements[i].worth)
        .collect();
    let is_commonplace = all > 2 && all as f64 > COMMONPLACE * statements.len() as f64;
    let enough = if phrase.weight <= LONE_WORD { 3 } else { 2 };
    if gathered.len() < enough || is_commonplace {
        return 0.0;
    }
    let asked = if (headings.is_asked)(&phrase.text) { ASKED } else { 1.0 };
    gathered.iter().sum::<f64>() * phrase.weight * asked
}

/// Gives each free statement to the theme it resembles most on average; returns those that resemble none.
fn join(statements: &[Statement<'_>], themes: &mut [Theme]) -> Vec<usize> {
    let taken: BTreeSet<usize> = themes.iter().flat_map(|t| t.members.iter().copied()).collect();
    let seeds: Vec<Vec<usize>> = themes.iter().map(|t| t.members.clone()).collect();
    let mut left = Vec::new();
    for index in (0..statements.len()).filter(|i| !taken.contains(i)) {
        let own = &statements[index];
        let likeness = |members: &[usize]| {
            let sum: f64 = members.iter().map(|&m| alike(&statements[m], own)).sum();
            sum / members.len() as f64
        };
        let nearest = seeds
            .iter()
            .enumerate()
            .map(|(t, members)| (likeness(members), t))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        match nearest {
            Some((value, theme)) if value >= JOINS => themes[theme].members.push(index),
            _ => left.push(index),
        }
    }
    left
}

fn alike(a: &Statement<'_>, b: &Statement<'_>) -> f64 {
    cosine(a.vector, b.vector) + if a.source == b.source { SAME_SOURCE } else { 0.0 }
}

/// What fits nowhere stands under its best phrases, or under the title of its best source; of it only what speaks to the
/// question is kept, where anything does.
fn remainder(statements: &[Statement<'_>], headings: Headings<'_>, mut left: Vec<usize>, themes: &mut Vec<Theme>) {
    let most = statements.iter().map(|s| s.matched).fold(0.0, f64::max);
    if !themes.is_empty() {
        left.retain(|&i| statements[i].matched >= SPEAKS * most);
    }
    let Some(&first) = left.first() else {
        return;
    };
    let mut chosen: Vec<&str> = Vec::new();
    for &index in &left {
        let is_fresh = |text: &str, chosen: &[&str]| {
            themes.iter().map(|t| t.heading.as_str()).chain(chosen.iter().copied()).all(|h| is_distinct(h, text))
        };
        let own =
            headings.phrases.iter().filter(|p| p.weight > LONE_WORD && p.members.contains(&statements[index].member));
        let phrase = own.map(|p| p.text.as_str()).find(|text| is_fresh(text, &chosen) && !(headings.is_asked)(text));
        chosen.extend(phrase.filter(|_| chosen.len() < REMAINDER_PHRASES));
    }
    let title = statements[first].title.trim();
    let heading = match chosen.as_slice() {
        [] if themes.iter().all(|t| is_distinct(&t.heading, title)) => title.to_owned(),
        phrases => phrases.join(", "),
    };
    themes.push(Theme { heading, members: left });
}

/// Whether two headings differ by more than endings, and neither holds the other.
fn is_distinct(a: &str, b: &str) -> bool {
    let (x, y) = (terms::terms(a), terms::terms(b));
    !is_covered(&x, &y) && !is_covered(&y, &x) && !a.contains(b) && !b.contains(a)
}

fn capitalised(heading: &str) -> String {
    let mut chars = heading.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::super::phrases::phrases;
    use super::super::vectors::vectors;
    use super::*;

    fn grouped(texts: &[&str]) -> Vec<Theme> {
        let documents: Vec<Vec<String>> = texts.iter().map(|t| terms::terms(t)).collect();
        let vectors = vectors(&documents);
        let statements: Vec<Statement<'_>> = vectors
            .iter()
            .enumerate()
            .map(|(member, vector)| Statement {
                member,
                source: 1,
                title: "A title",
                vector,
                matched: 1.0,
                worth: 1.0 - member as f64 / 100.0,
            })
            .collect();
        group(&statements, Headings { phrases: &phrases(texts), is_asked: &|_| false })
    }

    #[test]
    fn statements_that_share_a_phrase_share_a_section_and_headings_differ() {
        let themes = grouped(&[
            "The solar panel on the roof is cheap.",
            "A heat pump warms the house.",
            "The price of a solar panel fell.",
            "The noise of a heat pump is low.",
            "Every solar panel needs sun.",
            "No heat pump needs gas.",
            "The law on parking is old.",
            "Cheap sun on a roof is welcome.",
        ]);
        let headings: Vec<&str> = themes.iter().map(|t| t.heading.as_str()).collect();
        assert_eq!(headings[..2], ["Solar panel", "Heat pump"]);
        assert_eq!(themes[1].members, vec![1, 3, 5]);
        let mut all: Vec<usize> = themes.iter().flat_map(|t| t.members.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn strangers_stand_together_under_what_they_offer() {
        assert_eq!(grouped(&["Aaaa bbbb.", "Cccc dddd."]).len(), 1);
        assert!(grouped(&[]).is_empty());
    }
}
