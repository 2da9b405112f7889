//! `precis corpus`: the index of a folder: made and brought up to date, looked at, searched, removed.

mod add;
mod publish;
mod search;
mod status;

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_corpus::{Corpus, Place};
use precis_runtime::config::Settings;

use super::config::load_settings;
use super::extract::refuse;
use crate::cli::ConfigArgs;
use crate::corpus::{failed, place_of};
use crate::exit::{Exit, Failure};
use crate::{keeping, terminal};

/// Arguments of `precis corpus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis corpus add papers/
  precis corpus search papers/ --query \"Who pays?\" --limit 5
  precis corpus status papers/ --json | jq .failed

The index lies below cache_dir, for you alone; nothing leaves this machine.")]
pub struct CorpusCommand {
    /// What to do.
    #[command(subcommand)]
    pub what: CorpusWhat,
}

/// What `precis corpus` does.
#[derive(Debug, clap::Subcommand)]
pub enum CorpusWhat {
    /// Index a folder, or bring its index up to date
    Add(AddArgs),
    /// Show what is indexed, how large it is, and which files cannot be read
    Status(StatusArgs),
    /// Find passages in an indexed folder
    Search(SearchArgs),
    /// Put an indexed folder into the content store of a fleet; prints what names it there
    Publish(StatusArgs),
    /// Remove the index of a folder; the folder itself stays as it is
    Remove(RemoveArgs),
}

/// Arguments of `precis corpus add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus status`.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus search`.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// The question, or words; `-` reads it from standard input
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: String,
    /// Passages at most, up to 1000
    #[arg(long, value_name = "N", default_value_t = precis_corpus::limits::DEFAULT_HITS)]
    pub limit: usize,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus remove`.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The folder; it may be gone
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Does what was asked.
#[must_use]
pub fn run(what: &CorpusWhat) -> Exit {
    match what {
        CorpusWhat::Add(args) => super::finish_as(add::add(args)),
        CorpusWhat::Status(args) => say(status::status(args), args.json),
        CorpusWhat::Search(args) => say(search::search(args), args.json),
        CorpusWhat::Publish(args) => say(publish::publish(args), args.json),
        CorpusWhat::Remove(args) => say(remove(args), false),
    }
}

/// Prints what was found, or a typed refusal.
fn say(found: Result<String, Failure>, as_json: bool) -> Exit {
    match found {
        Ok(text) => super::finish(terminal::print(&text)),
        Err(failure) => refuse(&failure, as_json),
    }
}

fn remove(args: &RemoveArgs) -> Result<String, Failure> {
    let (_, cache) = cache(&args.config)?;
    let failure =
        |e: std::io::Error| Failure::new(Exit::Failed, "corpus_failed", format!("{}: {e}", args.dir.display()));
    let place = Place::new(&cache, &args.dir).map_err(failure)?;
    let shown = terminal::printable(&place.folder().display().to_string());
    match place.remove().map_err(|e| failed(&e, &place))? {
        true => Ok(format!("removed the index of {shown}\n")),
        false => Err(failed(&precis_corpus::CorpusError::Missing, &place)),
    }
}

/// The settings, and the directory of the user that corpora lie in.
pub(super) fn cache(config: &ConfigArgs) -> Result<(Settings, PathBuf), Failure> {
    let loaded = load_settings(config, Vec::new())?;
    super::log_where_asked(&loaded);
    let remedy = "set cache_dir to a directory of your own: --set cache_dir=DIR";
    let refused = |why: &str| {
        let message = format!("there is no place for an index: {why}");
        Failure::new(Exit::Refused, "no_cache", message).with_remedy(remedy)
    };
    let dir = loaded.settings.cache.dir.clone().ok_or_else(|| refused("there is no home directory"))?;
    match keeping::check(&loaded).map_err(|failure| failure.with_remedy(remedy))? {
        Some(distrust) => Err(refused(&distrust)),
        None => Ok((loaded.settings, dir)),
    }
}

/// The published index of a folder.
fn open(config: &ConfigArgs, dir: &Path) -> Result<(Place, Corpus), Failure> {
    let (_, cache) = cache(config)?;
    let place = place_of(&cache, dir)?;
    let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
    Ok((place, corpus))
}
