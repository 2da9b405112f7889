//! What the engine's result and the documents it never saw amount to: the report as it is written, and how the program ends.

use precis_proto::Phase;
use precis_proto::response::{ReportData, Response, SourceRow, Status};
use precis_proto::source::SourceFailure;
use precis_proto::warning::{Warning, WarningCode, push_once};

use crate::exit::{Exit, Failure};
use crate::input::Collected;

/// Code of a source whose bytes are carried by another one.
pub const DUPLICATE: &str = "duplicate";
/// How many reasons a refusal lists.
const REASONS: usize = 5;

/// How a run came out.
#[derive(Debug)]
pub enum Outcome {
    /// There is a report.
    Report {
        /// It, complete with the documents the engine never saw.
        response: Box<Response>,
        /// [`Exit::Ok`], [`Exit::Partial`] or [`Exit::Interrupted`].
        exit: Exit,
    },
    /// There is none.
    Nothing {
        /// The stated failure, for programs.
        response: Box<Response>,
        /// The same, for people.
        failure: Failure,
    },
}

/// Puts `response` and what `collected` left aside together. Named sources without a text make a report incomplete; members of
/// folders make a warning only.
#[must_use]
pub fn settle(mut response: Response, collected: &Collected) -> Outcome {
    let Some(data) = response.data.as_mut().filter(|_| response.success) else { return stated(response) };
    list_unread(data, collected);
    let failed = |row: &SourceRow| row.failure.as_ref().is_some_and(|f| f.code != DUPLICATE);
    let carried = data.sources.iter().any(|row| row.failure.is_none());
    if !carried {
        return nothing_read(&data.sources);
    }
    let unread_named = collected.unread.iter().any(|unread| unread.named);
    let failed_named = data.sources.iter().any(|row| failed(row) && collected.named.contains(&row.source_id));
    data.session.incomplete |= unread_named || failed_named;
    let exit = match data.session.status {
        Status::Cancelled => Exit::Interrupted,
        _ if data.session.incomplete => Exit::Partial,
        Status::Queued | Status::Running | Status::Completed | Status::Failed => Exit::Ok,
    };
    let response = response.data.take().map_or(response, Response::report);
    Outcome::Report { response: Box::new(response), exit }
}

fn list_unread(data: &mut ReportData, collected: &Collected) {
    for unread in &collected.unread {
        let failure = SourceFailure { code: unread.code.to_owned(), message: unread.message.clone() };
        data.sources.push(row(&unread.source_id, &unread.title, failure));
        data.dropped_content_ids.push(unread.source_id.clone());
        let warning = Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, &unread.message);
        push_once(&mut data.warning_details, warning.about(&unread.source_id));
    }
    for duplicate in &collected.duplicates {
        let failure =
            SourceFailure { code: DUPLICATE.to_owned(), message: format!("the same bytes as {}", duplicate.of) };
        data.sources.push(row(&duplicate.source_id, &duplicate.title, failure));
    }
}

fn row(source_id: &precis_proto::SourceId, title: &str, failure: SourceFailure) -> SourceRow {
    SourceRow {
        source_id: source_id.clone(),
        title: title.to_owned(),
        url: None,
        content_type: None,
        chars: 0,
        tokens: 0,
        source_text_hash: None,
        failure: Some(failure),
    }
}

/// A failure the engine stated. Where no source could be read, that is what people are told.
fn stated(response: Response) -> Outcome {
    let Some(error) = &response.error else {
        let failure =
            Failure::new(Exit::Failed, "no_report", "the session ended without a report and without a reason");
        return Outcome::Nothing { response: Box::new(response), failure };
    };
    if !error.sources.is_empty() && error.sources.iter().all(|row| row.failure.is_some()) {
        return nothing_read(&error.sources);
    }
    let mut failure = match error.status {
        Status::Cancelled => Failure::new(Exit::Interrupted, "cancelled", "interrupted; nothing was written"),
        Status::Queued | Status::Running | Status::Completed | Status::Failed => {
            Failure::new(Exit::Failed, "session_failed", error.message.clone())
        }
    };
    failure.remedy.clone_from(&error.remedy);
    Outcome::Nothing { response: Box::new(response), failure }
}

