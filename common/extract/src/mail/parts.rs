//! The bytes and the characters of a part of a message: its transfer encoding undone, its charset found as that of a text file is.

use std::borrow::Cow;

use encoding_rs::Encoding;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding as TransferEncoding, Message, MessagePart, MimeHeaders, PartType};

use super::super::charset;

/// The bytes of `part`, as the sender had them before they were encoded for transport.
pub(super) fn bytes<'m>(message: &'m Message<'_>, part: &'m MessagePart<'_>) -> Cow<'m, [u8]> {
    let (PartType::Text(text) | PartType::Html(text)) = &part.body else { return Cow::Borrowed(part.contents()) };
    let place = part.offset_body as usize..part.offset_end as usize;
    let Some(raw) = message.raw_message.get(place) else { return Cow::Borrowed(text.as_bytes()) };
    match part.encoding {
        TransferEncoding::None => Some(Cow::Borrowed(raw)),
        TransferEncoding::Base64 => base64_decode(raw).map(Cow::Owned),
        TransferEncoding::QuotedPrintable => quoted_printable_decode(raw).map(Cow::Owned),
    }
    .unwrap_or(Cow::Borrowed(text.as_bytes()))
}

/// The characters of a part with text. A declared charset counts as that of a text file does: it may be wrong or missing.
pub(super) fn text<'m>(message: &'m Message<'_>, part: &'m MessagePart<'_>) -> Cow<'m, str> {
    let decoded = part.text_contents().unwrap_or_default();
    let label = part.content_type().and_then(|kind: &ContentType<'_>| kind.attribute("charset"));
    // A charset that only the mail parser knows, such as UTF-7.
    let is_foreign = label.is_some_and(|label| {
        Encoding::for_label(label.as_bytes()).is_none() && charset_decoder(label.as_bytes()).is_some()
    });
    if is_foreign {
        return Cow::Borrowed(decoded);
    }
    charset::decode(&bytes(message, part), label).map_or(Cow::Borrowed(decoded), Cow::Owned)
}

/// `bytes` with the fields of the message in UTF-8: some senders write them in another charset, and name none.
pub(super) fn with_readable_fields(bytes: &[u8]) -> Cow<'_, [u8]> {
    let ends = |mark: &[u8]| bytes.windows(mark.len()).position(|window| window == mark);
    let end = [ends(b"\n\n"), ends(b"\r\n\r\n")].into_iter().flatten().min().unwrap_or(bytes.len());
    let (fields, rest) = bytes.split_at(end);
    if std::str::from_utf8(fields).is_ok() {
        return Cow::Borrowed(bytes);
    }
    match charset::decode(fields, None) {
        Ok(fields) => Cow::Owned([fields.as_bytes(), rest].concat()),
        Err(charset::NotText) => Cow::Borrowed(bytes),
    }
}
