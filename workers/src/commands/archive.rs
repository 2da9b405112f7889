//! `precis archive`: texts behind the quotes of a report, got back, and old ones removed.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_proto::SourceId;
use precis_proto::response::{Response, SourceRow};
use precis_proto::source::ContentRef;
use precis_runtime::archive::{Archive, ArchivedText};
use precis_runtime::clock::Clock;

use super::verify::report_bytes;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::report::directory::{ARCHIVE, REPORT_JSON};

/// Where `precis run` puts its report unless told otherwise.
const USUAL_OUT: &str = "precis-out";

/// Arguments of `precis archive`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis archive get contract.pdf                               # of the report in precis-out
  precis archive get contract-1f0a9c3e --dir report --out contract.txt
  precis archive get contract-1f0a9c3e --session s-0f3a         # of a fleet's session
  precis archive clean --dir /var/lib/precis-archive --older-than 72 --yes")]
pub struct ArchiveCommand {
    /// What to do.
    #[command(subcommand)]
    pub what: ArchiveWhat,
}

/// What `precis archive` does.
#[derive(Debug, clap::Subcommand)]
pub enum ArchiveWhat {
    /// Print the text of a source, as it was read; proved against its hash first
    Get(GetArgs),
    /// Remove texts that have outlived their time
    Clean(CleanArgs),
}

