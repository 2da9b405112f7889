//! The answer about a session, in fields and in words.

use precis_proto::SessionId;
use precis_proto::response::{Citation, Response};
use precis_proto::warning::Warning;
use precis_runtime::runner::status_of;

use super::answers::{CitedQuote, SessionAnswer, SessionError};
use super::untrusted::{NOTICE, mark_untrusted};

/// Returns the answer about a session that has not ended: `status` is `preparing` or `running`.
pub(super) fn unfinished_answer(session: &SessionId, status: &str, warnings: Vec<String>) -> SessionAnswer {
    SessionAnswer {
        session: session.to_string(),
        status: status.to_owned(),
        answer: None,
        incomplete: false,
        report: None,
        citations: Vec::new(),
        warnings,
        error: None,
        spent_usd: 0.0,
        seal: None,
        notice: NOTICE,
        next: "call get_report with this session; the work goes on meanwhile, and nothing is lost if this server ends"
            .to_owned(),
    }
}

/// Returns the answer about a session that ended with `response`.
pub(super) fn ended_answer(session: &SessionId, response: &Response, mut warnings: Vec<String>) -> SessionAnswer {
    let data = response.data.as_ref();
    warnings.extend(data.iter().flat_map(|data| warning_lines(&data.warning_details)));
    let error = response.error.as_ref().map(|error| SessionError {
        code: error.code.as_str().to_owned(),
        message: error.message.clone(),
        remedy: error.remedy.clone(),
    });
    let next = match data {
        Some(_) => {
            "call verify with this session before you rely on the report; quote the `text` of citations word for word"
        }
        None => "there is no report; see error",
    };
    SessionAnswer {
        status: status_of(response).as_str().to_owned(),
        answer: data.and_then(|data| data.answer.as_ref()).map(|answer| answer.status.as_str().to_owned()),
        incomplete: data.is_some_and(|data| data.session.incomplete),
        report: data.map(|data| data.report.clone()),
        citations: data.iter().flat_map(|data| &data.citations).map(cited_quote).collect(),
        error,
        spent_usd: data.iter().flat_map(|data| &data.spend).map(|row| row.cost_usd).sum(),
        seal: response.seal.clone(),
        next: next.to_owned(),
        ..unfinished_answer(session, "", warnings)
    }
}

/// Returns each warning once, with the document it is about, or how many.
fn warning_lines(warnings: &[Warning]) -> Vec<String> {
    let mut told: Vec<(&str, Vec<&Warning>)> = Vec::new();
    for warning in warnings {
        match told.iter_mut().find(|(message, _)| *message == warning.message) {
            Some((_, same)) => same.push(warning),
            None => told.push((&warning.message, vec![warning])),
        }
    }
    let line = |(message, same): (&str, Vec<&Warning>)| match (&same[..], &same[0].item_id) {
        ([_], Some(item)) => format!("{item}: {message}"),
        ([_], None) => message.to_owned(),
        _ => format!("{message} ({} times)", same.len()),
    };
    told.into_iter().map(line).collect()
}

fn cited_quote(citation: &Citation) -> CitedQuote {
    CitedQuote {
        n: citation.n,
        source_id: citation.source_id.to_string(),
        title: citation.title.clone(),
        url: citation.url.clone(),
        locator: citation.locator.to_string(),
        text: citation.text.clone(),
        source_text_hash: citation.source_text_hash.clone(),
    }
}

/// Returns the answer in words, with the texts of documents marked.
pub(super) fn in_words(answer: &SessionAnswer) -> String {
    let mut text = format!("session {}: {}", answer.session, answer.status);
    if let Some(how_far) = &answer.answer {
        text.push_str(&format!(", {how_far}"));
    }
    if answer.incomplete {
        text.push_str(", incomplete");
    }
    text.push('\n');
    if let Some(error) = &answer.error {
        let remedy = error.remedy.as_ref().map_or_else(String::new, |remedy| format!("\nWhat to do: {remedy}"));
        text.push_str(&format!("{}: {}{remedy}\n", error.code, error.message));
    }
    let mut marks = String::new();
    if let Some(report) = &answer.report {
        let quotes = answer.citations.iter().map(|quote| {
            format!("[{}] {} ({}, {})", quote.n, quote.text.replace('\n', " "), quote.title, quote.locator)
        });
        let quotes: Vec<String> = quotes.collect();
        marks.push_str(&format!("{report}\n\nQuotes:\n{}\n", quotes.join("\n")));
    }
    // Inside the marks: they have names of files.
    for warning in &answer.warnings {
        marks.push_str(&format!("Warning: {}\n", warning.replace('\n', " ")));
    }
    if !marks.is_empty() {
        text.push_str(&format!("{}\n", mark_untrusted(marks.trim_end())));
    }
    text + &format!("Next: {}\n", answer.next)
}

#[cfg(test)]
mod tests {
    use precis_proto::warning::WarningCode;

    use super::*;
    use crate::report::sample::{citation, report, source};

    #[test]
    fn a_warning_is_reported_once() {
        let about = |message: &str, item: Option<&str>| Warning {
            item_id: item.map(|id| precis_proto::SourceId::new(id).expect("an id")),
            ..Warning::new(WarningCode::ContentTruncated, precis_proto::Phase::Digest, message)
        };
        let warnings = [about("m", Some("a")), about("n", Some("a")), about("m", Some("b")), about("o", None)];
        assert_eq!(warning_lines(&warnings), ["m (2 times)", "a: n", "o"]);
        assert!(warning_lines(&[]).is_empty());
    }

    #[test]
    fn an_ended_session_has_its_report_in_fields_and_between_marks() {
        let session = SessionId::new("s-1").expect("an id");
        let id = precis_proto::SourceId::new("a").expect("an id");
        let mut response = report(vec![source(&id, Some("one"))]);
        let data = response.data.as_mut().expect("a report");
        data.report = "It is one [1].".to_owned();
        data.citations = vec![citation(1, &id, "one")];
        let answer = ended_answer(&session, &response, vec!["x is left out".to_owned()]);
        assert_eq!((answer.status.as_str(), answer.citations.len()), ("completed", 1));
        let words = in_words(&answer);
        let (before, after) = words.split_once("[untrusted text").expect("a mark");
        assert!(!before.contains("x is left out") && !before.contains("It is one"));
        assert!(after.contains("x is left out"));
        assert!(after.contains("It is one [1].") && after.contains("[1] one ("), "{words}");
        let running = in_words(&unfinished_answer(&session, "running", Vec::new()));
        assert!(running.contains("session s-1: running") && running.contains("get_report"), "{running}");
    }
}
