//! Reads the output of a tool: plain text, or one of the JSON envelopes that tools put around it.

use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use super::super::failure::{Code, Failure};
use super::super::reply::Reply;
use super::super::{excerpt, overflow};
use super::process::ProcessOutput;

/// Phrases of tools' error messages, in lower case, and their codes; the first match decides. Tools pass on their vendors' messages and
/// have their own for a missing sign-in.
const WORDINGS: [(&[&str], Code); 4] = [
    (&["rate limit", "rate_limit", "too many requests", "resource_exhausted"], Code::RateLimited),
    (&["usage limit", "credit balance", "insufficient_quota", "limit reached", "quota exceeded"], Code::QuotaExhausted),
    (&["overloaded", "internal server error", "service unavailable"], Code::ServerError),
    (
        &["unauthorized", "not logged in", "please run /login", "api key", "authentication", "log in"],
        Code::Unauthorized,
    ),
];

/// Reads the reply in a tool's output.
///
/// # Errors
/// If the tool failed, the code of its message, else [`Code::ToolFailed`]; [`Code::BadAnswer`] if its output is empty. The detail for the
/// log never repeats the output, which may contain the prompt; the message for the user is its last error line.
pub(super) fn read(ended: &ProcessOutput) -> Result<Reply, Failure> {
    let said = String::from_utf8_lossy(&ended.stdout);
    let envelope = serde_json::from_str::<Value>(said.trim()).ok().and_then(|v| WrappedReply::from_value(&v));
    if let Some(WrappedReply { error: Some(error), .. }) = &envelope {
        let said = Some(excerpt::for_people(error));
        return Err(Failure { said, ..Failure::new(meaning(error), "the tool reports an error") });
    }
    if !ended.status.success() {
        let how = match (ended.status.code(), ended.status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "unknown exit status".to_owned(),
        };
        let complaint = String::from_utf8_lossy(&ended.stderr);
        let code = meaning(&format!("{said}\n{complaint}"));
        return Err(Failure {
            said: last_line(&complaint).map(|line| format!("{how}: {line}")),
            ..Failure::new(code, how)
        });
    }
    let reply = match envelope {
        Some(envelope) => envelope.reply,
        None => Reply { text: said.trim().to_owned(), ..Reply::default() },
    };
    if reply.text.trim().is_empty() {
        return Err(Failure::new(Code::BadAnswer, "the tool wrote no answer"));
    }
    reply.within_limit()
}

/// Returns the last line of standard error that contains text: tools usually end with the error.
fn last_line(complaint: &str) -> Option<String> {
    let line = complaint.lines().rev().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    Some(excerpt::for_people(line))
}

fn meaning(said: &str) -> Code {
    if overflow::is_overflow(400, &[], said) {
        return Code::Overflow;
    }
    let said = said.to_lowercase();
    let known = WORDINGS.into_iter().find(|(words, _)| words.iter().any(|w| said.contains(w)));
    known.map_or(Code::ToolFailed, |(_, code)| code)
}

/// An answer in a tool's JSON envelope.
#[derive(Debug, Default)]
struct WrappedReply {
    reply: Reply,
    /// The tool's own error message.
    error: Option<String>,
}

