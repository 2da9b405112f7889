//! What a question on a finished session follows on: the documents that were read, what the answer stood on, what was said.
//!
//! All of it comes out of the result itself and the texts behind it, so that a report and its archive are enough. It decides
//! nothing about prompts: what of this reaches a model, and how short, is the gate's.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use precis_distill::prompt::compact;
use precis_distill::report::marks::marks;
use precis_proto::SourceId;
use precis_proto::prior::{PriorBlock, Said, SpeakerRole};
use precis_proto::request::RequestOptions;
use precis_proto::research::ResearchOptions;
use precis_proto::response::{Citation, ReportData, SourceRow};
use precis_proto::source::ContentRef;

use crate::documents::archived_type;
use crate::input::CollectedInputs;
use crate::input::source::{DocumentAttributes, InputOrigin, InputSource};
use crate::lanes::Shelf;
use crate::report::archive::ArchivedTexts;

/// What a run follows on; nothing for a session that stands on its own.
#[derive(Debug, Default)]
pub struct FollowUpInputs {
    /// Documents of the earlier session, by their canonical texts.
    pub sources: Vec<InputSource>,
    /// Their files, as the earlier report names them.
    pub paths: BTreeMap<SourceId, String>,
    /// History, context and background.
    pub options: RequestOptions,
    /// Corpora to search beside them.
    pub shelves: Vec<Shelf>,
    /// What the options and the types of the sources name by its hash.
    pub pages: Vec<Bytes>,
    /// The report that the new one is set beside.
    pub earlier: Option<Box<ReportData>>,
}

impl FollowUpInputs {
    /// Nothing to follow on, only the background of a project.
    #[must_use]
    pub fn from_project(project_context: String) -> Self {
        Self { options: RequestOptions { project_context, ..RequestOptions::default() }, ..Self::default() }
    }

    /// The same with what is to be searched, for so many seconds at most.
    #[must_use]
    pub fn searching(self, research: ResearchOptions, shelves: Vec<Shelf>, deadline_seconds: Option<u64>) -> Self {
        let options = RequestOptions { research: Some(research), deadline_seconds, ..self.options };
        Self { options, shelves, ..self }
    }

    /// What follows on `data`, with its documents out of `archive` where they are wanted. A text that is not there is left out.
    #[must_use]
    pub fn from_report(data: &ReportData, archive: Option<&ArchivedTexts>, project_context: String) -> Self {
        let (sources, pages) = archive.map_or_else(Default::default, |archive| sources(data, archive));
        let path = |row: &SourceRow| Some((row.source_id.clone(), row.path.clone()?));
        let paths = data.sources.iter().filter_map(path).collect();
        Self { sources, paths, pages, options: options(data, project_context), ..Self::default() }
    }

    /// What was given, and behind it the documents of the earlier session that are not given anew.
    pub fn join(&self, given: &mut CollectedInputs) {
        for earlier in &self.sources {
            if given.sources.iter().any(|known| known.source_id == earlier.source_id) {
                continue;
            }
            given.sources.push(earlier.clone());
            if let Some(path) = self.paths.get(&earlier.source_id) {
                given.paths.insert(earlier.source_id.clone(), path.clone());
            }
        }
    }
}

/// The request options of a question on `data`.
#[must_use]
pub fn options(data: &ReportData, project_context: String) -> RequestOptions {
    let said = |role, content: String| Said { role, content };
    let mut history = data.history.clone();
    history.push(said(SpeakerRole::User, data.query.clone()));
    history.push(said(SpeakerRole::Assistant, without_marks(&data.report)));
    RequestOptions { project_context, prior_context: blocks(&data.citations), history, ..RequestOptions::default() }
}

/// Sources of `data` that have a text: id, title, address and the text's name.
pub fn readable(data: &ReportData) -> impl Iterator<Item = (&SourceRow, ContentRef)> {
    data.sources.iter().filter_map(|row| Some((row, row.source_text_hash.as_ref()?.parse().ok()?)))
}

