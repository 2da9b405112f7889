//! Header fields that answer a question for what they say: they have no word of it, so that no ranking by words finds them.

use std::collections::BTreeMap;

use precis_evidence::typed::field_question::{FieldQuestion, field};
use precis_evidence::typed::premise::{denies, is_about};
use precis_proto::finding::Unit;
use precis_proto::task::TaskPassage;
use precis_proto::{BlockKind, CharRange};

/// Score of a field that answers: above what words alone reach.
pub(super) const ANSWERING_FIELD_SCORE: f64 = 0.95;

/// The fields of documents that a question asks for.
pub(super) struct AnsweringFields<'t> {
    query: &'t str,
    asked: Option<FieldQuestion>,
    /// Names of each document: title, path, and the passages with its fields.
    names: BTreeMap<u32, Vec<&'t str>>,
}

impl<'t> AnsweringFields<'t> {
    pub(super) fn new(query: &'t str, passages: &'t [TaskPassage]) -> Self {
        let mut names: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for passage in passages {
            let own = names.entry(passage.source).or_default();
            own.extend([passage.title.as_str(), passage.path.as_str()]);
            own.extend(fields_of(passage).map(|(_, text)| text));
        }
        Self { query, asked: FieldQuestion::of(query), names }
    }

    /// The fields of `passage`, in its characters, that are of the document asked about and answer, or say the opposite of what the
    /// question takes for granted.
    pub(super) fn in_passage(&self, passage: &TaskPassage) -> Vec<CharRange> {
        let names = || self.names.get(&passage.source).into_iter().flatten().copied();
        let answers = |text: &str| {
            let is_asked = self.asked.as_ref().is_some_and(|asked| asked.is_in(text) && asked.is_about(names()));
            is_asked || (denies(self.query, text) && is_about(self.query, names()))
        };
        fields_of(passage).filter(|(_, text)| answers(text)).map(|(range, _)| range).collect()
    }
}

/// The fields of a passage with their ranges: header fields, and items of a list written like them.
fn fields_of(passage: &TaskPassage) -> impl Iterator<Item = (CharRange, &str)> {
    let byte = |at: usize| passage.text.char_indices().nth(at).map_or(passage.text.len(), |(byte, _)| byte);
    let is_field = |unit: &&Unit| matches!(unit.kind, BlockKind::Field | BlockKind::FormField | BlockKind::ListItem);
    let units = passage.units.iter().filter(is_field);
    let texts = units.map(move |unit| (unit.range(), &passage.text[byte(unit.start)..byte(unit.end)]));
    texts.filter(|(_, text)| field(text).is_some())
}
