//! Combines the result of the engine with the documents it never saw into the final report and the exit code.

use precis_proto::Phase;
use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::failure_code::{FailureCode, FailureKind};
use precis_proto::ledger::SpendRow;
use precis_proto::response::{ErrorInfo, ReportData, Response, SourceRow, Status};
use precis_proto::source::{DUPLICATE, SourceFailure};
use precis_proto::warning::{Warning, WarningCode, push_once};
use precis_runtime::config::LOCAL_MODEL;

use crate::cli::exit::{CommandFailure, Exit};
use crate::documents::pages::FETCH_REFUSED;
use crate::input::CollectedInputs;

/// Most reasons listed in a failure message.
const REASONS: usize = 5;

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// There is a report.
    Report {
        /// The report, including the documents the engine never saw.
        response: Box<Response>,
        /// [`Exit::Ok`], [`Exit::Partial`] or [`Exit::Interrupted`].
        exit: Exit,
    },
    /// There is no report.
    Nothing {
        /// The failure as a response envelope, for programs.
        response: Box<Response>,
        /// The failure as a message, for users.
        failure: CommandFailure,
    },
}

/// Adds the documents that `collected` could not use to `response`. A source without text makes the report incomplete if it was named
/// by the user; a file found in a folder only adds a warning.
#[must_use]
pub fn settle(mut response: Response, collected: &CollectedInputs) -> RunOutcome {
    let Some(data) = response.data.as_mut().filter(|_| response.success) else { return failure_outcome(response) };
    for row in &mut data.sources {
        row.path = collected.paths.get(&row.source_id).cloned().or_else(|| row.path.take());
    }
    // Before the check below: if nothing could be read, its message lists these documents too.
    list_unread(data, collected);
    let failed = |row: &SourceRow| row.failure.as_ref().is_some_and(|f| f.code != DUPLICATE);
    let carried = data.sources.iter().any(|row| row.failure.is_none());
    if !carried && data.research.is_none() {
        return nothing_read(&data.sources);
    }
    let unread_named = collected.unread.iter().any(|unread| unread.named);
    let failed_named = data.sources.iter().any(|row| failed(row) && collected.named.contains(&row.source_id));
    data.session.incomplete |= unread_named || failed_named || !unanswered_phases(data).is_empty();
    let exit = exit_of(data);
    let response = response.data.take().map_or(response, Response::report);
    RunOutcome::Report { response: Box::new(response), exit }
}

/// Returns the exit code for the report `data`.
#[must_use]
pub fn exit_of(data: &ReportData) -> Exit {
    match data.session.status {
        Status::Cancelled => Exit::Interrupted,
        _ if data.research.is_some() && !data.sources.iter().any(|row| row.failure.is_none()) => Exit::Failed,
        Status::Queued | Status::Running | Status::Completed | Status::Failed => match missing(data) {
            None => Exit::Ok,
            Some(_) => Exit::Partial,
        },
    }
}

/// A requested part that is missing from a report; any of them makes the exit code [`Exit::Partial`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingPart {
    /// The answers of the configured models: in these phases only the built-in model answered.
    Models(Vec<Phase>),
    /// Named sources, or the part of the session that did not run.
    Content,
    /// The answer: the documents do not contain it.
    Answer,
}

/// Returns the first missing part of a report; `None` if it is complete.
#[must_use]
pub fn missing(data: &ReportData) -> Option<MissingPart> {
    let phases = unanswered_phases(data);
    if !phases.is_empty() {
        return Some(MissingPart::Models(phases));
    }
    if data.session.incomplete {
        return Some(MissingPart::Content);
    }
    let is_unanswered = |answer: &Answer| answer.status == AnswerStatus::NotInDocuments;
    data.answer.as_ref().is_some_and(is_unanswered).then_some(MissingPart::Answer)
}

/// Returns the phases in which a provider failed and only the built-in model answered.
fn unanswered_phases(data: &ReportData) -> Vec<Phase> {
    let failed = data.warning_details.iter().filter(|warning| warning.code == WarningCode::ProviderFallback);
    let mut phases: Vec<Phase> = failed.filter_map(|warning| warning.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    let answered = |phase: &Phase| {
        let mut named = data.spend.iter().filter(|row| row.phase == Some(*phase) && row.provider != LOCAL_MODEL);
        named.any(SpendRow::has_answered)
    };
    phases.retain(|phase| !answered(phase));
    phases
}

fn list_unread(data: &mut ReportData, collected: &CollectedInputs) {
    for unread in &collected.unread {
        let failure = SourceFailure { code: unread.code.to_owned(), message: unread.message.clone(), of: None };
        data.sources.push(row(&unread.source_id, (&unread.title, &unread.path), failure));
        if data.session.token_management_enabled {
            data.dropped_content_ids.push(unread.source_id.clone());
        }
        let warning = Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, &unread.message);
        push_once(&mut data.warning_details, warning.about(&unread.source_id));
    }
    if collected.skipped > 0 {
        let message = format!("{} more files in the folders are not documents and were not read", collected.skipped);
        push_once(&mut data.warning_details, Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, message));
    }
    for duplicate in &collected.duplicates {
        let message = format!("has the same bytes as {}", duplicate.of);
        let failure = SourceFailure { code: DUPLICATE.to_owned(), message, of: Some(duplicate.of.clone()) };
        data.sources.push(row(&duplicate.source_id, (&duplicate.title, &duplicate.path), failure));
    }
}