impl WrappedReply {
    /// Reads `value` as an envelope: an object with `type` and `result`, alone or the last such in a list, or one with `response` and
    /// `stats`. `None` if it is neither, for example if the answer itself is JSON.
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Array(events) => events.iter().rev().find_map(Self::result),
            _ => Self::result(value).or_else(|| Self::response(value)),
        }
    }

    /// Reads the envelope of Claude Code and Cursor.
    fn result(value: &Value) -> Option<Self> {
        if value["type"] != "result" {
            return None;
        }
        let text = value["result"].as_str().unwrap_or_default();
        let failed = value["is_error"] == true || value["subtype"].as_str().is_some_and(|s| s != "success");
        let usage = &value["usage"];
        let tokens = |snake: &str, camel: &str| usage[snake].as_u64().or(usage[camel].as_u64());
        let cached = tokens("cache_read_input_tokens", "cacheReadTokens").unwrap_or(0);
        let written = tokens("cache_creation_input_tokens", "cacheWriteTokens").unwrap_or(0);
        let input = tokens("input_tokens", "inputTokens").map(|n| n.saturating_add(cached).saturating_add(written));
        let reply = Reply {
            text: text.to_owned(),
            cut_off: false,
            input_tokens: input,
            cached_input_tokens: cached,
            output_tokens: tokens("output_tokens", "outputTokens"),
        };
        Some(Self { error: failed.then(|| format!("{text} {}", value["subtype"])), reply })
    }

    /// Reads the envelope of Gemini CLI.
    fn response(value: &Value) -> Option<Self> {
        if let Some(error) = value.get("error").filter(|e| e.is_object() && value.get("response").is_none()) {
            return Some(Self { error: Some(error.to_string()), ..Self::default() });
        }
        let text = value["response"].as_str().filter(|_| value["stats"].is_object())?;
        let models = value["stats"]["models"].as_object();
        let sum = |key: &str| {
            let counts = models.into_iter().flatten().filter_map(|(_, model)| model["tokens"][key].as_u64());
            counts.fold(None, |sum: Option<u64>, n| Some(sum.unwrap_or(0).saturating_add(n)))
        };
        let output = sum("candidates").map(|n| n.saturating_add(sum("thoughts").unwrap_or(0)));
        let reply = Reply {
            text: text.to_owned(),
            cut_off: false,
            input_tokens: sum("prompt"),
            cached_input_tokens: sum("cached").unwrap_or(0),
            output_tokens: output,
        };
        Some(Self { reply, error: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::process::ExitStatus;

    fn ended(code: i32, stdout: &str, stderr: &str) -> ProcessOutput {
        ProcessOutput { status: ExitStatus::from_raw(code << 8), stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn a_text_is_the_answer_unchanged_even_if_it_is_json() {
        for text in ["It holds.", r#"{"summary": "It holds."}"#, r#"{"response": "no envelope"}"#, "[1]"] {
            let reply = read(&ended(0, &format!("{text}\n"), "noise")).expect("an answer");
            assert_eq!(reply, Reply { text: text.into(), ..Reply::default() });
        }
    }

    #[test]
    fn an_envelope_is_taken_off_and_its_counts_are_read() {
        let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 7});
        let claude = json!({"type": "result", "subtype": "success", "is_error": false, "result": "a", "usage": usage});
        let cursor = json!({"type": "result", "result": "a", "usage": {"inputTokens": 10, "cacheReadTokens": 90, "outputTokens": 7}});
        let tokens = json!({"prompt": 100, "candidates": 4, "thoughts": 3, "cached": 90});
        let gemini = json!({"response": "a", "stats": {"models": {"x": {"tokens": tokens}}}});
        let expected = Reply {
            text: "a".into(),
            cut_off: false,
            input_tokens: Some(100),
            cached_input_tokens: 90,
            output_tokens: Some(7),
        };
        for envelope in [claude.clone(), cursor, gemini, json!([{"type": "system"}, claude])] {
            assert_eq!(read(&ended(0, &envelope.to_string(), "")).expect("an answer"), expected, "{envelope}");
        }
    }

    #[test]
    fn a_failure_means_what_the_tool_says_and_repeats_nothing_of_it() {
        let error = |text: &str| json!({"type": "result", "is_error": true, "result": text}).to_string();
        for (code, stdout, stderr, meaning) in [
            (3, "the secret plan", "", Code::ToolFailed),
            (1, "", "Error: Rate limit reached for the secret plan", Code::RateLimited),
            (1, "", "You have hit your usage limit", Code::QuotaExhausted),
            (1, "", "Not logged in", Code::Unauthorized),
            (1, "", "prompt is too long: 210000 tokens > 200000 maximum", Code::Overflow),
            (0, error("API Error: 529 overloaded_error").as_str(), "", Code::ServerError),
            (0, error("something else").as_str(), "", Code::ToolFailed),
            (0, r#"{"error": {"type": "ApiError", "message": "API key not valid"}}"#, "", Code::Unauthorized),
            (0, " \n", "", Code::BadAnswer),
            (0, r#"{"type": "result", "result": ""}"#, "", Code::BadAnswer),
        ] {
            let failure = read(&ended(code, stdout, stderr)).expect_err("failed");
            assert_eq!(failure.code, meaning, "{stdout} {stderr}");
            assert!(!failure.to_string().contains("secret"), "{failure}");
        }
        let killed = ProcessOutput { status: ExitStatus::from_raw(9), stdout: Vec::new(), stderr: Vec::new() };
        assert_eq!(read(&killed).expect_err("was killed").to_string(), "tool_failed: signal 9");
    }
}
