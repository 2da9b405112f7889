//! The law of quotes: a quote lies within one block of its text, starts at the start of the block or of a sentence, and is below the
//! headings that its citation names.
//!
//! Only certain violations are reported: a quote that runs past the end of its block, or one that starts inside a word or directly
//! behind a letter or comma if no sentence starts there.

use std::collections::BTreeMap;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use precis_proto::response::{Citation, QuotedCode, ReportData};
use precis_proto::{Block, BlockKind, CharRange, Locator};
use precis_text::heading_paths::CUT;
use precis_text::locate::place;
use precis_text::quoted_lines::quoted_lines;

use super::archive::{ArchivedTexts, hex_of};
use super::lead_in;
use super::mismatch::Mismatch;
use super::rendering::is_rendered_by;

/// Most characters shown before a quote; chosen, not measured.
const BEFORE_CHARS: usize = 40;

/// Checks each citation whose text and structure are known; reports mismatches in the order of the citation numbers.
pub(super) fn check(
    data: &ReportData,
    texts: &ArchivedTexts<'_>,
    blocks_of: &dyn Fn(&str) -> Option<Vec<Block>>,
    mismatches: &mut Vec<Mismatch>,
) {
    let mut by_text: BTreeMap<&str, Vec<&Citation>> = BTreeMap::new();
    for citation in &data.citations {
        by_text.entry(hex_of(&citation.source_text_hash)).or_default().push(citation);
    }
    // One text at a time: the characters of all texts together may not fit into memory.
    let needs_lead_ins = is_rendered_by(data);
    let code = data.code.as_slice();
    let faults = by_text
        .into_iter()
        .flat_map(|(hex, citations)| faults(hex, (&citations, code), texts, blocks_of, needs_lead_ins));
    let mut faults: Vec<(u32, Mismatch)> = faults.collect();
    faults.sort_by_key(|(n, _)| *n);
    mismatches.extend(faults.into_iter().map(|(_, fault)| fault));
}

/// The mismatches of the citations of one text, each with its citation number.
fn faults(
    hex: &str,
    (citations, code): (&[&Citation], &[QuotedCode]),
    texts: &ArchivedTexts<'_>,
    blocks_of: &dyn Fn(&str) -> Option<Vec<Block>>,
    needs_lead_ins: bool,
) -> Vec<(u32, Mismatch)> {
    let Some(text) = texts.get(hex).flatten() else { return Vec::new() };
    let Some(blocks) = blocks_of(hex) else {
        // Without blocks nothing is known to be a heading, so none may be named.
        let named = |citation: &&Citation| Some((citation.n, citation.locator, citation.headings.first()?.clone()));
        let fault = |(n, locator, heading)| (n, Mismatch::HeadingNotAbove { n, locator, heading });
        return citations.iter().filter_map(named).map(fault).collect();
    };
    let structure = Structure { needs_lead_ins, text: &text, chars: text.chars().collect(), blocks, code };
    citations.iter().filter_map(|citation| Some((citation.n, structure.fault(citation)?))).collect()
}

struct Structure<'t> {
    /// Whether the report is of a version whose citations carry what their quotes need.
    needs_lead_ins: bool,
    text: &'t str,
    chars: Vec<char>,
    blocks: Vec<Block>,
    /// The lines of all quoted code.
    code: &'t [QuotedCode],
}

