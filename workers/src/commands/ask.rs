//! `precis ask`: a follow-up question on a finished session, answered in this process or by a fleet.

mod args;
mod fleet;
mod local;

use std::path::Path;

use crate::cli::exit::Exit;
use crate::input::read_project;

pub use args::AskArgs;
pub(super) use fleet::add_earlier_sources;

/// Asks the question; returns the exit code of the session.
#[must_use]
pub fn run(args: &AskArgs) -> Exit {
    let project = match args.check_lanes().and_then(|()| read_project(args.project.as_deref())) {
        Ok(project) => project,
        Err(failure) => return super::finish(Err(failure)),
    };
    super::finish_as(match Path::new(&args.session) {
        report if report.exists() => local::ask_report(args, report, project),
        _ => fleet::ask_fleet(args, project),
    })
}
