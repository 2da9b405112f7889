//! The numbers of `config.json`.

use serde::Deserialize;
use serde_json::Value;

use super::error::FolderError;
use super::json;
use crate::container::ContainerError;
use crate::limits::{MAX_HIDDEN, MAX_INNER, MAX_LAYERS, MAX_VOCABULARY};

pub(super) const FILE: &str = "config.json";

/// What an encoder is made of, as its file says; each within its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) inner: usize,
    pub(super) vocabulary: usize,
    /// Rows of the table of places.
    pub(super) places: usize,
    /// The first of them that a text uses.
    pub(super) first_place: usize,
    /// Rows of the table of kinds of token.
    pub(super) kinds: usize,
    pub(super) epsilon: f32,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f64,
    #[serde(default = "gelu")]
    hidden_act: Value,
    pad_token_id: Option<usize>,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
    auto_map: Option<Value>,
    quantization_config: Option<Value>,
}

fn two() -> usize {
    2
}

fn usual_epsilon() -> f64 {
    1e-12
}

fn gelu() -> Value {
    Value::from(GELU)
}

/// The one function between the two matrices of a layer's second half that is done here: exact, with the error function.
const GELU: &str = "gelu";

pub(super) fn read(bytes: &[u8]) -> Result<Config, FolderError> {
    let raw: Raw = json::read(FILE, bytes)?;
    check_what_is_asked(&raw)?;
    for (part, found, most) in [
        ("width", raw.hidden_size, MAX_HIDDEN),
        ("number of layers", raw.num_hidden_layers, MAX_LAYERS),
        ("inner width", raw.intermediate_size, MAX_INNER),
        ("vocabulary", raw.vocab_size, MAX_VOCABULARY),
    ] {
        if found > most {
            return Err(ContainerError::TooLarge { part, found: found as u64, most: most as u64 }.into());
        }
    }
    let first_place = match raw.model_type.as_str() {
        // Of this family the places of a text begin after that of the token that fills up.
        "xlm-roberta" => raw.pad_token_id.unwrap_or(1).saturating_add(1),
        _ => 0,
    };
    Ok(Config {
        hidden: raw.hidden_size,
        layers: raw.num_hidden_layers,
        heads: raw.num_attention_heads,
        inner: raw.intermediate_size,
        vocabulary: raw.vocab_size,
        places: raw.max_position_embeddings,
        first_place,
        kinds: raw.type_vocab_size,
        epsilon: raw.layer_norm_eps as f32,
    })
}

fn check_what_is_asked(raw: &Raw) -> Result<(), FolderError> {
    let places = raw.position_embedding_type.as_deref().unwrap_or("absolute");
    let refused = [
        (!matches!(raw.model_type.as_str(), "bert" | "xlm-roberta"), format!("the model type \"{}\"", raw.model_type)),
        (raw.auto_map.is_some(), "code of its own (auto_map)".to_owned()),
        (places != "absolute", format!("places that are \"{places}\"")),
        (raw.hidden_act != GELU, format!("the activation {}", raw.hidden_act)),
        (raw.is_decoder, "a decoder".to_owned()),
        (raw.quantization_config.is_some(), "weights that are quantized already".to_owned()),
    ];
    let found = refused.into_iter().find(|(is_asked, _)| *is_asked);
    found.map_or(Ok(()), |(_, what)| Err(FolderError::not_done(FILE, what)))
}
