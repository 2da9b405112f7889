//! A session in this process: what `run`, `research`, `ask`, `refresh` and `fork` turn their arguments into.

use std::path::{Path, PathBuf};

use precis_runtime::config::LoadedSettings;

use super::log_where_asked;
use super::session_args::SessionArgs;
use super::settings::load_settings;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;
use crate::input::QueryFrom;
use crate::input::attributes::KnownArgs;

/// A question, the documents of the command line, and where the report goes.
#[derive(Debug)]
pub(crate) struct LocalSession {
    pub(super) question: QueryFrom,
    pub(super) docs: Vec<PathBuf>,
    pub(super) url: Vec<String>,
    /// Known attributes of single documents.
    pub(super) known: KnownArgs,
    pub(super) out: PathBuf,
    /// Whether that directory may contain other files.
    pub(super) force: bool,
    /// Target length of the report as typed.
    pub(super) report_tokens: Option<String>,
    /// Whether only its cost is estimated.
    pub(super) dry_run: bool,
    /// Whether the tokens of each phase are printed.
    pub(super) verbose: bool,
    pub(super) how: SessionArgs,
}

impl LocalSession {
    /// A session on `question` whose report goes to `out`; without documents, and nothing else that a command may add.
    pub(super) fn new(question: QueryFrom, out: PathBuf, how: &SessionArgs) -> Self {
        Self {
            question,
            docs: Vec::new(),
            url: Vec::new(),
            known: KnownArgs::default(),
            out,
            force: false,
            report_tokens: None,
            dry_run: false,
            verbose: false,
            how: how.clone(),
        }
    }

    /// Loads the settings, once for all that the command does; logs only if `log` is set.
    ///
    /// # Errors
    /// [`Exit::Usage`] with a list of all invalid settings.
    pub(super) fn settings(&self) -> Result<LoadedSettings, CommandFailure> {
        let mut flags = self.how.flags();
        if let Some(tokens) = &self.report_tokens {
            flags.push(("--report-tokens".to_owned(), "report_tokens".to_owned(), tokens.clone()));
        }
        let loaded = load_settings(&self.how.config, flags)?;
        log_where_asked(&loaded);
        Ok(loaded)
    }

    /// Checks that there is something to read, and that question and documents are not mistaken for each other; `has_others` is true if
    /// there are documents besides those of the command line.
    ///
    /// # Errors
    /// [`Exit::Usage`].
    pub(super) fn check(&self, has_others: bool) -> Result<(), CommandFailure> {
        let has_others = has_others || !self.url.is_empty();
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
