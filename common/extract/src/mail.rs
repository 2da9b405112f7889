//! E-mail (RFC 5322 and MIME): subject, sender, recipients and date, the body in the reader of its format, and the names of the
//! attachments. Attachments are not read: each is a document of its own.

use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use precis_proto::{BlockKind, DocumentFormat, FieldPlace};
use precis_text::{Leaf, hiding_marks, normalize, visible};

use super::limits::Hint;
use super::runs::LeftOut;
use super::{fields, html, plain};

/// Most parts read of a message. Chosen: a message with pictures has a few dozen.
const MAX_PARTS: usize = 1_000;
/// Most attachments listed.
const MAX_LISTED: usize = 100;
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

/// The text of the message in `bytes`; `None` if it has no fields.
pub(super) fn read(bytes: &[u8]) -> Option<MailText> {
    let message = MessageParser::new().parse(bytes)?;
    let mut mail = MailText { title: None, leaves: Vec::new(), remarks: Vec::new(), left_out: LeftOut::default() };
    mail.title = message.subject().map(|subject| normalize(&visible(subject))).filter(|subject| !subject.is_empty());
    if let Some(subject) = &mail.title {
        mail.leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, subject.clone()) });
    }
    mail.fields(&message);
    mail.body(&message);
    mail.attachments(&message);
    Some(mail)
}

impl MailText {
    fn field(&mut self, name: &str, value: &str) {
        self.left_out.hidden += hiding_marks(value) as u64;
        let value = normalize(&visible(value));
        if !value.is_empty() {
            self.leaves.extend(fields::leaf(name, &value, FieldPlace::FrontMatter));
        }
    }

    fn fields(&mut self, message: &Message<'_>) {
        self.field("From", &addresses(message.from()));
        self.field("To", &addresses(message.to()));
        self.field("Cc", &addresses(message.cc()));
        let date = message.header_raw("Date").unwrap_or_default();
        self.field("Date", date);
    }

    /// Adds the body as plain text if there is one, otherwise as HTML.
    fn body(&mut self, message: &Message<'_>) {
        let bodies: Vec<_> = message.text_bodies().take(MAX_PARTS).collect();
        let is_blank = bodies.iter().all(|part| part.text_contents().is_none_or(|text| text.trim().is_empty()));
        // Many mailers add an empty plain part next to the HTML, so a blank one does not count.
        let bodies = if is_blank { message.html_bodies().take(MAX_PARTS).collect() } else { bodies };
        for part in bodies {
            match &part.body {
                PartType::Text(text) => self.plain(text),
                PartType::Html(source) => {
                    let (leaves, left_out) = html::article(source);
                    self.leaves.extend(leaves);
                    self.left_out += left_out;
                }
                _ => {}
            }
        }
        if message.parts.len() > MAX_PARTS {
            self.remarks.push(format!("read the first {MAX_PARTS} of {} parts of the message", message.parts.len()));
        }
    }

    /// Adds plain text; lines behind `>` become quotations, without the mark.
    fn plain(&mut self, text: &str) {
        self.left_out.hidden += hiding_marks(text) as u64;
        let text = visible(text);
        let (mut run, mut depth) = (String::new(), 0);
        for line in text.lines() {
            let (inner, its_depth) = unquoted(line);
            if its_depth != depth && !run.is_empty() {
                self.run(&std::mem::take(&mut run), depth > 0);
            }
            depth = its_depth;
            run.push_str(inner);
            run.push('\n');
        }
        self.run(&run, depth > 0);
    }

    fn run(&mut self, text: &str, is_quoted: bool) {
        let leaves = plain::leaves(text).into_iter().map(|leaf| match leaf.kind {
            BlockKind::Paragraph if is_quoted => Leaf { kind: BlockKind::Quotation, ..leaf },
            _ => leaf,
        });
        self.leaves.extend(leaves);
    }

    fn attachments(&mut self, message: &Message<'_>) {
        let count = message.attachment_count();
        for part in message.attachments().take(MAX_LISTED) {
            let name = match &part.body {
                PartType::Message(inner) => inner.subject().or(part.attachment_name()),
                _ => part.attachment_name(),
            };
            let kind = part.content_type().map(|kind| match kind.subtype() {
                Some(subtype) => format!("{}/{subtype}", kind.ctype()),
                None => kind.ctype().to_owned(),
            });
            let size = part.contents().len();
            let facts = kind.into_iter().chain([format!("{size} bytes")]).collect::<Vec<_>>().join(", ");
            self.field("Attachment", &format!("{} ({facts})", name.unwrap_or("without a name")));
        }
        if count > 0 {
            self.remarks.push(format!("attachments are listed and not read: {count}"));
        }
    }
}

