//! reStructuredText to leaves: the text of the rendered page, so that no markup is ever quoted.
//!
//! Written from the specification of docutils; additions of Sphinx and of the Python Enhancement Proposals are read too. Invalid markup
//! stays as text. Nothing is included from elsewhere, and nesting is limited.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `lines` | lines, and the regions that nested blocks are made of |
//! | `definition_scan`, `definitions` | targets, substitutions and notes of the whole page |
//! | `inline`, `delimiters`, `roles` | text inside a line |
//! | `blocks`, `lists`, `enumerators` | body elements |
//! | `explicit`, `directives`, `directive_kinds` | explicit markup, which begins with two dots |
//! | `tables`, `simple_table`, `grid`, `table_row` | tables |

use precis_proto::BlockKind;
use precis_text::{Leaf, hiding_marks, visible};

use super::runs::LeftOut;
use super::{fields, plain, plain_title};
use blocks::{BlockReader, Scope};
use definition_scan::definitions;
use lines::{Lines, Region};

mod blocks;
mod definition_scan;
mod definitions;
mod delimiters;
mod directive_kinds;
mod directives;
mod enumerators;
mod explicit;
mod grid;
mod inline;
#[cfg(test)]
mod inline_tests;
#[cfg(test)]
mod laws;
mod lines;
mod lists;
mod roles;
mod simple_table;
mod table_row;
mod tables;
#[cfg(test)]
mod tests;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RstText {
    /// The title from the fields at its head, otherwise the first heading.
    pub(super) title: Option<String>,
    /// Its text.
    pub(super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Number of texts that the rendered page includes from elsewhere, such as files. None of them is read.
    pub(super) elsewhere: u64,
}

/// Leaves of `source`.
pub(super) fn read(source: &str) -> RstText {
    let lines = Lines::new(source.trim_start_matches('\u{feff}'));
    let definitions = definitions(&lines);
    let mut reader = BlockReader::new(&lines, &definitions);
    let whole = lines.region();
    let (mut head, start) = head(&lines, whole);
    for field in &mut head {
        reader.left_out.hidden += hiding_marks(&field.text) as u64;
        field.text = visible(&field.text);
    }
    let head_title = plain_title::title(&head);
    head.into_iter().for_each(|field| reader.leaves.push(field));
    reader.blocks(lines.tail(whole, start), Scope::default());
    let title = head_title.or(reader.heading).filter(|title| !title.is_empty());
    let mut leaves = reader.leaves.finish();
    fields::at_the_top(&mut leaves);
    RstText { title, left_out: reader.left_out, elsewhere: reader.elsewhere, leaves }
}

/// The header fields of a proposal, which are not reStructuredText (RFC 2822), and the index of the line behind them.
fn head(lines: &Lines<'_>, whole: Region) -> (Vec<Leaf>, usize) {
    let start = lines.text_from(whole, 0).unwrap_or(whole.end);
    let end = lines.block_end(whole, start);
    let block: Vec<&str> = lines.views(lines.tail(whole, start).until(end)).collect();
    let fields = plain::leaves(&block.join("\n"));
    let are_fields = !fields.is_empty() && fields.iter().all(|leaf| leaf.kind == BlockKind::FormField);
    if are_fields { (fields, end) } else { (Vec::new(), start) }
}
