//! The tokens around a text: one before it and one after it.

use serde::Deserialize;
use serde_json::Value;

use super::file::{FILE, TokenizerFile};
use crate::foreign::folder::error::FolderError;
use crate::foreign::folder::json;

/// What stands before a text, and what after it.
pub(super) fn around(file: &TokenizerFile) -> Result<[u32; 2], FolderError> {
    let step = &file.post_processor;
    let found = match json::kind(step) {
        "TemplateProcessing" => of_template(step),
        "BertProcessing" | "RobertaProcessing" => of_pair(step),
        other => return Err(FolderError::not_done(FILE, format!("the post-processor \"{other}\""))),
    };
    found.ok_or_else(|| FolderError::not_done(FILE, "other tokens around a text than one before it and one after it"))
}

fn of_template(step: &Value) -> Option<[u32; 2]> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
        #[serde(default)]
        type_id: u32,
    }
    #[derive(Deserialize)]
    enum Part {
        SpecialToken(Named),
        Sequence(Named),
    }
    let parts: Vec<Part> = serde_json::from_value(step.get("single")?.clone()).ok()?;
    let [Part::SpecialToken(begin), Part::Sequence(text), Part::SpecialToken(end)] = &parts[..] else { return None };
    let number = |name: &Named| {
        let ids = step.get("special_tokens")?.get(&name.id)?.get("ids")?.as_array()?;
        let [id] = &ids[..] else { return None };
        u32::try_from(id.as_u64()?).ok()
    };
    // The kind of every token is the first one.
    let are_of_first_kind = [begin, text, end].iter().all(|part| part.type_id == 0);
    are_of_first_kind.then_some([number(begin)?, number(end)?])
}

fn of_pair(step: &Value) -> Option<[u32; 2]> {
    let number = |name: &str| u32::try_from(step.get(name)?.get(1)?.as_u64()?).ok();
    Some([number("cls")?, number("sep")?])
}
