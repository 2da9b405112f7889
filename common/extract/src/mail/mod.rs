//! E-mail (RFC 5322 and MIME): subject, sender, recipients and date, the body in the reader of its format, and the attachments.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `parts` | the bytes and characters of a part, whatever charset it declares |
//! | `body`, `alternatives` | which parts are the text of the message, and which of two forms says it |
//! | `flowed` | lines that go on in the next one |
//! | `attachments` | what is attached, listed and read |

mod alternatives;
mod attachments;
mod body;
mod flowed;
mod parts;

use mail_parser::{Address, Message, MessageParser};
use precis_proto::{BlockKind, DocumentFormat, FieldPlace};
use precis_text::{Leaf, hiding_marks, normalize, visible};

use super::fields;
use super::limits::Hint;
use super::runs::LeftOut;
use super::table::Leaves;

pub(super) use attachments::ReadDocument;

/// Most addresses shown of a field.
const MAX_ADDRESSES: usize = 100;
/// Bytes searched for the fields of a message.
const HEAD_BYTES: usize = 16 * 1024;
/// Fields written only in transport: together with a sender and a date, one of them makes a text a message.
const OF_TRANSPORT: [&str; 4] = ["received:", "message-id:", "mime-version:", "return-path:"];

/// A message as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MailText {
    /// Its subject.
    pub(super) title: Option<String>,
    /// Its text, each leaf normalized.
    pub(super) leaves: Vec<Leaf>,
    /// Remarks for the reader.
    pub(super) remarks: Vec<String>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Characters of its attachments that the limits left out.
    pub(super) chars_cut: u64,
}

/// Whether `bytes` are a message: they begin with fields and name a sender, and either the hint says so or fields of transport do.
pub(super) fn is_mail(bytes: &[u8], hint: &Hint<'_>) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).to_ascii_lowercase();
    let fields: Vec<&str> = head.lines().take_while(|line| !line.trim().is_empty()).collect();
    let has = |name: &str| fields.iter().any(|line| line.starts_with(name));
    let is_named = DocumentFormat::Email.has_mime(&hint.mime()) || DocumentFormat::Email.has_ending(&hint.ending());
    let begins = fields.first().is_some_and(|line| {
        line.split_once(':').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic()))
    });
    begins && has("from:") && (is_named || OF_TRANSPORT.iter().any(|name| has(name)) && has("date:"))
}

/// The text of the message in `bytes`; `None` if it has no fields. Attachments are read by `read_document`.
pub(super) fn read(bytes: &[u8], read_document: ReadDocument<'_>) -> Option<MailText> {
    let bytes = parts::with_readable_fields(bytes);
    let message = MessageParser::new().parse(&bytes)?;
    let (mut leaves, mut left_out) = (Leaves::default(), LeftOut::default());
    let title = message.subject().map(|subject| normalize(&visible(subject))).filter(|subject| !subject.is_empty());
    if let Some(subject) = &title {
        leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, subject.clone()) });
    }
    for (name, value) in shown_fields(&message) {
        left_out.hidden += hiding_marks(&value) as u64;
        let value = normalize(&visible(&value));
        if !value.is_empty() {
            leaves.extend(fields::leaf(name, &value, FieldPlace::FrontMatter).into_iter().collect());
        }
    }
    let body = body::read(&message);
    leaves.extend(body.leaves);
    left_out += body.left_out;
    let attached = attachments::read(&message, read_document);
    attached.documents.into_iter().for_each(|document| leaves.extend(document));
    Some(MailText {
        title,
        leaves: leaves.finish(),
        remarks: body.remarks.into_iter().chain(attached.remarks).collect(),
        left_out,
        chars_cut: attached.chars_cut,
    })
}

/// The names and values of the fields that are shown.
fn shown_fields(message: &Message<'_>) -> [(&'static str, String); 4] {
    [
        ("From", addresses(message.from())),
        ("To", addresses(message.to())),
        ("Cc", addresses(message.cc())),
        ("Date", message.header_raw("Date").unwrap_or_default().to_owned()),
    ]
}

fn addresses(field: Option<&Address<'_>>) -> String {
    let Some(field) = field else { return String::new() };
    let one = |name: Option<&str>, address: Option<&str>| match (name, address) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (one, other) => one.or(other).unwrap_or_default().to_owned(),
    };
    let all: Vec<String> = field.iter().take(MAX_ADDRESSES).map(|a| one(a.name(), a.address())).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests;
