//! The reference table of all keys, generated from the structs.

use serde_json::Value;

use super::Settings;
use super::keys::{self, KnownKeys};
use super::{
    ApiTokenSettings, ContextOverride, LimitSettings, PriceSettings, ProviderSettings, RoleSettings,
    SearchProviderSettings, TenantSettings, WebhookEndpointSettings,
};

/// Returns all keys as Markdown: one table of plain keys, then one for each table with named entries. Ends with a line break.
#[must_use]
pub fn reference_markdown() -> String {
    let keys = KnownKeys::new();
    let defaults = serde_json::to_value(Settings::default()).unwrap_or_default();
    let mut text = heading("Key");
    for (name, schema) in keys.iter().filter(|(name, _)| !keys.is_table(name)) {
        let default = name.split('.').fold(&defaults, |value, part| &value[part]);
        text.push_str(&row(name, schema, default));
    }
    for (name, schema) in keys.iter() {
        let Some(entry) = keys::entry_of(schema) else { continue };
        text.push_str(&format!("\n`[{name}.{}]`: {}\n\n", placeholder(name), description(schema)));
        text.push_str(&heading("Key"));
        let leaves = entry.get("properties").and_then(Value::as_object);
        for (leaf, schema) in leaves.into_iter().flatten() {
            text.push_str(&row(leaf, schema, &entry_default(name)[leaf]));
        }
    }
    text
}

fn heading(first: &str) -> String {
    format!("| {first} | Type | Default | What it does |\n| --- | --- | --- | --- |\n")
}

fn row(name: &str, schema: &Value, default: &Value) -> String {
    format!("| `{name}` | {} | {} | {} |\n", keys::type_word(schema), default_text(default), description(schema))
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn default_text(default: &Value) -> String {
    match default {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`\"{text}\"`"),
        Value::Number(n) if n.as_f64().is_some_and(|n| n.fract() == 0.0) => {
            format!("`{}`", n.as_f64().unwrap_or_default())
        }
        other => format!("`{other}`"),
    }
}

fn placeholder(table: &str) -> &'static str {
    match table {
        "roles" => "ROLE",
        "prices" | "model_context_overrides" => "\"NAME:MODEL\"",
        _ => "NAME",
    }
}

fn entry_default(table: &str) -> Value {
    let default = match table {
        "providers" => serde_json::to_value(ProviderSettings::default()),
        "roles" => serde_json::to_value(RoleSettings::default()),
        "tenants" => serde_json::to_value(TenantSettings::default()),
        "api_tokens" => serde_json::to_value(ApiTokenSettings::default()),
        "webhooks" => serde_json::to_value(WebhookEndpointSettings::default()),
        "limits" => serde_json::to_value(LimitSettings::default()),
        "search.providers" => serde_json::to_value(SearchProviderSettings::default()),
        "prices" => serde_json::to_value(PriceSettings::default()),
        _ => serde_json::to_value(ContextOverride::default()),
    };
    default.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_described_with_its_type_and_default() {
        let table = reference_markdown();
        for row in [
            "| `token_safety_margin` | number from 0 to 0.9 | `0.15` | Share of a model's window left unused, to absorb counting errors. |",
            "| `digest_policy` | off, auto, always | `\"auto\"` |",
            "| `research_archive_dir` | string | none |",
            "| `summarization_providers` | list | `[]` |",
            "| `amqp_url` | address | none |",
            "| `timeout` | number from 1 to 3600 | `120` |",
        ] {
            assert!(table.contains(row), "{row} is not in\n{table}");
        }
        assert!(!table.lines().any(|line| line.ends_with("|  |")), "a key without a description in\n{table}");
    }
}
