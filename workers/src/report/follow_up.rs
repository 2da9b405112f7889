//! The inputs of a follow-up question: the documents of the earlier session, the quotes behind its answer, and the conversation.
//!
//! All of it comes from the report and its archive. Which part of it reaches a model, and how much it is shortened, is decided later by
//! the prompt gate.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use precis_context::prompt::compact;
use precis_proto::SourceId;
use precis_proto::prior::{PriorBlock, Said, SpeakerRole};
use precis_proto::privacy::Privacy;
use precis_proto::request::RequestOptions;
use precis_proto::research::ResearchOptions;
use precis_proto::response::{Citation, ReportData, SourceRow};
use precis_proto::source::ContentRef;
use precis_report::draft::marks::marks;
use precis_text::statement::of_citation;

use crate::documents::archived_type;
use crate::input::CollectedInputs;
use crate::input::source::{DocumentAttributes, InputOrigin, InputSource};
use crate::lanes::Shelf;
use crate::report::archive::ArchivedTexts;

/// The inputs that a run takes over from an earlier session; empty for an independent session.
#[derive(Debug, Default)]
pub struct FollowUpInputs {
    /// Documents of the earlier session, with their canonical texts as content.
    pub sources: Vec<InputSource>,
    /// Paths of these documents, as shown in the earlier report.
    pub paths: BTreeMap<SourceId, String>,
    /// History, prior context and project background.
    pub options: RequestOptions,
    /// Corpora to search as well.
    pub shelves: Vec<Shelf>,
    /// Content that the options and the content types of the sources reference by hash.
    pub pages: Vec<Bytes>,
    /// The label of the new report, also if nothing is searched.
    pub privacy: Privacy,
    /// The earlier report to compare the new one with.
    pub earlier: Option<Box<ReportData>>,
}

impl FollowUpInputs {
    /// Creates inputs with only the background of a project.
    #[must_use]
    pub fn from_project(project_context: String) -> Self {
        Self { options: RequestOptions { project_context, ..RequestOptions::default() }, ..Self::default() }
    }

    /// Adds a search, with an optional deadline in seconds.
    #[must_use]
    pub fn searching(self, research: ResearchOptions, shelves: Vec<Shelf>, deadline_seconds: Option<u64>) -> Self {
        let options = RequestOptions { research: Some(research), deadline_seconds, ..self.options };
        Self { options, shelves, ..self }
    }

    /// Creates the inputs of a follow-up to `data`, with its documents from `archive` if given. Documents without an archived text are
    /// left out.
    #[must_use]
    pub fn from_report(data: &ReportData, archive: Option<&ArchivedTexts>, project_context: String) -> Self {
        let (sources, pages) = archive.map_or_else(Default::default, |archive| sources(data, archive));
        let path = |row: &SourceRow| Some((row.source_id.clone(), row.path.clone()?));
        let paths = data.sources.iter().filter_map(path).collect();
        Self { sources, paths, pages, options: options(data, project_context), ..Self::default() }
    }

    /// Appends the documents of the earlier session to `given`, except those that are given again.
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

/// Returns the request options of a follow-up question to `data`.
#[must_use]
pub fn options(data: &ReportData, project_context: String) -> RequestOptions {
    let message = |role, content: String| Said { role, content };
    let mut history = data.history.clone();
    history.push(message(SpeakerRole::User, data.query.clone()));
    history.push(message(SpeakerRole::Assistant, without_marks(&data.report)));
    RequestOptions { project_context, prior_context: blocks(&data.citations), history, ..RequestOptions::default() }
}

/// Returns the sources of `data` that have a text, with the hash of the text.
pub fn readable(data: &ReportData) -> impl Iterator<Item = (&SourceRow, ContentRef)> {
    data.sources.iter().filter_map(|row| Some((row, row.source_text_hash.as_ref()?.parse().ok()?)))
}

/// Returns the sources with an archived text, and the pages that contain the structure of these texts.
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

/// Returns one block with the quotes of each cited source, in the order of first citation.
fn blocks(citations: &[Citation]) -> Vec<PriorBlock> {
    let mut blocks: Vec<(&precis_proto::SourceId, PriorBlock)> = Vec::new();
    for citation in citations {
        match blocks.iter_mut().find(|(id, _)| *id == &citation.source_id) {
            Some((_, block)) if block.text.contains(&*of_citation(citation)) => {}
            Some((_, block)) => block.text.push_str(&format!("\n{}", of_citation(citation))),
            None => {
                let block = PriorBlock { title: citation.title.clone(), text: of_citation(citation).into_owned() };
                blocks.push((&citation.source_id, block));
            }
        }
    }
    let compacted = |(_, block): (_, PriorBlock)| PriorBlock { text: compact(&block.text), ..block };
    blocks.into_iter().map(compacted).collect()
}

/// Removes the citation marks of a report: their numbers have no meaning in another report.
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
    use precis_extract::CANONICAL_TYPE;
    use precis_proto::SourceId;

    use super::*;
    use crate::report::sample::{citation, report, source};

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
    fn read_documents_come_from_the_archive_unless_given_again() {
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
