//! Shrinks a result that is too large to send. Pure: sends nothing.

use precis_proto::fidelity::ContentFidelity;
use precis_proto::response::{Response, WholeResult};

/// The fields dropped from an oversized result, in this order, until it fits.
const LEFT_OUT: [&str; 8] =
    ["token_usage", "history", "content_fidelity", "ledger", "claims", "citations", "sources", "report"];

/// Returns a result of at most `limit` bytes that refers to `whole`, with as few fields dropped as possible. `None` if it does not fit
/// even with all of them dropped.
pub(super) fn small_parts(response: &Response, mut whole: WholeResult, limit: usize) -> Option<Vec<u8>> {
    // The seal covers the whole result, not this part.
    let mut small = Response { seal: None, ..response.clone() };
    for field in LEFT_OUT {
        leave_out(&mut small, field);
        whole.left_out.push(field.to_owned());
        small.whole = Some(whole.clone());
        let plain = serde_json::to_vec(&small).ok()?;
        if plain.len() <= limit {
            tracing::info!(bytes = whole.bytes, left_out = ?whole.left_out, "result is too large to send; the whole of it is in the content store");
            return Some(plain);
        }
    }
    None
}

/// Empties a field of a report. A failure has only its sources to drop.
fn leave_out(response: &mut Response, field: &str) {
    if let Some(error) = &mut response.error {
        error.sources.clear();
    }
    let Some(data) = &mut response.data else { return };
    match field {
        "token_usage" => data.token_usage.clear(),
        "history" => data.history.clear(),
        "content_fidelity" => data.content_fidelity = ContentFidelity::default(),
        "ledger" => data.ledger.clear(),
        "claims" => data.claims.clear(),
        "citations" => data.citations.clear(),
        "sources" => data.sources.clear(),
        _ => data.report.clear(),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use serde_json::{Value, json};

    use super::*;

    fn report(citations: usize) -> Response {
        let citation = json!({
            "n": 1, "source_id": "a", "title": "A", "url": "https://example.org", "locator": "char:0-1", "text": "x",
            "source_text_hash": "sha256:0",
        });
        let data = json!({
            "query": "q", "report": "the report", "citations": vec![citation; citations], "sources": [],
            "content_fidelity_schema_version": "v1", "content_fidelity": ContentFidelity::default(),
            "dropped_content_ids": [], "content_archive_hashes": {}, "warning_details": [], "ledger": [], "spend": [],
            "session": { "id": "s", "status": "completed", "incomplete": false, "phases": [] },
        });
        Response::report(serde_json::from_value(data).expect("a report"))
    }

    fn small(response: &Response, limit: usize) -> Option<Value> {
        let whole = WholeResult { content_ref: ContentRef::from_bytes(b""), bytes: 7, left_out: Vec::new() };
        small_parts(response, whole, limit).map(|plain| serde_json::from_slice(&plain).expect("JSON"))
    }

    #[test]
    fn an_oversized_result_drops_the_least_needed_and_references_the_whole() {
        let response = report(1_000);
        let found = small(&response, 2_000).expect("fits");
        assert_eq!((&found["data"]["report"], &found["data"]["citations"]), (&json!("the report"), &json!([])));
        assert!(response.seal.is_some() && found.get("seal").is_none(), "the seal is that of the whole");
        let left_out = json!(["token_usage", "history", "content_fidelity", "ledger", "claims", "citations"]);
        assert_eq!(
            found["whole"],
            json!({ "content_ref": ContentRef::from_bytes(b""), "bytes": 7, "left_out": left_out })
        );
    }

    #[test]
    fn no_more_is_left_out_than_must_be() {
        let response = report(10);
        let bytes = |found: Option<Value>| found.expect("fits").to_string().len();
        let least = bytes(small(&response, usize::MAX));
        for (limit, keeps) in [(least - 1, false), (least, true), (least + 1, true)] {
            let found = small(&response, limit).expect("fits without its citations");
            assert_eq!(found["data"]["citations"].as_array().map(Vec::len) == Some(10), keeps, "{limit}");
        }
        assert_eq!(small(&response, 10), None);
    }
}
