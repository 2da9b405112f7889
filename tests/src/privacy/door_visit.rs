//! A caller that asks a door for everything it can tell of a session, and makes mistakes around a private word.

use serde_json::{Value, json};

use crate::http_client::{HttpAnswer, HttpClient};

/// A caller, and what it knows.
#[derive(Debug)]
pub struct DoorVisit<'a> {
    /// With a token of every scope.
    pub client: &'a HttpClient,
    /// A token that may only read.
    pub reader: &'a str,
    /// A token that the door does not know.
    pub unknown: &'a str,
    /// Stands in documents.
    pub canary: &'a str,
    /// An address with a secret to which no webhook goes.
    pub address: &'a str,
}

/// An answer: for what, and the whole of it.
pub type Told = (String, String);

const JSON: (&str, &str) = ("content-type", "application/json");

impl DoorVisit<'_> {
    /// Everything that is told of `session`, which has ended; its report and the texts of its archive apart, see [`Self::report`].
    #[must_use]
    pub fn session(&self, session: &str) -> Vec<Told> {
        let of = |end: &str| format!("/v1/sessions/{session}{end}");
        let mut told = vec![
            self.told("POST", &of("/verify"), "", &[]),
            self.told("POST", &of("/stop"), "", &[]),
            self.told("POST", &of("/cancel"), "", &[]),
            self.told("GET", &of("/events"), "", &[("last-event-id", "7-1")]),
            self.told("GET", &of(&format!("/archive/{}", "0".repeat(64))), "", &[]),
        ];
        let lists = ["/v1/sessions", "/v1/sessions?limit=1", "/v1/workers", "/v1/collections", "/v1/batches/none"];
        let shown = ["", "/events", "/webhook"].map(of);
        told.extend(
            lists.iter().copied().chain(shown.iter().map(String::as_str)).map(|path| self.told("GET", path, "", &[])),
        );
        told
    }

    /// The report of `session` in every form.
    #[must_use]
    pub fn report(&self, session: &str) -> Vec<Told> {
        let ends = ["result", "report.md", "report.html"];
        ends.map(|end| self.told("GET", &format!("/v1/sessions/{session}/{end}"), "", &[])).to_vec()
    }

    /// Refusals: of requests with the private word in their documents, of tokens, of addresses.
    #[must_use]
    pub fn refusals(&self) -> Vec<Told> {
        let source = |content: Value| json!([{ "source_id": "a", "content": content }]);
        let request = |sources: Value| json!({ "schema_version": 2, "query": "Who pays?", "sources": sources });
        let with = |options: Value| {
            let mut request = request(source(json!(self.canary)));
            request["options"] = options;
            request.to_string()
        };
        let whole = request(source(json!(self.canary))).to_string();
        let form = format!("--b\r\ncontent-disposition: form-data; name=\"request\"\r\n\r\n{whole}");
        let bodies = [
            whole[..whole.find(self.canary).unwrap_or(0) + self.canary.len()].to_owned(),
            request(json!(self.canary)).to_string(),
            request(source(json!([self.canary]))).to_string(),
            with(json!({ "webhook": { "url": self.address } })),
            with(json!({ "report_tokens": self.canary })),
            with(json!({ "history": self.canary })),
        ];
        let mut told: Vec<Told> = bodies.iter().map(|body| self.told("POST", "/v1/sessions", body, &[JSON])).collect();
        let hash = format!("/v1/content/{}", "0".repeat(64));
        told.extend([
            self.told("POST", "/v1/sessions", &form, &[("content-type", "multipart/form-data; boundary=b")]),
            self.told("POST", "/v1/sessions?dry_run", &whole, &[JSON]),
            self.told("POST", "/v1/batches", &whole, &[JSON, ("idempotency-key", "visit")]),
            self.told("POST", "/v1/collections", &json!({ "name": 7, "note": self.canary }).to_string(), &[JSON]),
            self.told("PUT", &hash, self.canary, &[]),
            self.told("GET", "/v1/sessions?cursor=nonsense", "", &[]),
        ]);
        for token in [self.reader, self.unknown] {
            let other = HttpClient { token: Some(token.to_owned()), ..self.client.clone() };
            let visit = DoorVisit { client: &other, ..*self };
            told.push(visit.told("POST", "/v1/sessions", &whole, &[JSON]));
            told.push(visit.told("GET", "/v1/sessions", "", &[]));
        }
        for (what, answer) in &told {
            let is_expected =
                what.contains("dry_run") || what.starts_with("GET /v1/sessions ") || !answer.starts_with('2');
            assert!(is_expected, "{what}: {answer}");
        }
        told
    }

    fn told(&self, method: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> Told {
        let HttpAnswer { status, headers, body } = self.client.call(method, path, body, headers);
        (format!("{method} {path} {status}"), format!("{status} {headers:?} {}", String::from_utf8_lossy(&body)))
    }
}
