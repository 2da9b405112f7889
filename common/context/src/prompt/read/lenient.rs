//! Lenient parser for the JSON-like text that models write: single quotes, bare keys, `True` and `None`, extra commas, missing end. A
//! string, number or word cut in the middle is left out, since its rest is unknown.

use serde_json::{Map, Value};

/// Deepest nesting accepted; bounds recursion on hostile text.
const MAX_DEPTH: usize = 32;

/// The object or list at the beginning of `text`, and its length in bytes; `None` if none begins there or it cannot be parsed.
pub(super) fn parse(text: &str) -> Option<(Value, usize)> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = LenientReader { text, at: 0 };
    let read = reader.value(0)?;
    Some((read.value?, reader.at))
}

/// A parsed value.
struct LenientValue {
    /// `None` if the text ends before anything complete.
    value: Option<Value>,
    /// Whether the text ended before the value did.
    is_cut: bool,
}

impl LenientValue {
    fn whole(value: Value) -> Self {
        Self { value: Some(value), is_cut: false }
    }

    const NOTHING: Self = Self { value: None, is_cut: true };
}

struct LenientReader<'t> {
    text: &'t str,
    at: usize,
}

impl LenientReader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip(&mut self, skips: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&skips) {
            self.next();
        }
    }

    /// The value at the current position; `None` if there is none.
    fn value(&mut self, depth: usize) -> Option<LenientValue> {
        self.skip(char::is_whitespace);
        match self.peek() {
            None => Some(LenientValue::NOTHING),
            _ if depth > MAX_DEPTH => None,
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some('"' | '\'' | '“') => Some(match self.string() {
                Some(text) => LenientValue::whole(text.into()),
                None => LenientValue::NOTHING,
            }),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<LenientValue> {
        self.next();
        let mut map = Map::new();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            let key = match self.peek() {
                None => return Some(LenientValue { value: Some(map.into()), is_cut: true }),
                Some('}') => {
                    self.next();
                    return Some(LenientValue::whole(map.into()));
                }
                Some('"' | '\'' | '“') => self.string(),
                Some(c) if c.is_alphanumeric() || c == '_' => self.bare(),
                Some(_) => return None,
            };
            self.skip(char::is_whitespace);
            let Some(key) = key else { return Some(LenientValue { value: Some(map.into()), is_cut: true }) };
            match self.next() {
                Some(':') => {}
                None => return Some(LenientValue { value: Some(map.into()), is_cut: true }),
                Some(_) => return None,
            }
            let read = self.value(depth + 1)?;
            if let Some(value) = read.value {
                map.insert(key, value);
            }
            if read.is_cut {
                return Some(LenientValue { value: Some(map.into()), is_cut: true });
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<LenientValue> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',');
            match self.peek() {
                None => return Some(LenientValue { value: Some(items.into()), is_cut: true }),
                Some(']') => {
                    self.next();
                    return Some(LenientValue::whole(items.into()));
                }
                Some(_) => {}
            }
            let read = self.value(depth + 1)?;
            items.extend(read.value);
            if read.is_cut {
                return Some(LenientValue { value: Some(items.into()), is_cut: true });
            }
        }
    }

    /// The quoted string that begins here; `None` if its end is missing.
    fn string(&mut self) -> Option<String> {
        let quote = self.next()?;
        let closing = if quote == '“' { '”' } else { quote };
        let mut text = String::new();
        while let Some(c) = self.next() {
            // In single quotes an apostrophe looks like the end; a double quote inside a string is escaped even by models.
            if c == closing && (closing == '"' || self.ends_here()) {
                return Some(text);
            }
            match c {
                '\\' => text.extend(self.read_escape()?),
                c => text.push(c),
            }
        }
        None
    }

    /// Whether the next character shows that the quote closed a string and was not an apostrophe.
    fn ends_here(&self) -> bool {
        self.text[self.at..].trim_start().chars().next().is_none_or(|c| matches!(c, ',' | ':' | '}' | ']'))
    }

    /// The character of an escape sequence; the inner `None` if it stands for none.
    fn read_escape(&mut self) -> Option<Option<char>> {
        Some(match self.next()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'b' | 'f' => None,
            'u' => {
                let first = self.hex()?;
                // The two escapes of a surrogate pair are one character (RFC 8259, section 7).
                let second = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                let code = if second {
                    self.at += 2;
                    let low = self.hex()?;
                    0x10000 + ((first - 0xd800) << 10) + (low & 0x3ff)
                } else {
                    first
                };
                char::from_u32(code)
            }
            c => Some(c),
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    fn bare(&mut self) -> Option<String> {
        let start = self.at;
        self.skip(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+'));
        // A word at the end of the text may have been longer: `12` of `123`.
        (self.at < self.text.len()).then(|| self.text[start..self.at].to_owned())
    }

    /// A number, `true`, `false` or `null` as JSON or Python write them.
    fn word(&mut self) -> Option<LenientValue> {
        let start = self.at;
        let Some(word) = self.bare() else { return Some(LenientValue::NOTHING) };
        if self.at == start {
            return None;
        }
        let value = match word.as_str() {
            "true" | "True" => true.into(),
            "false" | "False" => false.into(),
            "null" | "None" => Value::Null,
            // By the rules of JSON, which know no `inf` and no `NaN`.
            number => serde_json::from_str::<serde_json::Number>(number).ok()?.into(),
        };
        Some(LenientValue::whole(value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_nearly_json_is_read() {
        for (text, want) in [
            (r#"{"a": [1, true, null, "x\n\u00e9\ud83d\ude00"]}"#, json!({"a": [1, true, null, "x\né😀"]})),
            ("{'a': 'it\\'s', 'b': 'it's here', }", json!({"a": "it's", "b": "it's here"})),
            ("{a: True, b_2: None, 'c': [1,2,,3,],}", json!({"a": true, "b_2": null, "c": [1, 2, 3]})),
            ("{“a”: “x”}", json!({"a": "x"})),
            ("[-1.5e3]", json!([-1500.0])),
            // Cut: incomplete parts are left out.
            (r#"{"a": ["one", "tw"#, json!({"a": ["one"]})),
            (r#"{"a": "one", "b"#, json!({"a": "one"})),
            (r#"{"a": "one", "b": 12"#, json!({"a": "one"})),
            (r#"{"a": "one", "b":"#, json!({"a": "one"})),
            (r#"[{"a": 1}, {"b": "x\"#, json!([{"a": 1}, {}])),
        ] {
            assert_eq!(parse(text).map(|(value, _)| value), Some(want), "{text}");
        }
        assert_eq!(parse(r#"{"a": 1} and more"#), Some((json!({"a": 1}), 8)));
    }

    #[test]
    fn what_makes_no_sense_is_not() {
        for text in
            ["", "a", "\"a\"", "{what}", "{1 2}", "[a b]", "{\"a\" 1}", "{]", &"[".repeat(100), &"{a:".repeat(100)]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
