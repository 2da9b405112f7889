//! `precis corpus`: the index of a folder: made and brought up to date, looked at, searched, removed.

mod add;
mod args;
pub(super) mod place;
mod publish;
mod search;
mod status;

use precis_corpus::IndexPlace;

use self::args::{AddArgs, CorpusSearchArgs, RemoveArgs, StatusArgs};
use self::place::cache;
use super::extract::refuse;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::documents::corpus::failed;

/// Arguments of `precis corpus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis corpus add papers/
  precis corpus search papers/ \"Who pays?\" --limit 5
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
    Search(CorpusSearchArgs),
    /// Put an indexed folder into the content store of a fleet; prints what names it there
    Publish(StatusArgs),
    /// Remove the index of a folder; the folder itself stays as it is
    Remove(RemoveArgs),
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
fn say(found: Result<String, CommandFailure>, as_json: bool) -> Exit {
    match found {
        Ok(text) => super::finish(terminal::print(&text)),
        Err(failure) => refuse(&failure, as_json),
    }
}

fn remove(args: &RemoveArgs) -> Result<String, CommandFailure> {
    let (_, cache) = cache(&args.config)?;
    let failure =
        |e: std::io::Error| CommandFailure::new(Exit::Failed, "corpus_failed", format!("{}: {e}", args.dir.display()));
    let place = IndexPlace::new(&cache, &args.dir).map_err(failure)?;
    let shown = terminal::printable(&place.folder().display().to_string());
    match place.remove().map_err(|e| failed(&e, &place))? {
        true => Ok(format!("removed the index of {shown}\n")),
        false => Err(failed(&precis_corpus::CorpusError::Missing, &place)),
    }
}
