//! `precis verify`: verifies a report against its archive, offline.

mod args;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use precis_proto::response::Response;
use precis_report::response::VERSION;
use precis_report::verify::{ArchiveReader, Verification, compare_rendering, hex_of, is_rendered_by, verify_value};
use precis_runtime::files::{FileLimits, Links, open_regular, read_regular};
use serde_json::Value;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::report::archive::{ArchivedTexts, MAX_TEXT_BYTES, links};
use crate::report::names::{ARCHIVE, MAX_REPORT_BYTES, REPORT_HTML, REPORT_JSON, REPORT_MD};
use crate::report::originals::{self, Originals};
use crate::report::{directory, files};

pub use args::VerifyArgs;

/// Most bytes per character in UTF-8.
const CHAR_BYTES: u64 = 4;

/// Verifies the report and prints the result: one line per kind of mismatch, then the verdict and remarks.
#[must_use]
pub fn run(args: &VerifyArgs) -> Exit {
    match read(&args.report, args.archive.as_deref()) {
        Ok(read) => judge(args, &read).unwrap_or_else(|failure| super::finish(Err(failure))),
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

/// Verifies the report at `report`, its directory or its file, as the command does; returns its mismatches, a line each. Its texts are in
/// the directory `archive`, or next to it.
///
/// # Errors
/// The report or its archive cannot be read.
pub fn mismatches(report: &Path, archive: Option<&Path>) -> Result<Vec<String>, CommandFailure> {
    let (found, _) = check_report(&read(report, archive)?);
    Ok(found.mismatches.iter().map(ToString::to_string).collect())
}

/// A report with its archive and directory.
struct ReportFiles {
    report: Value,
    archive: ArchivedTexts,
    /// The directory that contains the report and its pages.
    dir: PathBuf,
}

fn read(report: &Path, archive: Option<&Path>) -> Result<ReportFiles, CommandFailure> {
    let path = if report.is_dir() { report.join(REPORT_JSON) } else { report.to_owned() };
    let refused = |message: String| CommandFailure::new(Exit::Refused, "unreadable_report", message);
    // A report that was being replaced when the program was stopped is finished first: until then its files are those of two reports.
    directory::finish(path.parent().unwrap_or(Path::new("")))?;
    let bytes = report_bytes(&path)?;
    let report: Value =
        serde_json::from_slice(&bytes).map_err(|e| refused(format!("{} is not a report: {e}", path.display())))?;
    let dir = archive.map_or_else(|| archive_next_to(&path), Path::to_owned);
    let data = Response::from_json(&report).ok().and_then(|report| report.data);
    let opened = data.as_ref().map_or_else(|| ArchivedTexts::open(&dir), |data| ArchivedTexts::of_report(&dir, data));
    let archive = match opened {
        // A report for which no document was read has no archive.
        Err(_) if archive.is_none() && archives_nothing(&report) => ArchivedTexts::default(),
        opened => opened.map_err(|e| {
            let failure = refused(format!("read archive {}: {e}", dir.display()));
            failure.with_remedy("pass the directory of the archived texts with --archive")
        })?,
    };
    Ok(ReportFiles { report, archive, dir: path.parent().unwrap_or(Path::new("")).to_owned() })
}

/// Returns whether no source of the report has a text.
fn archives_nothing(report: &Value) -> bool {
    let rows = report["data"]["sources"].as_array();
    let has_text = |row: &Value| !row["source_text_hash"].is_null();
    rows.is_some_and(|rows| !rows.iter().any(has_text))
}

/// Reads a report file of limited size. The path is user input: a pipe or a device without an end is refused.
///
/// # Errors
/// [`Exit::Refused`] if it is not a readable regular file, or too large.
pub(super) fn report_bytes(path: &Path) -> Result<Vec<u8>, CommandFailure> {
    read_regular(path, Links::Followed, FileLimits::bytes(MAX_REPORT_BYTES)).map_err(|e| {
        CommandFailure::new(Exit::Refused, "unreadable_report", format!("read report {}: {e}", path.display()))
    })
}

/// Returns a reader of the archived texts that reads no more of a text than the length in the report allows: an archive file may be
/// of any size.
fn bounded_reader<'a>(report: &Value, archive: &'a ArchivedTexts) -> impl Fn(&str) -> Option<Vec<u8>> + 'a {
    let rows = report["data"]["sources"].as_array().into_iter().flatten();
    let limits = rows.filter_map(|row| {
        let limit = row["chars"].as_u64()?.saturating_mul(CHAR_BYTES).min(MAX_TEXT_BYTES);
        Some((hex_of(row["source_text_hash"].as_str()?).to_owned(), limit))
    });
    let limits: BTreeMap<String, u64> = limits.collect();
    // A text that no row of the report lists is still checked against its hash, within the general limit.
    move |hex| archive.bytes_within(hex, limits.get(hex).copied().unwrap_or(MAX_TEXT_BYTES))
}

