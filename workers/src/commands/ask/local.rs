//! A follow-up question on a report of this machine.

use std::path::Path;

use super::args::{AskArgs, nothing_to_read};
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::earlier_report::EarlierReport;
use crate::commands::local_session::LocalSession;
use crate::commands::research::{self, SearchArgs};
use crate::commands::run::{run_after, settings_of};
use crate::input::QueryFrom;
use crate::report::follow_up::FollowUpInputs;

/// Answers from a report on this machine.
pub(super) fn ask_report(args: &AskArgs, place: &Path, project: String) -> Result<Exit, CommandFailure> {
    let earlier = EarlierReport::read(place)?;
    let archive = (!args.only_new).then(|| earlier.archive("ask with --only-new and the documents")).transpose()?;
    let mut followed = FollowUpInputs::from_report(&earlier.data, archive.as_ref(), project);
    followed.options.deadline_seconds = args.limits.deadline;
    let lanes = args.inherit(&earlier.label);
    followed.privacy = earlier.label.passed_on(&lanes);
    let searches = args.searches();
    if !searches && followed.sources.is_empty() && args.docs.is_empty() && args.url.is_empty() {
        return Err(nothing_to_read());
    }
    let session = session(args);
    let loaded = match settings_of(&session) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    if searches {
        let search = SearchArgs { lanes: &lanes, limits: &args.limits, quiet: args.how.quiet };
        let (options, shelves) = research::searching(search, &loaded, None)?;
        followed = followed.searching(options, shelves, args.limits.deadline);
    }
    Ok(run_after(&session, loaded, followed))
}

fn session(args: &AskArgs) -> LocalSession {
    LocalSession {
        docs: args.docs.clone(),
        url: args.url.clone(),
        force: args.force,
        report_tokens: args.report_tokens.map(|n| n.to_string()),
        verbose: args.verbose,
        ..LocalSession::new(QueryFrom::Text(args.question.clone()), args.out_dir(), &args.how)
    }
}