fn row(source_id: &precis_proto::SourceId, (title, path): (&str, &str), failure: SourceFailure) -> SourceRow {
    SourceRow {
        source_id: source_id.clone(),
        title: title.to_owned(),
        url: None,
        path: Some(path.to_owned()),
        content_type: None,
        chars: 0,
        tokens: 0,
        source_text_hash: None,
        blocks: None,
        original_sha256: None,
        failure: Some(failure),
        note: None,
        digest: None,
        relevance: None,
        published_at: None,
        confidence: None,
        number: None,
        found_by: Vec::new(),
    }
}

/// Returns the outcome for a failure of the engine. If no source could be read, the message lists the reasons.
fn failure_outcome(response: Response) -> RunOutcome {
    let Some(error) = &response.error else {
        let failure =
            CommandFailure::new(Exit::Failed, "no_report", "the session ended without a report and without an error");
        return RunOutcome::Nothing { response: Box::new(response), failure };
    };
    if !error.sources.is_empty() && error.sources.iter().all(|row| row.failure.is_some()) {
        return nothing_read(&error.sources);
    }
    let failure = failure_of(error);
    RunOutcome::Nothing { response: Box::new(response), failure }
}

/// Returns the failure of a session as a message for users.
#[must_use]
pub fn failure_of(error: &ErrorInfo) -> CommandFailure {
    let mut failure = match error.status {
        Status::Cancelled => CommandFailure::new(Exit::Interrupted, "cancelled", "interrupted; nothing was written"),
        Status::Queued | Status::Running | Status::Completed | Status::Failed => {
            let exit = if error.code.kind() == FailureKind::Request { Exit::Refused } else { Exit::Failed };
            CommandFailure::new(exit, "session_failed", error.message.clone())
        }
    };
    // The remedy for a cancelled session is meant for a fleet; it does not help a user who pressed Ctrl-C.
    failure.remedy = error.remedy.clone().filter(|_| error.status != Status::Cancelled);
    failure
}

fn nothing_read(sources: &[SourceRow]) -> RunOutcome {
    let mut message = "no document could be read".to_owned();
    let failed: Vec<_> = sources.iter().filter_map(|row| Some((row, row.failure.as_ref()?))).collect();
    for (row, failure) in failed.iter().take(REASONS) {
        let name = if row.title.is_empty() { row.url.as_deref().unwrap_or(row.source_id.as_str()) } else { &row.title };
        message.push_str(&format!("\n  {name}: {}", failure.message));
    }
    if failed.len() > REASONS {
        message.push_str(&format!("\n  and {} more", failed.len() - REASONS));
    }
    let is_refused = |(_, failure): &(&SourceRow, &SourceFailure)| failure.code == FETCH_REFUSED;
    let mut failure = CommandFailure::new(Exit::Refused, "no_readable_source", message);
    if failed.iter().any(is_refused) {
        failure =
            failure.with_remedy("add the address to fetch_allow_hosts or fetch_allow_networks if it may be fetched");
    }
    let mut response = stated_failure(&failure);
    if let Some(error) = response.error.as_mut() {
        error.sources = sources.to_vec();
    }
    RunOutcome::Nothing { response: Box::new(response), failure }
}

