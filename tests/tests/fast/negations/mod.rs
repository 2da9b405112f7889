//! Tests the law for documents of every format, from bytes to quotes: no quote loses the word that reverses its meaning.
//!
//! Sentences of nine languages are written as paragraphs, list items, numbered clauses, headings and cells in every format that a test can
//! write. Each must be found whole, no sentence of its block may begin or end inside it, and a quote must contain all of it or nothing.

use precis_context::compress::{findings, of_text, task_passages};
use precis_evidence::ranking::Ranker;
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::task::CompressTask;
use precis_proto::{CharRange, DocumentFormat, SourceId};
use precis_research::extractive;
use precis_text::sentences::of_block;
use precis_text::{CanonicalText, normalize};

use placed::{PlacedSentence, placed};
use sentences::{LANGUAGES, LanguageSentences};
use writers::Format;

mod placed;
mod sentences;
mod text_formats;
mod writers;

/// Least number of sentences in the corpus.
const FEWEST: usize = 300;

/// The faults found, and how many quotes touched a sentence.
#[derive(Default)]
struct Findings {
    faults: Vec<String>,
    quotes: usize,
    sentences: usize,
}

impl Findings {
    fn document(&mut self, format: &Format, language: &LanguageSentences, shift: usize) {
        let placed = placed(language, shift);
        let name = format!("{}.{}", language.name, format.ending);
        let bytes = (format.write)(&placed);
        let found =
            extract(&bytes, &Hint { content_type: None, name: &name }, HtmlMode::Full, &ExtractLimits::default());
        let text = match found {
            Ok(found) => found.text,
            Err(error) => return self.faults.push(format!("{name}: {error}")),
        };
        let ranges: Vec<Option<CharRange>> = placed.iter().map(|p| place_of(&text, &p.sentence)).collect();
        for (p, range) in placed.iter().zip(&ranges) {
            self.sentences += 1;
            match range {
                Some(range) => self.borders(&name, &text, p, *range),
                None => self.faults.push(format!("{name}: {:?} is not found whole: {}", p.form, p.sentence)),
            }
        }
        let known: Vec<CharRange> = ranges.into_iter().flatten().collect();
        for question in language.questions {
            self.quotes_of(&name, &text, question, &known);
        }
    }

    /// Checks that no sentence of a block begins or ends inside the sentence.
    fn borders(&mut self, name: &str, text: &CanonicalText, placed: &PlacedSentence, own: CharRange) {
        for block in text.blocks().iter().filter(|block| block.start < own.end && own.start < block.end) {
            let inside = text.slice(block.range());
            let parts =
                of_block(inside).into_iter().map(|s| CharRange::new(block.start + s.start, block.start + s.end));
            let cuts = parts.filter(|part| part.start < own.end && own.start < part.end && !part.contains(&own));
            for cut in cuts {
                self.faults.push(format!("{name}: {:?} is cut: {}", placed.form, text.slice(cut)));
            }
            if !block.range().contains(&own) {
                self.faults.push(format!("{name}: {:?} crosses a block: {}", placed.form, placed.sentence));
            }
        }
    }

    fn quotes_of(&mut self, name: &str, text: &CanonicalText, question: &str, known: &[CharRange]) {
        let id = SourceId::new("s").expect("an id");
        let passages = of_text(&id, text, (question, ""), (Ranker::default(), None), 400);
        let task = CompressTask {
            notes: Vec::new(),
            query: question.to_owned(),
            topic: String::new(),
            passages: task_passages(&passages, |_| Default::default()),
            max_findings: 40,
            known: Default::default(),
        };
        let drafts = extractive::compress(&task);
        let count = |text: &str| text.len() as u64;
        for quote in findings(&drafts, &passages, &count).iter().flat_map(|finding| &finding.quotes) {
            let Some(quote) = text.resolve(&quote.locator) else {
                self.faults.push(format!("{name}: {} names no characters", quote.locator));
                continue;
            };
            let touched: Vec<&CharRange> =
                known.iter().filter(|own| own.start < quote.end && quote.start < own.end).collect();
            self.quotes += usize::from(!touched.is_empty());
            for own in touched.into_iter().filter(|own| !quote.contains(own)) {
                self.faults.push(format!("{name}: quoted {:?} of {:?}", text.slice(quote), text.slice(*own)));
            }
            let before = text.blocks().iter().find(|b| b.start <= quote.start && quote.start < b.end);
            let before = before.map_or("", |b| text.slice(CharRange::new(b.start, quote.start))).trim_end();
            if !before.is_empty() && !before.ends_with(|c: char| ".!?。！？؟؛:;)…|".contains(c)) {
                self.faults.push(format!("{name}: {:?} follows {before:?}", text.slice(quote)));
            }
        }
    }
}

/// Every format that a test can write.
fn formats() -> impl Iterator<Item = &'static Format> {
    writers::FORMATS.iter().chain(text_formats::FORMATS)
}

/// The place of the words of `sentence` in `text`.
fn place_of(text: &CanonicalText, sentence: &str) -> Option<CharRange> {
    let sentence = normalize(sentence);
    let byte = text.as_str().find(&sentence)?;
    let start = text.as_str()[..byte].chars().count();
    Some(CharRange::new(start, start + sentence.chars().count()))
}

#[test]
fn every_format_of_the_table_has_a_writer() {
    for format in DocumentFormat::ALL {
        assert!(formats().any(|writer| format.has_ending(writer.ending)), "{format:?}");
    }
}

#[test]
fn no_quote_loses_the_word_that_turns_its_meaning() {
    let all: usize = LANGUAGES.iter().map(|language| language.sentences().len()).sum();
    assert!(all >= FEWEST && LANGUAGES.len() >= 7, "{all} sentences in {} languages", LANGUAGES.len());
    let mut found = Findings::default();
    for (shift, format) in formats().enumerate() {
        for language in LANGUAGES.iter().filter(|language| language.is_latin || !format.is_latin) {
            found.document(format, language, shift);
        }
    }
    let Findings { faults, quotes, sentences } = found;
    println!(
        "{all} sentences, {sentences} places in {} formats, {quotes} quotes, {} faults",
        formats().count(),
        faults.len()
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
    assert!(sentences > 10 * FEWEST && quotes > FEWEST, "{sentences} sentences, {quotes} quotes");
}
