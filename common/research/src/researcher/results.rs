//! Results as text for a model: a line of counts, then numbered blocks.

use std::collections::BTreeSet;
use std::fmt::Write;

use precis_proto::task::ADDRESS_CHARS;

use super::outcome::{Novelty, ResultView};
use super::pages::DocumentPage;
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
/// Most characters of a date.
const DATE_CHARS: usize = 20;

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
pub(super) fn render_results(query: &str, results: &[ResultView]) -> ResultsText {
    let results = &results[..results.len().min(MAX_RESULTS)];
    let mut shown = ResultsText { text: head(query, results), short: head(query, results), left_out: 0 };
    for result in results {
        let title = if result.title.trim().is_empty() { "(no title)" } else { result.title.trim() };
        let (title, address) = (line(title, TITLE_CHARS), line(&result.address, ADDRESS_CHARS));
        let date = match result.published.trim() {
            "" => String::new(),
            date => format!("{} | ", line(date, DATE_CHARS)),
        };
        let line = format!("\n[{}] {title} | {address} | {date}{}", result.number, result.novelty.as_str());
        shown.short.push_str(&line);
        shown.text.push_str(&line);
        if result.novelty == Novelty::Duplicate {
            continue;
        }
        if !result.summary.trim().is_empty() {
            let _ = write!(shown.text, "\n  summary: {}", self::line(&result.summary, SUMMARY_CHARS));
        }
        let text = collapse_space(&result.text);
        let mut kept = 0;
        for excerpt in &result.excerpts {
            let excerpt = collapse_space(excerpt);
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

/// The full and the short text of a page that was read, with the `published` date of the document if a search gave one.
pub(super) fn page(number: &str, published: &str, page: &DocumentPage) -> (String, String) {
    let DocumentPage { n, of, text } = page;
    let date = match published.trim() {
        "" => String::new(),
        date => format!(", published {}", line(date, DATE_CHARS)),
    };
    let head = format!("read [{number}], page {n} of {of}{date}");
    if text.is_empty() {
        return (format!("{head}: there is no text"), head);
    }
    let more = [(*n < *of).then(|| format!("\"{number} next\"")), (*n > 1).then(|| format!("\"{number} previous\""))];
    let more: Vec<String> = more.into_iter().flatten().collect();
    let turn = if more.is_empty() { String::new() } else { format!("\nmore: read {}", more.join(" or ")) };
    (format!("{head}:\n{text}{turn}"), head)
}

fn collapse_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(text: &str, chars: usize) -> String {
    let text = collapse_space(text);
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
            published: if number == "7" { String::new() } else { "2019-03".into() },
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
        let shown = render_results("q", &results);
        let want = "search \"q\": 3 results, 2 domains; 1 new, 1 related\n\
            [3] Title 3 | https://a.example/x | 2019-03 | new\n  summary: What it says.\n  excerpt: \"Another sentence here.\"\n\
            [2a] Title 2a | https://a.example/y | 2019-03 | related\n  summary: What it says.\n  excerpt: \"Another sentence here.\"\n\
            [7] Title 7 | docs/b.md | duplicate";
        assert_eq!((shown.text.as_str(), shown.left_out), (want, 4));
        assert!(!shown.short.contains("excerpt") && shown.short.lines().count() == 4);
    }

    #[test]
    fn an_excerpt_is_whole_or_left_out() {
        for (chars, left_out) in [(EXCERPT_CHARS - 1, 0), (EXCERPT_CHARS, 0), (EXCERPT_CHARS + 1, 1)] {
            let text = "é".repeat(chars);
            let one = ResultView { text: text.clone(), excerpts: vec![text], ..result("1", "a", Novelty::New) };
            assert_eq!(render_results("q", &[one]).left_out, left_out, "{chars}");
        }
        for (given, kept) in [(4, 4), (MAX_EXCERPTS, 5), (6, 5)] {
            let one = ResultView { excerpts: vec!["One sentence.".into(); given], ..result("1", "a", Novelty::New) };
            assert_eq!(render_results("q", &[one]).text.matches("excerpt:").count(), kept);
        }
        for (given, kept) in [(19, 19), (MAX_RESULTS, 20), (21, 20)] {
            let all = vec![result("1", "a", Novelty::New); given];
            assert_eq!(render_results("q", &all).short.lines().count(), kept + 1);
        }
    }

    #[test]
    fn a_page_states_its_origin_time_and_how_to_continue() {
        let of = |n: u32, of: u32, text: &str| DocumentPage { n, of, text: text.to_owned() };
        for (published, read, text) in [
            ("", of(1, 1, "All of it."), "read [3], page 1 of 1:\nAll of it."),
            ("2019", of(1, 2, "A."), "read [3], page 1 of 2, published 2019:\nA.\nmore: read \"3 next\""),
            ("", of(2, 3, "B."), "read [3], page 2 of 3:\nB.\nmore: read \"3 next\" or \"3 previous\""),
            ("", of(3, 3, "C."), "read [3], page 3 of 3:\nC.\nmore: read \"3 previous\""),
            ("", of(1, 1, ""), "read [3], page 1 of 1: there is no text"),
        ] {
            let (found, short) = page("3", published, &read);
            assert_eq!(found, text);
            assert!(found.starts_with(&short) && !short.contains("more"), "{short}");
        }
    }
}