impl Structure<'_> {
    fn fault(&self, citation: &Citation) -> Option<Mismatch> {
        let (n, locator) = (citation.n, citation.locator);
        let found = place(self.text, &locator)?;
        let start = self.text[..found.quote.start].chars().count();
        if let Some(heading) = self.not_above(&citation.headings, start) {
            return Some(Mismatch::HeadingNotAbove { n, locator, heading: heading.clone() });
        }
        if let Some(fault) = self.wrong_place(citation, start).or_else(|| self.wrong_recognition(citation, start)) {
            return Some(fault);
        }
        if let Some(fault) = self.wrong_lines(citation) {
            return Some(fault);
        }
        let ranges = std::iter::once(locator).chain(citation.context.iter().map(|range| range.locator));
        let fault = { ranges }.find_map(|locator| self.range_fault(n, locator));
        fault.or_else(|| self.not_at_cell(citation, start)).or_else(|| self.without_lead_in(citation, start))
    }

    /// A citation that does not say where the document has the field that begins at `start`, or says so of text.
    fn wrong_place(&self, citation: &Citation, start: usize) -> Option<Mismatch> {
        let archived = self.blocks.iter().find(|b| b.start <= start && start < b.end)?.unseen_place();
        let (n, locator, place) = (citation.n, citation.locator, citation.place);
        (place != archived).then_some(Mismatch::FieldPlace { n, locator, archived })
    }

    /// A citation that does not say what recognized the block that begins at `start`, or says so of text that the document has.
    fn wrong_recognition(&self, citation: &Citation, start: usize) -> Option<Mismatch> {
        let archived = &self.blocks.iter().find(|b| b.start <= start && start < b.end)?.recognized;
        let (n, locator) = (citation.n, citation.locator);
        (citation.recognized != *archived).then(|| Mismatch::Recognized { n, locator, archived: archived.clone() })
    }

    /// Lines of quoted code that are not those of the archived text.
    fn wrong_lines(&self, citation: &Citation) -> Option<Mismatch> {
        let of_it = |locator: &Locator| {
            *locator == citation.locator || citation.context.iter().any(|range| range.locator == *locator)
        };
        let archived = |locator: &Locator| {
            let found = place(self.text, locator)?.quote;
            let start = self.text[..found.start].chars().count();
            Some(quoted_lines(&self.blocks, CharRange::new(start, start + self.text[found].chars().count())))
        };
        let mut own = self.code.iter().filter(|code| code.n == citation.n);
        let wrong = own.find(|code| !of_it(&code.locator) || archived(&code.locator).as_ref() != Some(&code.lines))?;
        Some(Mismatch::CodeLines { n: citation.n, locator: wrong.locator })
    }

    /// What is wrong with one range of a citation.
    fn range_fault(&self, n: u32, locator: Locator) -> Option<Mismatch> {
        let found = place(self.text, &locator)?;
        let start = self.text[..found.quote.start].chars().count();
        let end = start + self.text[found.quote].chars().count();
        let block = self.blocks.iter().find(|b| b.start <= start && start < b.end)?;
        let over = self.chars.get(block.end.min(end)..end)?;
        if over.iter().any(|c| !c.is_whitespace()) {
            return Some(Mismatch::CrossesBlock { n, locator });
        }
        let inside = self.starts_inside(block, start);
        inside.then(|| Mismatch::StartsInside { n, locator, before: self.before(block, start) })
    }

    /// A head of a column that stands in front of something else than a cell of the quote that begins at `start`.
    fn not_at_cell(&self, citation: &Citation, start: usize) -> Option<Mismatch> {
        let row = self.blocks.iter().find(|block| block.start <= start && start < block.end)?;
        let is_cell = |at: usize| row.cells.iter().any(|cell| cell.start == start + at);
        let wrong = citation.context.iter().find(|range| range.at.is_some_and(|at| !is_cell(at)))?;
        Some(Mismatch::NotAtCell { n: citation.n, locator: wrong.locator })
    }

    /// What turns the meaning of the quote that begins at `start` and is missing beside it.
    fn without_lead_in(&self, citation: &Citation, start: usize) -> Option<Mismatch> {
        let at = self.blocks.iter().position(|block| block.start <= start && start < block.end)?;
        let turning = if self.needs_lead_ins { lead_in::turning(&self.chars, &self.blocks, at) } else { Vec::new() };
        let missing = lead_in::missing(citation, self.text, &turning)?;
        let missing: String = self.chars[missing.start..missing.end].iter().take(2 * BEFORE_CHARS).collect();
        let missing = missing.escape_debug().to_string();
        Some(Mismatch::WithoutLeadIn { n: citation.n, locator: citation.locator, missing })
    }

    /// The first of `said`, outermost first, that is not a heading above the character at `start`; the last must be the lowest. What is
    /// above a heading is of a higher level than the heading itself.
    fn not_above<'h>(&self, said: &'h [String], start: usize) -> Option<&'h String> {
        let mut headings: Vec<String> = Vec::new();
        let is_quoted = |block: &&Block| block.kind == BlockKind::Heading && block.start <= start && start < block.end;
        let mut below = self.blocks.iter().find(is_quoted).map_or(u8::MAX, |block| block.level.unwrap_or(1));
        let before = self.blocks.iter().rev().filter(|block| block.kind == BlockKind::Heading && block.end <= start);
        for block in before {
            let level = block.level.unwrap_or(1);
            if level < below {
                below = level;
                headings.push(self.chars.get(block.start..block.end).unwrap_or_default().iter().collect());
            }
        }
        let mut found = headings.iter();
        let mut said = said.iter().rev();
        let lowest = said.next()?;
        if !found.next().is_some_and(|heading| is_named(heading, lowest)) {
            return Some(lowest);
        }
        said.find(|heading| !found.any(|own| is_named(own, heading)))
    }

    /// Whether the character at `start` is certainly not the first of a sentence or cell of `block`.
    fn starts_inside(&self, block: &Block, start: usize) -> bool {
        let Some(range) = self.chars.get(block.start..start) else { return false };
        let Some(last) = range.iter().rposition(|c| !c.is_whitespace()) else { return false };
        let joined = last + 1 == range.len();
        let in_word = joined && is_spaced_letter(range[last]) && is_spaced_letter(self.chars[start]);
        let behind_word = range[last].is_alphabetic() || matches!(range[last], ',' | '、' | '،' | '，');
        let at_cell = block.cells.iter().any(|cell| cell.start == start);
        (in_word || behind_word) && !at_cell && !self.is_sentence_start(block.range(), start)
    }

    fn is_sentence_start(&self, block: CharRange, start: usize) -> bool {
        let Some(chars) = self.chars.get(block.start..block.end) else { return true };
        let text: String = chars.iter().collect();
        // Uses plain Unicode segmentation: the project's own sentence finder is among the code checked here.
        let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
        let at = text.char_indices().nth(start - block.start).map(|(at, _)| at);
        segmenter.segment_str(&text).any(|border| Some(border) == at)
    }

    fn before(&self, block: &Block, start: usize) -> String {
        let from = block.start.max(start.saturating_sub(BEFORE_CHARS));
        self.chars[from..start].iter().collect::<String>().escape_debug().to_string()
    }
}

