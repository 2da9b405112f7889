//! Asks a model server for the window of a model that is neither configured nor in the built-in table.
//!
//! Servers report it in different places: a list of models (vLLM, llama.cpp, LM Studio, OpenRouter), `/props` (llama.cpp), `/api/show`
//! (Ollama), a page per model (Anthropic, Gemini). They are tried in this order; the first with a figure decides. If one place has
//! several figures, the smallest counts: a model trained on 128,000 tokens may be served with 8,192.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use super::failure::Code;
use super::provider::{Endpoint, ProviderConfig};
use super::server::{PathBase, Server};
use super::vendor::Vendor;

/// Longest wait for the answer of one server. Chosen: a server that is up answers in milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);
/// Plausible windows, in tokens; other figures are ignored.
const SENSIBLE: std::ops::RangeInclusive<u64> = 256..=100_000_000;

/// The window of a model as its server reports it, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldWindow {
    /// The window.
    pub window: u64,
    /// The longest answer, if reported.
    pub longest_answer: Option<u64>,
}

/// Asks the server of `provider` for the window of `model`, in at most three requests within three seconds. `None` if it is a tool, does
/// not answer or does not report it.
pub async fn told_window(provider: &ProviderConfig, model: &str) -> Option<ToldWindow> {
    let Endpoint::Server(config) = &provider.endpoint else { return None };
    let server = Server::new(&provider.name, config, PATIENCE).ok()?;
    timeout(PATIENCE, ask_places(&server, model)).await.ok().flatten()
}

/// Asks each place in order until one reports the window.
async fn ask_places(server: &Server, model: &str) -> Option<ToldWindow> {
    let one = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
    type WindowReader = fn(&Value, &str) -> Option<ToldWindow>;
    let places: Vec<(PathBase, Vec<String>, Option<Value>, WindowReader)> = match server.vendor {
        Vendor::OpenAi => vec![
            (PathBase::Base, one(&["models"]), None, listed_window),
            (PathBase::Root, one(&["props"]), None, props),
            (PathBase::Root, one(&["api", "show"]), Some(serde_json::json!({ "model": model })), ollama_window),
        ],
        Vendor::Anthropic | Vendor::Gemini => vec![(PathBase::Base, one(&["models", model]), None, page)],
    };
    for (place, path, body, read) in places {
        match server.fetch_json(place, path, body.as_ref()).await {
            Ok(answer) => {
                if let Some(told) = read(&answer, model) {
                    return Some(told);
                }
            }
            // The server is unreachable, and the other places are on the same server.
            Err(failure) if matches!(failure.code, Code::Connect | Code::Timeout) => return None,
            Err(_) => {}
        }
    }
    None
}

/// Reads the entry of `model` in a list of models; a single entry counts for any name, since servers of one model accept any name.
fn listed_window(body: &Value, model: &str) -> Option<ToldWindow> {
    let entries = body["data"].as_array()?;
    let named = entries.iter().find(|entry| entry["id"].as_str() == Some(model));
    let entry = named.or_else(|| entries.first().filter(|_| entries.len() == 1))?;
    let windows = [
        &entry["max_model_len"],
        &entry["context_length"],
        &entry["context_window"],
        &entry["max_context_length"],
        &entry["loaded_context_length"],
        &entry["n_ctx"],
        &entry["meta"]["n_ctx"],
        &entry["top_provider"]["context_length"],
    ];
    let answers =
        [&entry["max_completion_tokens"], &entry["max_output_tokens"], &entry["top_provider"]["max_completion_tokens"]];
    plausible(smallest(windows), smallest(answers))
}

/// Reads the window of one slot of llama.cpp.
fn props(body: &Value, _: &str) -> Option<ToldWindow> {
    plausible(smallest([&body["default_generation_settings"]["n_ctx"], &body["n_ctx"]]), None)
}

