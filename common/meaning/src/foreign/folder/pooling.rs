//! The files of sentence-transformers: which states become the vector, how much of a text is read, what is put before it.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::FolderError;
use super::files::FolderFiles;
use super::json;
use crate::encoder::Pooling;
use crate::limits::MAX_POSITIONS;

const MODULES: &str = "modules.json";
const POOLING: &str = "1_Pooling/config.json";
pub(super) const READING: &str = "sentence_bert_config.json";
const PROMPTS: &str = "config_sentence_transformers.json";

/// How a text is read, and what becomes of its states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) pooling: Pooling,
    /// Most tokens of a text.
    pub(super) tokens: usize,
    /// Whether capitals are to become small letters.
    pub(super) is_small_only: bool,
}

#[derive(Deserialize)]
struct Read {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

pub(super) fn read(files: &FolderFiles<'_>) -> Result<Reading, FolderError> {
    check_modules(files.modules)?;
    let pooling = files.pooling.map(pooling).transpose()?.unwrap_or(Pooling::Mean);
    let read: Option<Read> = files.reading.map(|bytes| json::read(READING, bytes)).transpose()?;
    let tokens = read.as_ref().and_then(|read| read.max_seq_length).unwrap_or(MAX_POSITIONS).min(MAX_POSITIONS);
    Ok(Reading { pooling, tokens, is_small_only: read.is_some_and(|read| read.do_lower_case) })
}

/// Vectors have length one here in any case, so the module that makes them so changes nothing.
fn check_modules(file: Option<&[u8]>) -> Result<(), FolderError> {
    let modules: Vec<Value> = file.map(|bytes| json::read(MODULES, bytes)).transpose()?.unwrap_or_default();
    for module in &modules {
        let name = json::kind(module).rsplit('.').next().unwrap_or_default();
        let path = module.get("path").and_then(Value::as_str).unwrap_or_default();
        let is_done = match name {
            "Transformer" => path.is_empty(),
            "Pooling" => path == "1_Pooling",
            "Normalize" => true,
            _ => false,
        };
        if !is_done {
            return Err(FolderError::not_done(MODULES, format!("the module \"{name}\" in \"{path}\"")));
        }
    }
    Ok(())
}

/// Of several ways one is chosen; a way that is missing is not chosen.
fn pooling(bytes: &[u8]) -> Result<Pooling, FolderError> {
    let ways: Map<String, Value> = json::read(POOLING, bytes)?;
    if ways.get("include_prompt") == Some(&Value::Bool(false)) {
        return Err(FolderError::not_done(POOLING, "a mean without the prefix (include_prompt)"));
    }
    let is_chosen =
        |(name, value): &(&String, &Value)| name.starts_with("pooling_mode_") && **value == Value::Bool(true);
    let chosen: Vec<&str> = ways.iter().filter(is_chosen).map(|(name, _)| name.as_str()).collect();
    match chosen[..] {
        ["pooling_mode_mean_tokens"] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::First),
        [] => match ways.get("pooling_mode").and_then(Value::as_str) {
            Some("mean") => Ok(Pooling::Mean),
            Some("cls") => Ok(Pooling::First),
            other => Err(FolderError::not_done(POOLING, format!("the pooling \"{}\"", other.unwrap_or_default()))),
        },
        _ => Err(FolderError::not_done(POOLING, format!("the pooling {}", chosen.join(" with ")))),
    }
}

/// What is put before a question, and before a passage; empty where a folder says nothing.
pub(super) fn prompts(file: Option<&[u8]>) -> Result<(String, String), FolderError> {
    #[derive(Deserialize)]
    struct Prompts {
        #[serde(default)]
        prompts: Map<String, Value>,
    }
    let Some(file) = file else { return Ok(Default::default()) };
    let Prompts { prompts } = json::read(PROMPTS, file)?;
    let named = |names: &[&str]| {
        let found = names.iter().find_map(|name| prompts.get(*name)).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    Ok((named(&["query"]), named(&["passage", "document"])))
}
