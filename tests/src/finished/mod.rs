//! The law of finished reports: `precis verify` and the script in the README accept every report that the program writes, and no citation
//! has a range of its text twice.
//!
//! It is kept where tests get their results, so that no test can forget it: [`crate::program::ended`] checks the folders that a
//! command wrote, [`crate::world::World::wait_for`] and [`crate::world::real::result_of`] the results of sessions in memory, and
//! [`crate::fleet::trial`] those of real workers. Reports that a test forges are written by the test and verified by commands that
//! write nothing, so the law does not see them.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `script` | the script of the README, in one Python process for all reports of a test |
//! | `written` | the folders that a command may have written a report to, and which of them it did |

mod script;
mod written;

use std::path::Path;

use precis_proto::response::Response;
use precis_runtime::content::ContentStore;
use precis_workers::commands::{result, verify};
use tempfile::TempDir;

pub use written::Folders;

/// Checks the report in `dir`, whose texts are in `archive` if they do not lie next to it. A report that keeps no texts, because its user
/// wants no archive, proves nothing and is not checked.
///
/// # Errors
/// What `precis verify` or the script says of it.
pub fn check(dir: &Path, archive: Option<&Path>) -> Result<(), String> {
    let place = archive.map_or_else(|| dir.join("archive"), Path::to_owned);
    if !place.is_dir() && keeps_no_text(dir)? {
        return Ok(());
    }
    let mismatches = verify::mismatches(dir, archive).map_err(|failure| failure.message)?;
    if !mismatches.is_empty() {
        return Err(format!("precis verify: {}", mismatches.join("; ")));
    }
    says_nothing_twice(dir)?;
    script::check(&dir.join("report.json"), &place).map_err(|said| format!("the script of the README: {said}"))
}

/// Whether each range of the texts stands once in a citation: a statement is its ranges, and would say the others twice.
fn says_nothing_twice(dir: &Path) -> Result<(), String> {
    for citation in read(dir)?.data.iter().flat_map(|data| &data.citations) {
        let mut ranges: Vec<_> =
            citation.context.iter().filter(|range| range.at.is_none()).map(|r| r.locator).collect();
        ranges.push(citation.locator);
        let all = ranges.len();
        ranges.sort_by_key(|locator| (locator.range.start, locator.range.end));
        ranges.dedup();
        if ranges.len() < all {
            return Err(format!("citation {} says a range of its text twice", citation.n));
        }
    }
    Ok(())
}

fn read(dir: &Path) -> Result<Response, String> {
    let bytes = std::fs::read(dir.join("report.json")).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

fn keeps_no_text(dir: &Path) -> Result<bool, String> {
    let report = read(dir)?;
    Ok(report.data.is_none_or(|data| data.content_archive_hashes.is_empty()))
}

/// Checks the result `body` of a session whose texts are in `content`, written to a folder as `precis result` does. A failure has no
/// report, and neither has a session of the toy handlers, whose result no version of the program wrote.
///
/// # Errors
/// As [`check`].
pub async fn check_result(body: &[u8], content: &ContentStore) -> Result<(), String> {
    let response: Response = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let Some(data) = response.data.as_ref().filter(|data| data.generated.is_some()) else { return Ok(()) };
    let root = TempDir::new().map_err(|error| error.to_string())?;
    let dir = root.path().join("report");
    result::write((&dir, false), &response, data, content).await.map_err(|failure| failure.message)?;
    check(&dir, None)
}
