//! The material a judge is shown: the report, its sources with their quotes, and the notes of its researchers.

use precis_proto::judgement::{JudgingLeftOut, JudgingOrder};
use precis_proto::response::{Citation, SourceRow};
use precis_proto::task::{RateTask, RatedSource};
use precis_text::tokens;

use crate::draft::citations::CitedDraft;

/// Most characters shown of a report, the first ones.
pub const REPORT_CHARS: usize = 80_000;
/// Most sources shown: those with most quotes.
pub const SOURCES_SHOWN: usize = 30;
/// Most characters shown of a source's address, date and quotes. Chosen, not measured.
pub const SOURCE_CHARS: usize = 1_000;
/// Most characters shown of raw notes, shared among them.
pub const NOTES_CHARS: usize = 30_000;

/// The material for a judge, in any order.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingMaterial {
    task: RateTask,
    /// What was over the limits; `None` if everything is shown.
    pub left_out: Option<JudgingLeftOut>,
    /// Tokens of the whole material.
    pub tokens: u64,
}

impl RatingMaterial {
    /// The task with the material in `order`.
    #[must_use]
    pub fn task(&self, order: JudgingOrder) -> RateTask {
        RateTask { order, ..self.task.clone() }
    }
}

/// The material for rating `report`, an answer to `question` based on `sources`; `notes` are the raw notes of its session, oldest first.
#[must_use]
pub fn material(question: &str, report: &CitedDraft, sources: &[SourceRow], notes: &[String]) -> RatingMaterial {
    let (sources, sources_left) = select_sources(sources, &report.citations);
    let (report, report_chars) = cut(&report.markdown, REPORT_CHARS);
    let (notes, notes_chars) = share_notes(notes, NOTES_CHARS);
    let left_out = JudgingLeftOut { report_chars, sources: sources_left, notes_chars };
    let task = RateTask { question: question.to_owned(), report, sources, notes, order: JudgingOrder::default() };
    let texts = task.sources.iter().flat_map(|source| [&source.title, &source.text]).chain(&task.notes);
    let tokens = texts.chain([&task.question, &task.report]).map(|text| tokens::count(text)).sum();
    RatingMaterial { task, left_out: (left_out != JudgingLeftOut::default()).then_some(left_out), tokens }
}

/// The sources shown: quoted ones by number of quotes, then those read and not quoted; and the number left out.
fn select_sources(sources: &[SourceRow], citations: &[Citation]) -> (Vec<RatedSource>, u64) {
    let quotes = |row: &SourceRow| -> Vec<&Citation> {
        citations.iter().filter(|citation| citation.source_id == row.source_id).collect()
    };
    let mut read: Vec<(&SourceRow, Vec<&Citation>)> =
        sources.iter().filter(|row| row.failure.is_none()).map(|row| (row, quotes(row))).collect();
    read.sort_by_key(|(_, quotes)| std::cmp::Reverse(quotes.len()));
    let left_out = read.len().saturating_sub(SOURCES_SHOWN) as u64;
    let shown = read.iter().take(SOURCES_SHOWN).zip(1..).map(|((row, quotes), id)| {
        let place = row.url.as_deref().or(row.path.as_deref()).map(str::to_owned);
        let date = row.published_at.map(|at| format!("published {}", at.day()));
        let quotes = quotes.iter().map(|citation| format!("[{}] {}", citation.n, citation.text));
        let lines: Vec<String> = place.into_iter().chain(date).chain(quotes).collect();
        RatedSource { id, title: row.title.clone(), text: cut(&lines.join("\n"), SOURCE_CHARS).0 }
    });
    (shown.collect(), left_out)
}

/// The first `most` characters of `text`, and the number of characters cut.
fn cut(text: &str, most: usize) -> (String, u64) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), text[end..].chars().count() as u64),
        None => (text.to_owned(), 0),
    }
}

