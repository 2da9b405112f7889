//! Code at the top of a document whose lines are all `Name: value`: its header, as proposals of many projects have it.

use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize};

use super::field::MAX_FIELDS;
use super::top::at_the_top;
use crate::plain;

/// `leaves` with header fields in place of the first one; `None` if it is no code of fields.
pub(crate) fn code_header(leaves: &[Leaf]) -> Option<Vec<Leaf>> {
    let code = leaves.first().filter(|leaf| leaf.kind == BlockKind::Code && !leaf.lines.is_empty())?;
    let mut fields = plain::leaves(&typed(code));
    if fields.len() > MAX_FIELDS || fields.iter().any(|leaf| leaf.kind != BlockKind::FormField) {
        return None;
    }
    at_the_top(&mut fields);
    if fields.iter().any(|leaf| leaf.place != Some(FieldPlace::FrontMatter)) {
        return None;
    }
    for field in &mut fields {
        field.text = normalize(&field.text);
    }
    fields.extend_from_slice(&leaves[1..]);
    Some(fields)
}

/// The code of a leaf with its lines and indents.
fn typed(code: &Leaf) -> String {
    let chars: Vec<char> = normalize(&code.text).chars().collect();
    let ends = code.lines.iter().skip(1).map(|line| line.start).chain([chars.len()]);
    let mut typed = String::new();
    for (line, end) in code.lines.iter().zip(ends) {
        typed.extend(std::iter::repeat_n(' ', line.indent as usize));
        typed.extend(chars.get(line.start..end).unwrap_or_default());
        typed.push('\n');
    }
    typed
}

#[cfg(test)]
mod tests {
    use precis_text::code_lines;

    use super::*;

    fn code(source: &str) -> Leaf {
        Leaf { lines: code_lines(source), ..Leaf::new(BlockKind::Code, normalize(source)) }
    }

    fn texts(leaves: &[Leaf]) -> Option<Vec<String>> {
        code_header(leaves).map(|leaves| leaves.into_iter().map(|leaf| leaf.text).collect())
    }

    #[test]
    fn code_of_fields_at_the_top_is_the_header() {
        let header = code("  BIP: 12\n  Title: The dam\n  Authors: Ann <a@b.c>\n           Bob\n");
        let want = ["BIP: 12", "Title: The dam", "Authors: Ann <a@b.c> Bob", "Text"].map(str::to_owned);
        let text = Leaf::new(BlockKind::Paragraph, "Text");
        assert_eq!(texts(&[header.clone(), text.clone()]), Some(want.to_vec()));
        for leaves in [
            vec![text.clone(), header.clone()],
            vec![Leaf::new(BlockKind::Field, "title: A"), header],
            vec![code("Title: The dam\nlet a = b"), text.clone()],
            vec![code("Q: Who is it?\nA: Ann"), text.clone()],
            vec![code("Title: The dam"), text.clone()],
            vec![text],
        ] {
            assert_eq!(texts(&leaves), None, "{leaves:?}");
        }
    }

    #[test]
    fn a_header_in_code_has_so_many_fields() {
        for (given, is_header) in [(MAX_FIELDS - 1, true), (MAX_FIELDS, true), (MAX_FIELDS + 1, false)] {
            let source: String = (0..given).map(|n| format!("n{n}: v\n")).collect();
            assert_eq!(code_header(&[code(&source)]).is_some(), is_header, "{given}");
        }
    }
}
