//! The files of a report: one for programs, one for editors, one for browsers.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::Block;
use precis_proto::response::{ReportData, Response};
use precis_report::rendering::{context, html, markdown};
use precis_report::verify::hex_of;

use crate::report::archive::ArchivedTexts;
use crate::report::names::{REPORT_HTML, REPORT_JSON, REPORT_MD};

/// Returns the response envelope as indented JSON with a final line break.
#[must_use]
pub fn json(response: &Response) -> String {
    to_indented_json(response)
}

/// Serializes a value as indented JSON with a final line break.
#[must_use]
pub fn to_indented_json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("values of ours have string keys and finite numbers");
    text + "\n"
}

/// Returns name and content of each file of the report. Quotes are shown in the context of their texts in `archive`, or without context
/// if the text is missing there. `links` are the addresses of the texts that lie next to the page.
#[must_use]
pub fn files(
    response: &Response,
    data: &ReportData,
    archive: &ArchivedTexts,
    links: &BTreeMap<String, String>,
) -> Vec<(&'static str, String)> {
    vec![(REPORT_MD, markdown(data)), (REPORT_HTML, html(data, archive, links)), (REPORT_JSON, json(response))]
}

/// Renders `report.md` from `data` alone.
#[must_use]
pub fn markdown(data: &ReportData) -> String {
    markdown::render(data, &data.warning_details)
}

/// Renders `report.html` from `data`, the texts of `archive`, and `links`, the addresses of texts next to the page.
#[must_use]
pub fn html(data: &ReportData, archive: &ArchivedTexts, links: &BTreeMap<String, String>) -> String {
    page(data, &|hex| archive.text(hex), &|hex| archive.blocks(hex), links)
}

/// Renders `report.html` from `data`, from the texts and structures that `text` and `blocks` return for the hexadecimal digits of a hash,
/// and from `links` as [`html()`].
#[must_use]
pub fn page(
    data: &ReportData,
    text: &dyn Fn(&str) -> Option<String>,
    blocks: &dyn Fn(&str) -> Option<Vec<Block>>,
    links: &BTreeMap<String, String>,
) -> String {
    let hashes: BTreeSet<&str> = data.citations.iter().map(|citation| hex_of(&citation.source_text_hash)).collect();
    let texts: BTreeMap<&str, String> = hashes.iter().filter_map(|hex| Some((*hex, text(hex)?))).collect();
    let blocks: BTreeMap<&str, Vec<Block>> = hashes.iter().filter_map(|hex| Some((*hex, blocks(hex)?))).collect();
    let contexts = context::contexts(&data.citations, &|hex| texts.get(hex).map(String::as_str), &|hex| {
        blocks.get(hex).map(Vec::as_slice)
    });
    html::render(data, &data.warning_details, &contexts, links)
}
