//! `precis corpus`: creates, updates, watches, shows, searches, publishes and removes the index of a folder.

mod add;
mod args;
pub(super) mod indexing;
pub(super) mod place;
mod polls;
mod publish;
mod search;
mod status;
mod vectors;
mod watch;

use precis_corpus::IndexPlace;

use self::args::{AddArgs, CorpusSearchArgs, RemoveArgs, StatusArgs, WatchArgs};
use self::indexing::corpus_failure;
use self::place::cache;
use super::extract::refuse;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Arguments of `precis corpus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis corpus add papers/
  precis corpus search papers/ \"Who pays?\" --limit 5
  precis corpus status papers/ --json | jq .failed
  precis corpus watch papers/ mail/ --every 1m

The index is stored under cache_dir, readable by you only. Nothing leaves this machine except with `publish`.")]
pub struct CorpusCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: CorpusWhat,
}

/// The subcommands of `precis corpus`.
#[derive(Debug, clap::Subcommand)]
pub enum CorpusWhat {
    /// Index a folder, or update its index
    Add(AddArgs),
    /// Keep the indexes of folders current until interrupted
    Watch(WatchArgs),
    /// Show what is indexed, how large the index is, and which files cannot be read
    Status(StatusArgs),
    /// Find passages in an indexed folder
    Search(CorpusSearchArgs),
    /// Upload an indexed folder to the content store of a fleet; prints the hash to search it by
    Publish(StatusArgs),
    /// Remove the index of a folder; the folder itself is not changed
    Remove(RemoveArgs),
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &CorpusWhat) -> Exit {
    match what {
        CorpusWhat::Add(args) => super::finish_as(add::add(args)),
        CorpusWhat::Watch(args) => super::finish_as(watch::watch(args)),
        CorpusWhat::Status(args) => print(status::status(args), args.json),
        CorpusWhat::Search(args) => print(search::search(args), args.json),
        CorpusWhat::Publish(args) => print(publish::publish(args), args.json),
        CorpusWhat::Remove(args) => print(remove(args), false),
    }
}

/// Prints the output of a subcommand, or its failure.
fn print(output: Result<String, CommandFailure>, as_json: bool) -> Exit {
    match output {
        Ok(text) => super::finish(terminal::print_as(as_json, &text)),
        Err(failure) => refuse(&failure, as_json),
    }
}

fn remove(args: &RemoveArgs) -> Result<String, CommandFailure> {
    let (_, cache) = cache(&args.config)?;
    let failure =
        |e: std::io::Error| CommandFailure::new(Exit::Failed, "corpus_failed", format!("{}: {e}", args.dir.display()));
    let place = IndexPlace::new(&cache, &args.dir).map_err(failure)?;
    let shown = terminal::printable(&place.folder().display().to_string());
    match place.remove().map_err(|e| corpus_failure(&e, &place))? {
        true => Ok(format!("removed the index of {shown}\n")),
        false => Err(corpus_failure(&precis_corpus::CorpusError::Missing, &place)),
    }
}
