//! A folder of two layers, made here, and its vectors made in the plainest way.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::files::FolderFiles;

pub(super) const HIDDEN: usize = 64;
pub(super) const INNER: usize = 128;
pub(super) const LAYERS: usize = 2;
pub(super) const HEADS: usize = 4;
pub(super) const PLACES: usize = 40;
pub(super) const VOCABULARY: usize = 528;
pub(super) const EPSILON: f64 = 1e-12;
pub(super) const WORD_PIECE: &str = include_str!("fixtures/word_piece.json");
pub(super) const UNIGRAM: &str = include_str!("fixtures/unigram.json");

/// The kind of numbers that a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    F32,
    F16,
    BF16,
}

/// The files of a folder, to be changed by a test.
#[derive(Clone, Debug)]
pub(super) struct ToyFolder {
    pub(super) config: Value,
    pub(super) tokenizer: String,
    pub(super) tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    pub(super) others: BTreeMap<&'static str, Value>,
}

impl ToyFolder {
    pub(super) fn new() -> Self {
        let config = json!({
            "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
            "intermediate_size": INNER, "vocab_size": VOCABULARY, "max_position_embeddings": PLACES,
            "type_vocab_size": 2, "layer_norm_eps": EPSILON, "hidden_act": "gelu", "pad_token_id": 0,
        });
        Self { config, tokenizer: WORD_PIECE.to_owned(), tensors: tensors(), others: BTreeMap::new() }
    }

    pub(super) fn weights(&self, numbers: Numbers) -> Vec<u8> {
        let (mut header, mut bytes) = (serde_json::Map::new(), Vec::new());
        header.insert("__metadata__".into(), json!({ "format": "pt" }));
        for (name, (shape, values)) in &self.tensors {
            let from = bytes.len();
            for value in values {
                match numbers {
                    Numbers::F32 => bytes.extend(value.to_le_bytes()),
                    Numbers::F16 => bytes.extend(half_bits(*value).to_le_bytes()),
                    Numbers::BF16 => bytes.extend(((value.to_bits() >> 16) as u16).to_le_bytes()),
                }
            }
            let kind = format!("{numbers:?}");
            header.insert(name.clone(), json!({"dtype": kind, "shape": shape, "data_offsets": [from, bytes.len()]}));
        }
        of_parts(&Value::Object(header), &bytes)
    }

    /// Does `work` with the files as they are.
    pub(super) fn with_files<T>(&self, numbers: Numbers, work: impl FnOnce(&FolderFiles<'_>) -> T) -> T {
        let (config, weights) = (self.config.to_string(), self.weights(numbers));
        let other = |name: &str| self.others.get(name).map(|value| value.to_string().into_bytes());
        let [modules, pooling, reading, prompts] = ["modules", "pooling", "reading", "prompts"].map(other);
        work(&FolderFiles {
            config: config.as_bytes(),
            tokenizer: self.tokenizer.as_bytes(),
            weights: &weights,
            modules: modules.as_deref(),
            pooling: pooling.as_deref(),
            reading: reading.as_deref(),
            prompts: prompts.as_deref(),
        })
    }
}

/// A file of the weights.
pub(super) fn of_parts(header: &Value, numbers: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), numbers].concat()
}

/// The nearest fraction of 16 bits towards zero; for numbers of this toy only.
fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = ((bits >> 23) & 0xFF) as i32 - 127 + 15;
    let sign = ((bits >> 16) & 0x8000) as u16;
    if exponent <= 0 { sign } else { sign | ((exponent as u16) << 10) | ((bits >> 13) & 0x3FF) as u16 }
}

fn tensors() -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
    let mut state = 7_u64;
    let mut chance = move |count: usize, around: f32, most: f32| -> Vec<f32> {
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                around + ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * most
            })
            .collect()
    };
    let mut all = BTreeMap::new();
    let mut table = |name: &str, rows: usize, length: usize, most: f32| {
        all.insert(format!("{name}.weight"), (vec![rows, length], chance(rows * length, 0.0, most)));
        all.insert(format!("{name}.bias"), (vec![rows], chance(rows, 0.0, 0.1)));
    };
    let tables = [("word_embeddings", VOCABULARY), ("position_embeddings", PLACES), ("token_type_embeddings", 2)];
    for (name, rows) in tables {
        table(&format!("embeddings.{name}"), rows, HIDDEN, 0.5);
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for at in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
            table(&name(part), HIDDEN, HIDDEN, 0.3);
        }
        table(&name("intermediate.dense"), INNER, HIDDEN, 0.3);
        table(&name("output.dense"), HIDDEN, INNER, 0.3);
        norms.extend([name("attention.output.LayerNorm"), name("output.LayerNorm")]);
    }
    for name in norms {
        all.insert(format!("{name}.weight"), (vec![HIDDEN], chance(HIDDEN, 1.0, 0.1)));
        all.insert(format!("{name}.bias"), (vec![HIDDEN], chance(HIDDEN, 0.0, 0.1)));
    }
    for (name, _) in tables {
        all.remove(&format!("embeddings.{name}.bias"));
    }
    all
}

