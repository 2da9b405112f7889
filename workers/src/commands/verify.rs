//! `precis verify`: proves a report against its archive, offline.

use std::path::{Path, PathBuf};

use precis_distill::verify::{Verification, verify_value};
use serde_json::Value;

use crate::archived::ArchivedTexts;
use crate::cli::VerifyArgs;
use crate::exit::{Exit, Failure};
use crate::output::{ARCHIVE, REPORT_JSON};
use crate::terminal;

/// Checks the report and says what was found: one line where it holds, one line per kind of mismatch where it does not.
#[must_use]
pub fn run(args: &VerifyArgs) -> Exit {
    match read(args) {
        Ok((report, archive)) => judge(args, &report, &archive),
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

fn read(args: &VerifyArgs) -> Result<(Value, ArchivedTexts), Failure> {
    let path = if args.report.is_dir() { args.report.join(REPORT_JSON) } else { args.report.clone() };
    let refused = |message: String| Failure::new(Exit::Refused, "unreadable_report", message);
    let bytes = std::fs::read(&path).map_err(|e| refused(format!("read report {}: {e}", path.display())))?;
    let report =
        serde_json::from_slice(&bytes).map_err(|e| refused(format!("{} is not a report: {e}", path.display())))?;
    let dir = args.archive.clone().unwrap_or_else(|| beside(&path));
    let archive = ArchivedTexts::open(&dir).map_err(|e| {
        let failure = refused(format!("read archive {}: {e}", dir.display()));
        failure.with_remedy("name the directory of the archived texts with --archive")
    })?;
    Ok((report, archive))
}

fn beside(report: &Path) -> PathBuf {
    report.parent().unwrap_or(Path::new("")).join(ARCHIVE)
}

fn judge(args: &VerifyArgs, report: &Value, archive: &ArchivedTexts) -> Exit {
    let found = verify_value(report, &|hex| archive.bytes(hex));
    let exit = if found.holds() { Exit::Ok } else { Exit::Failed };
    let text = if args.json { as_json(&found) } else { as_text(&found) };
    if args.quiet {
        return exit;
    }
    match terminal::print(&text) {
        Ok(()) => exit,
        Err(failure) => super::finish(Err(failure)),
    }
}

fn as_text(found: &Verification) -> String {
    let mut text = String::new();
    for (mismatch, count) in found.first_of_each_kind() {
        let more = if count > 1 { format!(" (and {} more like it)", count - 1) } else { String::new() };
        text.push_str(&terminal::printable(&format!("mismatch: {mismatch}{more}\n")));
    }
    let verdict = if found.holds() { "proved" } else { "NOT PROVED" };
    let Verification { citations_proved, texts_proved, ledger_rows, sources_accounted, .. } = found;
    text.push_str(&format!(
        "{verdict}: {citations_proved} citations stand in the archive, {texts_proved} archived texts hash to their names, \
         {ledger_rows} ledger rows checked, {sources_accounted} sources accounted for\n"
    ));
    text
}

fn as_json(found: &Verification) -> String {
    let value = serde_json::json!({
        "holds": found.holds(),
        "mismatches": found.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "citations_proved": found.citations_proved,
        "texts_proved": found.texts_proved,
        "ledger_rows": found.ledger_rows,
        "sources_accounted": found.sources_accounted,
    });
    format!("{value:#}\n")
}
