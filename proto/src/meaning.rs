//! Which model of meaning chose passages: one inside the program, named by its hash, or one of a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// First word of the name of a server's model.
const SERVED: &str = "served";

/// A model of a server, whose vectors nobody else can make again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MeaningServer {
    /// `NAME:MODEL` in the configuration of whoever made the report.
    pub model: String,
    /// Numbers of a vector.
    pub dimensions: u64,
    /// Always `false`: the server may give other vectors tomorrow, and then other passages are chosen.
    pub reproducible: bool,
}

impl MeaningServer {
    /// A model that `NAME:MODEL` names, with vectors of so many numbers.
    #[must_use]
    pub fn new(model: impl Into<String>, dimensions: u64) -> Self {
        Self { model: model.into(), dimensions, reproducible: false }
    }

    /// The name of this model where that of a model inside the program is its SHA-256; `sha256` is that of whatever its vectors depend on.
    #[must_use]
    pub fn key(&self, sha256: &str) -> String {
        format!("{SERVED}:{sha256}:{}:{}", self.dimensions, self.model)
    }
}

/// Reads the name of a model as its SHA-256, and the server if it is one of a server.
#[must_use]
pub fn read_meaning_key(key: &str) -> (&str, Option<MeaningServer>) {
    let served = || {
        let rest = key.strip_prefix(SERVED)?.strip_prefix(':')?;
        let (sha256, rest) = rest.split_once(':')?;
        let (dimensions, model) = rest.split_once(':')?;
        Some((sha256, MeaningServer::new(model, dimensions.parse().ok()?)))
    };
    served().map_or((key, None), |(sha256, server)| (sha256, Some(server)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_served_model_says_what_it_is() {
        let server = MeaningServer::new("house:bge:m3", 1_024);
        assert_eq!(read_meaning_key(&server.key("ab12")), ("ab12", Some(server)));
    }

    #[test]
    fn any_other_name_is_that_of_a_model_inside() {
        for key in ["ab12", "", "served", "served:", "served:ab", "served:ab:12", "served:ab:x:house:m"] {
            assert_eq!(read_meaning_key(key), (key, None));
        }
    }
}
