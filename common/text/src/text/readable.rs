//! A canonical text formatted for reading: each block on lines of its own.

use precis_proto::{Block, BlockKind, FieldPlace};

use super::{CanonicalText, in_lines};

/// The text with a blank line between blocks, headings marked by `#`, items by their marker or `-`, cells of a row separated by ` | `,
/// and a line for each page. Text outside of blocks is left out; without blocks, the text is returned as it is.
#[must_use]
pub fn readable(text: &CanonicalText) -> String {
    let blocks = text.blocks();
    if blocks.is_empty() {
        return format!("{}\n", text.as_str());
    }
    let mut out = String::new();
    let mut pages = text.pages().iter().peekable();
    let mut last: Option<&Block> = None;
    for block in blocks {
        while let Some(page) = pages.next_if(|page| page.range.start <= block.start) {
            if page.page > 1 {
                out.push_str(&format!("\n\n--- page {} ---", page.page));
            }
        }
        let from = |block: &Block| (block.unseen_place(), block.recognized.clone());
        if from(block) != last.map_or((None, None), from) {
            out.push_str(if last.is_none() && out.is_empty() { "" } else { "\n\n" });
            out.push_str(&source(block));
            last = None;
        }
        out.push_str(match last {
            None => "",
            Some(before) if is_joined(before, block) => "\n",
            Some(_) => "\n\n",
        });
        out.push_str(&line(text, block));
        last = Some(block);
    }
    out.push('\n');
    out
}

/// A line about where the blocks that begin with `block` are from.
fn source(block: &Block) -> String {
    if let Some(by) = &block.recognized {
        return format!("--- recognized from a picture of the page by {} ---\n\n", by.engine);
    }
    let source = match block.unseen_place() {
        Some(FieldPlace::Properties) => "--- from the file's properties ---\n\n",
        Some(FieldPlace::Metadata) => "--- from the page's metadata ---\n\n",
        Some(FieldPlace::FrontMatter) | None => "--- text ---\n\n",
    };
    source.to_owned()
}

/// Whether two blocks are written without a blank line between them: rows of one table, items of a list, lines of code.
fn is_joined(before: &Block, block: &Block) -> bool {
    before.kind == block.kind
        && match block.kind {
            BlockKind::TableRow => before.table == block.table,
            BlockKind::ListItem | BlockKind::Code | BlockKind::Reference | BlockKind::FormField | BlockKind::Field => {
                true
            }
            _ => false,
        }
}

fn line(text: &CanonicalText, block: &Block) -> String {
    let words = text.slice(block.range());
    match block.kind {
        BlockKind::Heading => format!("{} {words}", "#".repeat(usize::from(block.level.unwrap_or(1)).clamp(1, 6))),
        BlockKind::ListItem => {
            let indent = "  ".repeat(usize::from(block.level.unwrap_or(1)).saturating_sub(1));
            match block.marker.as_deref() {
                Some(marker) if words.starts_with(marker) => format!("{indent}{words}"),
                Some(marker) => format!("{indent}{marker} {words}"),
                None => format!("{indent}- {words}"),
            }
        }
        BlockKind::TableRow if !block.cells.is_empty() => {
            let cells: Vec<&str> = block.cells.iter().map(|cell| text.slice(*cell)).collect();
            cells.join(" | ")
        }
        BlockKind::Code if !block.lines.is_empty() => in_lines(text, block),
        BlockKind::Quotation => format!("> {words}"),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Leaf;

    #[test]
    fn a_text_without_blocks_is_printed_as_it_is() {
        assert_eq!(readable(&CanonicalText::from_plain("One. Two.")), "One. Two.\n");
    }

    #[test]
    fn each_block_is_on_its_own_lines() {
        use precis_proto::CharRange;
        let source = "Fees Item Value Cap 5 % first second The end.";
        let range = |part: &str| {
            let start = source.find(part).expect("there");
            CharRange::new(start, start + part.len())
        };
        let block = |kind, part: &str| Block::new(kind, range(part));
        let row = |a, b| Block {
            cells: vec![range(a), range(b)],
            table: Some(1),
            ..block(BlockKind::TableRow, &format!("{a} {b}"))
        };
        let blocks = vec![
            Block { level: Some(2), ..block(BlockKind::Heading, "Fees") },
            row("Item", "Value"),
            row("Cap", "5 %"),
            block(BlockKind::ListItem, "first"),
            Block { marker: Some("b)".to_owned()), level: Some(2), ..block(BlockKind::ListItem, "second") },
            block(BlockKind::Paragraph, "The end."),
        ];
        let text = CanonicalText::from_plain(source).with_blocks(blocks).expect("they cover it");
        assert_eq!(readable(&text), "## Fees\n\nItem | Value\nCap | 5 %\n\n- first\n  b) second\n\nThe end.\n");
    }

    #[test]
    fn fields_that_readers_do_not_see_are_set_apart() {
        let field = |place, words: &str| Leaf { place: Some(place), ..Leaf::new(BlockKind::Field, words) };
        let text = CanonicalText::from_leaves(&[
            field(FieldPlace::Properties, "title: A"),
            field(FieldPlace::Properties, "author: B"),
            field(FieldPlace::FrontMatter, "status: C"),
            Leaf::new(BlockKind::Paragraph, "One."),
        ]);
        assert_eq!(
            readable(&text),
            "--- from the file's properties ---\n\ntitle: A\nauthor: B\n\n--- text ---\n\nstatus: C\n\nOne.\n"
        );
    }

    #[test]
    fn a_page_is_shown_where_it_starts() {
        let leaf = |words: &str| Leaf::new(BlockKind::Paragraph, words);
        let text = CanonicalText::from_leaf_pages(&[vec![leaf("One.")], vec![leaf("Two.")]]);
        assert_eq!(readable(&text), "One.\n\n--- page 2 ---\n\nTwo.\n");
    }
}
