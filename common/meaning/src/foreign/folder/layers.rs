//! The tensors of an encoder as whole numbers.

use super::config::Config;
use super::divided::{divided, inner_of};
use super::error::FolderError;
use super::pooling::Reading;
use super::safetensors::{FILE, Tensors};
use crate::encoder::{Encoder, Layer, Matrix, Norm, Shape, Table, whole_rows};

/// What may stand before every name, where an encoder was saved as a part of something.
const PREFIXES: [&str; 3] = ["bert.", "roberta.", ""];
/// Tensors that no vector depends on: numbers of places, what was trained on top of an encoder, and what reads only the first state.
const NOT_NEEDED: [&str; 5] = ["pooler.", "cls.", "lm_head.", "embeddings.position_ids", "embeddings.token_type_ids"];

pub(super) fn encoder(tensors: &Tensors<'_>, config: &Config, reading: &Reading) -> Result<Encoder, FolderError> {
    let first =
        |prefix: &&&str| tensors.names().any(|name| name == format!("{prefix}embeddings.word_embeddings.weight"));
    let prefix = PREFIXES.iter().find(first).copied().unwrap_or_default();
    check_names(tensors, prefix, config.layers)?;
    let from = Weights { tensors, prefix };
    let hidden = config.hidden;
    let shape = Shape {
        hidden,
        layers: config.layers,
        heads: config.heads,
        inner: inner_of(config.inner),
        positions: config.places.saturating_sub(config.first_place).min(reading.tokens),
        vocabulary: config.vocabulary,
        epsilon: config.epsilon,
        pooling: reading.pooling,
    };
    let (weights, scales) = from.whole("embeddings.word_embeddings.weight", config.vocabulary, hidden)?;
    let mut layers = Vec::new();
    for at in 0..config.layers {
        layers.push(from.layer(&format!("encoder.layer.{at}."), config)?);
    }
    Ok(Encoder {
        shape,
        table: Table::Whole { weights, scales },
        places: from.places(config, shape.positions)?,
        first_norm: from.norm("embeddings.LayerNorm", hidden)?,
        layers,
    })
}

/// A tensor that nothing here reads would make other vectors than ours: an adapter, a further layer, relative places.
fn check_names(tensors: &Tensors<'_>, prefix: &str, layers: usize) -> Result<(), FolderError> {
    let is_of_layer = |name: &str| {
        let Some((at, part)) = name.strip_prefix("encoder.layer.").and_then(|rest| rest.split_once('.')) else {
            return false;
        };
        let is_known = PARTS.iter().any(|known| part.strip_prefix(known).is_some_and(|end| ENDS.contains(&end)));
        at.parse::<usize>().is_ok_and(|at| at < layers) && is_known
    };
    let is_known = |name: &str| {
        let own = name.strip_prefix(prefix).unwrap_or(name);
        let is_table = own.strip_prefix("embeddings.").is_some_and(|rest| {
            TABLES.contains(&rest) || rest.strip_prefix("LayerNorm").is_some_and(|end| ENDS.contains(&end))
        });
        is_table || is_of_layer(own) || NOT_NEEDED.iter().any(|start| own.starts_with(start))
    };
    match tensors.names().find(|name| !is_known(name)) {
        Some(name) => Err(FolderError::not_done(FILE, format!("the tensor {name}"))),
        None => Ok(()),
    }
}

const TABLES: [&str; 3] = ["word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"];
const ENDS: [&str; 4] = [".weight", ".bias", ".gamma", ".beta"];
const PARTS: [&str; 8] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
];

struct Weights<'a> {
    tensors: &'a Tensors<'a>,
    prefix: &'a str,
}

impl Weights<'_> {
    fn fractions(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, FolderError> {
        self.tensors.fractions(&format!("{}{name}", self.prefix), shape)
    }

    /// Rows of whole numbers, and a scale a row.
    fn whole(&self, name: &str, rows: usize, length: usize) -> Result<(Vec<i8>, Vec<f32>), FolderError> {
        let (mut weights, mut scales) = (Vec::new(), Vec::new());
        self.tensors.rows(&format!("{}{name}", self.prefix), &[rows, length], |row| {
            let (more, scale) = whole_rows(row, length);
            weights.extend(more);
            scales.extend(scale);
        })?;
        Ok((weights, scales))
    }

    fn matrix(&self, name: &str, rows: usize, length: usize) -> Result<Matrix, FolderError> {
        let (weights, scales) = self.whole(&format!("{name}.weight"), rows, length)?;
        Ok(Matrix { weights, scales, bias: self.fractions(&format!("{name}.bias"), &[rows])? })
    }

    /// Older files call the two otherwise.
    fn norm(&self, name: &str, hidden: usize) -> Result<Norm, FolderError> {
        let is_old = self.tensors.names().any(|found| found == format!("{}{name}.gamma", self.prefix));
        let [gain, shift] = if is_old { ["gamma", "beta"] } else { ["weight", "bias"] };
        Ok(Norm {
            gain: self.fractions(&format!("{name}.{gain}"), &[hidden])?,
            shift: self.fractions(&format!("{name}.{shift}"), &[hidden])?,
        })
    }

    /// The kind of every token is the first one: added once here instead of for each token.
    fn places(&self, config: &Config, count: usize) -> Result<Vec<f32>, FolderError> {
        let hidden = config.hidden;
        let all = self.fractions("embeddings.position_embeddings.weight", &[config.places, hidden])?;
        let mut places: Vec<f32> = all.into_iter().skip(config.first_place * hidden).take(count * hidden).collect();
        let kinds = self.fractions("embeddings.token_type_embeddings.weight", &[config.kinds, hidden])?;
        for place in places.chunks_exact_mut(hidden) {
            place.iter_mut().zip(&kinds).for_each(|(place, kind)| *place += kind);
        }
        Ok(places)
    }

    fn layer(&self, name: &str, config: &Config) -> Result<Layer, FolderError> {
        let (hidden, inner) = (config.hidden, config.inner);
        let mut asked = self.matrix(&format!("{name}attention.self.query"), hidden, hidden)?;
        for other in ["key", "value"] {
            let other = self.matrix(&format!("{name}attention.self.{other}"), hidden, hidden)?;
            asked.weights.extend(other.weights);
            asked.scales.extend(other.scales);
            asked.bias.extend(other.bias);
        }
        let wide = self.matrix(&format!("{name}intermediate.dense"), inner, hidden)?;
        let rows = self.fractions(&format!("{name}output.dense.weight"), &[hidden, inner])?;
        let (wide, narrow) = divided(wide, &rows, self.fractions(&format!("{name}output.dense.bias"), &[hidden])?);
        Ok(Layer {
            asked,
            found: self.matrix(&format!("{name}attention.output.dense"), hidden, hidden)?,
            found_norm: self.norm(&format!("{name}attention.output.LayerNorm"), hidden)?,
            wide,
            narrow,
            narrow_norm: self.norm(&format!("{name}output.LayerNorm"), hidden)?,
        })
    }
}