/// The sources with their texts, and the pages with the structure of these.
fn sources(data: &ReportData, archive: &ArchivedTexts) -> (Vec<InputSource>, Vec<Bytes>) {
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for (row, content) in readable(data) {
        let Some(path) = archive.path(content.hex()).map(Path::to_owned) else { continue };
        let (content_type, page) = archived_type::with_blocks(archive.blocks(content.hex()).as_deref());
        pages.extend(page);
        sources.push(InputSource {
            source_id: row.source_id.clone(),
            title: row.title.clone(),
            origin: InputOrigin::File { path, content },
            url: row.url.clone(),
            content_type: Some(content_type),
            known: DocumentAttributes { published_at: row.published_at, ..DocumentAttributes::default() },
        });
    }
    (sources, pages)
}

/// One block per cited source, in the order of the first citation: the quotes the answer stood on.
fn blocks(citations: &[Citation]) -> Vec<PriorBlock> {
    let mut blocks: Vec<(&precis_proto::SourceId, PriorBlock)> = Vec::new();
    for citation in citations {
        match blocks.iter_mut().find(|(id, _)| *id == &citation.source_id) {
            Some((_, block)) if block.text.contains(&citation.text) => {}
            Some((_, block)) => block.text.push_str(&format!("\n{}", citation.text)),
            None => {
                let block = PriorBlock { title: citation.title.clone(), text: citation.text.clone() };
                blocks.push((&citation.source_id, block));
            }
        }
    }
    let compacted = |(_, block): (_, PriorBlock)| PriorBlock { text: compact(&block.text), ..block };
    blocks.into_iter().map(compacted).collect()
}

/// A report without its citation marks: their numbers mean nothing in another one.
fn without_marks(report: &str) -> String {
    let (mut text, mut from) = (String::with_capacity(report.len()), 0);
    for mark in marks(report) {
        text.push_str(report[from..mark.range.start].trim_end_matches(' '));
        from = mark.range.end;
    }
    text + &report[from..]
}

#[cfg(test)]
mod tests {
    use precis_distill::extract::CANONICAL_TYPE;

    use super::*;
    use crate::report::sample::{citation, report, source};
    use precis_proto::SourceId;

    fn data() -> ReportData {
        let id = |text: &str| SourceId::new(text).expect("an id");
        let (a, b) = (id("a"), id("b"));
        let mut data = report(vec![source(&a, Some("first text")), source(&b, None)]).data.expect("a report");
        data.query = "why?".to_owned();
        data.report = "Because [1]. And so [2][1].".to_owned();
        data.citations = vec![citation(1, &a, "one"), citation(2, &b, "two"), citation(3, &a, "three")];
        data
    }

    #[test]
    fn a_question_follows_what_was_said_and_what_it_stood_on() {
        let options = options(&data(), "We build bridges.".to_owned());
        assert_eq!(options.project_context, "We build bridges.");
        let said: Vec<_> = options.history.iter().map(|s| (s.role, s.content.as_str())).collect();
        assert_eq!(said, [(SpeakerRole::User, "why?"), (SpeakerRole::Assistant, "Because. And so.")]);
        let blocks: Vec<_> = options.prior_context.iter().map(|b| b.text.as_str()).collect();
        assert_eq!(blocks, ["one\nthree", "two"]);
    }

    #[test]
    fn a_third_question_carries_the_first_two() {
        let mut second = data();
        second.history = options(&data(), String::new()).history;
        assert_eq!(options(&second, String::new()).history.len(), 4);
    }

    #[test]
    fn documents_that_were_read_are_read_again_from_the_archive_unless_given_anew() {
        let dir = tempfile::tempdir().expect("a directory");
        let name = ContentRef::from_bytes(b"first text");
        std::fs::write(dir.path().join(format!("{}.txt", name.hex())), "first text").expect("written");
        let archive = ArchivedTexts::open(dir.path()).expect("listed");
        let mut data = data();
        data.sources[0].path = Some("a.txt".to_owned());
        let followed = FollowUpInputs::from_report(&data, Some(&archive), String::new());
        assert_eq!(followed.sources.len(), 1, "the other has no text");
        let mut anew = CollectedInputs { sources: followed.sources.clone(), ..CollectedInputs::default() };
        followed.join(&mut anew);
        assert_eq!((anew.sources.len(), anew.paths.len()), (1, 0));
        let mut alone = CollectedInputs::default();
        followed.join(&mut alone);
        assert_eq!(alone.sources[0].content_type.as_deref(), Some(CANONICAL_TYPE));
        assert_eq!(alone.paths.values().collect::<Vec<_>>(), ["a.txt"]);
        assert!(FollowUpInputs::from_report(&data, None, String::new()).sources.is_empty());
    }
}
