//! Research over indexed folders: the strategy's searches answered by the indexes, and what it found put into the report.

use std::collections::BTreeMap;
use std::path::PathBuf;

use precis_corpus::{Corpus, Documents, Place, Query};
use precis_distill::report::answer_line;
use precis_distill::research::{self, Chosen, Frequency, Hit, Search, SearchFailure};
use precis_proto::SourceId;
use precis_proto::research::Research;
use precis_proto::response::ReportData;
use precis_proto::source::DUPLICATE;

use crate::embedded::InputOrigin;
use crate::input::Collected;

/// What ranks of several folders are fused with (reciprocal rank fusion, Cormack et al. 2009).
const FUSION: f64 = 60.0;

/// The indexes of the folders that are searched.
#[derive(Debug)]
pub struct Folders {
    folders: Vec<Folder>,
}

#[derive(Debug)]
struct Folder {
    root: PathBuf,
    /// Before the paths of its documents; empty where only one folder is searched.
    prefix: String,
    corpus: Corpus,
}

impl Folders {
    /// The indexes that were opened, each with its place. Documents of several folders are told apart by the folder's name.
    #[must_use]
    pub fn new(opened: Vec<(Place, Corpus)>) -> Self {
        let is_one = opened.len() == 1;
        let mut folders: Vec<Folder> = Vec::new();
        for (place, corpus) in opened {
            let root = place.folder().to_owned();
            let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let taken = |prefix: &str| folders.iter().any(|folder| folder.prefix == prefix);
            let mut prefix = if is_one { String::new() } else { format!("{name}/") };
            let mut n = 2;
            while !is_one && taken(&prefix) {
                prefix = format!("{name}-{n}/");
                n += 1;
            }
            folders.push(Folder { root, prefix, corpus });
        }
        Self { folders }
    }

    /// Where a document lies, by the name that the strategy knows it under.
    #[must_use]
    pub fn file(&self, document: &str) -> Option<PathBuf> {
        let folder = self.folders.iter().find(|folder| document.starts_with(&folder.prefix))?;
        Some(folder.root.join(&document[folder.prefix.len()..]))
    }
}

impl Folder {
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, SearchFailure> {
        let query = Query { text: query, limit, documents: Documents::All };
        let found = self.corpus.search(&query).map_err(|error| SearchFailure::Failed(error.to_string()))?;
        let hit = |hit: precis_corpus::Hit| Hit {
            document: format!("{}{}", self.prefix, hit.path),
            title: hit.title,
            headings: hit.headings,
            range: hit.range,
            text: hit.text,
            score: hit.score,
            source_text_hash: hit.source_text_hash.to_string(),
        };
        Ok(found.into_iter().map(hit).collect())
    }
}

impl Search for Folders {
    fn search(&mut self, query: &str, limit: usize) -> Result<Vec<Hit>, SearchFailure> {
        if let [folder] = &self.folders[..] {
            return folder.search(query, limit);
        }
        // Scores of two indexes cannot be compared: each counts its own words. Ranks can.
        let mut fused: Vec<(f64, Hit)> = Vec::new();
        for folder in &self.folders {
            let hits = folder.search(query, limit)?;
            fused.extend(hits.into_iter().zip(1..).map(|(hit, rank)| (1.0 / (FUSION + f64::from(rank)), hit)));
        }
        fused.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.document.cmp(&b.1.document)));
        Ok(fused.into_iter().take(limit).map(|(score, hit)| Hit { score, ..hit }).collect())
    }

    fn frequency(&self, term: &str) -> Option<Frequency> {
        let mut all = Frequency { holding: 0, of: 0 };
        for folder in &self.folders {
            let (holding, of) = folder.corpus.frequency(term).ok()?;
            all = Frequency { holding: all.holding + holding as u64, of: all.of + of as u64 };
        }
        Some(all)
    }
}

/// What a run reads that was found and not given: files, how each is named, and what found it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The course of the research.
    pub research: Research,
    /// By the file without links: the path within its folder, and the searches that found it.
    pub files: BTreeMap<PathBuf, Named>,
    /// Each document that was chosen, with the hits counted as read in it.
    chosen: Vec<(String, u32)>,
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Path within the folder that was searched.
    pub path: String,
    /// The searches that found it.
    pub found_by: Vec<String>,
}

impl Found {
    /// The files of what was `chosen`; one that is gone since it was indexed has none, and counts as not read.
    #[must_use]
    pub fn new(research: Research, chosen: &[Chosen], folders: &Folders) -> Self {
        let file = |one: &Chosen| {
            let real = folders.file(&one.document)?.canonicalize().ok()?;
            Some((real, Named { path: one.document.clone(), found_by: one.found_by.clone() }))
        };
        let hits = |one: &Chosen| (one.document.clone(), one.hits);
        let files = chosen.iter().filter_map(file).collect();
        Self { research, files, chosen: chosen.iter().map(hits).collect() }
    }

    /// Names the files that were found by their path in the folder they were found in; nobody asked for them by name. Gives the
    /// searches that found each source.
    pub fn name(&self, collected: &mut Collected) -> BTreeMap<SourceId, Vec<String>> {
        let mut found_by = BTreeMap::new();
        for source in &collected.sources {
            let InputOrigin::File { path, .. } = &source.origin else { continue };
            if let Some(named) = self.files.get(path) {
                collected.paths.insert(source.source_id.clone(), named.path.clone());
                collected.named.remove(&source.source_id);
                found_by.insert(source.source_id.clone(), named.found_by.clone());
            }
        }
        found_by
    }

    /// Puts the course into a report. Hits in a document that was chosen and could not be read have failed.
    pub fn tell(mut self, data: &mut ReportData, found_by: &BTreeMap<SourceId, Vec<String>>) {
        for row in &mut data.sources {
            row.found_by = found_by.get(&row.source_id).cloned().unwrap_or_default();
        }
        let is_read = |document: &str| {
            let mut rows = data.sources.iter().filter(|row| row.path.as_deref() == Some(document));
            rows.any(|row| row.failure.as_ref().is_none_or(|failure| failure.code == DUPLICATE))
        };
        for (_, hits) in self.chosen.iter().filter(|(document, _)| !is_read(document)) {
            research::unread(&mut self.research, *hits);
        }
        if let Some(answer) = data.answer.as_mut() {
            research::agree(&mut self.research, answer);
            answer.line = answer_line(&data.query, answer, data.citations.len());
        }
        data.research = Some(self.research);
    }
}
