//! Wikitext (the language of MediaWiki) to leaves: headings, lists, tables, notes, code, and what a page says about itself.
//!
//! MediaWiki defines its language as a translation to HTML, and lets HTML stand in it. So this reader translates too, and the reader of
//! HTML does the rest: cells that cover others, lists in cells, raised and struck text, references to characters, what is hidden.
//!
//! | file | what it owns, in the order in which a page is read |
//! | --- | --- |
//! | `tags`, `extensions` | tags whose content is not wikitext; comments |
//! | `pieces` | what they hold, with marks in its place |
//! | `braces`, `templates`, `gaps` | what of a template is text of this page |
//! | `page_facts` | redirections, categories and other languages |
//! | `blocks` | lines as blocks, with `lists` and `tables` |
//! | `inline` | markup inside a block, with `quotes` and `links` |
//! | `attributes` | attributes of tags and cells |
//! | `notes` | pieces in their places, notes with their numbers |
//!
//! Nothing is fetched: a template is a text on another page. It is counted, and what stands in its place is said in `templates`.

mod attributes;
mod blocks;
mod braces;
mod extensions;
mod gaps;
mod inline;
mod links;
mod lists;
mod notes;
mod page_facts;
mod pieces;
mod quotes;
mod tables;
mod tags;
mod templates;

use precis_proto::{BlockKind, FieldPlace};
use precis_text::Leaf;

use super::page_text::PageText;
use super::runs::LeftOut;
use super::{fields, html, plain_title};
use extensions::Extensions;
use notes::Notes;
use pieces::MARK;
use templates::Field;

/// The text of `source`.
pub(super) fn read(source: &str) -> PageText {
    let source = source.trim_start_matches('\u{feff}').replace(MARK, "").replace("\r\n", "\n");
    let mut extensions = Extensions::default();
    let text = extensions.take(&source);
    let page = templates::of_page(&text);
    let facts = page_facts::of(&page.text);
    let blocks = blocks::html(facts.body, &extensions.pieces);
    let mut notes = Notes::new(&extensions);
    let mut reader = Reader { notes: &mut notes, left_out: LeftOut::default(), unread: page.unread };

    let title = page.title.map(|title| reader.plain(&title).text).filter(|title| !title.is_empty());
    let mut given: Vec<Field> = facts.redirect.map(|page| Field::new("redirects to", page)).into_iter().collect();
    given.extend(page.fields);
    let categories = blocks.categories.iter().map(String::as_str).chain(facts.categories);
    given.extend(categories.map(|category| Field::new("category", category)));
    let mut leaves = reader.fields(&given);

    let mut page_html = reader.notes.restore(&blocks.html);
    page_html.push_str(&reader.notes.list());
    let body = reader.leaves(&page_html);
    // Here, because only code before all else is a header, and categories come before it.
    let header = fields::code_header(&body);
    let title = title.or_else(|| header.as_deref().and_then(plain_title::title)).or_else(|| only_title(&body));
    leaves.extend(header.unwrap_or(body));
    let hidden = extensions.hidden + blocks.hidden;
    let left_out = reader.left_out + LeftOut { hidden, ..LeftOut::default() };
    let elsewhere = reader.unread + reader.notes.unread + extensions.programs;
    PageText { title, leaves, left_out, elsewhere }
}

/// Reads HTML, and counts what it does not say.
struct Reader<'n, 'e> {
    notes: &'n mut Notes<'e>,
    left_out: LeftOut,
    /// Number of templates and fields that are not read.
    unread: u64,
}

impl Reader<'_, '_> {
    fn leaves(&mut self, source: &str) -> Vec<Leaf> {
        let (mut leaves, left_out) = html::fragment(source);
        self.left_out += left_out;
        for leaf in leaves.iter_mut().filter(|leaf| leaf.kind == BlockKind::Footnote) {
            // As in the sentences that lead to it.
            leaf.marker = leaf.marker.take().map(|marker| marker.trim_end_matches('.').to_owned());
        }
        leaves
    }

    /// The words of `wikitext` in one leaf.
    fn plain(&mut self, wikitext: &str) -> Leaf {
        let blocks = blocks::html(wikitext, &self.notes.extensions().pieces);
        let html = self.notes.restore(&blocks.html);
        let leaves = self.leaves(&html);
        let texts: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        let notes = leaves.iter().flat_map(|leaf| leaf.notes.clone()).collect();
        let is_struck = leaves.iter().any(|leaf| leaf.is_struck);
        Leaf { notes, is_struck, ..Leaf::new(BlockKind::Paragraph, texts.join(", ")) }
    }

    /// Header fields, up to so many.
    fn fields(&mut self, given: &[Field]) -> Vec<Leaf> {
        let kept = given.len().min(fields::MAX_FIELDS);
        self.unread += (given.len() - kept) as u64;
        let mut leaves = Vec::with_capacity(kept);
        for Field { name, value } in &given[..kept] {
            let Leaf { text, notes, is_struck, .. } = self.plain(value);
            let field = fields::leaf(name, &text, FieldPlace::FrontMatter);
            leaves.extend(field.map(|field| Leaf { notes, is_struck, ..field }));
        }
        leaves
    }
}

/// The first heading, if no other has its level or a higher one: a page is mostly called by its address, and its headings are sections.
fn only_title(leaves: &[Leaf]) -> Option<String> {
    let mut headings = leaves.iter().filter(|leaf| leaf.kind == BlockKind::Heading);
    let first = headings.next()?;
    headings.all(|heading| heading.level > first.level).then(|| first.text.clone())
}

#[cfg(test)]
mod tests;
