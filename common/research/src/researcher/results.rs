//! Results as text for a model: a line of counts, then numbered blocks.

use std::collections::BTreeSet;
use std::fmt::Write;

use precis_proto::task::ADDRESS_CHARS;

use super::outcome::{Novelty, ResultView};
use crate::inventory::domain;

/// Most results shown of one search; providers return at most 20.
const MAX_RESULTS: usize = 20;
/// Most characters shown of a summary.
const SUMMARY_CHARS: usize = 600;
/// Most excerpts of a result.
const MAX_EXCERPTS: usize = 5;
/// Most characters of an excerpt; a longer one is left out, since a cut excerpt would no longer be the one given.
pub const EXCERPT_CHARS: usize = 500;
/// Most characters of a title.
const TITLE_CHARS: usize = 200;
/// Most characters of the passages shown of a result that was read.
const TEXT_CHARS: usize = 12_000;

/// Results as they are shown.
pub(super) struct ResultsText {
    /// Full text, for the turn they came in.
    pub(super) text: String,
    /// Numbers, titles and addresses only, for later turns.
    pub(super) short: String,
    /// Excerpts left out because they do not occur in their text.
    pub(super) left_out: u32,
}

/// The text of the results of `query`.
pub(super) fn shown(query: &str, results: &[ResultView]) -> ResultsText {
    let results = &results[..results.len().min(MAX_RESULTS)];
    let mut shown = ResultsText { text: head(query, results), short: head(query, results), left_out: 0 };
    for result in results {
        let title = if result.title.trim().is_empty() { "(no title)" } else { result.title.trim() };
        let (title, address) = (line(title, TITLE_CHARS), line(&result.address, ADDRESS_CHARS));
        let line = format!("\n[{}] {title} | {address} | {}", result.number, result.novelty.as_str());
        shown.short.push_str(&line);
        shown.text.push_str(&line);
        if result.novelty == Novelty::Duplicate {
            continue;
        }
        if !result.summary.trim().is_empty() {
            let _ = write!(shown.text, "\n  summary: {}", self::line(&result.summary, SUMMARY_CHARS));
        }
        let text = spaced(&result.text);
        let mut kept = 0;
        for excerpt in &result.excerpts {
            let excerpt = spaced(excerpt);
            let is_whole = !excerpt.is_empty() && excerpt.chars().count() <= EXCERPT_CHARS;
            if !is_whole || !text.contains(&excerpt) {
                shown.left_out += 1;
            } else if kept < MAX_EXCERPTS {
                kept += 1;
                let _ = write!(shown.text, "\n  excerpt: \"{excerpt}\"");
            }
        }
    }
    shown
}

fn head(query: &str, results: &[ResultView]) -> String {
    let domains: BTreeSet<&str> = results.iter().map(|result| domain(&result.address)).collect();
    let of = |novelty| results.iter().filter(|result| result.novelty == novelty).count();
    format!(
        "search \"{query}\": {} results, {} domains; {} new, {} related",
        results.len(),
        domains.len(),
        of(Novelty::New),
        of(Novelty::Related)
    )
}

/// The full and the short text of a result that was read: whole passages as far as there is room.
pub(super) fn passages(number: &str, passages: &[String]) -> (String, String) {
    let head = format!("read [{number}]");
    let mut text = head.clone();
    let mut left = TEXT_CHARS;
    let mut shown = 0;
    for passage in passages {
        let chars = passage.chars().count();
        if chars > left {
            break;
        }
        left -= chars;
        shown += 1;
        let _ = write!(text, "\n  \"{}\"", spaced(passage));
    }
    if passages.is_empty() {
        text.push_str(": nothing in it speaks to the directive");
    } else if shown < passages.len() {
        let more = passages.len() - shown;
        let _ = write!(text, "\n  and {more} more {}", noun(more));
    }
    (text, format!("{head}: {} {}", passages.len(), noun(passages.len())))
}

fn noun(passages: usize) -> &'static str {
    if passages == 1 { "passage" } else { "passages" }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(text: &str, chars: usize) -> String {
    let text = spaced(text);
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(number: &str, address: &str, novelty: Novelty) -> ResultView {
        ResultView {
            number: number.into(),
            title: format!("Title {number}"),
            address: address.into(),
            novelty,
            summary: "What it says.".into(),
            text: "One sentence.\nAnother sentence here.".into(),
            excerpts: vec!["Another sentence  here.".into(), "A sentence that is not there.".into(), " ".into()],
        }
    }

    #[test]
    fn results_are_numbered_blocks_below_their_counts() {
        let results = [
            result("3", "https://a.example/x", Novelty::New),
            result("2a", "https://a.example/y", Novelty::Related),
            result("7", "docs/b.md", Novelty::Duplicate),
        ];
        let shown = shown("q", &results);
        let want = "search \"q\": 3 results, 2 domains; 1 new, 1 related\n\
            [3] Title 3 | https://a.example/x | new\n  summary: What it says.\n  excerpt: \"Another sentence here.\"\n\
            [2a] Title 2a | https://a.example/y | related\n  summary: What it says.\n  excerpt: \"Another sentence here.\"\n\
            [7] Title 7 | docs/b.md | duplicate";
        assert_eq!((shown.text.as_str(), shown.left_out), (want, 4));
        assert!(!shown.short.contains("excerpt") && shown.short.lines().count() == 4);
    }

    #[test]
    fn an_excerpt_is_whole_or_left_out() {
        for (chars, left_out) in [(EXCERPT_CHARS - 1, 0), (EXCERPT_CHARS, 0), (EXCERPT_CHARS + 1, 1)] {
            let text = "é".repeat(chars);
            let one = ResultView { text: text.clone(), excerpts: vec![text], ..result("1", "a", Novelty::New) };
            assert_eq!(shown("q", &[one]).left_out, left_out, "{chars}");
        }
        for (given, kept) in [(4, 4), (MAX_EXCERPTS, 5), (6, 5)] {
            let one = ResultView { excerpts: vec!["One sentence.".into(); given], ..result("1", "a", Novelty::New) };
            assert_eq!(shown("q", &[one]).text.matches("excerpt:").count(), kept);
        }
        for (given, kept) in [(19, 19), (MAX_RESULTS, 20), (21, 20)] {
            let all = vec![result("1", "a", Novelty::New); given];
            assert_eq!(shown("q", &all).short.lines().count(), kept + 1);
        }
    }

    #[test]
    fn passages_are_shown_whole_as_far_as_there_is_room() {
        let half = "x".repeat(TEXT_CHARS / 2);
        for (given, shown, short) in [
            (0, "nothing", "0 passages"),
            (1, "x\"", "1 passage"),
            (2, "x\"", "2 passages"),
            (3, "and 1 more passage", "3 passages"),
            (4, "and 2 more passages", "4 passages"),
        ] {
            let (text, found) = passages("3", &vec![half.clone(); given]);
            assert!(text.ends_with(shown) || (given == 0 && text.contains(shown)), "{given}: {text}");
            assert_eq!(found, format!("read [3]: {short}"));
        }
    }
}
