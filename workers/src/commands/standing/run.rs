//! `precis standing run`.

use serde_json::json;

use super::args::RunArgs;
use super::ask::{Asked, ask};
use super::own_records::records;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::block_on;
use crate::commands::settings::load_settings;

/// Asks what is due, prints the notices, and returns [`Exit::Changed`] if there is one.
pub(super) fn run(args: &RunArgs) -> Result<Exit, CommandFailure> {
    let settings = load_settings(&args.config, Vec::new())?.settings;
    let records = records()?;
    let ids = if args.ids.is_empty() { block_on(records.ids())? } else { args.ids.clone() };
    let (mut notices, mut worst) = (Vec::new(), Exit::Ok);
    for id in &ids {
        match ask(&records, id, &settings, &args.config, !args.ids.is_empty()) {
            Ok(Asked::Failed(Exit::Interrupted)) => return Ok(Exit::Interrupted),
            Ok(Asked::Failed(exit)) => worst = exit,
            Ok(Asked::Busy) if !args.quiet => terminal::print_aside(&format!("{id}: another process asks it now\n")),
            Ok(Asked::Notice(notice)) => {
                // Printed at once: a later question may take long, or end the command.
                if !args.json {
                    terminal::print(&notice.text())?;
                }
                notices.push(notice);
            }
            Ok(Asked::Busy | Asked::NotDue | Asked::Unchanged | Asked::Answered) => {}
            Err(failure) => {
                // One record that cannot be used must not keep the others from being asked.
                terminal::print_failure(&failure);
                worst = failure.exit;
            }
        }
    }
    block_on(records.remove_old(settings.archive.ttl_hours))?;
    if args.json {
        let all: Vec<_> = notices.iter().map(|notice| notice.json()).collect();
        terminal::print_json(&format!("{:#}\n", json!(all)))?;
    }
    Ok(if notices.is_empty() { worst } else { Exit::Changed })
}