/// The beginnings of `notes` within `most` characters, in equal shares; what a short one leaves goes to longer ones. And the number of
/// characters cut.
fn share_notes(notes: &[String], most: usize) -> (Vec<String>, u64) {
    let mut order: Vec<usize> = (0..notes.len()).collect();
    order.sort_by_key(|at| notes[*at].len());
    let (mut left, mut over) = (most, 0);
    let mut kept: Vec<(usize, String)> = Vec::new();
    for (n, at) in order.into_iter().enumerate() {
        let (begun, more) = cut(notes[at].trim(), left / (notes.len() - n));
        left -= begun.chars().count();
        over += more;
        if !begun.is_empty() {
            kept.push((at, begun));
        }
    }
    kept.sort_by_key(|(at, _)| *at);
    (kept.into_iter().map(|(_, note)| note).collect(), over)
}

#[cfg(test)]
mod tests {
    use precis_proto::response::ReportData;

    use super::*;
    use crate::sample;

    fn of(data: &ReportData, notes: &[String]) -> RatingMaterial {
        let cited =
            CitedDraft { markdown: data.report.clone(), citations: data.citations.clone(), ..CitedDraft::default() };
        material(&data.query, &cited, &data.sources, notes)
    }

    #[test]
    fn a_report_is_shown_to_its_limit_and_excess_counted() {
        let (mut data, _) = sample::report();
        for (chars, shown, over) in [
            (REPORT_CHARS - 1, REPORT_CHARS - 1, None),
            (REPORT_CHARS, REPORT_CHARS, None),
            (REPORT_CHARS + 1, REPORT_CHARS, Some(1)),
        ] {
            data.report = "ä".repeat(chars);
            let found = of(&data, &[]);
            assert_eq!(found.task.report.chars().count(), shown, "{chars}");
            assert_eq!(found.left_out.map(|left| left.report_chars), over, "{chars}");
        }
    }

    #[test]
    fn sources_are_shown_to_their_limit_those_with_quotes_first() {
        let (mut data, _) = sample::report();
        let row = data.sources[0].clone();
        for (count, shown, over) in [
            (SOURCES_SHOWN - 1, SOURCES_SHOWN - 1, None),
            (SOURCES_SHOWN, SOURCES_SHOWN, None),
            (SOURCES_SHOWN + 1, SOURCES_SHOWN, Some(1)),
        ] {
            let other = |n: usize| SourceRow { source_id: sample::id(&format!("other-{n}")), ..row.clone() };
            data.sources = (1..count).map(other).chain([row.clone()]).collect();
            let found = of(&data, &[]);
            assert_eq!((found.task.sources.len(), found.left_out.map(|left| left.sources)), (shown, over), "{count}");
            let first = &found.task.sources[0];
            assert!(first.id == 1 && first.text.contains("lost a tenth of their ice"), "{first:?}");
            assert!(first.text.starts_with("https://ice.example/report"), "{first:?}");
        }
        data.citations[0].text = "ä".repeat(SOURCE_CHARS * 2);
        let texts = of(&data, &[]).task.sources;
        assert!(texts.iter().all(|source| source.text.chars().count() <= SOURCE_CHARS), "{texts:?}");
    }

    #[test]
    fn notes_share_their_limit_and_keep_their_order() {
        let (data, _) = sample::report();
        for (chars, shown, over) in
            [(NOTES_CHARS - 1, NOTES_CHARS - 1, 0), (NOTES_CHARS, NOTES_CHARS, 0), (NOTES_CHARS + 1, NOTES_CHARS, 1)]
        {
            let found = of(&data, &["ä".repeat(chars)]);
            let all: usize = found.task.notes.iter().map(|note| note.chars().count()).sum();
            assert_eq!((all, found.left_out.map_or(0, |left| left.notes_chars)), (shown, over), "{chars}");
        }
        let notes = ["a".repeat(NOTES_CHARS), "b".to_owned(), " ".to_owned(), "c".repeat(NOTES_CHARS)];
        let found = of(&data, &notes).task.notes;
        let lengths: Vec<usize> = found.iter().map(String::len).collect();
        assert_eq!((lengths.len(), lengths[1], lengths.iter().sum::<usize>()), (3, 1, NOTES_CHARS));
        assert!(found[0].starts_with('a') && found[1] == "b" && found[2].starts_with('c'));
    }
}
