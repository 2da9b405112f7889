//! `precis standing`: keeps questions open, and tells when a statement of an answer changed.

mod add;
mod args;
mod ask;
mod fleet_report;
mod folder_report;
mod list;
mod made;
mod own_records;
mod run;

use self::args::{AddArgs, ListArgs, RemoveArgs, RunArgs};
use self::own_records::{records, unknown};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Arguments of `precis standing`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis standing add \"Who pays for delays?\" --corpus contracts/ --every 1d
  precis standing add \"Who pays for delays?\" --collection $ID --tenant a   # asked of a fleet
  precis standing run                # for cron: asks what is due, and exits with 6 if a statement changed
  precis standing list

A run reads only what changed. Where nothing changed it asks no model. A statement that changed is printed with the quotes before and
after, stands in changes.json beside the report, and is given to standing_hook and standing_webhook where your own configuration has them.")]
pub struct StandingCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: StandingWhat,
}

/// The subcommands of `precis standing`.
#[derive(Debug, clap::Subcommand)]
pub enum StandingWhat {
    /// Keep a question open: makes its first report now
    Add(Box<AddArgs>),
    /// List the questions
    List(ListArgs),
    /// Remove questions; their reports stay where they are
    Remove(RemoveArgs),
    /// Ask every question that is due, then exit
    Run(RunArgs),
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &StandingWhat) -> Exit {
    super::finish_as(match what {
        StandingWhat::Add(args) => add::add(args),
        StandingWhat::List(args) => list::list(args),
        StandingWhat::Remove(args) => remove(args),
        StandingWhat::Run(args) => run::run(args),
    })
}

fn remove(args: &RemoveArgs) -> Result<Exit, CommandFailure> {
    let records = records()?;
    for id in &args.ids {
        let Some(_lock) = records.lock(id)? else {
            let message = format!("`{id}` is being asked at the moment");
            return Err(CommandFailure::new(Exit::Failed, "question_busy", message).with_remedy("try again later"));
        };
        if !super::block_on(records.remove(id))? {
            return Err(unknown(id));
        }
        terminal::print(&format!("removed {id}\n"))?;
    }
    Ok(Exit::Ok)
}
