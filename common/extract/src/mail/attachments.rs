//! The attachments of a message: each is listed, and read as a document of its own where its format is one that is read.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use precis_proto::{BlockKind, DocumentFormat};
use precis_text::{Leaf, normalize, visible};

use super::super::limits::Hint;
use super::parts;
use crate::attached::{AttachedText, Refusal, inner_field};

/// Most attachments listed of a message.
pub(super) const MAX_LISTED: usize = 100;
/// Longest name of an attachment inside a remark, in characters.
const MAX_NAME_CHARS: usize = 80;
/// The levels of the headings of an attachment follow on this one, which names it.
const NAME_LEVEL: u8 = 2;

/// Reads the bytes of an attachment as a document.
pub(crate) type ReadDocument<'r> = &'r mut dyn FnMut(&[u8], &Hint<'_>) -> Result<AttachedText, Refusal>;

/// The attachments of a message as text.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    /// A heading and the text of each attachment that was read, and a field for each other one.
    pub(super) documents: Vec<Vec<Leaf>>,
    pub(super) remarks: Vec<String>,
    /// Characters of them that the limits left out.
    pub(super) chars_cut: u64,
}

/// The attachments of `message`, in order.
pub(super) fn read(message: &Message<'_>, read_document: ReadDocument<'_>) -> Attachments {
    let mut found = Attachments::default();
    let (mut read, mut unlisted) = (0, 0);
    for part in message.attachments() {
        if found.documents.len() == MAX_LISTED {
            unlisted += 1;
            continue;
        }
        let name = name(part);
        let line = format!("Attachment: {} ({})", name.as_deref().unwrap_or("without a name"), facts(message, part));
        let line = normalize(&visible(&line));
        let short = normalize(&visible(&name.unwrap_or_else(|| "an attachment without a name".to_owned())));
        let short: String = short.chars().take(MAX_NAME_CHARS).collect();
        let hint_name = part.attachment_name().unwrap_or_default();
        match read_part(message, part, hint_name, read_document) {
            Ok(document) => {
                read += 1;
                found.chars_cut += document.chars_cut;
                found.remarks.extend(document.remarks.iter().map(|remark| format!("{short}: {remark}")));
                found.documents.push(section(line, document.leaves));
            }
            Err(refusal) => {
                if let Refusal::Unread(reason) = refusal {
                    found.remarks.push(format!("{short}: {reason}"));
                }
                found.documents.push(vec![Leaf::new(BlockKind::FormField, line)]);
            }
        }
    }
    if unlisted > 0 {
        found.remarks.push(format!("the first {MAX_LISTED} attachments are listed, {unlisted} more are not"));
    }
    let left = found.documents.len() - read + unlisted;
    if left > 0 {
        found.remarks.push(format!("attachments are listed and not read: {left}"));
    }
    found
}

fn read_part(
    message: &Message<'_>,
    part: &MessagePart<'_>,
    name: &str,
    read_document: ReadDocument<'_>,
) -> Result<AttachedText, Refusal> {
    let mime = match &part.body {
        // In a digest the type of a part may be missing (RFC 2046, 5.1.5).
        PartType::Message(_) => DocumentFormat::Email.mime().to_owned(),
        _ => mime(part).unwrap_or_default(),
    };
    let format = DocumentFormat::from_mime(&mime);
    let label = part.content_type().and_then(|kind| kind.attribute("charset"));
    let declared = label.map_or_else(|| mime.clone(), |label| format!("{mime}; charset=\"{label}\""));
    // An unknown type says less than the name: programs send everything as `application/octet-stream`.
    let hint = Hint { content_type: format.map(|_| declared.as_str()), name };
    let read = read_document(&parts::bytes(message, part), &hint)?;
    // Any text can be read as plain text; only one that is called so is prose, and not a signature or a calendar.
    let is_text = format == Some(DocumentFormat::PlainText) || DocumentFormat::PlainText.has_ending(&hint.ending());
    if read.format == DocumentFormat::PlainText && !is_text { Err(Refusal::OtherFormat) } else { Ok(read) }
}

/// The heading `line`, and below it the leaves of an attachment.
fn section(line: String, leaves: Vec<Leaf>) -> Vec<Leaf> {
    let heading = Leaf { level: Some(NAME_LEVEL), ..Leaf::new(BlockKind::Heading, line) };
    let lowered = leaves.into_iter().map(|leaf| match leaf.kind {
        BlockKind::Heading => Leaf { level: leaf.level.map(|level| level.saturating_add(NAME_LEVEL)), ..leaf },
        // What an attachment says about itself says nothing about the message.
        _ => inner_field(leaf),
    });
    std::iter::once(heading).chain(lowered).collect()
}

/// The subject of an attached message, or the name of the file.
fn name(part: &MessagePart<'_>) -> Option<String> {
    let name = match &part.body {
        PartType::Message(inner) => inner.subject().or(part.attachment_name()),
        _ => part.attachment_name(),
    };
    name.map(str::to_owned)
}

fn mime(part: &MessagePart<'_>) -> Option<String> {
    let kind = part.content_type()?;
    let whole = kind.subtype().map_or(kind.ctype().to_owned(), |subtype| format!("{}/{subtype}", kind.ctype()));
    Some(whole.to_ascii_lowercase())
}

/// The type and the size of an attachment.
fn facts(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let size = format!("{} bytes", parts::bytes(message, part).len());
    mime(part).into_iter().chain([size]).collect::<Vec<_>>().join(", ")
}
