//! Decodes bytes to characters: finds the encoding of a text document, and whether it is text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes of a document searched for a declared encoding; browsers read 1,024, but generators need more.
const DECLARATION_BYTES: usize = 4096;
/// A document is binary if more than one in this many characters is undecodable or a control character. Compressed data has about one in
/// ten.
const ONE_BAD_CHAR_IN: usize = 25;
/// Text that is almost UTF-8 is still read as UTF-8 if it has at least this many valid sequences for each invalid one.
const GOOD_SEQUENCES_TO_ONE_BAD: usize = 10;

/// A single such character does not make a document binary if at least one in this many of the others is a letter: short notes may hold a
/// stray NUL, binary records hold few letters.
const ONE_LETTER_IN: usize = 2;
/// Least number of garbled characters that is reported: a single one may be intended, such as `Ã»` at the end of a quoted word.
const MIN_GARBLED: usize = 2;

/// The bytes are not text in any encoding tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotText;

/// Decodes `bytes`, without a byte order mark; undecodable bytes become U+FFFD.
///
/// The encoding is, in this order: that of a byte order mark; the one `declared` by the transport, or otherwise by the document itself, if
/// the bytes decode without error and are not UTF-8 in contradiction to it; UTF-16, recognized by its zeros; UTF-8, if the bytes are, or
/// almost are; the best guess.
///
/// # Errors
/// [`NotText`] if too many characters are undecodable or control characters.
pub(super) fn decode(bytes: &[u8], declared: Option<&str>) -> Result<String, NotText> {
    let encoding = encoding_of(bytes, declared);
    let (text, _, _) = encoding.decode(bytes);
    let (mut chars, mut bad, mut letters) = (0, 0, 0);
    for c in text.chars() {
        chars += 1;
        bad += usize::from(is_bad(c));
        letters += usize::from(c.is_alphabetic());
    }
    let is_stray = bad == 1 && chars > ONE_LETTER_IN && letters * ONE_LETTER_IN >= chars - bad;
    if bad * ONE_BAD_CHAR_IN > chars && !is_stray { Err(NotText) } else { Ok(text.into_owned()) }
}

/// Remarks about the characters of a decoded text: undecodable ones, control characters, and sequences that look wrongly decoded, here or
/// earlier.
pub(super) fn remarks(decoded: &str) -> Vec<String> {
    let count = |of: fn(char) -> bool| decoded.chars().filter(|c| of(*c)).count();
    let counted = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let mut remarks = Vec::new();
    let undecodable = count(|c| c == char::REPLACEMENT_CHARACTER);
    if undecodable > 0 {
        remarks.push(format!("{} could not be decoded", counted(undecodable, "character")));
    }
    let controls = count(is_control);
    if controls > 0 {
        remarks.push(format!("{} that text does not hold", counted(controls, "control character")));
    }
    let garbled = count_garbled(decoded);
    if garbled >= MIN_GARBLED {
        let garbled = counted(garbled, "character");
        remarks.push(format!("{garbled} look as if text of one encoding was read as another"));
    }
    remarks
}

/// Number of characters in `text` that are the windows-1252 reading of their UTF-8, such as `Ã¼` for `ü` and `â€“` for a dash. Counts only
/// Latin letters, signs and punctuation, which garbled texts are full of; in other scripts such sequences may be correct.
fn count_garbled(text: &str) -> usize {
    let runs = text.split(|c: char| c.is_ascii()).filter(|run| run.contains(['Â', 'Ã', 'â']));
    let of_run = |run: &str| {
        let (bytes, _, is_lossy) = WINDOWS_1252.encode(run);
        if is_lossy {
            return 0;
        }
        bytes.utf8_chunks().map(|chunk| chunk.valid().chars().filter(|c| is_usual(*c)).count()).sum()
    };
    runs.map(of_run).sum()
}

/// Whether `c` is a Latin letter or sign beyond ASCII, or general punctuation.
fn is_usual(c: char) -> bool {
    matches!(c, '\u{a0}'..='\u{ff}' | '\u{2000}'..='\u{206f}')
}

/// Whether `c` does not occur in text: it could not be decoded, or is a control character.
fn is_bad(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || is_control(c)
}

/// Whether `c` is a control character other than white space, backspace and escape.
fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{7}' | '\u{e}'..='\u{1a}' | '\u{7f}')
}

fn encoding_of(bytes: &[u8], declared: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    if let Some(encoding) = declared.and_then(label).or_else(|| declaration(bytes)) {
        // Text declared as Latin-1 that is valid UTF-8 beyond ASCII is UTF-8: this hardly happens by chance.
        let contradicted = encoding.is_single_byte() && is_utf8 && !bytes.is_ascii();
        if !contradicted && !encoding.decode_without_bom_handling(bytes).1 {
            return encoding;
        }
    }
    // Before UTF-8: ASCII text in UTF-16 is also valid UTF-8, with zeros in it.
    if looks_like_utf16(bytes, 0) {
        return UTF_16BE;
    }
    if looks_like_utf16(bytes, 1) {
        return UTF_16LE;
    }
    // ISO-2022-JP looks like ASCII except for its escapes.
    let escaped = bytes.is_ascii() && bytes.contains(&b'\x1b');
    if !escaped && (is_utf8 || is_nearly_utf8(bytes)) { UTF_8 } else { guess(bytes) }
}

fn label(name: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(name.as_bytes())?;
    // The label `x-user-defined` in a page means windows-1252 (HTML, "prescan a byte stream").
    Some(if encoding == encoding_rs::X_USER_DEFINED { WINDOWS_1252 } else { encoding })
}