/// Arguments of `precis archive get`.
#[derive(Debug, clap::Args)]
pub struct GetArgs {
    /// The source: its title or path as the report shows it, or its id
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// A session of a fleet
    #[arg(long, value_name = "ID", conflicts_with = "dir")]
    pub session: Option<String>,
    /// The report's directory, or that of an archive [default: research_archive_dir, else precis-out]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Write the text into this file
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis archive clean`.
#[derive(Debug, clap::Args)]
pub struct CleanArgs {
    /// The report's directory, or that of an archive [default: research_archive_dir, else precis-out]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Remove what was last kept more than this many hours ago [default: content_archive_ttl_hours]
    #[arg(long, value_name = "HOURS")]
    pub older_than: Option<u64>,
    /// Remove them without asking; needed where nobody can be asked
    #[arg(long, short)]
    pub yes: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Does what was asked.
#[must_use]
pub fn run(what: &ArchiveWhat) -> Exit {
    super::finish(match what {
        ArchiveWhat::Get(args) => get(args),
        ArchiveWhat::Clean(args) => clean(args),
    })
}

fn get(args: &GetArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let text = super::block_on(async {
        match &args.session {
            Some(session) => of_session(&settings, &super::session_id(session)?, &args.source).await,
            None => {
                let dir = place(args.dir.as_deref(), settings.archive.dir.as_deref());
                of_archive(&dir, &named(&beside(&dir, args.dir.as_deref()), &args.source)?).await
            }
        }
    })?;
    match &args.out {
        Some(path) => std::fs::write(path, &text)
            .map_err(|e| CommandFailure::new(Exit::Failed, "output_failed", format!("write {}: {e}", path.display()))),
        None => {
            let mut out = std::io::stdout().lock();
            // A file or another program gets the bytes that were proved; a terminal gets nothing that steers it.
            let text = shown(text, out.is_terminal());
            // A reader that is gone has read enough.
            let _ = out.write_all(&text).and_then(|()| out.flush());
            Ok(())
        }
    }
}

/// The bytes of a text for a terminal, or for anything else.
fn shown(text: Vec<u8>, is_terminal: bool) -> Vec<u8> {
    if is_terminal { terminal::printable(&String::from_utf8_lossy(&text)).into_bytes() } else { text }
}

/// The sources of the report that an archive belongs to; none where no report is beside it.
fn beside(archive: &Path, given: Option<&Path>) -> Vec<SourceRow> {
    let dirs = given.into_iter().chain(archive.parent()).chain([Path::new(USUAL_OUT)]);
    let read = |dir: &Path| report_bytes(&dir.join(REPORT_JSON)).ok();
    let report = dirs.filter_map(read).find_map(|bytes| serde_json::from_slice::<Response>(&bytes).ok());
    report.and_then(|report| report.data).map_or_else(Vec::new, |data| data.sources)
}

/// The id of the source that `wanted` is the id, title or path of.
fn named(sources: &[SourceRow], wanted: &str) -> Result<SourceId, CommandFailure> {
    let is_meant = |row: &&SourceRow| row.title == wanted || row.path.as_deref() == Some(wanted);
    let found: Vec<&SourceRow> = match sources.iter().find(|row| row.source_id.as_str() == wanted) {
        Some(row) => vec![row],
        None => sources.iter().filter(is_meant).collect(),
    };
    match found[..] {
        // The text of a copy is that of the source it is a copy of.
        [row] => {
            Ok(row.failure.as_ref().and_then(|failure| failure.of.clone()).unwrap_or_else(|| row.source_id.clone()))
        }
        [] => SourceId::new(wanted).map_err(|_| {
            CommandFailure::new(Exit::Refused, "not_archived", format!("the report has no source `{wanted}`"))
        }),
        _ => {
            let ids: Vec<&str> = found.iter().map(|row| row.source_id.as_str()).collect();
            let message = format!("`{wanted}` is the title of {} sources", found.len());
            Err(CommandFailure::new(Exit::Usage, "ambiguous_source", message)
                .with_remedy(format!("name one: {}", ids.join(", "))))
        }
    }
}

/// The newest text of `source` in the archive at `dir`.
async fn of_archive(dir: &Path, source: &SourceId) -> Result<Vec<u8>, CommandFailure> {
    let failed = |e: std::io::Error| {
        let message = format!("read the text of {source} in {}: {e}", dir.display());
        CommandFailure::new(Exit::Failed, "archive_unreadable", message)
    };
    let archive = Archive::reading(dir.to_owned()).map_err(failed)?;
    let filed = archive.filed(source).await.map_err(failed)?;
    let Some(ArchivedText { hex, .. }) = filed.into_iter().max_by_key(|filed| filed.archived_at) else {
        return Err(not_kept(source, &dir.display().to_string()));
    };
    let text = archive.get(source, &hex).await.map_err(failed)?;
    text.ok_or_else(|| not_kept(source, &dir.display().to_string()))
}

/// The text of `source` as a session of a fleet has read it, out of the content store.
async fn of_session(
    settings: &precis_runtime::config::Settings,
    session: &precis_proto::SessionId,
    wanted: &str,
) -> Result<Vec<u8>, CommandFailure> {
    let content = crate::fleet::content(settings)?;
    let failed = |e: String| CommandFailure::new(Exit::Unreachable, "content_unavailable", e);
    let result = crate::fleet::result(&content, session).await.map_err(|e| failed(e.to_string()))?;
    let data = result.and_then(|response| response.data);
    let data = data.ok_or_else(|| {
        CommandFailure::new(Exit::Refused, "unknown_session", format!("there is no report of session {session}"))
    })?;
    let source = &named(&data.sources, wanted)?;
    let row = data.sources.iter().find(|row| &row.source_id == source);
    let name: Option<ContentRef> = row.and_then(|row| row.source_text_hash.as_ref()?.parse().ok());
    let name = name.ok_or_else(|| not_kept(source, &format!("session {session}")))?;
    // Proved against its hash by the store.
    content.get(&name).await.map(|bytes| bytes.to_vec()).map_err(|e| failed(e.to_string()))
}

fn not_kept(source: &SourceId, place: &str) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "not_archived", format!("{place} holds no text of {source}"))
        .with_remedy("name a source as the report lists it; --dir names its directory or that of the archive")
}

fn clean(args: &CleanArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let dir = place(args.dir.as_deref(), settings.archive.dir.as_deref());
    let hours = args.older_than.unwrap_or(settings.archive.ttl_hours);
    let failed = |e: std::io::Error| {
        CommandFailure::new(Exit::Failed, "archive_failed", format!("clean the archive {}: {e}", dir.display()))
    };
    let archive = Archive::reading(dir.clone()).map_err(failed)?;
    if !args.yes && !agreed(&dir, hours)? {
        return terminal::print("nothing was removed\n");
    }
    let now = Clock::system().now();
    let removed = super::block_on(async { archive.remove_older_than(hours, now).await.map_err(failed) })?;
    terminal::print(&format!("{removed} texts older than {hours} hours removed from {}\n", dir.display()))
}

/// Asks whether to remove the proof of quotes.
///
/// # Errors
/// Where nobody can be asked.
fn agreed(dir: &Path, hours: u64) -> Result<bool, CommandFailure> {
    let what = format!("texts older than {hours} hours in {}", dir.display());
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let failure = CommandFailure::new(
            Exit::Usage,
            "not_confirmed",
            format!("{what} would be removed, and nobody can be asked"),
        );
        return Err(failure.with_remedy("--yes removes them; quotes that stand on them can then no longer be proved"));
    }
    let question = format!("Remove {what}? Quotes that stand on them can then no longer be proved. [y/N] ");
    let _ = write!(std::io::stderr(), "{}", terminal::printable(&question));
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The archive that is meant: beside a report where there is one in the directory.
fn place(given: Option<&Path>, configured: Option<&Path>) -> PathBuf {
    let dir = match (given, configured) {
        (Some(given), _) => given,
        (None, Some(configured)) => return configured.to_owned(),
        (None, None) => Path::new(USUAL_OUT),
    };
    let beside = dir.join(ARCHIVE);
    if beside.is_dir() { beside } else { dir.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_steers_no_terminal_and_reaches_a_file_as_it_is() {
        let text = "a\u{1b}[2Jb\u{9b}c\u{202e}\n".as_bytes().to_vec();
        assert_eq!(shown(text.clone(), true), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}\n".as_bytes());
        assert_eq!(shown(text.clone(), false), text);
    }
}
