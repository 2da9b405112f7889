//! reStructuredText to leaves: the text of the rendered page, so that no markup is ever quoted.
//!
//! Written from the specification of docutils; additions of Sphinx and of the Python Enhancement Proposals are read too. Invalid markup
//! stays as text. Nothing is included from elsewhere, and nesting is limited.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `lines` | lines, what they begin with, and those inside a block |
//! | `definitions` | substitutions and numbers of notes |
//! | `inline` | text inside a line |
//! | `blocks` | body elements |
//! | `directives` | what stands behind two dots and a name |
//! | `tables` | tables, drawn and typed |

use precis_proto::BlockKind;
use precis_text::{Leaf, hiding_marks, visible};

use super::page_text::PageText;
use super::runs::LeftOut;
use super::{fields, plain, plain_title};
use blocks::{BlockReader, Scope};
use definitions::Definitions;
use lines::{block_end, expand_tabs};

mod blocks;
mod definitions;
mod directives;
mod inline;
#[cfg(test)]
mod inline_tests;
#[cfg(test)]
mod laws;
mod lines;
mod tables;
#[cfg(test)]
mod tests;

/// Leaves of `source`.
pub(super) fn read(source: &str) -> PageText {
    let source = expand_tabs(source.trim_start_matches('\u{feff}'));
    let lines: Vec<&str> = source.lines().collect();
    let mut reader = BlockReader::default();
    reader.definitions = Definitions::of(&lines, inline::replacement);
    let (mut head, start) = head(&lines);
    for field in &mut head {
        reader.leaves.count(LeftOut { hidden: hiding_marks(&field.text) as u64, ..LeftOut::default() });
        field.text = visible(&field.text);
    }
    let head_title = plain_title::title(&head);
    head.into_iter().for_each(|field| reader.leaves.push(field));
    reader.blocks(&lines[start..], Scope::default());
    let title = head_title.or(reader.title).filter(|title| !title.is_empty());
    let left_out = reader.leaves.left_out();
    let mut leaves = reader.leaves.finish();
    fields::at_the_top(&mut leaves);
    PageText { title, left_out, elsewhere: reader.elsewhere, leaves }
}

/// The header fields of a proposal, which are not reStructuredText (RFC 2822), and the index of the line behind them.
fn head(lines: &[&str]) -> (Vec<Leaf>, usize) {
    let start = lines.iter().take_while(|line| line.is_empty()).count();
    let end = block_end(lines, start);
    let fields = plain::leaves(&lines[start..end].join("\n"));
    let are_fields = !fields.is_empty() && fields.iter().all(|leaf| leaf.kind == BlockKind::FormField);
    if are_fields { (fields, end) } else { (Vec::new(), start) }
}
