//! Comments on slides, of both kinds that programs write.

use std::collections::BTreeMap;

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::super::archive::Package;
use super::super::markup::{Markup, walk};
use super::super::relations::PackageRelation;

/// The names of those who commented, by their ids.
pub(super) fn authors(
    package: &mut Package<'_>,
    relations: &BTreeMap<String, PackageRelation>,
) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for relation in relations.values().filter(|of| matches!(of.kind.as_str(), "commentAuthors" | "authors")) {
        walk(&package.part(&relation.part).unwrap_or_default(), |event| {
            if let Markup::Open(element) = event
                && matches!(element.name.as_str(), "cmAuthor" | "author")
            {
                names.extend(element.attribute("id").zip(element.attribute("name")));
            }
        });
    }
    names
}

/// The comments in `part` as notes with the name of the author as their mark, each before its replies.
pub(super) fn read(part: &[u8], authors: &BTreeMap<String, String>) -> Vec<Leaf> {
    let (mut all, mut open, mut in_text) = (Vec::<(Option<String>, String)>::new(), Vec::<usize>::new(), false);
    walk(part, |event| match event {
        Markup::Open(element) => match element.name.as_str() {
            "cm" | "reply" => {
                let author = element.attribute("authorId").and_then(|id| authors.get(&id).cloned());
                open.push(all.len());
                all.push((author, String::new()));
            }
            "t" | "text" => in_text = true,
            _ => {}
        },
        Markup::Text(text) if in_text => {
            if let Some((_, comment)) = open.last().and_then(|at| all.get_mut(*at)) {
                comment.push_str(&text);
            }
        }
        Markup::Text(_) => {}
        Markup::Close(name) => match name.as_str() {
            "cm" | "reply" => drop(open.pop()),
            "t" | "text" => in_text = false,
            "p" => {
                if let Some((_, comment)) = open.last().and_then(|at| all.get_mut(*at)) {
                    comment.push('\n');
                }
            }
            _ => {}
        },
    });
    let said = all.into_iter().map(|(marker, text)| (marker, normalize(&text))).filter(|(_, text)| !text.is_empty());
    said.map(|(marker, text)| Leaf { marker, ..Leaf::new(BlockKind::Footnote, text) }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::render_leaf;
    use super::*;

    #[test]
    fn comments_are_notes_of_their_authors() {
        let authors = BTreeMap::from([("0".to_owned(), "Jo".to_owned()), ("{A}".to_owned(), "Al".to_owned())]);
        let older = "<p:cmLst><p:cm authorId='0'><p:pos/><p:text>Is this so?</p:text></p:cm></p:cmLst>";
        let newer = "<p188:cmLst><p188:cm authorId='{A}'><p188:replyLst><p188:reply authorId='9'><a:p><a:r><a:t>Yes.</a:t></a:r></a:p></p188:reply></p188:replyLst>\
             <p188:txBody><a:p><a:r><a:t>Here</a:t></a:r></a:p><a:p><a:r><a:t>too?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>";
        let lines = |part: &str| read(part.as_bytes(), &authors).iter().map(render_leaf).collect::<Vec<_>>();
        assert_eq!(lines(older), ["footnote Jo: Is this so?"]);
        assert_eq!(lines(newer), ["footnote Al: Here too?", "footnote : Yes."]);
    }
}
