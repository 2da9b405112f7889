//! `precis run`: from a question and documents to a report on disk.
//!
//! All input is checked before the engine starts, and the output directory changes only once the whole report is written.

mod args;
mod dry;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use precis_proto::privacy::Privacy;
use precis_proto::response::{ReportData, Response};
use precis_proto::title;
use precis_report::changes;
use precis_report::changes::Changes;
use precis_runtime::config::{LoadedSettings, Provenance, Settings};
use precis_runtime::sandbox;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::local_session::LocalSession;
use crate::assembly::embedded::{self, RunRequest};
use crate::assembly::embedded_error::EmbeddedError;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::research_details::ShownEvent;
use crate::cli::signals::stop_signal;
use crate::cli::{spending, terminal};
use crate::commands::{mark, run_cache};
use crate::input::{CollectedInputs, check_subject, check_url, collect, read_project, read_query};
use crate::report::archive::ArchivedTexts;
use crate::report::closing_summary::{Places, summary};
use crate::report::directory::Output;
use crate::report::files;
use crate::report::follow_up::FollowUpInputs;
use crate::report::names::{CHANGES_JSON, CHANGES_MD};
use crate::report::outcome::{RunOutcome, settle, stated_failure};

pub use args::RunArgs;

/// Events buffered for the display. The engine does not wait for a display that cannot keep up: an event that finds no room is dropped.
const EVENTS: usize = 1_024;
/// How long an interrupted session may take to end in an orderly way.
const GRACE: Duration = Duration::from_secs(5);
/// How long the display may take to show the last events.
const LAST_EVENTS: Duration = Duration::from_secs(1);

/// Runs a session and returns its exit code.
#[must_use]
pub fn run(args: &RunArgs) -> Exit {
    let session = args.session();
    match read_project(args.project.as_deref()) {
        Ok(project_context) => match settings_of(&session) {
            Ok(loaded) => run_after(&session, loaded, FollowUpInputs::from_project(project_context)),
            Err(exit) => exit,
        },
        Err(failure) => super::finish(Err(failure)),
    }
}

/// Loads the settings of a session, for the command that prepares it and for its run.
///
/// # Errors
/// The exit code, with the failure printed.
pub(super) fn settings_of(session: &LocalSession) -> Result<LoadedSettings, Exit> {
    session.settings().map_err(|failure| fail(session, &failure))
}

/// Runs a session that may follow an earlier one.
pub(super) fn run_after(session: &LocalSession, loaded: LoadedSettings, follows: FollowUpInputs) -> Exit {
    attempt(session, loaded, follows).unwrap_or_else(|failure| fail(session, &failure))
}

/// Prints why there is no report.
fn fail(session: &LocalSession, failure: &CommandFailure) -> Exit {
    if session.how.json {
        // The failure itself is printed next; a second failure of standard output adds nothing.
        let _ = terminal::print_json(&files::json(&stated_failure(failure)));
    }
    terminal::print_failure(failure);
    failure.exit
}

fn attempt(
    session: &LocalSession,
    mut loaded: LoadedSettings,
    follows: FollowUpInputs,
) -> Result<Exit, CommandFailure> {
    let becomes_strict = follows.privacy.strict_privacy && stays_strict(&mut loaded);
    remark(session, &loaded, becomes_strict);
    let distrust = if session.how.no_cache { None } else { run_cache::check(&loaded)? };
    distrust.iter().filter(|_| !session.how.quiet).for_each(|warning| terminal::print_warning(warning));
    session.check(!follows.sources.is_empty() || follows.options.research.is_some())?;
    let query = read_query(&session.question)?;
    if follows.options.history.is_empty() && follows.earlier.is_none() {
        check_subject(&query)?;
    }
    session.url.iter().try_for_each(|url| check_url(url))?;
    if session.dry_run {
        return dry::dry_run(session, &settings(loaded), &follows);
    }
    // The last check, because it creates the directory.
    let output = Output::open(&session.out, session.force)?;
    let use_cache = !session.how.no_cache && distrust.is_none();
    let run = PreparedRun { session, settings: settings(loaded), query, output, follows, use_cache };
    let runtime = super::runtime()?;
    let cancel = CancellationToken::new();
    let ended = runtime.block_on(until_interrupted(run.through(embedded::run, cancel.clone()), cancel));
    // Not a plain drop: that would wait for a parser thread that is still reading a document.
    runtime.shutdown_background();
    ended
}

