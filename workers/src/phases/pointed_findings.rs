//! Turns passages that research found to state an answer literally into findings, in addition to those found by ranking.

use precis_evidence::passage::context_of;
use precis_proto::finding::Quote;
use precis_proto::job::{CompressionAnswer, JobOutcome, TopicFinding};
use precis_proto::research::{GatheringResult, Pointer};
use precis_proto::state::SessionState;
use precis_proto::{BlockKind, CharRange, Phase, SourceId};
use precis_report::fold;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};
use precis_text::field_places::place_of_field;
use precis_text::heading_paths::headings_above;
use precis_text::recognized::recognition_at;
use precis_text::statement::of_quote;
use precis_text::{CanonicalText, tokens};

use super::planning::get;
use crate::documents::texts;

/// Score difference between consecutive pointers: they keep their order, ahead of ranked findings.
const STEP: f64 = 0.001;

/// Finds the pointer's text: at its recorded range, or, if an excerpt of the page was searched, at its first occurrence; `None` if the
/// text does not contain it.
fn locate(text: &CanonicalText, pointer: &Pointer) -> Option<CharRange> {
    let wanted = pointer.text.trim_end();
    if wanted.is_empty() {
        return None;
    }
    let chars = wanted.chars().count();
    let at = |start: usize| CharRange::new(start, start + chars);
    let there = at(pointer.range.start);
    if there.end <= text.chars() && text.slice(there) == wanted {
        return Some(there);
    }
    let byte = text.as_str().find(wanted)?;
    Some(at(text.as_str()[..byte].chars().count()))
}

/// Cuts a range at the end of the block it begins in, without trailing white space, so that no quote crosses a paragraph. Headings that it
/// begins with are left out if it goes on: the searched text had no blocks, and a heading without an end mark is one sentence with what
/// follows.
fn within_block(text: &CanonicalText, range: CharRange) -> Option<CharRange> {
    let blocks = text.leaf_blocks();
    let mut start = range.start;
    loop {
        // Of nested blocks, the smallest.
        let holding = blocks.iter().filter(|block| block.start <= start && start < block.end);
        let block = holding.min_by_key(|block| block.range().len())?;
        if block.kind == BlockKind::Heading && block.end < range.end {
            let behind = text.slice(CharRange::new(block.end, range.end));
            start = block.end + behind.chars().take_while(|c| c.is_whitespace()).count();
            continue;
        }
        let cut = CharRange::new(start, range.end.min(block.end));
        let kept = text.slice(cut).trim_end().chars().count();
        return (kept > 0).then(|| CharRange::new(start, start + kept));
    }
}

/// Builds one outcome for each pointer into a source that was read.
pub(super) async fn findings(
    session: &SessionState,
    ctx: &PhaseContext,
) -> Result<Vec<(String, Vec<SourceId>, JobOutcome<CompressionAnswer>)>, PhaseError> {
    let Some(course) = session.research.as_ref().and_then(|research| research.course.as_ref()) else {
        return Ok(Vec::new());
    };
    let settled: GatheringResult = get(course, &ctx.services().content).await?;
    let mut found = Vec::new();
    for (n, pointer) in settled.pointers.iter().enumerate() {
        let is_it = |path: &Option<String>| path.as_ref() == Some(&pointer.document);
        let source = session.sources.iter().find(|source| is_it(&source.path) || is_it(&source.url));
        let Some((source, text)) = source.and_then(|source| Some((source, source.text.as_ref()?))) else { continue };
        if fold::carried_tokens(session, &source.source_id, Phase::Compression) == 0 {
            // The source was left out and recorded as such; quoting it now would contradict the record.
            continue;
        }
        let text = texts::load(&ctx.services().content, text)
            .await
            .map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        let Some(range) = locate(&text, pointer).and_then(|range| within_block(&text, range)) else { continue };
        let id = source.source_id.clone();
        let headings = headings_above(&text, range.start);
        let quote = Quote {
            context: context_of(&text, range),
            place: place_of_field(&text, range.start),
            recognized: recognition_at(&text, range.start),
            ..Quote::new(id.clone(), text.locator(range), text.slice(range), headings)
        };
        let statement = of_quote(&quote);
        let finding = TopicFinding {
            tokens: tokens::count(&statement),
            statement,
            quotes: vec![quote],
            score: (1.0 - STEP * n as f64).max(0.0),
            similarity: None,
        };
        let answer = CompressionAnswer {
            findings: vec![finding],
            unmatched: Vec::new(),
            provider: LOCAL_MODEL.to_owned(),
            read: Vec::new(),
            meaning: None,
        };
        found.push((pointer.sub_question.clone(), vec![id], JobOutcome::Done(answer)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    #[test]
    fn only_what_a_text_holds_is_quoted_and_where_it_holds_it() {
        let text = CanonicalText::from_plain("The lake is named in a head.\n\nAuthor: Ann Bell\n\nIt is deep.");
        let author = text.as_str().find("Author").expect("there");
        for (start, said, want) in [
            (author, "Author: Ann Bell", Some("Author: Ann Bell")),
            (0, "Author: Ann Bell", Some("Author: Ann Bell")),
            (9_999, "Author: Ann Bell ", Some("Author: Ann Bell")),
            (author, "Author: Bob Ray", None),
            (author, "", None),
        ] {
            let pointer = Pointer {
                sub_question: "Who wrote it?".to_owned(),
                document: "a".to_owned(),
                range: CharRange::new(start, start + said.chars().count()),
                text: said.to_owned(),
            };
            let range = locate(&text, &pointer).and_then(|range| within_block(&text, range));
            assert_eq!(range.map(|range| text.slice(range)), want, "{start} {said}");
        }
    }

    #[test]
    fn a_heading_before_the_sentence_is_left_out_and_one_alone_stays() {
        let text = CanonicalText::from_leaves(&[
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Other Proposals") },
            Leaf { level: Some(2), ..Leaf::new(BlockKind::Heading, "Strings") },
            Leaf::new(BlockKind::Paragraph, "They came with PEP 498. More."),
        ]);
        let quoted = |said: &str| {
            let start = text.as_str().find(said).expect("there");
            within_block(&text, CharRange::new(start, start + said.chars().count())).map(|range| text.slice(range))
        };
        let all = text.as_str().strip_suffix(" More.").expect("the last sentence");
        assert_eq!(quoted(all), Some("They came with PEP 498."));
        assert_eq!(quoted("Strings"), Some("Strings"));
    }
}