/// The encoding declared by the document itself, in `<meta charset>`, `<meta http-equiv>` or an XML prologue.
fn declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]).to_ascii_lowercase();
    let start = head.trim_start();
    if let Some(prologue) =
        start.strip_prefix("<?xml").and_then(|tail| tail.split_once("?>")).map(|(prologue, _)| prologue)
        && let Some(encoding) = value_after(prologue, "encoding").and_then(label)
    {
        return Some(not_utf16(encoding));
    }
    head.split("<meta").skip(1).find_map(|tag| {
        let tag = tag.split('>').next()?;
        value_after(tag, "charset").and_then(label).map(not_utf16)
    })
}

/// A declaration that could be read as ASCII cannot declare UTF-16 (HTML, "prescan a byte stream").
fn not_utf16(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// The value in `name = value`, quoted or not.
fn value_after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let tail = text.split(name).skip(1).find_map(|tail| tail.trim_start().strip_prefix('='))?;
    let tail = tail.trim_start().trim_start_matches(['"', '\'']);
    tail.split(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | '>' | '/')).next()
}

/// Whether most bytes at even (0) or odd (1) offsets are zero and most others are not, as in Western UTF-16 without a byte order mark.
fn looks_like_utf16(bytes: &[u8], offset: usize) -> bool {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let pairs = head.len() / 2;
    pairs >= 2 && zeros(offset) * 10 > pairs * 7 && zeros(1 - offset) * 10 < pairs
}

/// Whether the bytes are UTF-8 with occasional damaged sequences, as in a truncated or concatenated page.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= bad * GOOD_SEQUENCES_TO_ONE_BAD
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str = "Die Größe der Städte wächst, und über Flüsse führen Brücken für Fußgänger.";

    fn latin1(text: &str) -> Vec<u8> {
        WINDOWS_1252.encode(text).0.into_owned()
    }

    #[test]
    fn a_byte_order_mark_wins_and_is_removed() {
        assert_eq!(decode("\u{feff}naïve".as_bytes(), Some("iso-8859-1")).as_deref(), Ok("naïve"));
        let utf16: Vec<u8> = "\u{feff}naïve".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&utf16, None).as_deref(), Ok("naïve"));
    }

    #[test]
    fn a_declared_encoding_is_used_unless_the_bytes_say_otherwise() {
        let cyrillic = encoding_rs::KOI8_R.encode("Привет, мир").0.into_owned();
        assert_eq!(decode(&cyrillic, Some("koi8-r")).as_deref(), Ok("Привет, мир"));
        assert_eq!(decode(GERMAN.as_bytes(), Some("iso-8859-1")).as_deref(), Ok(GERMAN));
        assert_eq!(decode(&latin1(GERMAN), Some("utf-8")).as_deref(), Ok(GERMAN));
        assert_eq!(decode(b"plain", Some("no-such-charset")).as_deref(), Ok("plain"));
    }

    #[test]
    fn a_page_may_declare_its_encoding_itself() {
        let table = [
            "<meta charset=windows-1251><p>Привет",
            "<META http-equiv='Content-Type' content='text/html; charset=windows-1251'/><p>Привет",
            "<?xml version=\"1.0\" encoding=\"windows-1251\"?><p>Привет",
        ];
        for page in table {
            let bytes = encoding_rs::WINDOWS_1251.encode(page).0.into_owned();
            assert_eq!(decode(&bytes, None).as_deref(), Ok(page));
        }
        assert_eq!(decode("<meta charset=utf-16><p>é".as_bytes(), None).as_deref(), Ok("<meta charset=utf-16><p>é"));
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
        assert_eq!(decode(&latin1(GERMAN), None).as_deref(), Ok(GERMAN));
        let japanese = "日本語の文章をここに書きます。これはテストです。";
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP, encoding_rs::ISO_2022_JP] {
            assert_eq!(decode(&encoding.encode(japanese).0, None).as_deref(), Ok(japanese), "{}", encoding.name());
        }
        let utf16: Vec<u8> = GERMAN.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&utf16, None).as_deref(), Ok(GERMAN));
    }

    #[test]
    fn a_damaged_sequence_does_not_spoil_the_rest() {
        let mut bytes = GERMAN.repeat(3).into_bytes();
        bytes.truncate(bytes.len() - 3);
        bytes.push(0xc3);
        let text = decode(&bytes, None).expect("text");
        assert!(text.starts_with("Die Größe") && text.ends_with('\u{fffd}'));
    }

    #[test]
    fn what_is_not_text_is_refused() {
        // xorshift: unstructured bytes that are the same in each run.
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        })
        .take(5_000)
        .collect();
        assert_eq!(decode(&noise, None), Err(NotText));
        assert_eq!(decode(&noise, Some("iso-8859-1")), Err(NotText));
        assert_eq!(decode(&[0; 100], None), Err(NotText));
        // One stray character among letters is accepted; two in such a short text, or one among symbols, are not.
        for (bytes, is_text) in [
            (&b"a\0b"[..], true),
            (b"note\0", true),
            (b"a\0\0bc", false),
            (b"1\0\0\0", false),
            (b"\0", false),
            (b"12\0;34", false),
        ] {
            assert_eq!(decode(bytes, None).is_ok(), is_text, "{bytes:?}");
        }
        assert_eq!(decode(b"", None).as_deref(), Ok(""));
    }
}
