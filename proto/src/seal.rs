//! The seal of a report: a hash over its whole `data`.
//!
//! The sealed bytes are `data` as compact JSON: keys in the order of the file, no space between tokens, non-ASCII characters unescaped,
//! fractions as written by Python. This Python expression returns the same bytes, so anybody can recompute the seal:
//!
//! ```python
//! json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
//! ```

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::ids::sha256_hex;

/// Prefix of every seal.
pub const SEAL_PREFIX: &str = "sha256:";

/// Returns the seal of `data`: `sha256:` and the 64 digits of the hash of its sealed bytes; `None` if `data` cannot be written as JSON.
pub fn seal(data: &impl Serialize) -> Option<String> {
    Some(format!("{SEAL_PREFIX}{}", sha256_hex(&sealed_bytes(data)?)))
}

/// Returns the bytes that a seal is the hash of.
fn sealed_bytes(data: &impl Serialize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    data.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, SealFormatter)).ok()?;
    Some(bytes)
}

/// Writes compact JSON with fractions as in Python.
struct SealFormatter;

impl Formatter for SealFormatter {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(fraction(value).as_bytes())
    }
}

/// Returns the shortest digits that read back as `value`, formatted like Python's `repr`: below 0.0001 and from 10¹⁶ with an exponent of
/// at least two digits, otherwise with a point and a digit on each side.
fn fraction(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    // The bounds of Python's `repr`; Rust's own `{}` never writes an exponent.
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sealed(value: &Value) -> String {
        String::from_utf8(sealed_bytes(value).expect("JSON")).expect("UTF-8")
    }

    #[test]
    fn fractions_are_written_as_python_writes_them() {
        // Right-hand sides: `repr` of CPython 3.
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.000_099_9, "9.99e-05"),
            (6.3554e-5, "6.3554e-05"),
            (1.5e-6, "1.5e-06"),
            (-2e-10, "-2e-10"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1.234e17, "1.234e+17"),
            (1e100, "1e+100"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (f64::MAX, "1.7976931348623157e+308"),
        ];
        for (value, want) in cases {
            assert_eq!(fraction(value), want);
        }
    }

    #[test]
    fn keys_keep_their_order_and_text_its_characters() {
        let value = json!({ "b": [1, -2, true, null, 0.5], "a": "é\u{1F600}\"\\\n\u{1}\u{7f}/<", "o": {}, "l": [] });
        let want = "{\"b\":[1,-2,true,null,0.5],\"a\":\"é\u{1F600}\\\"\\\\\\n\\u0001\u{7f}/<\",\"o\":{},\"l\":[]}";
        assert_eq!(sealed(&value), want);
    }

    #[test]
    fn another_value_has_another_seal() {
        let one = json!({ "report": "It never did." });
        let seal_of = |value: &Value| seal(value).expect("JSON");
        assert_eq!(seal_of(&one), format!("sha256:{}", sha256_hex("{\"report\":\"It never did.\"}".as_bytes())));
        assert_ne!(seal_of(&one), seal_of(&json!({ "report": "It did." })));
    }
}
