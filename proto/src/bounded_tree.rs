//! Deserializes a nested value from another program with a bounded number of parts.
//!
//! An empty part costs three bytes to send and ten times that to hold in memory, so all parts are counted while they are read, and too
//! many are an error.

use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads a `T` of at most `most` values, including those in lists and objects.
///
/// # Errors
/// There are more values, or they are not a `T`.
pub(crate) fn tree<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
    most: usize,
) -> Result<T, D::Error> {
    let mut left = most;
    let value = CountedValue { left: &mut left, most }.deserialize(deserializer)?;
    serde_json::from_value(value).map_err(D::Error::custom)
}

struct CountedValue<'a> {
    left: &'a mut usize,
    most: usize,
}

impl<'de> DeserializeSeed<'de> for CountedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        // Counted before it is read, so that reading ends at the first value too many. The depth is limited by serde_json itself.
        match self.left.checked_sub(1) {
            Some(left) => *self.left = left,
            None => return Err(D::Error::custom(format_args!("more than {} values", self.most))),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(element) = elements.next_element_seed(CountedValue { left: &mut *self.left, most: self.most })? {
            kept.push(element);
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(CountedValue { left: &mut *self.left, most: self.most })?;
            kept.insert(key, value);
        }
        Ok(Value::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str, most: usize) -> Result<Value, serde_json::Error> {
        tree(&mut serde_json::Deserializer::from_str(json), most)
    }

    #[test]
    fn every_value_counts_and_one_too_many_is_a_fault() {
        let json = r#"{"a": [1, -2, 0.5, "", null, true], "b": {}}"#;
        let whole: Value = serde_json::from_str(json).expect("JSON");
        for most in [9, 10] {
            assert_eq!(read(json, most).expect("within its limit"), whole, "{most}");
        }
        assert!(read(json, 8).expect_err("one too many").to_string().contains("more than 8 values"));
        assert!(read("[", 9).is_err());
    }
}
