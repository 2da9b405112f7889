//! The known keys and the values each accepts, derived from the schema of [`Settings`] so that no key is described twice.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Settings;

/// The known keys.
#[derive(Debug)]
pub(super) struct KnownKeys(Map<String, Value>);

impl KnownKeys {
    /// Collects all keys, in the order of the structs.
    pub(super) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
        let mut schema = settings.into_generator().into_root_schema_for::<Settings>();
        let Some(Value::Object(properties)) = schema.remove("properties") else { return Self(Map::new()) };
        let mut keys = Map::new();
        for (name, schema) in properties {
            match schema.get("properties").and_then(Value::as_object) {
                Some(tables) => {
                    keys.extend(tables.iter().map(|(table, schema)| (format!("{name}.{table}"), schema.clone())))
                }
                None => {
                    keys.insert(name, schema);
                }
            }
        }
        Self(keys)
    }

    /// Whether `name` is a group of tables, such as `search`, rather than a key.
    pub(super) fn is_group(&self, name: &str) -> bool {
        self.0.keys().any(|key| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Splits `path` into the parts that name a top-level key and the rest.
    fn split<'p>(&self, path: &'p [String]) -> Option<(&'p [String], &'p [String])> {
        let depth = if self.is_group(path.first()?) { 2 } else { 1 };
        Some(path.split_at(depth.min(path.len())))
    }

    /// Iterates over names and schemas of the top-level keys; a table in a group is named `group.table`.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    /// Returns the schema of the key at `path`.
    ///
    /// # Errors
    /// An unknown key: the most similar known one, if any.
    pub(super) fn find(&self, path: &[String]) -> Result<&Value, Option<String>> {
        let (place, rest) = self.split(path).ok_or(None)?;
        let table = &place.join(".");
        let top = self.0.get(table).ok_or_else(|| nearest(table, self.0.keys()))?;
        let (Some(entry), Some((name, rest))) = (entry_of(top), rest.split_first()) else {
            return if rest.is_empty() { Ok(top) } else { Err(Some(table.clone())) };
        };
        let [leaf, deeper @ ..] = rest else { return Ok(entry) };
        let leaves = entry.get("properties").and_then(Value::as_object).ok_or(None)?;
        let known = |leaf: &str| super::config_value::dotted_key(&[place, &[name.clone(), leaf.to_owned()]].concat());
        match leaves.get(leaf) {
            Some(schema) if deeper.is_empty() => Ok(schema),
            Some(_) => Err(Some(known(leaf))),
            None => Err(nearest(leaf, leaves.keys()).map(|leaf| known(&leaf))),
        }
    }

    /// Whether `key` is a table with named entries, such as `providers`.
    pub(super) fn is_table(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|schema| entry_of(schema).is_some())
    }

    /// Returns the top-level key most similar to `word`; `None` if none is close.
    pub(super) fn nearest(&self, word: &str) -> Option<String> {
        nearest(word, self.0.keys())
    }
}

/// Returns the schema of the entries if `schema` describes a table with named entries.
pub(super) fn entry_of(schema: &Value) -> Option<&Value> {
    schema.get("additionalProperties").filter(|entry| entry.is_object())
}

/// Whether `schema` allows `value`: type, range and fixed words.
pub(super) fn fits(schema: &Value, value: &toml::Value) -> bool {
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        return options.iter().any(|option| fits(option, value));
    }
    if let Some(words) = words(schema) {
        return value.as_str().is_some_and(|v| words.contains(&v));
    }
    types(schema).iter().any(|kind| match (*kind, value) {
        ("boolean", toml::Value::Boolean(_)) | ("object", toml::Value::Table(_)) => true,
        ("integer" | "number", toml::Value::Integer(n)) => within(schema, *n as f64),
        ("number", toml::Value::Float(n)) => n.is_finite() && within(schema, *n),
        ("string", toml::Value::String(text)) => !is_address(schema) || url::Url::parse(text).is_ok(),
        ("array", toml::Value::Array(items)) => items.iter().all(|item| fits(&schema["items"], item)),
        _ => false,
    })
}

