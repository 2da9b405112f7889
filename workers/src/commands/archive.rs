//! `precis archive`: prints the archived text of a source, or removes old texts.

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
use crate::report::names::{ARCHIVE, REPORT_JSON};

/// The default output directory of `precis run`.
const USUAL_OUT: &str = "precis-out";

/// Arguments of `precis archive`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis archive get contract.pdf                               # of the report in precis-out
  precis archive get contract-1f0a9c3e --dir report --out contract.txt
  precis archive get contract-1f0a9c3e --session s-0f3a         # of a session of a fleet
  precis archive clean --dir /var/lib/precis-archive --older-than 72 --yes")]
pub struct ArchiveCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: ArchiveWhat,
}

/// The subcommands of `precis archive`.
#[derive(Debug, clap::Subcommand)]
pub enum ArchiveWhat {
    /// Print the text of a source as it was read, after checking its hash
    Get(GetArgs),
    /// Remove texts older than the retention time
    Clean(CleanArgs),
}

/// Arguments of `precis archive get`.
#[derive(Debug, clap::Args)]
pub struct GetArgs {
    /// The source: its title or path as shown in the report, or its id
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// A session of a fleet
    #[arg(long, value_name = "ID", conflicts_with = "dir")]
    pub session: Option<String>,
    /// The directory of a report or of an archive [default: research_archive_dir, else precis-out]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Write the text to this file, byte for byte as it was hashed; standard output ends with a line break
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis archive clean`.
#[derive(Debug, clap::Args)]
pub struct CleanArgs {
    /// The directory of a report or of an archive [default: research_archive_dir, else precis-out]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// Remove texts last archived more than this many hours ago [default: content_archive_ttl_hours]
    #[arg(long, value_name = "HOURS")]
    pub older_than: Option<u64>,
    /// Remove them without asking; required if there is no terminal
    #[arg(long, short)]
    pub yes: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Runs the subcommand.
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
            Some(session) => read_from_session(&settings, &super::session_id(session)?, &args.source).await,
            None => {
                let dir = place(args.dir.as_deref(), settings.archive.dir.as_deref());
                read_from_archive(&dir, &source_named(&sources_next_to(&dir, args.dir.as_deref()), &args.source)?).await
            }
        }
    })?;
    match &args.out {
        Some(path) => std::fs::write(path, &text)
            .map_err(|e| CommandFailure::new(Exit::Failed, "output_failed", format!("write {}: {e}", path.display()))),
        None => {
            let mut out = std::io::stdout().lock();
            let text = printable_bytes(text, out.is_terminal());
            // A closed pipe is not an error.
            let _ = out.write_all(&text).and_then(|()| out.flush());
            Ok(())
        }
    }
}

/// Returns the bytes to print: the text, without control characters if it goes to a terminal, and a line break at its end.
/// `--out` writes the exact bytes whose hash was checked.
fn printable_bytes(text: Vec<u8>, is_terminal: bool) -> Vec<u8> {
    let mut text = if is_terminal { terminal::printable(&String::from_utf8_lossy(&text)).into_bytes() } else { text };
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text
}

/// Returns the sources of the report next to an archive; empty if there is none.
fn sources_next_to(archive: &Path, given: Option<&Path>) -> Vec<SourceRow> {
    let dirs = given.into_iter().chain(archive.parent()).chain([Path::new(USUAL_OUT)]);
    let read = |dir: &Path| report_bytes(&dir.join(REPORT_JSON)).ok();
    let report = dirs.filter_map(read).find_map(|bytes| serde_json::from_slice::<Response>(&bytes).ok());
    report.and_then(|report| report.data).map_or_else(Vec::new, |data| data.sources)
}

/// Returns the id of the source whose id, title or path is `wanted`.
fn source_named(sources: &[SourceRow], wanted: &str) -> Result<SourceId, CommandFailure> {
    let is_meant = |row: &&SourceRow| row.title == wanted || row.path.as_deref() == Some(wanted);
    let found: Vec<&SourceRow> = match sources.iter().find(|row| row.source_id.as_str() == wanted) {
        Some(row) => vec![row],
        None => sources.iter().filter(is_meant).collect(),
    };
    match found[..] {
        // A duplicate has no text of its own: the text is archived under the source it duplicates.
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
                .with_remedy(format!("pass one of their ids: {}", ids.join(", "))))
        }
    }
}

/// Reads the newest text of `source` in the archive at `dir`.
async fn read_from_archive(dir: &Path, source: &SourceId) -> Result<Vec<u8>, CommandFailure> {
    let failed = |e: std::io::Error| {
        let message = format!("read the text of {source} in {}: {e}", dir.display());
        CommandFailure::new(Exit::Failed, "archive_unreadable", message)
    };
    let archive = Archive::reading(dir.to_owned()).map_err(failed)?;
    let filed = archive.texts_of(source).await.map_err(failed)?;
    let Some(ArchivedText { hex, .. }) = filed.into_iter().max_by_key(|filed| filed.archived_at) else {
        return Err(not_kept(source, &dir.display().to_string()));
    };
    let text = archive.get(source, &hex).await.map_err(failed)?;
    text.ok_or_else(|| not_kept(source, &dir.display().to_string()))
}

/// Reads the text of a source of a fleet session from the content store.
async fn read_from_session(
    settings: &precis_runtime::config::Settings,
    session: &precis_proto::SessionId,
    wanted: &str,
) -> Result<Vec<u8>, CommandFailure> {
    let content = crate::fleet::content(settings)?;
    let failed = |e: String| CommandFailure::new(Exit::Unreachable, "content_unavailable", e);
    let result = crate::fleet::result(&content, session).await.map_err(|e| failed(e.to_string()))?;
    let data = result.and_then(|response| response.data);
    let data = data.ok_or_else(|| {
        CommandFailure::new(Exit::Refused, "unknown_session", format!("the fleet has no report of session {session}"))
    })?;
    let source = &source_named(&data.sources, wanted)?;
    let row = data.sources.iter().find(|row| &row.source_id == source);
    let name: Option<ContentRef> = row.and_then(|row| row.source_text_hash.as_ref()?.parse().ok());
    let name = name.ok_or_else(|| not_kept(source, &format!("session {session}")))?;
    // The store checks the text against its hash.
    content.get(&name).await.map(|bytes| bytes.to_vec()).map_err(|e| failed(e.to_string()))
}

fn not_kept(source: &SourceId, place: &str) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "not_archived", format!("{place} contains no text of {source}"))
        .with_remedy("pass a source as the report lists it, and the directory of the report or archive with --dir")
}

fn clean(args: &CleanArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let dir = place(args.dir.as_deref(), settings.archive.dir.as_deref());
    let hours = args.older_than.unwrap_or(settings.archive.ttl_hours);
    let failed = |e: std::io::Error| {
        CommandFailure::new(Exit::Failed, "archive_failed", format!("clean the archive {}: {e}", dir.display()))
    };
    let archive = Archive::reading(dir.clone()).map_err(failed)?;
    if !args.yes && !ask_confirmation(&dir, hours)? {
        return terminal::print("nothing was removed\n");
    }
    let now = Clock::system().now();
    let removed = super::block_on(async { archive.remove_older_than(hours, now).await.map_err(failed) })?;
    terminal::print(&format!("{removed} texts older than {hours} hours removed from {}\n", dir.display()))
}

/// Asks for confirmation, because quotes cannot be verified without these texts.
///
/// # Errors
/// [`Exit::Usage`] if there is no terminal to ask on.
fn ask_confirmation(dir: &Path, hours: u64) -> Result<bool, CommandFailure> {
    let texts = format!("texts older than {hours} hours in {}", dir.display());
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let failure = CommandFailure::new(
            Exit::Usage,
            "not_confirmed",
            format!("cannot ask for confirmation to remove {texts}: there is no terminal"),
        );
        return Err(
            failure.with_remedy("pass --yes to remove them; quotes from these texts can then no longer be verified")
        );
    }
    let question = format!("Remove {texts}? Quotes from these texts can then no longer be verified. [y/N] ");
    let _ = write!(std::io::stderr(), "{}", terminal::printable(&question));
    let mut answer = String::new();
    // An answer that cannot be read stays empty, which means no.
    let _ = std::io::stdin().read_line(&mut answer);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Returns the directory of the archive: the one next to the report in the directory if there is one, else the directory itself.
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
    fn a_printed_text_ends_with_one_line_break() {
        for is_terminal in [true, false] {
            for (text, want) in [("a", "a\n"), ("a\n", "a\n"), ("", "\n")] {
                assert_eq!(printable_bytes(text.as_bytes().to_vec(), is_terminal), want.as_bytes(), "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_steers_no_terminal_and_reaches_a_file_as_it_is() {
        let text = "a\u{1b}[2Jb\u{9b}c\u{202e}\n".as_bytes().to_vec();
        assert_eq!(printable_bytes(text.clone(), true), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}\n".as_bytes());
        assert_eq!(printable_bytes(text.clone(), false), text);
    }
}
