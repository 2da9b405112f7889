//! Headers and footers of pages, which stand in the styles of a document.

use std::collections::BTreeSet;

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::super::runs::RunText;
use super::super::markup::{Markup, walk};

/// Each text of a header or footer in the part `styles.xml`, once.
pub(super) fn leaves(part: &[u8]) -> Vec<Leaf> {
    let (mut leaves, mut known) = (Vec::new(), BTreeSet::new());
    let (mut within, mut text) = (false, None::<RunText>);
    let is_one = |name: &str| {
        let kind = name.split('-').next().unwrap_or_default();
        matches!(kind, "header" | "footer") && !name.ends_with("style") && !name.ends_with("properties")
    };
    walk(part, |event| match event {
        Markup::Open(element) => match element.name.as_str() {
            name if is_one(name) => within = true,
            "p" | "h" if within => text = Some(RunText::default()),
            "s" | "tab" | "line-break" => {
                if let Some(text) = &mut text {
                    text.space(' ');
                }
            }
            _ => {}
        },
        Markup::Text(more) => {
            if let Some(text) = &mut text {
                text.plain(&more);
            }
        }
        Markup::Close(name) => match name.as_str() {
            name if is_one(name) => within = false,
            "p" | "h" => {
                let words = text.take().map(|text| text.words().text).unwrap_or_default();
                if !words.is_empty() && known.insert(words.clone()) {
                    leaves.push(Leaf::new(BlockKind::Furniture, words));
                }
            }
            _ => {}
        },
    });
    leaves
}
