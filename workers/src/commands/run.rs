//! `precis run`: from a question and documents to a report on disk.
//!
//! All input is checked before the engine starts, and the output directory changes only once the whole report is written.

mod args;
mod dry;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use precis_proto::privacy::Privacy;
use precis_proto::response::{ReportData, Response};
use precis_proto::task::Role;
use precis_proto::title;
use precis_report::changes;
use precis_report::changes::Changes;
use precis_runtime::config::{LoadedSettings, Provenance, Settings};
use precis_runtime::sandbox;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::settings::{Flag, load_settings};
use crate::assembly::embedded::{self, RunRequest};
use crate::assembly::embedded_error::EmbeddedError;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::research_details::ShownEvent;
use crate::cli::signals::stop_signal;
use crate::cli::terminal::printable;
use crate::cli::{spending, terminal};
use crate::commands::{mark, run_cache};
use crate::input::{CollectedInputs, QueryFrom, check_subject, check_url, collect, read_project, read_query};
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
    match read_project(args.project.as_deref()) {
        Ok(project_context) => run_after(args, FollowUpInputs::from_project(project_context)),
        Err(failure) => super::finish(Err(failure)),
    }
}

/// Runs a session that follows an earlier one.
#[must_use]
pub fn run_after(args: &RunArgs, follows: FollowUpInputs) -> Exit {
    match attempt(args, follows) {
        Ok(exit) => exit,
        Err(failure) => {
            if args.json {
                // The failure itself is printed next; a second failure of standard output adds nothing.
                let _ = terminal::print_json(&files::json(&stated_failure(&failure)));
            }
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

fn attempt(args: &RunArgs, follows: FollowUpInputs) -> Result<Exit, CommandFailure> {
    let mut loaded = load_settings(&args.config, flags(args))?;
    super::log_where_asked(&loaded);
    let asks_models = super::asks_models(&loaded.settings);
    if follows.privacy.strict_privacy && stays_strict(&mut loaded) && asks_models && !args.quiet {
        terminal::print_warning(
            "strict_privacy is on, as it was for the earlier report; pass --set strict_privacy=false to turn it off",
        );
    }
    if args.verbose {
        terminal::print_aside(&terminal::printable(&format!("{}\n", loaded.files_line())));
    }
    if !args.quiet {
        loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    }
    if !args.quiet && (!args.url.is_empty() || super::asks_models(&loaded.settings)) {
        super::ignored_proxies().iter().for_each(|warning| terminal::print_warning(warning));
    }
    let distrust = if args.no_cache { None } else { run_cache::check(&loaded)? };
    distrust.iter().filter(|_| !args.quiet).for_each(|warning| terminal::print_warning(warning));
    let asked = RunInputs::from_args(args, !follows.sources.is_empty() || follows.options.research.is_some())?;
    let query = read_query(&asked.question)?;
    if follows.options.history.is_empty() && follows.earlier.is_none() {
        check_subject(&query)?;
    }
    args.url.iter().try_for_each(|url| check_url(url))?;
    if args.dry_run {
        return dry::dry_run(args, &asked.docs, &settings(loaded), &follows);
    }
    // The last check, because it creates the directory.
    let output = Output::open(&args.out, args.force)?;
    let use_cache = !args.no_cache && distrust.is_none();
    let run = PreparedRun { args, docs: asked.docs, settings: settings(loaded), query, output, follows, use_cache };

    let runtime = super::runtime()?;
    let cancel = CancellationToken::new();
    let ended = runtime.block_on(until_interrupted(run.through(embedded::run, cancel.clone()), cancel));
    // Not a plain drop: that would wait for a parser thread that is still reading a document.
    runtime.shutdown_background();
    ended
}

/// The question and the documents from positional arguments and flags.
#[derive(Debug, PartialEq, Eq)]
struct RunInputs {
    question: QueryFrom,
    docs: Vec<PathBuf>,
}

impl RunInputs {
    /// Separates the question from the paths: the first positional argument is the question unless a flag gives it. `has_others` is
    /// true if there are documents besides those on the command line.
    fn from_args(args: &RunArgs, has_others: bool) -> Result<Self, CommandFailure> {
        let flag = match (&args.query, &args.query_file) {
            (Some(text), _) => Some(QueryFrom::Text(text.clone())),
            (None, Some(file)) => Some(QueryFrom::File(file.clone())),
            (None, None) => None,
        };
        let mut docs: Vec<PathBuf> = Vec::new();
        let question = match (flag, &args.question) {
            (Some(question), first) => {
                docs.extend(first.iter().map(PathBuf::from));
                question
            }
            (None, first) => QueryFrom::Text(first.clone().unwrap_or_default()),
        };
        docs.extend(args.paths.iter().chain(&args.docs).cloned());
        let asked = Self { question, docs };
        asked.check(!args.url.is_empty() || has_others).map(|()| asked)
    }

    fn check(&self, has_others: bool) -> Result<(), CommandFailure> {
        let usage = |message: String| {
            let failure = CommandFailure::new(Exit::Usage, "invalid_usage", message);
            failure.with_remedy("precis run \"What are the main risks?\" papers/")
        };
        let asks_stdin = matches!(&self.question, QueryFrom::Text(text) if text == "-")
            || matches!(&self.question, QueryFrom::File(file) if file == Path::new("-"));
        if asks_stdin && self.docs.iter().any(|doc| doc == Path::new("-")) {
            return Err(usage(
                "`-` is both the question and a document: standard input can only be one of them".to_owned(),
            ));
        }
        let QueryFrom::Text(text) = &self.question else { return Ok(()) };
        let is_path = !text.contains(char::is_whitespace) && Path::new(text).exists();
        match self.docs.is_empty() && !has_others {
            true if is_path => {
                Err(usage(format!("`{}` is read as the question, and no document is given", printable(text))))
            }
            true => Err(usage("no document is given".to_owned())),
            false if is_path && self.docs.iter().all(|doc| !doc.exists()) && !has_others => Err(usage(format!(
                "`{}` is read as the question: the question comes before the documents",
                printable(text)
            ))),
            false => Ok(()),
        }
    }
}

/// Returns the flags of this command that set a configuration key.
fn flags(args: &RunArgs) -> Vec<Flag> {
    let mut flags = Vec::new();
    if let Some(provider) = &args.provider {
        let role =
            |role: Role| ("--provider".to_owned(), format!("roles.{}.providers", role.as_str()), provider.clone());
        flags.extend(Role::ALL.map(role));
    }
    if let Some(tokens) = &args.report_tokens {
        flags.push(("--report-tokens".to_owned(), "report_tokens".to_owned(), tokens.clone()));
    }
    flags
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
    args: &'a RunArgs,
    docs: Vec<PathBuf>,
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
        let mut progress = Progress::new(ProgressMode::choose(self.args.quiet));
        progress.collecting();
        let mut collected = self.collect(cancel.clone()).await?;
        self.args.known.apply(&mut collected.sources)?;
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
            Err(_) if cancel.is_cancelled() => return Err(interrupted()),
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
        if !self.args.quiet {
            terminal::print_warning(message);
        }
    }

    async fn collect(&self, cancel: CancellationToken) -> Result<CollectedInputs, CommandFailure> {
        if self.docs.is_empty() && self.args.url.is_empty() {
            // Only a follow-up run has documents without any on the command line.
            return Ok(CollectedInputs::default());
        }
        let (docs, urls, out) = (self.docs.clone(), self.args.url.clone(), self.args.out.clone());
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
        mark::add(&mut response, self.args.quiet);
        let Some(data) = &response.data else { return Ok(exit) };
        let archive = ArchivedTexts::of_report(archive_dir, data).unwrap_or_default();
        // A shared archive is outside the report directory: links to it would break when the report is moved.
        let is_beside = archive_dir == self.output.archive_dir();
        let links = if is_beside { archive.links(data) } else { BTreeMap::new() };
        for (name, text) in files::files(&response, data, &archive, &links) {
            self.output.write(name, text.as_bytes())?;
        }
        let mut output_text = if self.args.json { files::json(&response) } else { self.closing_summary(data) };
        if let Some(earlier) = &self.follows.earlier {
            let changes = Changes::between(earlier, data);
            self.output.write(CHANGES_MD, changes::markdown(&changes).as_bytes())?;
            let json = files::indented(&changes);
            self.output.write(CHANGES_JSON, json.as_bytes())?;
            output_text = if self.args.json { json } else { format!("{output_text}{}\n", changes::line(&changes)) };
        }
        if self.args.verbose {
            terminal::print_aside(&spending::table(&data.token_usage));
        }
        let quiet = self.args.quiet && !self.args.json;
        // Published before anything is printed: a closed standard output must not cost the report.
        self.output.publish()?;
        if !quiet {
            terminal::print_as(self.args.json, &output_text)?;
        }
        Ok(exit)
    }

    fn nothing(&self, response: &Response, failure: &CommandFailure) -> Result<Exit, CommandFailure> {
        if self.args.json {
            terminal::print_json(&files::json(response))?;
        }
        terminal::print_failure(failure);
        Ok(failure.exit)
    }

    fn closing_summary(&self, data: &ReportData) -> String {
        let archive = self.settings.archive.dir.as_deref();
        summary(data, &Places { dir: &self.args.out, archive, archived: self.settings.archive.enabled })
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
        () = stop_signal() => Err(interrupted()),
        () = tokio::time::sleep(GRACE) => Err(interrupted()),
    }
}

fn interrupted() -> CommandFailure {
    CommandFailure::new(Exit::Interrupted, "cancelled", "interrupted; nothing was written")
}

#[cfg(test)]
mod tests;
