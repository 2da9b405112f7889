//! Mailboxes (RFC 4155, "mbox"): messages one after the other, each behind a line that begins with `From `.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::attached;
use super::mail::{self, ReadDocument};
use super::runs::{LeftOut, RunText};
use super::table::Leaves;

/// Most messages read of a mailbox. Chosen: a message of a list has about 2,000 characters, so the longest text kept is reached before.
const MAX_MESSAGES: usize = 2_000;
/// Most remarks about messages of a mailbox.
const MAX_REMARKS: usize = 20;
/// What each message stands behind.
const SEPARATOR: &[u8] = b"From ";

/// A mailbox as text.
#[derive(Debug, Default)]
pub(super) struct MboxText {
    pub(super) leaves: Vec<Leaf>,
    pub(super) remarks: Vec<String>,
    /// What its messages do not say.
    pub(super) left_out: LeftOut,
    /// Characters of attachments that the limits left out.
    pub(super) chars_cut: u64,
}

/// Fields with which messages begin.
const FIRST_FIELDS: [&[u8]; 8] =
    [b"from", b"to", b"date", b"subject", b"received", b"message-id", b"return-path", b"delivered-to"];

/// Whether `bytes` begin as a mailbox does: a separator, then the fields of a message. The separator has a time, or the first field is one
/// with which messages begin: otherwise `From Monday on` and a line with a colon would be a message.
pub(super) fn is_mbox(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(SEPARATOR) else { return false };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let is_time = |part: &[u8]| part[0].is_ascii_digit() && part[1] == b':' && part[2].is_ascii_digit();
    let line = rest.get(end + 1..).unwrap_or_default();
    let field = line.iter().take_while(|byte| byte.is_ascii_graphic() && **byte != b':').count();
    let is_first = FIRST_FIELDS.iter().any(|name| line[..field].eq_ignore_ascii_case(name));
    field > 0 && line.get(field) == Some(&b':') && (is_first || rest[..end].windows(3).any(is_time))
}

/// The messages in `bytes`, each as [`mail::read`] reads it.
pub(super) fn read(bytes: &[u8], read_document: ReadDocument<'_>) -> MboxText {
    let (mut mailbox, mut leaves) = (MboxText::default(), Leaves::default());
    let messages = messages(bytes);
    let mut unread = 0;
    for (separator, message) in messages.iter().take(MAX_MESSAGES) {
        let Some(mail) = mail::read(&unquote_from(message), &mut *read_document) else {
            unread += 1;
            continue;
        };
        // A message without a subject would stand below that of the message before it.
        if mail.title.is_none() {
            let line = leaves.block_words(RunText::of(&String::from_utf8_lossy(separator))).text;
            leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, line) });
        }
        // What one message says about itself says nothing about the mailbox.
        leaves.extend(mail.leaves.into_iter().map(attached::inner_field).collect());
        mailbox.left_out += mail.left_out;
        mailbox.chars_cut += mail.chars_cut;
        mailbox.remarks.extend(mail.remarks);
    }
    let more = mailbox.remarks.len().saturating_sub(MAX_REMARKS);
    if more > 0 {
        mailbox.remarks.truncate(MAX_REMARKS);
        mailbox.remarks.push(format!("remarks about other messages of the mailbox: {more}"));
    }
    mailbox.left_out += leaves.left_out();
    if messages.len() > MAX_MESSAGES {
        mailbox.remarks.push(format!("read the first {MAX_MESSAGES} of {} messages", messages.len()));
    }
    if unread > 0 {
        mailbox.remarks.push(format!("messages without fields are not read: {unread}"));
    }
    MboxText { leaves: leaves.finish(), ..mailbox }
}

/// The separator and the bytes of each message. A separator follows a blank line, and fields follow it; other lines that begin so are text.
fn messages(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut starts = Vec::new();
    let (mut at, mut is_after_blank) = (0, true);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if is_after_blank && is_mbox(&bytes[at..]) {
            starts.push((at, at + line.len()));
        }
        is_after_blank = line.iter().all(u8::is_ascii_whitespace);
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([bytes.len()]);
    starts.iter().zip(ends).map(|((line, start), end)| (&bytes[*line..*start], &bytes[*start..end])).collect()
}

/// `message` with `From ` at the start of its lines as its sender wrote it: a `>` was put before it.
fn unquote_from(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let is_quoted = line.strip_prefix(b">").is_some_and(|rest| rest.starts_with(SEPARATOR));
        out.extend_from_slice(if is_quoted { &line[1..] } else { line });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::render_leaf;
    use super::*;
    use crate::attached::Refusal;

    fn read_all(source: &str) -> MboxText {
        read(source.as_bytes(), &mut |_, _| Err(Refusal::OtherFormat))
    }

    #[test]
    fn each_message_of_a_mailbox_is_read() {
        let source = "From ann Mon May 6\nFrom: a@b.c\nSubject: One\n\nFirst.\n>From here on.\n\nFrom bob Tue May 7\nFrom: d@e.f\n\nFrom me to you.\n";
        assert_eq!(
            read_all(source).leaves.iter().map(|leaf| render_leaf(leaf).trim().replace('\n', " ")).collect::<Vec<_>>(),
            [
                "heading1 : One",
                "form_field : From: a@b.c",
                "paragraph : First. From here on.",
                "heading1 : From bob Tue May 7",
                "form_field : From: d@e.f",
                "paragraph : From me to you."
            ]
        );
    }

    #[test]
    fn a_mailbox_is_known_by_its_first_lines() {
        for (source, want) in [
            ("From ann Mon\nFrom: a@b.c\n\nx", true),
            ("From ann Mon\nReturn-Path: <a>\n", true),
            ("From here on\nwe walk: slowly", false),
            ("From Monday on we work late.\nNote: bring food.\n", false),
            ("From ann Mon Jan  1 10:00:00 2024\nX-Own: a\n", true),
            ("From: a@b.c\n\nx", false),
            ("From ", false),
            ("", false),
        ] {
            assert_eq!(is_mbox(source.as_bytes()), want, "{source:?}");
        }
    }

    #[test]
    fn remarks_about_messages_are_bounded() {
        for (given, remarks) in
            [(MAX_REMARKS - 1, MAX_REMARKS - 1), (MAX_REMARKS, MAX_REMARKS), (MAX_REMARKS + 1, MAX_REMARKS + 1)]
        {
            let message = "From x\nSubject: y\nContent-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: image/png\n\nx\n--q--\n\n";
            assert_eq!(read_all(&message.repeat(given)).remarks.len(), remarks, "{given}");
        }
    }

    #[test]
    fn messages_are_read_up_to_a_number() {
        for (given, kept) in
            [(MAX_MESSAGES - 1, MAX_MESSAGES - 1), (MAX_MESSAGES, MAX_MESSAGES), (MAX_MESSAGES + 1, MAX_MESSAGES)]
        {
            let found = read_all(&"From x\nSubject: y\n\nz.\n\n".repeat(given));
            assert_eq!(found.leaves.iter().filter(|leaf| leaf.kind == BlockKind::Heading).count(), kept, "{given}");
            assert_eq!(found.remarks.is_empty(), given <= MAX_MESSAGES);
        }
    }
}