/// Whether `said` is the heading `own`, or its beginning with a mark that it was cut.
fn is_named(own: &str, said: &str) -> bool {
    said == own.trim_end() || said.strip_suffix(CUT).is_some_and(|beginning| own.starts_with(beginning))
}

/// Whether `c` is a letter of a script that separates words by spaces, so that two adjacent ones belong to one word.
fn is_spaced_letter(c: char) -> bool {
    c.is_alphanumeric()
        && !matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FFDC}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use precis_proto::response::ReportData;
    use precis_proto::{BlockKind, CodeLine, FieldPlace};

    use super::*;
    use crate::sample;
    use crate::verify::archive::texts;
    use crate::verify::verification::Verification;

    fn faults(text: &str, blocks: &[(usize, usize)], locator: &str) -> Vec<String> {
        let block = |(start, end): &(usize, usize)| Block::new(BlockKind::Paragraph, CharRange::new(*start, *end));
        faults_with(text, blocks.iter().map(block).collect(), locator, None)
    }

    fn faults_with(text: &str, blocks: Vec<Block>, locator: &str, place: Option<FieldPlace>) -> Vec<String> {
        let (mut data, _): (ReportData, _) = sample::report();
        data.citations.truncate(1);
        data.citations[0].locator = locator.parse().expect("a locator");
        data.citations[0].source_text_hash = "h".to_owned();
        data.citations[0].place = place;
        let read = |hex: &str| (hex == "h").then(|| text.as_bytes().to_vec());
        let texts = texts(&data, &read, &mut Verification::default());
        let mut found = Vec::new();
        check(&data, &texts, &|_| Some(blocks.clone()), &mut found);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_of_code_are_those_of_the_archived_text() {
        let text = "if a: b";
        let (mut data, _): (ReportData, _) = sample::report();
        data.citations.truncate(1);
        let citation = &mut data.citations[0];
        (citation.locator, citation.source_text_hash) = ("char:0-7".parse().expect("a locator"), "h".to_owned());
        let (n, locator) = (citation.n, citation.locator);
        let lines = vec![CodeLine { start: 0, indent: 0 }, CodeLine { start: 6, indent: 4 }];
        let block = Block { lines: lines.clone(), ..Block::new(BlockKind::Code, CharRange::new(0, 7)) };
        let other = "char:0-5".parse().expect("a locator");
        let flat = lines.iter().map(|line| CodeLine { indent: 0, ..*line }).collect();
        for (code, is_fine) in [
            (Vec::new(), true),
            (vec![QuotedCode { n, locator, lines: lines.clone() }], true),
            (vec![QuotedCode { n, locator, lines: flat }], false),
            (vec![QuotedCode { n, locator: other, lines }], false),
        ] {
            data.code = code;
            let read = |hex: &str| (hex == "h").then(|| text.as_bytes().to_vec());
            let texts = texts(&data, &read, &mut Verification::default());
            let mut found = Vec::new();
            check(&data, &texts, &|_| Some(vec![block.clone()]), &mut found);
            let lines = found.iter().filter(|fault| matches!(fault, Mismatch::CodeLines { .. })).count();
            assert_eq!(lines == 0, is_fine, "{found:?}");
        }
    }

    #[test]
    fn a_quote_states_a_property_unlike_a_text() {
        use FieldPlace::{FrontMatter, Metadata, Properties};
        for (archived, said, is_fine) in [
            (Some(Properties), Some(Properties), true),
            (Some(Metadata), Some(Metadata), true),
            (Some(FrontMatter), None, true),
            (None, None, true),
            (Some(Properties), None, false),
            (Some(Properties), Some(Metadata), false),
            (None, Some(Properties), false),
        ] {
            let block = Block { place: archived, ..Block::new(BlockKind::Field, CharRange::new(0, 10)) };
            let found = faults_with("author: Jo", vec![block], "char:0-10", said);
            assert_eq!(found.is_empty(), is_fine, "{archived:?} {said:?}: {found:?}");
        }
    }

    #[test]
    fn a_quote_starts_where_its_block_or_a_sentence_of_it_starts() {
        let text = "No Federal Judge may be removed. It is law.\n\nOther, and more.";
        let blocks = [(0, 43), (45, 61)];
        for fine in ["char:0-32", "char:33-43", "char:45-61", "char:0-43"] {
            assert_eq!(faults(text, &blocks, fine), [""; 0], "{fine}");
        }
        let cases = [
            ("char:11-32", "citation 1 char:11-32: the quote starts inside a sentence, behind \"No Federal \""),
            ("char:4-32", "citation 1 char:4-32: the quote starts inside a sentence, behind \"No F\""),
            ("char:52-61", "citation 1 char:52-61: the quote starts inside a sentence, behind \"Other, \""),
            ("char:33-50", "citation 1 char:33-50: the quote runs past the end of its paragraph, item or cell"),
        ];
        for (locator, want) in cases {
            assert_eq!(faults(text, &blocks, locator), [want]);
        }
    }

    #[test]
    fn a_citation_names_no_heading_that_is_not_above_its_quote() {
        let heading = |start, end, level| Block {
            level: Some(level),
            ..Block::new(BlockKind::Heading, CharRange::new(start, end))
        };
        let blocks = vec![
            heading(0, 4, 1),
            heading(5, 8, 2),
            Block::new(BlockKind::Paragraph, CharRange::new(9, 15)),
            heading(16, 19, 2),
        ];
        let structure = Structure {
            code: &[],
            needs_lead_ins: true,
            text: "Book One It is. Two",
            chars: "Book One It is. Two".chars().collect(),
            blocks,
        };
        let wrong = |said: &[&str]| {
            let said: Vec<String> = said.iter().map(ToString::to_string).collect();
            structure.not_above(&said, 9).cloned()
        };
        for fine in [&[][..], &["One"], &["Book", "One"], &["Bo…", "On…"]] {
            assert_eq!(wrong(fine), None, "{fine:?}");
        }
        let book = ["Book".to_owned()];
        assert_eq!(
            structure.not_above(&book, 16),
            None,
            "a heading of the same level is not above a heading that is quoted"
        );
        for (said, want) in [
            (&["Two"][..], "Two"),
            (&["On"], "On"),
            (&["Ox…"], "Ox…"),
            (&["Book"], "Book"),
            (&["One", "Book"], "Book"),
            (&["Hook", "One"], "Hook"),
            (&["One", "One"], "One"),
        ] {
            assert_eq!(wrong(said).as_deref(), Some(want), "{said:?}");
        }
    }

    #[test]
    fn a_block_border_is_a_border_without_a_full_stop() {
        assert_eq!(faults("What to do\nSessions wait", &[(0, 10), (11, 24)], "char:11-24"), [""; 0]);
        assert_eq!(faults("What to do Sessions wait", &[(0, 24)], "char:11-24").len(), 1);
    }
}
