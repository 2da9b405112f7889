//! A document as it is introduced to a model before its passages.

use precis_proto::BlockKind;
use precis_proto::source::Source;
use precis_proto::task::ShownDocument;
use precis_text::CanonicalText;

/// Most header fields shown of a document; the first ones. Chosen: front matter seldom has more.
const MOST_FIELDS: usize = 16;

/// Introduces `source`, number `id` of its session. Without its text nothing is known of pages and header fields.
#[must_use]
pub fn shown_document(id: u32, source: &Source, text: Option<&CanonicalText>) -> ShownDocument {
    let address = source.path.as_ref().or(source.url.as_ref()).filter(|address| **address != source.title);
    let fields = text.map_or(&[][..], CanonicalText::blocks).iter().take_while(|block| block.kind == BlockKind::Field);
    let field = |block: &precis_proto::Block| text.map_or(String::new(), |text| text.slice(block.range()).to_owned());
    let pages = text.map_or(0, |text| text.pages().len());
    ShownDocument {
        id,
        title: source.title.clone(),
        address: address.cloned().unwrap_or_default(),
        kind: if pages > 0 { format!("{pages} pages") } else { String::new() },
        fields: fields.take(MOST_FIELDS).map(field).collect(),
    }
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_says_its_title_its_address_and_its_own_fields() {
        let source: Source = serde_json::from_value(json!({
            "source_id": "a", "title": "Fees", "path": "eips/fees.md", "origin": { "content": CanonicalText::from_plain("x").hash() },
        }))
        .expect("a source");
        let field = |n: usize| Leaf::new(BlockKind::Field, format!("key{n}: value"));
        for (count, kept) in
            [(MOST_FIELDS - 1, MOST_FIELDS - 1), (MOST_FIELDS, MOST_FIELDS), (MOST_FIELDS + 1, MOST_FIELDS)]
        {
            let mut leaves: Vec<Leaf> = (0..count).map(field).collect();
            leaves.push(Leaf::new(BlockKind::Paragraph, "Fees rise."));
            let shown = shown_document(3, &source, Some(&CanonicalText::from_leaves(&leaves)));
            assert_eq!((shown.id, shown.address.as_str(), shown.fields.len()), (3, "eips/fees.md", kept));
            assert_eq!(shown.fields[0], "key0: value");
        }
        assert!(shown_document(3, &source, None).fields.is_empty());
    }
}