/// The vector of these tokens, in fractions of 64 bits, one number after the other.
pub(super) fn plain_vector(folder: &ToyFolder, tokens: &[u32], first_place: usize, is_mean: bool) -> Vec<f64> {
    let of = |name: &str| folder.tensors[name].1.iter().map(|value| f64::from(*value)).collect::<Vec<f64>>();
    let linear = |rows: &[Vec<f64>], name: &str| -> Vec<Vec<f64>> {
        let (weights, bias) = (of(&format!("{name}.weight")), of(&format!("{name}.bias")));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let row = |row: &Vec<f64>| weights.chunks(row.len()).zip(&bias).map(|(w, b)| dot(w, row) + b).collect();
        rows.iter().map(row).collect()
    };
    let norm = |rows: &[Vec<f64>], name: &str| -> Vec<Vec<f64>> {
        let (gain, shift) = (of(&format!("{name}.weight")), of(&format!("{name}.bias")));
        let row = |row: &Vec<f64>| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let by = (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64 + EPSILON).sqrt();
            row.iter().zip(gain.iter().zip(&shift)).map(|(x, (g, s))| (x - mean) / by * g + s).collect()
        };
        rows.iter().map(row).collect()
    };
    let add = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
    };
    let [words, places, kinds] =
        ["word", "position", "token_type"].map(|n| of(&format!("embeddings.{n}_embeddings.weight")));
    let row = |table: &[f64], at: usize, number: usize| table[at * HIDDEN + number];
    let embedded: Vec<Vec<f64>> = tokens
        .iter()
        .enumerate()
        .map(|(at, token)| {
            let number = |n| row(&words, *token as usize, n) + row(&places, first_place + at, n) + row(&kinds, 0, n);
            (0..HIDDEN).map(number).collect()
        })
        .collect();
    let mut states = norm(&embedded, "embeddings.LayerNorm");
    for at in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let [q, k, v] = ["query", "key", "value"].map(|part| linear(&states, &name(&format!("attention.self.{part}"))));
        let found = attention(&q, &k, &v);
        let made = linear(&found, &name("attention.output.dense"));
        states = norm(&add(&states, &made), &name("attention.output.LayerNorm"));
        let mut wide = linear(&states, &name("intermediate.dense"));
        wide.iter_mut().flatten().for_each(|x| *x *= 0.5 * (1.0 + erf(*x / std::f64::consts::SQRT_2)));
        states = norm(&add(&states, &linear(&wide, &name("output.dense"))), &name("output.LayerNorm"));
    }
    let count = if is_mean { states.len() } else { 1 };
    let pooled: Vec<f64> =
        (0..HIDDEN).map(|n| states[..count].iter().map(|s| s[n]).sum::<f64>() / count as f64).collect();
    let length = pooled.iter().map(|x| x * x).sum::<f64>().sqrt();
    pooled.into_iter().map(|x| x / length).collect()
}

fn attention(q: &[Vec<f64>], k: &[Vec<f64>], v: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let width = HIDDEN / HEADS;
    let mut found = vec![vec![0.0; HIDDEN]; q.len()];
    for head in 0..HEADS {
        let part = |row: &[f64]| row[head * width..][..width].to_vec();
        for (query, found) in q.iter().zip(&mut found) {
            let score = |key: &Vec<f64>| part(query).iter().zip(part(key)).map(|(a, b)| a * b).sum::<f64>();
            let weights: Vec<f64> = k.iter().map(|key| (score(key) / (width as f64).sqrt()).exp()).collect();
            let all: f64 = weights.iter().sum();
            for (weight, value) in weights.iter().zip(v) {
                for (to, from) in found[head * width..].iter_mut().zip(part(value)) {
                    *to += weight / all * from;
                }
            }
        }
    }
    found
}

/// The error function by its series: exact enough for numbers below six.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}
