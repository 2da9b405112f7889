//! Asks one standing question: looks at what it searches, makes a report if that changed, and gives the notice of what changed in it.
//!
//! Everything lasting happens in one replacement of the record, after the report is in its place: whoever is interrupted before it leaves
//! a question that is still due and still has its earlier report.

use std::path::Path;

use bytes::Bytes;
use precis_proto::response::{ReportData, Response};
use precis_proto::standing::{StandingQuestion, StandingReport};
use precis_report::changes::Changes;
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;

use super::made::{Made, made_by};
use super::own_records::unknown;
use super::{fleet_report, folder_report};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::{block_on, verify};
use crate::report::names::REPORT_JSON;
use crate::report::outcome::{MissingPart, missing};
use crate::standing::{Notice, Records, deliver};

/// What came of asking a question.
#[derive(Debug)]
pub(super) enum Asked {
    /// Another process asks it at the moment.
    Busy,
    /// It is not due.
    NotDue,
    /// What it searches is as it was: no report was made.
    Unchanged,
    /// It has a new report, in which no statement changed.
    Answered,
    /// A statement changed.
    Notice(Notice),
    /// It could not be asked; it stays due.
    Failed(Exit),
}

/// Asks the question `id`, or gives its notice that waits; `now` asks it even if it is not due.
///
/// # Errors
/// [`CommandFailure`] if its record cannot be used.
pub(super) fn ask(
    records: &Records,
    id: &str,
    settings: &Settings,
    config: &ConfigArgs,
    now: bool,
) -> Result<Asked, CommandFailure> {
    let Some(_lock) = records.lock(id)? else { return Ok(Asked::Busy) };
    // Read after the lock: another process may just have asked it.
    let question = block_on(records.get(id))?.ok_or_else(|| unknown(id))?;
    if let Some(waiting) = &question.notice {
        let kept = block_on(records.read_kept(waiting))?.and_then(|bytes| Notice::read(&bytes));
        if let Some(notice) = kept {
            return give(records, question, notice, settings);
        }
    }
    // A notice that is gone from the store cannot be given any more.
    let question = StandingQuestion { notice: None, ..question };
    if !now && question.due_at() > Clock::system().now() {
        return Ok(Asked::NotDue);
    }
    match answer(records, question, config) {
        Ok(Answered::Unchanged) => Ok(Asked::Unchanged),
        Ok(Answered::Report(question, None)) => block_on(records.replace(&question)).map(|()| Asked::Answered),
        Ok(Answered::Report(mut question, Some(notice))) => {
            let kept = Bytes::from(notice.json().to_string());
            question.notice = Some(block_on(records.keep(kept))?);
            // Before it is given to anyone: whatever happens then, it is given at least once.
            block_on(records.replace(&question))?;
            give(records, *question, notice, settings)
        }
        Ok(Answered::Failed(exit)) => Ok(Asked::Failed(exit)),
        Err(failure) => {
            terminal::print_failure(&failure);
            Ok(Asked::Failed(failure.exit))
        }
    }
}

/// Gives a notice to everyone, and forgets it if all have it.
fn give(
    records: &Records,
    question: StandingQuestion,
    notice: Notice,
    settings: &Settings,
) -> Result<Asked, CommandFailure> {
    match block_on(async { Ok(deliver(&notice, settings).await) })? {
        Ok(()) => block_on(records.replace(&StandingQuestion { notice: None, ..question }))?,
        Err(failures) => {
            for failure in failures {
                terminal::print_warning(&format!("{failure}; the notice is given again at the next run"));
            }
        }
    }
    Ok(Asked::Notice(notice))
}

/// What asking the question again gave.
enum Answered {
    Unchanged,
    /// The record with its new report, and the notice of what changed.
    Report(Box<StandingQuestion>, Option<Notice>),
    Failed(Exit),
}

fn answer(records: &Records, question: StandingQuestion, config: &ConfigArgs) -> Result<Answered, CommandFailure> {
    let earlier = earlier_report(records, &question)?;
    let checked_at = Some(Clock::system().now());
    let made = match question.collections.is_empty() {
        true => folder_report::make(&question, earlier.as_ref(), config)?,
        false => fleet_report::make(&question, earlier.as_ref(), config)?,
    };
    let manifests = match made {
        Made::Unchanged => {
            block_on(records.replace(&StandingQuestion { checked_at, ..question }))?;
            return Ok(Answered::Unchanged);
        }
        Made::Failed(exit) => return Ok(Answered::Failed(exit)),
        Made::Report { manifests } => manifests,
    };
    let (bytes, data) = written_report(Path::new(&question.out))?;
    if let Some(MissingPart::Models(_)) = missing(&data) {
        terminal::print_warning("the configured models did not answer: the question is asked again at the next run");
        return Ok(Answered::Failed(Exit::Partial));
    }
    let changes = earlier.map(|earlier| Changes::between(&earlier, &data));
    let notice = changes.and_then(|changes| Notice::new(&question.id, &question.out, &changes));
    let report = block_on(records.keep(bytes))?;
    let last = Some(StandingReport { report, manifests, made_by: made_by() });
    Ok(Answered::Report(Box::new(StandingQuestion { checked_at, last, ..question }), notice))
}

/// The report that the next one is compared with; `None` before the first, and if it is gone.
fn earlier_report(records: &Records, question: &StandingQuestion) -> Result<Option<ReportData>, CommandFailure> {
    let Some(last) = &question.last else { return Ok(None) };
    let bytes = block_on(records.read_kept(&last.report))?;
    let response = bytes.and_then(|bytes| serde_json::from_slice::<Response>(&bytes).ok());
    let data = response.and_then(|response| response.data);
    if data.is_none() {
        terminal::print_warning(&format!("{}: its last report is gone; the next changes are missed", question.id));
    }
    Ok(data)
}

fn written_report(out: &Path) -> Result<(Bytes, ReportData), CommandFailure> {
    let path = out.join(REPORT_JSON);
    let bytes = verify::report_bytes(&path)?;
    let unreadable =
        |why: String| CommandFailure::new(Exit::Failed, "unreadable_report", format!("{}: {why}", path.display()));
    let response: Response = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
    let data = response.data.ok_or_else(|| unreadable("it contains no report".to_owned()))?;
    Ok((Bytes::from(bytes), data))
}