/// Prints what the settings give reason to say before the session begins.
fn remark(session: &LocalSession, loaded: &LoadedSettings, becomes_strict: bool) {
    let (quiet, asks_models) = (session.how.quiet, super::asks_models(&loaded.settings));
    if becomes_strict && asks_models && !quiet {
        terminal::print_warning(
            "strict_privacy is on, as it was for the earlier report; pass --set strict_privacy=false to turn it off",
        );
    }
    if session.verbose {
        terminal::print_aside(&terminal::printable(&format!("{}\n", loaded.files_line())));
    }
    if !quiet {
        loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    }
    if !quiet && (!session.url.is_empty() || asks_models) {
        super::ignored_proxies().iter().for_each(|warning| terminal::print_warning(warning));
    }
}

/// Turns `strict_privacy` on for a question that was asked under it; only a flag of this command turns it off. Returns whether that
/// changed the settings.
fn stays_strict(loaded: &mut LoadedSettings) -> bool {
    let is_named = matches!(loaded.origin("strict_privacy"), Provenance::Flag { .. });
    let changes = !loaded.settings.privacy.is_strict && !is_named;
    loaded.settings.privacy.is_strict |= changes;
    changes
}

/// Returns the settings of a run: unless configured otherwise, it archives the texts and fetches linked PDFs.
fn settings(loaded: LoadedSettings) -> Settings {
    let by_default = |key: &str| loaded.origin(key) == Provenance::Default;
    let (archive, pdfs) = (by_default("content_archive_enabled"), by_default("digest_fetch_pdfs"));
    let mut settings = loaded.settings;
    settings.archive.enabled |= archive;
    settings.digest.fetch_pdfs |= pdfs;
    settings
}

/// A run whose question, settings and output directory have been checked.
#[derive(Debug)]
struct PreparedRun<'a> {
    session: &'a LocalSession,
    settings: Settings,
    query: String,
    output: Output,
    follows: FollowUpInputs,
    /// Whether cached answers are used, and new ones stored.
    use_cache: bool,
}