/// Describes for people what `schema` allows: `a whole number from 1 to 10`.
pub(super) fn expectation(schema: &Value) -> String {
    if let Some(option) = schema.get("anyOf").and_then(|options| options.get(0)) {
        return expectation(option);
    }
    if let Some(words) = words(schema) {
        return format!("one of {}", words.join(", "));
    }
    match types(schema).first().copied().unwrap_or_default() {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", span(schema)),
        "number" => format!("a number{}", span(schema)),
        "array" => match types(&schema["items"]).first().copied() {
            Some("integer") => format!("a list of whole numbers{}", span(&schema["items"])),
            _ => "a list of strings".to_owned(),
        },
        "object" => "a table".to_owned(),
        _ if is_address(schema) => "an address such as scheme://host/path".to_owned(),
        _ => "a string".to_owned(),
    }
}

/// Returns a short word for the type of `schema`, for the reference table.
pub(super) fn type_word(schema: &Value) -> String {
    if entry_of(schema).is_some() {
        return "tables".to_owned();
    }
    let word = expectation(schema);
    let word = word.trim_start_matches("a ").trim_start_matches("an ").trim_start_matches("one of ");
    if is_address(schema) { "address".to_owned() } else { word.replace("list of strings", "list") }
}

/// Parses `text` from an environment variable or a flag as the type `schema` declares; returns it as a string if that fails.
pub(super) fn from_text(schema: &Value, text: &str) -> toml::Value {
    let number = text.trim().replace('_', "");
    for kind in types(schema) {
        let value = match kind {
            "boolean" => text.trim().parse().ok().map(toml::Value::Boolean),
            "integer" => number.parse().ok().map(toml::Value::Integer),
            "number" => number.parse().ok().map(toml::Value::Float),
            "array" => Some(toml::Value::Array(list(text, &schema["items"]))),
            _ => None,
        };
        if let Some(value) = value {
            return value;
        }
    }
    toml::Value::String(text.to_owned())
}

/// Whether values of `schema` may hold a password.
pub(super) fn is_address(schema: &Value) -> bool {
    schema.get("format").and_then(Value::as_str) == Some("uri")
}

fn list(text: &str, items: &Value) -> Vec<toml::Value> {
    let texts = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    texts.map(|item| from_text(items, item)).collect()
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).filter(|k| *k != "null").collect(),
        _ => Vec::new(),
    }
}

fn words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().filter_map(Value::as_str).collect());
    }
    let options = schema.get("oneOf").and_then(Value::as_array)?;
    Some(options.iter().filter_map(|option| option.get("const").and_then(Value::as_str)).collect())
}

fn bound(schema: &Value, name: &str) -> Option<f64> {
    schema.get(name).and_then(Value::as_f64)
}

fn within(schema: &Value, n: f64) -> bool {
    bound(schema, "minimum").is_none_or(|min| n >= min) && bound(schema, "maximum").is_none_or(|max| n <= max)
}

fn span(schema: &Value) -> String {
    match (bound(schema, "minimum"), bound(schema, "maximum")) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
    }
}

/// Returns the word of `known` that `word` was probably meant to be: equal except for a prefix, or an edit distance of at most a third
/// of the longer word.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a String>) -> Option<String> {
    let word = word.to_lowercase().replace('-', "_");
    let bare = word.trim_start_matches("deep_research_");
    let scored = known.map(|k| (distance(bare, k), k)).filter(|(d, k)| *d * 3 <= k.len().max(bare.len()));
    scored.min_by_key(|(d, _)| *d).map(|(_, k)| k.clone())
}