/// Reads the window that an Ollama model file sets, else the one the model was trained with.
fn ollama_window(body: &Value, _: &str) -> Option<ToldWindow> {
    let parameters = body["parameters"].as_str().unwrap_or_default().lines();
    let set = parameters.filter_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok()).next();
    let info = body["model_info"].as_object().into_iter().flatten();
    let trained = info.filter(|(key, _)| key.ends_with(".context_length")).find_map(|(_, value)| value.as_u64());
    plausible(set.or(trained), None)
}

/// Reads a model's page at Anthropic or Gemini.
fn page(body: &Value, _: &str) -> Option<ToldWindow> {
    let window = smallest([&body["inputTokenLimit"], &body["max_input_tokens"]]);
    plausible(window, smallest([&body["outputTokenLimit"], &body["max_tokens"]]))
}

/// Builds the result; `None` if the window is not plausible. Drops an implausible longest answer.
fn plausible(window: Option<u64>, longest_answer: Option<u64>) -> Option<ToldWindow> {
    let window = window.filter(|window| SENSIBLE.contains(window))?;
    Some(ToldWindow { window, longest_answer: longest_answer.filter(|answer| (1..=window).contains(answer)) })
}

fn smallest<const N: usize>(figures: [&Value; N]) -> Option<u64> {
    figures.into_iter().filter_map(Value::as_u64).min()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn window(told: Option<ToldWindow>) -> Option<u64> {
        told.map(|told| told.window)
    }

    #[test]
    fn a_list_of_models_tells_the_window_of_one_of_them() {
        let list = |entries: Value| json!({ "object": "list", "data": entries });
        for (entries, expected) in [
            (json!([{ "id": "m", "max_model_len": 8192 }]), Some(8_192)),
            (json!([{ "id": "other", "max_model_len": 1024 }, { "id": "m", "context_length": 4096 }]), Some(4_096)),
            (json!([{ "id": "/models/any.gguf", "meta": { "n_ctx": 2048, "n_ctx_train": 32768 } }]), Some(2_048)),
            (json!([{ "id": "m", "max_context_length": 131072, "loaded_context_length": 4096 }]), Some(4_096)),
            (json!([{ "id": "m", "meta": { "n_ctx_train": 32768 } }]), None),
            (json!([{ "id": "a", "max_model_len": 1024 }, { "id": "b", "max_model_len": 1024 }]), None),
            (json!([{ "id": "m", "max_model_len": 255 }]), None),
            (json!([{ "id": "m", "max_model_len": 256 }]), Some(256)),
            (json!([{ "id": "m", "max_model_len": "8192" }]), None),
            (json!([]), None),
        ] {
            assert_eq!(window(listed_window(&list(entries.clone()), "m")), expected, "{entries}");
        }
        let routed = list(json!([{ "id": "m", "context_length": 200_000,
            "top_provider": { "context_length": 128_000, "max_completion_tokens": 16_000 } }]));
        let expected = ToldWindow { window: 128_000, longest_answer: Some(16_000) };
        assert_eq!(listed_window(&routed, "m"), Some(expected));
    }

    #[test]
    fn other_servers_tell_it_in_other_places() {
        let slot = json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 4 });
        assert_eq!(window(props(&slot, "m")), Some(4_096));
        let trained = json!({ "model_info": { "llama.context_length": 8192, "llama.block_count": 22 } });
        assert_eq!(window(ollama_window(&trained, "m")), Some(8_192));
        let set = json!({ "parameters": "stop \"<|end|>\"\nnum_ctx    2048", "model_info": { "llama.context_length": 8192 } });
        assert_eq!(window(ollama_window(&set, "m")), Some(2_048));
        let gemini = json!({ "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536 });
        assert_eq!(page(&gemini, "m"), Some(ToldWindow { window: 1_048_576, longest_answer: Some(65_536) }));
        assert_eq!(window(page(&json!({ "error": "no such model" }), "m")), None);
    }
}
