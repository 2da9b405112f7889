//! JSON values as they are written: numbers keep their digits, members their order and names that occur twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Most levels of values within each other. Each level is scanned once more, so this bounds the time too.
pub(super) const MAX_DEPTH: usize = 32;
/// Most values read of a document. Chosen, as for the cells of a sheet.
pub(super) const MAX_VALUES: usize = 250_000;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JsonValue {
    /// A number, `true`, `false` or `null`, as written.
    Literal(String),
    Text(String),
    List(Vec<JsonValue>),
    Object(Vec<(String, JsonValue)>),
}

/// The values of a document.
#[derive(Debug, Default)]
pub(super) struct JsonValues<'s> {
    /// One, or several in JSON Lines.
    pub(super) found: Vec<JsonValue>,
    pub(super) fault: JsonFault<'s>,
}

/// What of a document was not read.
#[derive(Debug, Default)]
pub(super) struct JsonFault<'s> {
    /// The text from the first character on that is no JSON, with its line, from 1.
    pub(super) broken: Option<(usize, &'s str)>,
    /// Values left out since they lie too deep, or are too many.
    pub(super) too_deep: usize,
    pub(super) too_many: bool,
}

impl JsonFault<'_> {
    /// What is said about it.
    pub(super) fn remarks(&self) -> Vec<String> {
        let broken =
            self.broken.map(|(line, _)| format!("line {line} is no JSON: what begins there is kept as it is written"));
        let deep = (self.too_deep > 0)
            .then(|| format!("values nested more than {MAX_DEPTH} levels deep are left out: {}", self.too_deep));
        let many = self.too_many.then(|| format!("read the first {MAX_VALUES} values"));
        [broken, deep, many].into_iter().flatten().collect()
    }
}

/// Whether `text` is one JSON value.
pub(super) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The values in `source`, one after the other.
pub(super) fn values(source: &str) -> JsonValues<'_> {
    let mut values = JsonValues::default();
    let mut left = MAX_VALUES;
    let mut stream = serde_json::Deserializer::from_str(source).into_iter::<&RawValue>();
    loop {
        let at = stream.byte_offset();
        match stream.next() {
            Some(Ok(raw)) => values.found.extend(value(raw, MAX_DEPTH, &mut left, &mut values.fault)),
            Some(Err(_)) => {
                let rest = source.get(at..).unwrap_or_default().trim_start();
                let line = source[..source.len() - rest.len()].matches('\n').count() + 1;
                values.fault.broken = Some((line, rest));
                break;
            }
            None => break,
        }
    }
    values
}

/// The value that `raw` writes, with at most `depth` levels below it; `None` if nothing is left.
fn value(raw: &RawValue, depth: usize, left: &mut usize, fault: &mut JsonFault<'_>) -> Option<JsonValue> {
    if *left == 0 {
        fault.too_many = true;
        return None;
    }
    *left -= 1;
    let written = raw.get();
    let is_nested = written.starts_with(['{', '[']);
    if is_nested && depth == 0 {
        fault.too_deep += 1;
        return None;
    }
    let found = match written.as_bytes().first() {
        Some(b'{') => {
            let members = serde_json::from_str::<Members<'_>>(written).ok()?.0;
            let named = members.into_iter().map_while(|(name, raw)| Some((name, raw)).filter(|_| *left > 0));
            let mut object = Vec::new();
            for (name, raw) in named.collect::<Vec<_>>() {
                object.extend(value(raw, depth - 1, left, fault).map(|value| (name, value)));
            }
            JsonValue::Object(object)
        }
        Some(b'[') => {
            let raws = serde_json::from_str::<Vec<&RawValue>>(written).ok()?;
            JsonValue::List(raws.into_iter().filter_map(|raw| value(raw, depth - 1, left, fault)).collect())
        }
        Some(b'"') => JsonValue::Text(serde_json::from_str(written).unwrap_or_else(|_| written.to_owned())),
        _ => JsonValue::Literal(written.to_owned()),
    };
    Some(found)
}

/// The members of an object, as written.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(MembersVisitor).map(Members)
    }
}

impl JsonValue {
    /// The value of the first member called `name`.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// A text, or a list of texts that are its lines, as notebooks write them.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::List(lines) => {
                lines.iter().map(|line| if let Self::Text(text) = line { Some(text.as_str()) } else { None }).collect()
            }
            Self::Literal(_) | Self::Object(_) => None,
        }
    }

    /// The values of a list; none of any other value.
    pub(super) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// A value that is no list and no object, as it is shown.
    pub(super) fn scalar(&self) -> Option<&str> {
        match self {
            Self::Literal(text) | Self::Text(text) => Some(text),
            Self::List(_) | Self::Object(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        for (levels, deep) in [(MAX_DEPTH - 1, 0), (MAX_DEPTH, 0), (MAX_DEPTH + 1, 1)] {
            let source = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            assert_eq!(values(&source).fault.too_deep, deep, "{levels}");
        }
        for (many, is_cut) in [(MAX_VALUES - 1, false), (MAX_VALUES, false), (MAX_VALUES + 1, true)] {
            // The list is a value too.
            let source = format!("[{}1]", "1,".repeat(many - 2));
            assert_eq!(values(&source).fault.too_many, is_cut, "{many}");
        }
    }

    #[test]
    fn numbers_names_and_their_order_are_kept() {
        let found = values("{\"b\": 1.50e3, \"a\": -0, \"b\": 12345678901234567890.10}").found;
        let literal = |text: &str| JsonValue::Literal(text.to_owned());
        let want = [("b", "1.50e3"), ("a", "-0"), ("b", "12345678901234567890.10")];
        assert_eq!(found, [JsonValue::Object(want.map(|(name, text)| (name.to_owned(), literal(text))).to_vec())]);
    }
}
