//! What a part shows in frames that refer to other parts: charts and diagrams.

use std::collections::BTreeMap;

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::archive::Package;
use super::chart;
use super::markup::{Markup, XmlElement, walk};
use super::relations;

/// The leaves of the charts and diagrams that a part refers to, by the id of the relation.
#[derive(Debug, Default)]
pub(super) struct Drawings {
    by_id: BTreeMap<String, Vec<Leaf>>,
    /// Charts of a kind that is not read.
    pub(super) unread_charts: usize,
}

impl Drawings {
    /// Reads the charts and diagrams of `part`.
    pub(super) fn read(package: &mut Package<'_>, part: &str) -> Self {
        let mut read = Self::default();
        for (id, relation) in relations::of(package, part) {
            let read_part = match relation.kind.as_str() {
                "chart" => chart::leaves,
                "diagramData" => diagram,
                "chartEx" => {
                    read.unread_charts += 1;
                    continue;
                }
                _ => continue,
            };
            let leaves = read_part(&package.part(&relation.part).unwrap_or_default());
            read.unread_charts += usize::from(leaves.is_empty() && relation.kind == "chart");
            read.by_id.insert(id, leaves);
        }
        read
    }

    /// The leaves of the frame that `element` fills, once; `None` if it fills none.
    pub(super) fn take(&mut self, element: &XmlElement<'_>) -> Option<Vec<Leaf>> {
        let id = match element.name.as_str() {
            "chart" => element.attribute("id")?,
            "relIds" => element.attribute("dm")?,
            _ => return None,
        };
        self.by_id.remove(&id)
    }
}

/// The remark about `count` charts that were not read.
pub(super) fn remark(count: usize) -> Option<String> {
    (count > 0).then(|| format!("charts without saved values were left out: {count}"))
}

/// The items of a diagram: its points with text.
fn diagram(part: &[u8]) -> Vec<Leaf> {
    let (mut leaves, mut text, mut in_text) = (Vec::new(), String::new(), false);
    walk(part, |event| match event {
        Markup::Open(element) if element.name == "t" => in_text = true,
        Markup::Text(more) if in_text => text.push_str(&more),
        Markup::Close(name) => {
            // Elements called `t` hold the paragraphs of a point, and the words of a run.
            in_text &= name != "t";
            let words = if name == "p" { normalize(&std::mem::take(&mut text)) } else { String::new() };
            if !words.is_empty() {
                let marker = Some("-".to_owned());
                leaves.push(Leaf { level: Some(1), marker, ..Leaf::new(BlockKind::ListItem, words) });
            }
        }
        Markup::Open(_) | Markup::Text(_) => {}
    });
    leaves
}
