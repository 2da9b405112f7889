//! URLs that may contain a password.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

/// An absolute URL. Everything that prints it, including `Debug` and serialisation, masks its password (or its user name, if there is
/// no password), the values of its query and its fragment; only [`SecretUrl::expose`] returns them.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(Url);

impl SecretUrl {
    /// Returns the URL with its secrets, for the client that connects.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.as_str()
    }

    /// Returns scheme, host, port and path, the parts that contain no secret, without a slash at the end.
    #[must_use]
    pub fn address(&self) -> String {
        without_secrets(&self.0)
    }

    /// Parses a URL that is a constant of this program.
    pub(crate) fn from_constant(text: &str) -> Self {
        Self(Url::parse(text).expect("a valid address"))
    }

    /// Whether the URL names a host.
    #[must_use]
    pub fn has_host(&self) -> bool {
        self.0.has_host()
    }

    /// Returns the part before `://`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }
}

/// Returns scheme, host, port and path of a URL, without a slash at the end.
pub(crate) fn without_secrets(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path().trim_end_matches('/'))
}

impl From<Url> for SecretUrl {
    fn from(url: Url) -> Self {
        Self(url)
    }
}

impl fmt::Display for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = self.0.clone();
        // Neither call can fail: a URL that has one of the two parts can have both.
        if shown.password().is_some() {
            let _ = shown.set_password(Some("***"));
        } else if !shown.username().is_empty() {
            // A user name without a password is usually a token.
            let _ = shown.set_username("***");
        }
        if shown.fragment().is_some() {
            shown.set_fragment(Some("***"));
        }
        if shown.query().is_some() {
            let names: Vec<String> = self.0.query_pairs().map(|(name, _)| format!("{name}=***")).collect();
            shown.set_query(Some(&names.join("&")));
        }
        f.write_str(shown.as_str())
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for SecretUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SecretUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Url::parse(&text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for SecretUrl {
    fn schema_name() -> Cow<'static, str> {
        "SecretUrl".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uri" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> SecretUrl {
        serde_json::from_value(text.into()).expect("an address")
    }

    #[test]
    fn a_password_and_query_values_are_hidden_wherever_an_address_is_printed() {
        let url = url("amqp://precis:hunter2@broker:5672/%2f?token=abc");
        for shown in [url.to_string(), format!("{url:?}"), serde_json::to_string(&url).expect("serialises")] {
            assert!(!shown.contains("hunter2") && !shown.contains("abc"), "{shown}");
            assert!(shown.contains("amqp://precis:***@broker:5672/%2f?token=***"), "{shown}");
        }
        assert!(url.expose().contains("hunter2"));
    }

    #[test]
    fn a_name_alone_and_a_fragment_are_hidden_too() {
        assert_eq!(url("amqp://TOKEN@host/").to_string(), "amqp://***@host/");
        assert_eq!(url("https://host/v1#TOKEN").to_string(), "https://host/v1#***");
        assert_eq!(url("redis://:TOKEN@host/").to_string(), "redis://:***@host/");
    }

    #[test]
    fn an_address_without_secrets_is_printed_as_it_is() {
        assert_eq!(url("redis://localhost:6379/0").to_string(), "redis://localhost:6379/0");
    }
}
