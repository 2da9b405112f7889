//! A notice: the statements of a standing question's report that changed, each with the quotes before and after.

use precis_report::changes::Changes;
use serde_json::{Value, json};

/// Version of the format of a notice; raised when it changes.
const NOTICE_VERSION: u32 = 1;

/// A notice as JSON, which is how it is kept until everyone has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notice(Value);

impl Notice {
    /// Makes the notice of `changes`; `None` if no statement changed.
    pub(crate) fn new(id: &str, out: &str, changes: &Changes) -> Option<Self> {
        let notice = json!({ "schema_version": NOTICE_VERSION, "id": id, "report": out, "changes": changes });
        (!changes.statements.is_empty()).then_some(Self(notice))
    }

    /// Reads a notice that was kept; `None` if it is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let notice: Value = serde_json::from_slice(bytes).ok()?;
        notice["changes"]["statements"].is_array().then_some(Self(notice))
    }

    /// Returns the notice as JSON.
    pub(crate) fn json(&self) -> &Value {
        &self.0
    }

    /// Returns the id of the question, and how many of its statements changed.
    pub(crate) fn changed_count(&self) -> (String, u64) {
        let statements = self.0["changes"]["statements"].as_array().map_or(0, |statements| statements.len() as u64);
        (word(&self.0["id"]).to_owned(), statements)
    }

    /// Returns the notice for a terminal: the question, then each statement as it was and as it is.
    pub(crate) fn text(&self) -> String {
        let changes = &self.0["changes"];
        let mut text = format!("{} {}\n", word(&self.0["id"]), one_line(word(&changes["query"])));
        for statement in changes["statements"].as_array().into_iter().flatten() {
            text.push_str(&format!("  {}\n", word(&statement["change"])));
            for (label, side) in [("before", &statement["before"]), ("now", &statement["now"])] {
                if side.is_null() {
                    continue;
                }
                text.push_str(&format!("    {label}: {}\n", one_line(word(&side["text"]))));
                for quote in side["quotes"].as_array().into_iter().flatten() {
                    let (quoted, document) = (one_line(word(&quote["text"])), one_line(word(&quote["document"])));
                    text.push_str(&format!("      “{quoted}” ({document})\n"));
                }
            }
        }
        let cost = &changes["cost"];
        let usd = cost["usd"].as_f64().unwrap_or_default();
        let (calls, searches) = (&cost["calls"], &cost["searches"]);
        text.push_str(&format!(
            "  report: {}; {calls} calls, {searches} searches, ${usd:.4}\n",
            word(&self.0["report"])
        ));
        text
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(statements: Value) -> Value {
        json!({
            "query": "How much?", "statements": statements,
            "cost": { "calls": 2, "searches": 0, "usd": 0.5 },
        })
    }

    #[test]
    fn a_notice_tells_each_statement_with_its_quotes_before_and_after() {
        let side =
            |text: &str| json!({ "text": text, "quotes": [{ "document": "dam.txt", "text": format!("{text}!") }] });
        let statement = json!({ "change": "changed", "before": side("It holds 40."), "now": side("It holds\n50.") });
        let value = json!({ "id": "q-1", "report": "/out", "changes": changes(json!([statement])) });
        let notice = Notice::read(value.to_string().as_bytes()).expect("a notice");
        assert_eq!(
            notice.text(),
            "q-1 How much?\n  changed\n    before: It holds 40.\n      “It holds 40.!” (dam.txt)\n    now: It holds 50.\n      \
             “It holds 50.!” (dam.txt)\n  report: /out; 2 calls, 0 searches, $0.5000\n"
        );
        assert_eq!(notice.changed_count(), ("q-1".to_owned(), 1));
        assert_eq!(Notice::read(b"{}"), None);
    }
}