fn nothing_read(sources: &[SourceRow]) -> Outcome {
    let mut message = "no document could be read".to_owned();
    let failed: Vec<_> = sources.iter().filter_map(|row| Some((row, row.failure.as_ref()?))).collect();
    for (row, failure) in failed.iter().take(REASONS) {
        let name = if row.title.is_empty() { row.url.as_deref().unwrap_or(row.source_id.as_str()) } else { &row.title };
        message.push_str(&format!("\n  {name}: {}", failure.message));
    }
    if failed.len() > REASONS {
        message.push_str(&format!("\n  and {} more", failed.len() - REASONS));
    }
    let failure = Failure::new(Exit::Refused, "no_readable_source", message);
    let mut response = stated_failure(&failure);
    if let Some(error) = response.error.as_mut() {
        error.sources = sources.to_vec();
    }
    Outcome::Nothing { response: Box::new(response), failure }
}

/// `failure` as the envelope that programs read.
#[must_use]
pub fn stated_failure(failure: &Failure) -> Response {
    let status = if failure.exit == Exit::Interrupted { Status::Cancelled } else { Status::Failed };
    Response::failure(precis_proto::response::ErrorInfo {
        session_id: None,
        status,
        code: failure.code.to_owned(),
        message: failure.message.clone(),
        remedy: failure.remedy.clone(),
        pointer: None,
        sources: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::response::ErrorInfo;

    use super::*;
    use crate::input::{Duplicate, Unread};
    use crate::sample::{id, report, source};

    fn response(sources: &[(&str, bool)]) -> Response {
        report(sources.iter().map(|(name, fine)| source(&id(name), fine.then_some("text"))).collect())
    }

    fn unread(name: &str, named: bool) -> Unread {
        Unread {
            source_id: id(name),
            title: name.to_owned(),
            code: "unreadable",
            message: "permission denied".to_owned(),
            named,
        }
    }

    fn exit(outcome: &Outcome) -> Exit {
        match outcome {
            Outcome::Report { exit, .. } => *exit,
            Outcome::Nothing { failure, .. } => failure.exit,
        }
    }

    #[test]
    fn what_was_named_and_is_missing_makes_a_report_partial() {
        let named = |names: &[&str]| names.iter().map(|n| id(n)).collect();
        let some = [("a", true), ("b", false)];
        for (sources, collected, expected) in [
            (&some[..1], Collected::default(), Exit::Ok),
            (&some[..], Collected::default(), Exit::Ok),
            (&some[..], Collected { named: named(&["a"]), ..Collected::default() }, Exit::Ok),
            (&some[..], Collected { named: named(&["b"]), ..Collected::default() }, Exit::Partial),
            (&some[..1], Collected { unread: vec![unread("c", false)], ..Collected::default() }, Exit::Ok),
            (&some[..1], Collected { unread: vec![unread("c", true)], ..Collected::default() }, Exit::Partial),
            (&some[1..], Collected::default(), Exit::Refused),
        ] {
            let outcome = settle(response(sources), &collected);
            assert_eq!(exit(&outcome), expected, "{sources:?} {collected:?}");
        }
    }

    #[test]
    fn unread_documents_and_duplicates_are_listed_in_the_report() {
        let duplicate = Duplicate { source_id: id("d"), title: "d".to_owned(), of: id("a") };
        let collected =
            Collected { unread: vec![unread("c", false)], duplicates: vec![duplicate], ..Collected::default() };
        let Outcome::Report { response, exit } = settle(response(&[("a", true)]), &collected) else {
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
        for (status, expected, words) in [
            (Status::Failed, Exit::Failed, "no"),
            (Status::Cancelled, Exit::Interrupted, "interrupted; nothing was written"),
        ] {
            let stated = stated_failure(&Failure::new(Exit::Failed, "x", "no").with_remedy("wait"));
            let error = ErrorInfo { status, ..stated.error.expect("an error") };
            let Outcome::Nothing { failure, .. } = settle(Response::failure(error), &Collected::default()) else {
                panic!("a report")
            };
            assert_eq!(
                (failure.exit, failure.message.as_str(), failure.remedy.as_deref()),
                (expected, words, Some("wait"))
            );
        }
    }
}
