//! Documents made by hand: small PDFs that say something, and those that are made to hurt their reader.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const DEFLATED: &str = "/Filter/FlateDecode";

/// A PDF whose pages say these lines. Parentheses and backslashes are not escaped.
#[must_use]
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    assembled(&pages.iter().map(|line| (line_at_the_top(line), "")).collect::<Vec<_>>(), "")
}

/// A PDF whose pages, of 612 by 792 points, have these content streams; their font is `F`, Helvetica in the encoding of Windows.
#[must_use]
pub fn pdf_of_contents(pages: &[String]) -> Vec<u8> {
    assembled(&pages.iter().map(|page| (page.clone().into_bytes(), "")).collect::<Vec<_>>(), "")
}

/// The operators that show `text` at a place, in points from the lower left, ten points high.
#[must_use]
pub fn text_at(x: f64, y: f64, text: &str) -> String {
    format!("BT /F 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}

/// A ZIP package of names and contents.
///
/// # Panics
/// If two parts have one name.
#[must_use]
pub fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).expect("each name is there once");
        writer.write_all(content.as_bytes()).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

/// A PDF that only a password opens.
#[must_use]
pub fn locked_pdf() -> Vec<u8> {
    let key = "ab".repeat(32);
    let lock = format!("/Encrypt<</Filter/Standard/V 1/R 2/O<{key}>/U<{key}>/P -4>>/ID[<{key}><{key}>]");
    assembled(&[(line_at_the_top("Secret words"), "")], &lock)
}

/// A PDF with a page whose content unfolds to so many spaces: about 158 of them for each byte.
#[must_use]
pub fn bomb(bytes: usize) -> Vec<u8> {
    assembled(&[(spaces(bytes), DEFLATED)], "")
}

/// A PDF whose page's content is an array in an array and so on.
#[must_use]
pub fn nested_pdf(depth: usize) -> Vec<u8> {
    assembled(&[("[".repeat(depth).into_bytes(), "")], "")
}

fn line_at_the_top(line: &str) -> Vec<u8> {
    format!("BT /F 12 Tf 20 200 Td ({line}) Tj ET").into_bytes()
}

/// A PDF of these contents, each with its filter, and with more entries of its trailer.
fn assembled(contents: &[(Vec<u8>, &str)], trailer: &str) -> Vec<u8> {
    let kids: String = (0..contents.len()).map(|n| format!("{} 0 R ", 4 + 2 * n)).collect();
    let tree = format!("<</Type/Pages/Kids[{kids}]/Count {}>>", contents.len());
    let mut objects: Vec<Vec<u8>> = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        tree.into_bytes(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
    ];
    for (n, (content, filter)) in contents.iter().enumerate() {
        let page = format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {} 0 R/Resources<</Font<</F 3 0 R>>>>>>",
            5 + 2 * n
        );
        objects.push(page.into_bytes());
        let head = format!("<</Length {}{filter}>>stream\n", content.len());
        objects.push([head.as_bytes(), content.as_slice(), b"\nendstream"].concat());
    }
    let (mut out, mut table) = (b"%PDF-1.4\n".to_vec(), "0000000000 65535 f \n".to_owned());
    for (n, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.extend([format!("{} 0 obj", n + 1).as_bytes(), object.as_slice(), b"endobj\n"].concat());
    }
    let (start, size) = (out.len(), objects.len() + 1);
    let end = format!("xref\n0 {size}\n{table}trailer<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF");
    out.extend(end.into_bytes());
    out
}

/// A zlib stream of `bytes` spaces, made by hand since a test needs no compressor.
///
/// Format of RFC 1950 and 1951: one block with fixed codes, a space, then copies of 258 bytes from one byte before; no checksum, which
/// readers of PDF do not miss.
fn spaces(bytes: usize) -> Vec<u8> {
    const LAST_WITH_FIXED_CODES: &[u8] = &[1, 1, 0];
    const SPACE: &[u8] = &[0, 1, 0, 1, 0, 0, 0, 0];
    const COPY: &[u8] = &[1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
    const END: &[u8] = &[0; 7];
    let mut out = vec![0x78, 0x01];
    let (mut byte, mut filled) = (0_u8, 0);
    let mut put = |bits: &[u8]| {
        for bit in bits {
            byte |= bit << filled;
            filled += 1;
            if filled == 8 {
                out.push(byte);
                (byte, filled) = (0, 0);
            }
        }
    };
    put(LAST_WITH_FIXED_CODES);
    put(SPACE);
    (0..bytes / 258).for_each(|_| put(COPY));
    put(END);
    // So that the last bits leave their byte.
    put(END);
    out
}

#[cfg(test)]
mod tests {
    use precis_extract::pdf::{PdfLimits, PdfWarning, extract};

    use super::*;

    #[test]
    fn a_pdf_says_its_lines_page_by_page() {
        let read = extract(&pdf(&["Some words", "and more"]), &PdfLimits::default()).expect("text");
        let pages: Vec<&str> = read.pages.iter().map(|page| page[0].text.as_str()).collect();
        assert_eq!(pages, ["Some words", "and more"]);
    }

    #[test]
    fn a_bomb_unfolds_to_what_it_says() {
        let words = line_at_the_top("Some words");
        let bytes = assembled(&[(words, ""), (spaces(2_580), DEFLATED)], "");
        for (limit, is_whole) in [(2_580, false), (2_581, true)] {
            let limits = PdfLimits { max_content_bytes: limit, ..PdfLimits::default() };
            let read = extract(&bytes, &limits).expect("text");
            let warnings = if is_whole { vec![] } else { vec![PdfWarning::GlyphsLimited { page: 2 }] };
            assert_eq!((read.pages[0][0].text.as_str(), read.warnings), ("Some words", warnings), "{limit}");
        }
        assert!(spaces(1 << 20).len() < (1 << 20) / 150);
    }
}
