//! The body of a message: which of its parts are its text, and in which form each is read.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use precis_proto::BlockKind;
use precis_text::{Leaf, hiding_marks, visible};

use super::super::runs::LeftOut;
use super::super::{html, plain};
use super::alternatives::{SharedWords, lacks_table};
use super::{flowed, parts};

/// Most parts read of a message. Chosen: a message with pictures has a few dozen.
pub(super) const MAX_PARTS: usize = 1_000;

/// The text of the body.
#[derive(Debug, Default)]
pub(super) struct BodyText {
    pub(super) leaves: Vec<Leaf>,
    pub(super) left_out: LeftOut,
    pub(super) remarks: Vec<String>,
}

/// The body of `message`: its text parts in order, of alternatives one.
pub(super) fn read(message: &Message<'_>) -> BodyText {
    let mut body = BodyText::default();
    let mut left = MAX_PARTS;
    // Parts to visit, the next one last: a message may nest its parts deeper than the stack of calls reaches.
    let mut waiting = vec![0];
    while let Some(id) = waiting.pop() {
        let Some(part) = message.part(id) else { continue };
        match &part.body {
            PartType::Multipart(_) if is_alternative(part) => body.alternatives(message, id, &mut left),
            PartType::Multipart(children) => waiting.extend(children.iter().rev()),
            _ => {
                if message.text_body.contains(&id) || message.html_body.contains(&id) {
                    body.add(read_parts(message, &[id], &mut left));
                }
            }
        }
    }
    if body.leaves.is_empty() {
        // Broken nesting can leave parts that no other part names.
        body.add(read_parts(message, &message.text_body, &mut left));
    }
    if message.parts.len() > MAX_PARTS {
        body.remarks.push(format!("read the first {MAX_PARTS} of {} parts of the message", message.parts.len()));
    }
    body
}

impl BodyText {
    fn add(&mut self, other: Self) {
        self.leaves.extend(other.leaves);
        self.left_out += other.left_out;
        self.remarks.extend(other.remarks);
    }

    /// Adds the plain form of the alternatives in part `id`, or the HTML form where the plain one is a stub.
    fn alternatives(&mut self, message: &Message<'_>, id: u32, left: &mut usize) {
        let inside = leaf_ids(message, id);
        let of = |form: &[u32]| inside.iter().copied().filter(|id| form.contains(id)).collect::<Vec<_>>();
        let (plain_ids, html_ids) = (of(&message.text_body), of(&message.html_body));
        let plain = read_parts(message, &plain_ids, left);
        if plain_ids == html_ids {
            return self.add(plain);
        }
        let html = read_parts(message, &html_ids, left);
        let words = SharedWords::of(&html.leaves, &plain.leaves);
        let lacks_table = lacks_table(&html.leaves, &plain.leaves);
        if !words.is_stub() && !lacks_table {
            return self.add(plain);
        }
        if lacks_table {
            self.remarks.push("read the HTML form of the message: its plain form lacks a table".to_owned());
        } else if !plain.leaves.is_empty() {
            let SharedWords { shared, all, .. } = words;
            self.remarks.push(format!(
                "read the HTML form of the message: its plain form has {shared} of the {all} different words"
            ));
        }
        self.add(html);
    }
}

fn is_alternative(part: &MessagePart<'_>) -> bool {
    part.content_type().is_some_and(|kind| kind.subtype().is_some_and(|kind| kind.eq_ignore_ascii_case("alternative")))
}

/// The parts within part `id` that are no groups of parts, in order.
fn leaf_ids(message: &Message<'_>, id: u32) -> Vec<u32> {
    let (mut found, mut waiting) = (Vec::new(), vec![id]);
    while let Some(id) = waiting.pop() {
        match message.part(id).map(|part| &part.body) {
            Some(PartType::Multipart(children)) => waiting.extend(children.iter().rev()),
            Some(_) => found.push(id),
            None => {}
        }
    }
    found
}

/// The text of the parts `ids`, of at most `left` of them.
fn read_parts(message: &Message<'_>, ids: &[u32], left: &mut usize) -> BodyText {
    let mut body = BodyText::default();
    for part in ids.iter().filter_map(|id| message.part(*id)).take(*left) {
        *left -= 1;
        match &part.body {
            PartType::Text(_) => {
                let text = parts::text(message, part);
                body.left_out.hidden += hiding_marks(&text) as u64;
                body.leaves.extend(quoted_leaves(&visible(&flowed::unfold(part, &text))));
            }
            PartType::Html(_) => {
                let (leaves, left_out) = html::article(&parts::text(message, part));
                body.leaves.extend(leaves);
                body.left_out += left_out;
            }
            PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Message(_) | PartType::Multipart(_) => {}
        }
    }
    body
}

/// The leaves of plain text; lines behind `>` become quotations, without the mark.
fn quoted_leaves(text: &str) -> Vec<Leaf> {
    let (mut leaves, mut run, mut depth) = (Vec::new(), String::new(), 0);
    for line in text.lines() {
        let (inner, its_depth) = strip_quote_marks(line);
        if its_depth != depth && !run.is_empty() {
            leaves.extend(run_leaves(&std::mem::take(&mut run), depth > 0));
        }
        depth = its_depth;
        run.push_str(inner);
        run.push('\n');
    }
    leaves.extend(run_leaves(&run, depth > 0));
    leaves
}

fn run_leaves(text: &str, is_quoted: bool) -> impl Iterator<Item = Leaf> {
    plain::message_leaves(text).into_iter().map(move |leaf| match leaf.kind {
        // A line of somebody else is no heading of this message.
        BlockKind::Paragraph | BlockKind::Heading if is_quoted => {
            Leaf { kind: BlockKind::Quotation, level: None, ..leaf }
        }
        _ => leaf,
    })
}

/// `line` without its quotation marks, and their number.
fn strip_quote_marks(line: &str) -> (&str, usize) {
    let (mut rest, mut depth) = (line, 0);
    while let Some(inner) = rest.strip_prefix('>') {
        rest = inner.strip_prefix(' ').filter(|inner| inner.starts_with('>')).unwrap_or(inner);
        depth += 1;
    }
    (if depth > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }, depth)
}
