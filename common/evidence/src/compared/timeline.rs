//! Timeline: the dated sentences of the quotes, for a question that asks for history.

use std::cmp::Ordering;

use precis_proto::FieldPlace;
use precis_proto::compare::{Timeline, TimelineRow};
use precis_proto::response::Citation;
use precis_text::sentences::is_question;
use precis_text::statement::sentences_of;

use super::date::{PartialDate, dates};
use crate::question::elements::comparison_elements;
use crate::question::history::asks_for_history;

/// Most lines of a timeline.
const MOST_LINES: usize = 60;

/// The dated sentences of `citations` in chronological order, equal dates in the order quoted. A sentence with several dates is placed at
/// the first. `None` if `query` does not ask for a history, or fewer than two sentences are dated.
///
/// If there are more than 60, those of the first citations are kept.
#[must_use]
pub fn timeline(query: &str, citations: &[Citation]) -> Option<Timeline> {
    if comparison_elements(query).is_some() || !asks_for_history(query) {
        return None;
    }
    let mut rows: Vec<(PartialDate, TimelineRow)> = Vec::new();
    // When a file was made is not when something happened.
    for citation in citations.iter().filter(|citation| citation.place != Some(FieldPlace::Properties)) {
        for sentence in sentences_of(citation) {
            let sentence = &*sentence;
            let Some(dated) = dates(sentence).into_iter().find(|dated| dated.date.year.is_some()) else { continue };
            let text = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
            if is_question(sentence) {
                continue;
            }
            let is_full = rows.len() >= MOST_LINES;
            match rows.iter_mut().find(|(date, row)| *date == dated.date && row.text == text) {
                Some((_, row)) => row.citations.push(citation.n),
                None if !is_full => {
                    let date = sentence[dated.range].split_whitespace().collect::<Vec<_>>().join(" ");
                    rows.push((dated.date, TimelineRow { date, text, citations: vec![citation.n] }));
                }
                None => {}
            }
        }
    }
    // Every date here has a year, so `compare` orders any two of them; a stable sort keeps equal dates as quoted.
    rows.sort_by(|(a, _), (b, _)| a.compare(*b).unwrap_or(Ordering::Equal));
    (rows.len() > 1).then(|| Timeline { rows: rows.into_iter().map(|(_, row)| row).collect() })
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CharRange, Locator, SourceId};

    use super::*;

    #[test]
    fn properties_of_files_are_in_no_time_line() {
        let citation = |n, text: &str, place| Citation {
            n,
            source_id: SourceId::new(format!("s{n}")).expect("an id"),
            title: String::new(),
            url: None,
            locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
            text: text.to_owned(),
            source_text_hash: String::new(),
            headings: Vec::new(),
            place,
            recognized: None,
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
        };
        for (place, is_told) in
            [(None, true), (Some(FieldPlace::Metadata), true), (Some(FieldPlace::Properties), false)]
        {
            let citations = [citation(1, "created: 2019-03-14", place), citation(2, "It was built in 1987.", None)];
            assert_eq!(timeline("History of the mill", &citations).is_some(), is_told, "{place:?}");
        }
    }

    fn told(query: &str, quotes: &[&str]) -> Option<Vec<(String, String, Vec<u32>)>> {
        let citation = |(text, n): (&&str, u32)| Citation {
            n,
            source_id: SourceId::new(format!("s{n}")).expect("an id"),
            title: format!("s{n}"),
            url: None,
            locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
            text: (*text).to_owned(),
            source_text_hash: ContentRef::from_bytes(text.as_bytes()).to_string(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let citations: Vec<Citation> = quotes.iter().zip(1..).map(citation).collect();
        let rows = timeline(query, &citations)?.rows;
        Some(rows.into_iter().map(|row| (row.date, row.text, row.citations)).collect())
    }

    #[test]
    fn dated_sentences_stand_in_the_order_of_their_dates() {
        let quotes = [
            "It was closed in 2003. Nobody knows why.",
            "The mill was built on 5 July 1987.",
            "In July 1987 the river rose.",
            "It is a mill.",
            "The mill was built on 5 July 1987.",
            "In 1987 the mill was planned.",
            "It opens on 3 May.",
        ];
        let want = [
            ("1987", "In 1987 the mill was planned.", vec![6]),
            ("July 1987", "In July 1987 the river rose.", vec![3]),
            ("5 July 1987", "The mill was built on 5 July 1987.", vec![2, 5]),
            ("2003", "It was closed in 2003.", vec![1]),
        ];
        let want: Vec<(String, String, Vec<u32>)> =
            want.into_iter().map(|(date, text, n)| (date.to_owned(), text.to_owned(), n)).collect();
        assert_eq!(told("History of the mill", &quotes), Some(want));
        assert_eq!(told("Who built the mill?", &quotes), None);
        assert_eq!(told("Compare the history of the mill and the ferry", &quotes), None);
    }

    #[test]
    fn one_date_makes_no_time_line_and_no_line_is_made_up() {
        for (quotes, lines) in [
            (&["It was built in 1987."][..], None),
            (&["It was built in 1987.", "It was closed later."], None),
            (&["It was built in 1987.", "Was it closed in 2003?"], None),
            (&["It was built in 1987.", "It was closed in 2003."], Some(2)),
        ] {
            assert_eq!(told("History of the mill", quotes).map(|rows| rows.len()), lines, "{quotes:?}");
        }
    }

    #[test]
    fn a_time_line_has_so_many_lines_and_no_more() {
        for (dated, lines) in [(MOST_LINES - 1, MOST_LINES - 1), (MOST_LINES, MOST_LINES), (MOST_LINES + 1, MOST_LINES)]
        {
            let quotes: Vec<String> = (0..dated).map(|n| format!("The mill was mended in {}.", 1900 + n)).collect();
            let quotes: Vec<&str> = quotes.iter().map(String::as_str).collect();
            assert_eq!(told("History of the mill", &quotes).map_or(0, |rows| rows.len()), lines);
        }
    }
}