/// `line` without its quotation marks, and their number.
fn unquoted(line: &str) -> (&str, usize) {
    let (mut rest, mut depth) = (line, 0);
    while let Some(inner) = rest.strip_prefix('>') {
        rest = inner.strip_prefix(' ').filter(|inner| inner.starts_with('>')).unwrap_or(inner);
        depth += 1;
    }
    (if depth > 0 { rest.strip_prefix(' ').unwrap_or(rest) } else { rest }, depth)
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
mod tests {
    use super::super::package::fixture::shown;
    use super::*;

    fn lines(source: &str) -> Vec<String> {
        read(source.replace('\n', "\r\n").as_bytes()).expect("a message").leaves.iter().map(shown).collect()
    }

    const HEAD: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\nTo: a@b.c, \"B, C\" <d@e.f>\nDate: Mon, 6 May 2024 10:00:00 +0200\n\
        Subject: =?iso-8859-1?Q?K=FCndigung?=\n =?utf-8?B?IGRlciBWZXJ0csOkZ2U=?=\nMIME-Version: 1.0\n";

    #[test]
    fn fields_are_decoded_and_the_body_is_read_as_what_it_is() {
        let head = [
            "heading1 : Kündigung der Verträge",
            "field : From: Jürgen <j@x.org>",
            "field : To: a@b.c, B, C <d@e.f>",
            "field : Date: Mon, 6 May 2024 10:00:00 +0200",
        ];
        for (body, want) in [
            (
                "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nNicht =FCber=\nall.\n\n- Kein Fall.\n",
                &["paragraph : Nicht überall.", "list_item1 -: - Kein Fall."][..],
            ),
            (
                "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nTmV2ZXIgYWdhaW4u\n",
                &["paragraph : Never again."],
            ),
            (
                "Content-Type: text/html\n\n<p>No <b>party</b> pays.</p><p style='display:none'>gone</p><table><tr><td>a<td>b</table>",
                &["paragraph : No party pays.", "table_row1 : a|b"],
            ),
            (
                "Content-Type: multipart/alternative; boundary=q\n\n--q\nContent-Type: text/plain\n\nPlain.\n--q\nContent-Type: text/html\n\n<p>Html.\n--q--\n",
                &["paragraph : Plain."],
            ),
            (
                "\nI agree.\n\n> You do not\n> pay.\n>> Never.\n",
                &["paragraph : I agree.", "quotation : You do not\npay.", "quotation : Never."],
            ),
        ] {
            let found = lines(&format!("{HEAD}{body}"));
            assert_eq!(found[..4], head);
            assert_eq!(found[4..].iter().map(|line| line.trim()).collect::<Vec<_>>(), want, "{body}");
        }
    }

    fn with_attachments(count: usize) -> String {
        let part = "--q\nContent-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''%C3%BC.pdf\nContent-Transfer-Encoding: base64\n\nAAAA\n";
        format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n--q\n\nSee there.\n{}--q--\n", part.repeat(count))
    }

    #[test]
    fn attachments_are_listed_up_to_a_number() {
        for (given, listed) in
            [(1, 1), (MAX_LISTED - 1, MAX_LISTED - 1), (MAX_LISTED, MAX_LISTED), (MAX_LISTED + 1, MAX_LISTED)]
        {
            let found = read(with_attachments(given).as_bytes()).expect("a message");
            let attached = || found.leaves.iter().filter(|leaf| leaf.text.starts_with("Attachment: "));
            assert_eq!(attached().count(), listed, "{given}");
            assert_eq!(attached().next().expect("one").text, "Attachment: ü.pdf (application/pdf, 3 bytes)");
            assert_eq!(found.remarks.last(), Some(&format!("attachments are listed and not read: {given}")));
        }
    }

    #[test]
    fn bodies_are_read_up_to_a_number() {
        for (given, read_parts) in [(MAX_PARTS - 1, MAX_PARTS - 1), (MAX_PARTS, MAX_PARTS), (MAX_PARTS + 1, MAX_PARTS)]
        {
            let part = "--q\nContent-Type: text/plain\n\nWords.\n";
            let source = format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n{}--q--\n", part.repeat(given));
            let found = read(source.as_bytes()).expect("a message");
            assert_eq!(found.leaves.iter().filter(|leaf| leaf.text.trim() == "Words.").count(), read_parts, "{given}");
        }
    }

    #[test]
    fn addresses_are_shown_up_to_a_number() {
        for (given, kept) in
            [(MAX_ADDRESSES - 1, MAX_ADDRESSES - 1), (MAX_ADDRESSES, MAX_ADDRESSES), (MAX_ADDRESSES + 1, MAX_ADDRESSES)]
        {
            let to = vec!["a@b.c"; given].join(", ");
            let found = lines(&format!("From: x@y.z\nTo: {to}\n\nWords."));
            let shown = found.iter().find(|line| line.contains("To: ")).expect("a field");
            assert_eq!(shown.matches("a@b.c").count(), kept, "{given}");
        }
    }

    #[test]
    fn a_message_is_known_by_its_fields() {
        let hint = |name| Hint { content_type: None, name };
        for (source, name, want) in [
            ("From: a@b.c\nSubject: x\n\nbody", "a.eml", true),
            ("From: a@b.c\nSubject: x\n\nbody", "a.txt", false),
            ("Received: by x\nFrom: a@b.c\nDate: now\n\nbody", "", true),
            ("Words.\n\nFrom: a@b.c", "a.eml", false),
            ("", "a.eml", false),
        ] {
            assert_eq!(is_mail(source.as_bytes(), &hint(name)), want, "{source:?} {name}");
        }
    }

    #[test]
    fn broken_and_nested_messages_end() {
        for source in [
            format!("{HEAD}Content-Type: multipart/mixed; boundary=q\n\n--q\nContent-Type: text/plain\n\nWor"),
            format!("{HEAD}Content-Type: multipart/mixed\n\nWords"),
            format!("{HEAD}Content-Transfer-Encoding: base64\n\n!!!!"),
            format!("{HEAD}{}x", "Content-Type: message/rfc822\n\nFrom: a@b.c\n".repeat(5_000)),
            (0..2_000)
                .fold(HEAD.to_owned(), |s, n| s + &format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n")),
        ] {
            assert!(read(source.as_bytes()).is_some());
        }
    }
}
