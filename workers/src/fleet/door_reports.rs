//! Reports for the HTTP door: rendered, verified and estimated as the commands do it, with the texts of the content store.

use std::collections::BTreeMap;

use precis_door::{Estimate, ReportForm, ReportVerdict, Reporting, Reports};
use precis_proto::Block;
use precis_proto::request::ResearchRequest;
use precis_proto::response::{ReportData, Response};
use precis_proto::source::ContentRef;
use precis_report::verify::{ArchiveReader, Verification, hex_of, verify};
use precis_runtime::config::Settings;
use precis_runtime::content::{ContentError, ContentStore};

use super::door_estimates::estimate_session;
use super::report_zip::report_zip;
use crate::documents::texts::compute;
use crate::report::files;

/// The reports of a fleet.
#[derive(Debug)]
pub(super) struct FleetReports {
    /// Where texts are.
    pub(super) content: ContentStore,
    /// By which sessions are estimated; those of the workers.
    pub(super) settings: Settings,
}

/// The texts that a report names, by the hexadecimal digits of their hashes.
#[derive(Debug, Default)]
struct NamedTexts {
    texts: BTreeMap<String, Vec<u8>>,
    blocks: BTreeMap<String, Vec<Block>>,
}

impl Reports for FleetReports {
    fn render(&self, response: Response, form: ReportForm) -> Reporting<'_, String> {
        Box::pin(async move {
            let Some(data) = response.data else { return Ok(String::new()) };
            let texts = match form {
                ReportForm::Markdown => NamedTexts::default(),
                ReportForm::Html => NamedTexts::of(&self.content, &data).await?,
            };
            Ok(compute(move || render_report(&data, &texts, form)).await)
        })
    }

    fn zip_report(&self, response: Response, most: u64) -> Reporting<'_, Option<Vec<u8>>> {
        Box::pin(async move { report_zip(&self.content, &response, most).await })
    }

    fn verify(&self, response: Response) -> Reporting<'_, ReportVerdict> {
        Box::pin(async move {
            let texts = match &response.data {
                Some(data) => NamedTexts::of(&self.content, data).await?,
                None => NamedTexts::default(),
            };
            Ok(compute(move || {
                verdict(&verify(
                    &response,
                    ArchiveReader { text: &|hex| texts.bytes(hex), blocks: &|hex| texts.structure(hex) },
                ))
            })
            .await)
        })
    }

    fn estimate(&self, request: ResearchRequest) -> Reporting<'_, Estimate> {
        Box::pin(estimate_session(&self.settings, &self.content, request))
    }
}

fn render_report(data: &ReportData, texts: &NamedTexts, form: ReportForm) -> String {
    match form {
        ReportForm::Markdown => files::markdown(data),
        ReportForm::Html => {
            let links = texts.texts.keys().map(|hex| (hex.clone(), format!("archive/{hex}"))).collect();
            let text = |hex: &str| String::from_utf8(texts.bytes(hex)?).ok();
            files::page(data, &text, &|hex| texts.structure(hex), &links)
        }
    }
}

fn verdict(found: &Verification) -> ReportVerdict {
    ReportVerdict {
        holds: found.holds(),
        citations_proved: found.citations_proved as u64,
        texts_proved: found.texts_proved as u64,
        is_sealed: found.is_sealed,
        mismatches: found.mismatches.iter().map(ToString::to_string).collect(),
    }
}

impl NamedTexts {
    /// Reads the texts of the sources of `data`, with their structure. What is gone is left out.
    ///
    /// # Errors
    /// [`ContentError`] of the content store as a whole.
    async fn of(content: &ContentStore, data: &ReportData) -> Result<Self, ContentError> {
        let mut named = Self::default();
        for row in &data.sources {
            let Some(hash) = row.source_text_hash.as_deref() else { continue };
            let Some(bytes) = there(content, hash).await? else { continue };
            let blocks = match &row.blocks {
                Some(blocks) => there(content, &blocks.to_string()).await?,
                None => None,
            };
            let hex = hex_of(hash).to_owned();
            if let Some(blocks) = blocks.and_then(|json| serde_json::from_slice::<Vec<Block>>(&json).ok()) {
                named.blocks.insert(hex.clone(), blocks);
            }
            named.texts.insert(hex, bytes.to_vec());
        }
        Ok(named)
    }

    fn bytes(&self, hex: &str) -> Option<Vec<u8>> {
        self.texts.get(hex).cloned()
    }

    fn structure(&self, hex: &str) -> Option<Vec<Block>> {
        self.blocks.get(hex).cloned().filter(|blocks| !blocks.is_empty())
    }
}

/// The content with the hash `name`; `None` if it is not there, or is not what its name says.
async fn there(content: &ContentStore, name: &str) -> Result<Option<bytes::Bytes>, ContentError> {
    let Ok(reference) = name.parse::<ContentRef>() else { return Ok(None) };
    match content.get(&reference).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_outage() => Err(error),
        Err(_) => Ok(None),
    }
}
