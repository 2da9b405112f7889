//! Turns passages that research found to state an answer literally into findings, in addition to those found by ranking.

use precis_distill::text::CanonicalText;
use precis_distill::{fold, tokens};
use precis_proto::finding::Quote;
use precis_proto::job::{CompressionAnswer, JobOutcome, TopicFinding};
use precis_proto::research::{GatheringResult, Pointer};
use precis_proto::state::SessionState;
use precis_proto::{CharRange, Phase, SourceId};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};

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

/// Cuts a range at the end of the block it begins in, without trailing white space, so that no quote crosses a paragraph.
fn within_block(text: &CanonicalText, range: CharRange) -> Option<CharRange> {
    // Of nested blocks, the smallest.
    let holds = |block: &CharRange| block.start <= range.start && range.start < block.end;
    let blocks = text.leaf_blocks().into_iter().map(|block| block.range()).filter(holds);
    let block = blocks.min_by_key(CharRange::len)?;
    let cut = CharRange::new(range.start, range.end.min(block.end));
    let kept = text.slice(cut).trim_end().chars().count();
    (kept > 0).then(|| CharRange::new(cut.start, cut.start + kept))
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
        if fold::carried(session, &source.source_id, Phase::Compression) == 0 {
            // The source was left out and recorded as such; quoting it now would contradict the record.
            continue;
        }
        let text = texts::load(&ctx.services().content, text)
            .await
            .map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        let Some(range) = locate(&text, pointer).and_then(|range| within_block(&text, range)) else { continue };
        let statement = text.slice(range).to_owned();
        let id = source.source_id.clone();
        let quote = Quote { source_id: id.clone(), locator: text.locator(range), text: statement.clone() };
        let finding = TopicFinding {
            tokens: tokens::count(&statement),
            statement,
            quotes: vec![quote],
            score: (1.0 - STEP * n as f64).max(0.0),
        };
        let answer = CompressionAnswer {
            findings: vec![finding],
            unmatched: Vec::new(),
            provider: LOCAL_MODEL.to_owned(),
            read: Vec::new(),
        };
        found.push((pointer.sub_question.clone(), vec![id], JobOutcome::Done(answer)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
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
}