impl PreparedRun<'_> {
    /// Collects the documents, runs the session with `engine`, and writes the report.
    async fn through<E>(mut self, engine: E, cancel: CancellationToken) -> Result<Exit, CommandFailure>
    where
        E: AsyncFnOnce(
            &Settings,
            RunRequest,
            mpsc::Sender<ShownEvent>,
            CancellationToken,
        ) -> Result<Response, EmbeddedError>,
    {
        let mut progress = Progress::new(ProgressMode::choose(self.session.how.quiet));
        progress.collecting();
        let mut collected = self.collect(cancel.clone()).await?;
        self.session.known.apply(&mut collected.sources)?;
        self.follows.join(&mut collected);
        for source in &mut collected.sources {
            if let Some(cut) = title::cut(&source.title) {
                self.warn(&format!("{cut}: {}", title::cut_warning(&source.title)));
                source.title = cut;
            }
        }
        let archive_dir = self.settings.archive.dir.clone().unwrap_or_else(|| self.output.archive_dir());
        let request = RunRequest {
            query: self.query.clone(),
            sources: collected.sources.clone(),
            options: self.follows.options.clone(),
            shelves: std::mem::take(&mut self.follows.shelves),
            pages: std::mem::take(&mut self.follows.pages),
            archive_dir: archive_dir.clone(),
            use_cache: self.use_cache,
        };
        let (events, inbox) = mpsc::channel(EVENTS);
        let screen = tokio::spawn(progress.follow(inbox));
        let result = engine(&self.settings, request, events, cancel.clone()).await;
        // The engine has dropped its sender, so the display ends by itself; a blocked terminal must not hold back the report.
        let _ = tokio::time::timeout(LAST_EVENTS, screen).await;
        if sandbox::is_unfiltered() {
            self.warn("documents were parsed without a system call filter; run `precis doctor` for details");
        }
        let mut response = match result {
            Ok(response) => response,
            Err(_) if cancel.is_cancelled() => return Err(interrupted_failure()),
            Err(error) => return Err(CommandFailure::new(error.exit_code(), "session_failed", error.to_string())),
        };
        if let Some(data) = &mut response.data {
            let strict_privacy = self.settings.privacy.is_strict;
            data.privacy = Some(Privacy { strict_privacy, ..self.follows.privacy });
        }
        self.conclude(settle(response, &collected), &archive_dir)
    }

    /// Prints a warning, unless only errors are to be printed.
    fn warn(&self, message: &str) {
        if !self.session.how.quiet {
            terminal::print_warning(message);
        }
    }

    async fn collect(&self, cancel: CancellationToken) -> Result<CollectedInputs, CommandFailure> {
        if self.session.docs.is_empty() && self.session.url.is_empty() {
            // Only a follow-up run has documents without any on the command line.
            return Ok(CollectedInputs::default());
        }
        let (docs, urls, out) = (self.session.docs.clone(), self.session.url.clone(), self.session.out.clone());
        let max_bytes = self.settings.extraction.max_bytes;
        let work = tokio::task::spawn_blocking(move || collect(&docs, &urls, max_bytes, Some(&out), &cancel));
        work.await.unwrap_or_else(|e| {
            Err(CommandFailure::new(Exit::Failed, "collect_failed", format!("collect documents: {e}")))
        })
    }

    /// Writes the report and prints the closing summary.
    fn conclude(self, outcome: RunOutcome, archive_dir: &Path) -> Result<Exit, CommandFailure> {
        let (mut response, exit) = match outcome {
            RunOutcome::Report { response, exit } => (response, exit),
            RunOutcome::Nothing { response, failure } => return self.nothing(&response, &failure),
        };
        mark::add(&mut response, self.session.how.quiet);
        let Some(data) = &response.data else { return Ok(exit) };
        let archive = ArchivedTexts::of_report(archive_dir, data).unwrap_or_default();
        // A shared archive is outside the report directory: links to it would break when the report is moved.
        let is_beside = archive_dir == self.output.archive_dir();
        let links = if is_beside { archive.links(data) } else { BTreeMap::new() };
        for (name, text) in files::files(&response, data, &archive, &links) {
            self.output.write(name, text.as_bytes())?;
        }
        let mut output_text = if self.session.how.json { files::json(&response) } else { self.closing_summary(data) };
        if let Some(earlier) = &self.follows.earlier {
            let changes = Changes::between(earlier, data);
            self.output.write(CHANGES_MD, changes::markdown(&changes).as_bytes())?;
            let json = files::to_indented_json(&changes);
            self.output.write(CHANGES_JSON, json.as_bytes())?;
            output_text =
                if self.session.how.json { json } else { format!("{output_text}{}\n", changes::line(&changes)) };
        }
        if self.session.verbose {
            terminal::print_aside(&spending::table(&data.token_usage));
        }
        let quiet = self.session.how.quiet && !self.session.how.json;
        // Published before anything is printed: a closed standard output must not cost the report.
        self.output.publish()?;
        if !quiet {
            terminal::print_as(self.session.how.json, &output_text)?;
        }
        Ok(exit)
    }

    fn nothing(&self, response: &Response, failure: &CommandFailure) -> Result<Exit, CommandFailure> {
        if self.session.how.json {
            terminal::print_json(&files::json(response))?;
        }
        terminal::print_failure(failure);
        Ok(failure.exit)
    }

    fn closing_summary(&self, data: &ReportData) -> String {
        let archive = self.settings.archive.dir.as_deref();
        summary(data, &Places { dir: &self.session.out, archive, archived: self.settings.archive.enabled })
    }
}

/// Waits for `work`. The first signal cancels it so that it can end in an orderly way; a second signal, or [`GRACE`], abandons it.
async fn until_interrupted(
    work: impl Future<Output = Result<Exit, CommandFailure>>,
    cancel: CancellationToken,
) -> Result<Exit, CommandFailure> {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        ended = &mut work => return ended,
        () = stop_signal() => cancel.cancel(),
    }
    tokio::select! {
        // Dropping `work` never leaves half a report: it has no await while it writes and publishes one.
        ended = &mut work => ended,
        () = stop_signal() => Err(interrupted_failure()),
        () = tokio::time::sleep(GRACE) => Err(interrupted_failure()),
    }
}

fn interrupted_failure() -> CommandFailure {
    CommandFailure::new(Exit::Interrupted, "cancelled", "interrupted; nothing was written")
}

#[cfg(test)]
mod tests;
