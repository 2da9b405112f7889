//! A model's summaries of sources, prepared for later calls and for the reader of the report.
//!
//! Such prose only gives orientation and is never evidence: citations quote passages, and a point is shown with the passages that
//! support it. Whether a summary is true is not checked here.

use std::collections::BTreeSet;

use precis_proto::SourceId;
use precis_proto::finding::{Finding, Passage};
use precis_proto::response::{SourceNote, SourcePoint};
use precis_proto::source::Reduction;
use precis_proto::task::{TaskNote, TaskPoint};
use precis_text::terms::terms;

/// Least share of the terms of a point that a passage must hold to support it. Chosen, not measured.
const CARRIED: f64 = 0.5;
/// Most passages shown with a point.
const MOST_PASSAGES: usize = 3;

/// A title as sent to a model, followed by the number under which researchers know the source, if any.
#[must_use]
pub fn numbered_title(title: &str, number: Option<u32>) -> String {
    match number {
        Some(number) => format!("{title} (source {number})"),
        None => title.to_owned(),
    }
}

/// For each of `points`, the indices of the passages that support it, best first; empty if none does.
#[must_use]
pub fn link(points: &[String], passages: &[Passage]) -> Vec<Vec<usize>> {
    let held: Vec<BTreeSet<String>> = passages.iter().map(|p| terms(&p.text).into_iter().collect()).collect();
    points.iter().map(|point| carriers(&terms(point).into_iter().collect(), &held)).collect()
}

fn carriers(point: &BTreeSet<String>, held: &[BTreeSet<String>]) -> Vec<usize> {
    // A point without terms shares none of them, and no passage carries it.
    let share = |passage: &BTreeSet<String>| passage.intersection(point).count() as f64 / point.len().max(1) as f64;
    let mut carriers: Vec<(usize, f64)> =
        held.iter().map(share).enumerate().filter(|(_, share)| *share >= CARRIED).collect();
    carriers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    carriers.into_iter().take(MOST_PASSAGES).map(|(place, _)| place).collect()
}

/// Whether `reduction` contains any prose.
#[must_use]
pub fn has_prose(reduction: &Reduction) -> bool {
    !reduction.summary.trim().is_empty() || reduction.key_points.iter().any(|point| !point.trim().is_empty())
}

/// The passages that support point `n` of `reduction`.
fn passages_of(reduction: &Reduction, n: usize) -> impl Iterator<Item = &Passage> {
    let places = reduction.point_passages.get(n).map_or(&[][..], Vec::as_slice);
    places.iter().filter_map(|place| reduction.passages.get(*place))
}

/// The note of `reduction` for a call that carries the passages `sent`, numbered from 1; `None` if there is no prose.
#[must_use]
pub fn for_passages(reduction: &Reduction, source: u32, title: &str, sent: &[Passage]) -> Option<TaskNote> {
    let number = |passage: &Passage| {
        let place = sent.iter().position(|p| p.source_id == passage.source_id && p.range == passage.range)?;
        u32::try_from(place + 1).ok()
    };
    note(reduction, source, title, |n| passages_of(reduction, n).filter_map(number).collect())
}

/// The note of `reduction` for a call that carries findings: a point rests on those whose quotes lie in its passages.
#[must_use]
pub fn for_findings(
    reduction: &Reduction,
    source: u32,
    title: &str,
    id: &SourceId,
    of: &[Finding],
) -> Option<TaskNote> {
    let supports = |finding: &Finding, n: usize| {
        finding.quotes.iter().filter(|quote| quote.source_id == *id).any(|quote| {
            passages_of(reduction, n).any(|p| p.locator.page == quote.locator.page && p.text.contains(&quote.text))
        })
    };
    note(reduction, source, title, |n| of.iter().filter(|f| supports(f, n)).map(|f| f.finding_id).collect())
}

fn note(reduction: &Reduction, source: u32, title: &str, stands_on: impl Fn(usize) -> Vec<u32>) -> Option<TaskNote> {
    let point = |(n, text): (usize, &String)| TaskPoint { text: text.clone(), stands_on: stands_on(n) };
    let points = reduction.key_points.iter().enumerate().map(point).collect();
    let (title, summary) = (title.to_owned(), reduction.summary.clone());
    has_prose(reduction).then_some(TaskNote { source, title, summary, points })
}

/// The note of `reduction` for the reader of the report; `None` if there is no prose.
#[must_use]
pub fn for_reader(reduction: &Reduction) -> Option<SourceNote> {
    let point = |(n, text): (usize, &String)| SourcePoint {
        text: text.clone(),
        locators: passages_of(reduction, n).map(|p| p.locator).collect(),
    };
    let key_points = reduction.key_points.iter().enumerate().map(point).collect();
    has_prose(reduction).then(|| SourceNote { summary: reduction.summary.clone(), key_points })
}

/// A note as sent to a model: the prose, then one line per point with the numbers it rests on.
#[must_use]
pub fn render_note(note: &TaskNote) -> String {
    let point = |point: &TaskPoint| {
        let numbers: Vec<String> = point.stands_on.iter().map(u32::to_string).collect();
        let see = if numbers.is_empty() { String::new() } else { format!(" (see {})", numbers.join(", ")) };
        format!("- {}{see}", point.text.trim())
    };
    let prose = std::iter::once(note.summary.trim().to_owned()).filter(|summary| !summary.is_empty());
    prose.chain(note.points.iter().map(point)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use precis_proto::{CharRange, Locator};

    use super::*;

    fn passage(start: usize, text: &str) -> Passage {
        let range = CharRange::new(start, start + text.chars().count());
        Passage {
            source_id: SourceId::new("s").expect("an id"),
            range,
            locator: Locator { page: None, range },
            text: text.to_owned(),
            score: 0.5,
            units: Vec::new(),
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
        }
    }

    fn reduction() -> Reduction {
        let passages =
            vec![passage(0, "Sand moves in the wind."), passage(40, "The glacier lost nine percent of its ice.")];
        let key_points = vec!["The glacier lost nine percent of ice".to_owned(), "Whales sing".to_owned()];
        let point_passages = link(&key_points, &passages);
        Reduction { summary: "It tells of ice.".to_owned(), key_points, passages, point_passages, digest: None }
    }

    #[test]
    fn a_point_links_only_to_the_passages_with_its_words() {
        assert_eq!(reduction().point_passages, [vec![1], vec![]]);
        assert_eq!(link(&[String::new()], &reduction().passages), [Vec::<usize>::new()], "nothing carries nothing");
    }

    #[test]
    fn a_point_shows_the_numbers_of_the_sent_passages() {
        let reduction = reduction();
        let sent = [reduction.passages[1].clone()];
        let note = for_passages(&reduction, 2, "T", &sent).expect("a note");
        assert_eq!(
            render_note(&note),
            "It tells of ice.\n- The glacier lost nine percent of ice (see 1)\n- Whales sing"
        );
        assert_eq!(for_reader(&reduction).expect("a note").key_points[0].locators, [reduction.passages[1].locator]);
    }

    #[test]
    fn a_reduction_without_prose_gives_no_note() {
        let bare = Reduction { summary: " ".to_owned(), key_points: vec![String::new()], ..reduction() };
        assert!(for_passages(&bare, 1, "T", &[]).is_none() && for_reader(&bare).is_none());
    }
}