/// Counts the insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(key: &str) -> Vec<String> {
        super::super::config_value::parts(key)
    }

    #[test]
    fn an_unknown_key_names_the_one_that_was_meant() {
        let keys = KnownKeys::new();
        for (written, meant) in [
            ("digest_polcy", Some("digest_policy")),
            ("digest-policy", Some("digest_policy")),
            ("deep_research_digest_policy", Some("digest_policy")),
            ("htlm", Some("html")),
            ("provider.fast.base_url", Some("providers")),
            ("providers.fast.base_uri", Some("providers.fast.base_url")),
            ("providers.fast.base_url.x", None),
            ("search.provider.house.kind", Some("search.providers")),
            ("search.providers.house.knid", Some("search.providers.house.kind")),
            ("serch.providers.house.kind", None),
            ("search_cache_tl", Some("search_cache_ttl")),
            ("completely_unrelated", None),
        ] {
            assert_eq!(keys.find(&path(written)).expect_err(written), meant.map(str::to_owned), "{written}");
        }
    }

    #[test]
    fn a_value_fits_by_type_range_and_word() {
        let keys = KnownKeys::new();
        let table = [
            ("token_safety_margin", "0.9", true),
            ("token_safety_margin", "0", true),
            ("token_safety_margin", "0.91", false),
            ("token_safety_margin", "nan", false),
            ("digest_evidence_max_chars", "99", false),
            ("digest_evidence_max_chars", "100", true),
            ("digest_evidence_max_chars", "500", true),
            ("digest_evidence_max_chars", "501", false),
            ("digest_evidence_max_chars", "400.5", false),
            ("runtime_overhead", "-1", false),
            ("auto_compact_threshold", "1000", true),
            ("digest_policy", "always", true),
            ("digest_policy", "Always", false),
            ("amqp_url", "not an address", false),
            ("amqp_url", "amqp://localhost", true),
            ("follow_links", "true", true),
            ("follow_links", "yes", false),
            ("summarization_providers", "a:b, c:d", true),
            ("fetch_ports", "1, 443, 65535", true),
            ("fetch_ports", "0", false),
            ("fetch_ports", "443, 65536", false),
            ("fetch_ports", "https", false),
            ("fetch_max_redirects", "0", true),
            ("fetch_max_redirects", "20", true),
            ("fetch_max_redirects", "21", false),
            ("fetch_host_concurrency", "0", false),
            ("fetch_host_concurrency", "1", true),
            ("fetch_host_concurrency", "64", true),
            ("fetch_host_concurrency", "65", false),
            ("fetch_host_interval", "0", true),
            ("fetch_host_interval", "60.1", false),
            ("fetch_timeout", "0.09", false),
            ("fetch_timeout", "0.1", true),
            ("model_context_overrides.x.budgeting_mode", "input_only", true),
            ("model_context_overrides.x.budgeting_mode", "both", false),
            ("search.providers.x.kind", "tavily", true),
            ("search.providers.x.kind", "bing", false),
            ("search.providers.x.requests_per_minute", "0", false),
            ("search.providers.x.requests_per_minute", "1", true),
            ("search.providers.x.timeout", "0.9", false),
            ("search.providers.x.timeout", "600", true),
            ("search.providers.x.timeout", "601", false),
            ("search_cache_ttl", "0", true),
            ("search_cache_ttl", "2592001", false),
        ];
        for (key, text, expected) in table {
            let schema = keys.find(&path(key)).expect(key);
            assert_eq!(fits(schema, &from_text(schema, text)), expected, "{key} = {text}");
        }
    }

    #[test]
    fn an_expectation_is_a_phrase() {
        let keys = KnownKeys::new();
        for (key, phrase) in [
            ("digest_policy", "one of off, auto, always"),
            ("digest_evidence_max_chars", "a whole number from 100 to 500"),
            ("max_spend_usd", "a number of at least 0"),
            ("follow_links", "true or false"),
            ("summarization_providers", "a list of strings"),
            ("redis_url", "an address such as scheme://host/path"),
            ("model_context_overrides.x.budgeting_mode", "one of combined, input_only"),
        ] {
            assert_eq!(expectation(keys.find(&path(key)).expect(key)), phrase, "{key}");
        }
    }
}