fn archive_next_to(report: &Path) -> PathBuf {
    report.parent().unwrap_or(Path::new("")).join(ARCHIVE)
}

fn judge(args: &VerifyArgs, read: &ReportFiles) -> Result<Exit, CommandFailure> {
    let (found, pages) = check_report(read);
    let originals = if args.docs.is_empty() { None } else { Some(originals::compare(&read.report, &args.docs)?) };
    let is_unchanged = originals.as_ref().is_none_or(|originals| originals.changed.is_empty());
    let exit = if found.holds() && is_unchanged { Exit::Ok } else { Exit::Failed };
    if !args.quiet {
        let originals = originals.as_ref();
        let text = if args.json { as_json(&found, &pages, originals) } else { as_text(&found, &pages, originals) };
        terminal::print_as(args.json, &text)?;
    }
    Ok(exit)
}

/// Compares the report with its archive, and the pages next to it with its data.
fn check_report(read: &ReportFiles) -> (Verification, PagesResult) {
    let ReportFiles { report, archive, dir } = read;
    let text = bounded_reader(report, archive);
    let mut found = verify_value(report, ArchiveReader { text: &text, blocks: &|hex| archive.blocks(hex) });
    let pages = pages(report, archive, dir, &mut found);
    (found, pages)
}

/// The result of comparing the pages next to the report.
enum PagesResult {
    /// These pages are exactly what the data renders to.
    Proved(Vec<&'static str>),
    /// Another version wrote the report, so this version cannot render its pages for comparison.
    OfVersion(String),
}

/// Renders the pages of the report again and compares the existing ones with the result.
fn pages(report: &Value, archive: &ArchivedTexts, dir: &Path, found: &mut Verification) -> PagesResult {
    let Some(data) = Response::from_json(report).ok().and_then(|report| report.data) else {
        return PagesResult::Proved(Vec::new());
    };
    if !is_rendered_by(&data) {
        return PagesResult::OfVersion(data.generated.map_or_else(|| "an older version".to_owned(), |g| g.version));
    }
    let mut compared = Vec::new();
    let markdown = files::markdown(&data);
    compared.extend(page(&dir.join(REPORT_MD), markdown.len()).map(|page| (REPORT_MD, page, markdown)));
    let links = links(&data);
    let html = files::html(&data, archive, &links);
    if let Some(page) = page(&dir.join(REPORT_HTML), html.len()) {
        let linked = linked_texts(&links, &page);
        let html = if linked == links { html } else { files::html(&data, archive, &linked) };
        compared.push((REPORT_HTML, page, html));
    }
    let mut proved = Vec::new();
    for (name, page, wanted) in compared {
        match compare_rendering(name, &page, &wanted) {
            None => proved.push(name),
            Some(mismatch) => found.mismatches.push(mismatch),
        }
    }
    PagesResult::Proved(proved)
}

/// Those of `links` that `page` contains: a text that was missing when the page was written is not linked, and with a shared archive none
/// is.
fn linked_texts(links: &BTreeMap<String, String>, page: &[u8]) -> BTreeMap<String, String> {
    let page = String::from_utf8_lossy(page);
    let is_there = |(_, address): &(&String, &String)| page.contains(&format!("href=\"{address}\""));
    links.iter().filter(is_there).map(|(hex, address)| (hex.clone(), address.clone())).collect()
}

/// Reads a page, at most one byte more than `longest`; `None` if there is no such file.
fn page(path: &Path, longest: usize) -> Option<Vec<u8>> {
    // Opened before it is looked at: between a look and an opening it could be replaced by a link or a pipe.
    let page = open_regular(path, Links::OnTheWay).ok()?;
    let mut bytes = Vec::new();
    page.take(longest as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn as_text(found: &Verification, pages: &PagesResult, originals: Option<&Originals>) -> String {
    let mut text = String::new();
    if let Some(Originals { unchanged, changed, absent }) = originals {
        for id in changed {
            let line = format!("mismatch: the document of {id} has changed since it was read\n");
            text.push_str(&terminal::printable(&line));
        }
        text.push_str(&format!(
            "documents: {unchanged} unchanged since they were read, {} changed, {absent} not found\n",
            changed.len()
        ));
    }
    for (mismatch, count) in found.first_of_each_kind() {
        let more = if count > 1 { format!(" (and {} more like it)", count - 1) } else { String::new() };
        text.push_str(&terminal::printable(&format!("mismatch: {mismatch}{more}\n")));
    }
    let verdict = if found.holds() { "verified" } else { "NOT VERIFIED" };
    let Verification { citations_proved, texts_proved, ledger_rows, sources_accounted, .. } = found;
    text.push_str(&format!(
        "{verdict}: {citations_proved} citations found in the archive, {texts_proved} archived texts match their hashes, \
         {ledger_rows} ledger rows checked, {sources_accounted} sources accounted for\n"
    ));
    for remark in remarks(found, pages) {
        text.push_str(&terminal::printable(&format!("{remark}\n")));
    }
    text
}

/// Returns what else was verified and what was not, one line each.
fn remarks(found: &Verification, pages: &PagesResult) -> Vec<String> {
    let mut remarks = Vec::new();
    remarks.push(match found.is_sealed {
        Some(true) => {
            "the seal matches the data: question, titles, warnings and everything else are as they were written"
                .to_owned()
        }
        Some(false) => "the seal does not match the data".to_owned(),
        None => {
            "no seal: an older version wrote the report; its question, titles and warnings were not checked".to_owned()
        }
    });
    if !found.is_accounted {
        let key = "token_management_enabled = false";
        remarks.push(format!(
            "no ledger: with `{key}` the report does not record how much of each source was used, so this was not checked"
        ));
    }
    remarks.push(match found.statements_proved {
        Some(proved) => format!("{proved} statements match their quotes word for word"),
        None if found.statements_judged > 0 => format!(
            "{} statements written by a model have verdicts; their counts were recomputed, and removed statements were \
             checked to be absent from the report",
            found.statements_judged
        ),
        None => "the statements were written by a model and were not compared with their quotes".to_owned(),
    });
    match found.sentences_uncited {
        0 => {}
        1 => remarks.push("1 sentence has no citation".to_owned()),
        n => remarks.push(format!("{n} sentences have no citation")),
    }
    match pages {
        PagesResult::Proved(names) if names.is_empty() => {}
        PagesResult::Proved(names) => {
            remarks.push(format!("rendered from the data, byte for byte: {}", names.join(" and ")))
        }
        PagesResult::OfVersion(version) => {
            remarks.push(format!("the pages were not compared: {version} wrote the report, this is {VERSION}"));
        }
    }
    remarks
}

fn as_json(found: &Verification, pages: &PagesResult, originals: Option<&Originals>) -> String {
    let compared = if let PagesResult::Proved(names) = pages { Some(names) } else { None };
    let mut value = serde_json::json!({
        "holds": found.holds(),
        "mismatches": found.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "citations_proved": found.citations_proved,
        "texts_proved": found.texts_proved,
        "ledger_rows": found.ledger_rows,
        "sources_accounted": found.sources_accounted,
        "is_accounted": found.is_accounted,
        "is_sealed": found.is_sealed,
        "statements_proved": found.statements_proved,
        "statements_judged": found.statements_judged,
        "sentences_uncited": found.sentences_uncited,
        "pages_proved": compared,
    });
    if let Some(Originals { unchanged, changed, absent }) = originals {
        value["holds"] = (found.holds() && changed.is_empty()).into();
        value["documents"] = serde_json::json!({ "unchanged": unchanged, "changed": changed, "absent": absent });
    }
    format!("{value:#}\n")
}