/// Returns `failure` as a response envelope.
#[must_use]
pub fn stated_failure(failure: &CommandFailure) -> Response {
    let status = if failure.exit == Exit::Interrupted { Status::Cancelled } else { Status::Failed };
    let stated = ErrorInfo::new(status, FailureCode::from_word(failure.code), failure.message.clone());
    Response::failure(ErrorInfo { remedy: failure.remedy.clone(), ..stated })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::input::{Duplicate, UnusableDocument};
    use crate::report::sample::{id, report, source};

    fn response(sources: &[(&str, bool)]) -> Response {
        report(sources.iter().map(|(name, fine)| source(&id(name), fine.then_some("text"))).collect())
    }

    fn unread(name: &str, named: bool) -> UnusableDocument {
        UnusableDocument {
            source_id: id(name),
            title: name.to_owned(),
            path: name.to_owned(),
            code: "unreadable",
            message: "permission denied".to_owned(),
            named,
        }
    }

    fn exit(outcome: &RunOutcome) -> Exit {
        match outcome {
            RunOutcome::Report { exit, .. } => *exit,
            RunOutcome::Nothing { failure, .. } => failure.exit,
        }
    }

    #[test]
    fn what_was_named_and_is_missing_makes_a_report_partial() {
        let named = |names: &[&str]| names.iter().map(|n| id(n)).collect();
        let some = [("a", true), ("b", false)];
        for (sources, collected, expected) in [
            (&some[..1], CollectedInputs::default(), Exit::Ok),
            (&some[..], CollectedInputs::default(), Exit::Ok),
            (&some[..], CollectedInputs { named: named(&["a"]), ..CollectedInputs::default() }, Exit::Ok),
            (&some[..], CollectedInputs { named: named(&["b"]), ..CollectedInputs::default() }, Exit::Partial),
            (&some[..1], CollectedInputs { unread: vec![unread("c", false)], ..CollectedInputs::default() }, Exit::Ok),
            (
                &some[..1],
                CollectedInputs { unread: vec![unread("c", true)], ..CollectedInputs::default() },
                Exit::Partial,
            ),
            (&some[1..], CollectedInputs::default(), Exit::Refused),
        ] {
            let outcome = settle(response(sources), &collected);
            assert_eq!(exit(&outcome), expected, "{sources:?} {collected:?}");
        }
    }

    #[test]
    fn a_report_without_the_models_that_were_named_is_partial() {
        let row = |phase, provider: &str| {
            let row = serde_json::json!({ "phase": phase, "role": "synthesis", "provider": provider, "calls": 1,
                "cached_calls": 0, "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.0 });
            serde_json::from_value::<precis_proto::ledger::SpendRow>(row).expect("a row")
        };
        let failed = |phase| Warning::new(WarningCode::ProviderFallback, phase, "`a:b` failed (unauthorized)");
        let local = "local:extractive";
        for (warnings, spend, expected) in [
            (vec![], vec![row(Phase::Synthesis, local)], Exit::Ok),
            (vec![failed(Phase::Synthesis)], vec![row(Phase::Synthesis, local)], Exit::Partial),
            (vec![failed(Phase::Synthesis)], vec![row(Phase::Compression, "a:b")], Exit::Partial),
            (vec![failed(Phase::Synthesis)], vec![row(Phase::Synthesis, "a:c")], Exit::Ok),
        ] {
            let mut response = response(&[("a", true)]);
            let data = response.data.as_mut().expect("a report");
            (data.warning_details, data.spend) = (warnings, spend);
            let outcome = settle(response, &CollectedInputs::default());
            assert_eq!(exit(&outcome), expected);
            let RunOutcome::Report { response, .. } = outcome else { panic!("no report") };
            assert_eq!(response.data.expect("a report").session.incomplete, expected == Exit::Partial);
        }
    }

    #[test]
    fn unanswered_questions_are_partial_and_partly_answered_ones_are_not() {
        for (status, expected) in [
            (None, Exit::Ok),
            (Some(AnswerStatus::Answered), Exit::Ok),
            (Some(AnswerStatus::Partly), Exit::Ok),
            (Some(AnswerStatus::NotInDocuments), Exit::Partial),
        ] {
            let mut response = response(&[("a", true)]);
            let data = response.data.as_mut().expect("a report");
            data.answer = status.map(|status| Answer { status, line: String::new(), parts: Vec::new() });
            let outcome = settle(response, &CollectedInputs::default());
            assert_eq!(exit(&outcome), expected, "{status:?}");
            let RunOutcome::Report { response, .. } = outcome else { panic!("no report") };
            assert!(!response.data.expect("a report").session.incomplete, "the report itself is complete");
        }
    }

    #[test]
    fn unread_documents_and_duplicates_are_listed_in_the_report() {
        let duplicate = Duplicate { source_id: id("d"), title: "d".to_owned(), path: "d".to_owned(), of: id("a") };
        let collected = CollectedInputs {
            unread: vec![unread("c", false)],
            duplicates: vec![duplicate],
            ..CollectedInputs::default()
        };
        let RunOutcome::Report { response, exit } = settle(response(&[("a", true)]), &collected) else {
            panic!("no report")
        };
        let data = response.data.expect("a report");
        let codes: Vec<_> = data.sources.iter().map(|s| s.failure.as_ref().map(|f| f.code.as_str())).collect();
        assert_eq!(codes, [None, Some("unreadable"), Some("duplicate")]);
        assert_eq!(data.dropped_content_ids, [id("c")]);
        assert_eq!(response.meta.warnings, [WarningCode::SourceUnreadable]);
        assert_eq!(exit, Exit::Ok);
    }

    #[test]
    fn a_stated_failure_keeps_its_words_and_its_kind() {
        for (status, expected, words, remedy) in [
            (Status::Failed, Exit::Failed, "no", Some("wait")),
            (Status::Cancelled, Exit::Interrupted, "interrupted; nothing was written", None),
        ] {
            let stated = stated_failure(&CommandFailure::new(Exit::Failed, "x", "no").with_remedy("wait"));
            let error = ErrorInfo { status, ..stated.error.expect("an error") };
            let RunOutcome::Nothing { failure, .. } = settle(Response::failure(error), &CollectedInputs::default())
            else {
                panic!("a report")
            };
            assert_eq!((failure.exit, failure.message.as_str(), failure.remedy.as_deref()), (expected, words, remedy));
        }
    }
}
