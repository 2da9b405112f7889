//! Sentences of real PDFs against the text another program reads from them: columns, tables and notes must not break them.
//!
//! `PRECIS_CORPUS` names a folder with `pdf/NAME.pdf`, `pdf/NAME.pdftotext.txt` (Poppler, default reading order) and `pdf/manifest.json`
//! (`file`, `kind`). Sentences are compared without white space and hyphens, because programs set both in formulas as they like.

use std::path::{Path, PathBuf};

use precis_extract::pdf::{PdfLimits, extract};

/// Share of the reference's sentences found whole, at least. Formulas that the reference spells with other signs are among the rest.
const SHARE_OF_SENTENCES: f64 = 0.88;
/// The same, without the documents whose sentences are mostly formulas or form fields: see `is_hard`.
const SHARE_OF_PROSE: f64 = 0.97;
/// Words of a sentence, at least.
const WORDS: usize = 4;

#[test]
fn sentences_of_real_documents_are_found_whole() {
    let folder = std::env::var_os("PRECIS_CORPUS").map(|dir| PathBuf::from(dir).join("pdf"));
    let Some(folder) = folder.filter(|dir| dir.join("manifest.json").exists()) else {
        eprintln!("SKIPPED: PRECIS_CORPUS names no folder with pdf/manifest.json; no real document was read");
        return;
    };
    let (mut all, mut prose) = (Count::default(), Count::default());
    for name in names(&folder) {
        let count = compare(&folder, &name);
        println!("{:5} of {:5} whole: {name}", count.whole, count.of);
        all.add(&count);
        if !is_hard(&name) {
            prose.add(&count);
        }
    }
    assert!(all.of > 0, "the corpus holds no text");
    println!("sentences found whole: {:.4}, of prose {:.4}", all.share(), prose.share());
    assert!(all.share() >= SHARE_OF_SENTENCES, "{} of {}", all.whole, all.of);
    assert!(prose.share() >= SHARE_OF_PROSE, "{} of {}", prose.whole, prose.of);
}

#[derive(Default)]
struct Count {
    whole: usize,
    of: usize,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.whole += other.whole;
        self.of += other.of;
    }

    fn share(&self) -> f64 {
        self.whole as f64 / self.of.max(1) as f64
    }
}

/// A book of mathematics, whose reference reads `x 6= y` for `x ≠ y` and `A0` for `A′`; a tax form, whose reference joins its boxes.
fn is_hard(name: &str) -> bool {
    name.contains("GeoTopo") || name.contains("f1040")
}

fn names(folder: &Path) -> Vec<String> {
    let manifest = std::fs::read(folder.join("manifest.json")).expect("the manifest can be read");
    let manifest: Vec<serde_json::Value> = serde_json::from_slice(&manifest).expect("the manifest is a list");
    manifest
        .iter()
        .filter(|entry| entry["kind"] == "text")
        .filter_map(|entry| entry["file"].as_str()?.strip_suffix(".pdf").map(str::to_owned))
        .filter(|name| folder.join(format!("{name}.pdftotext.txt")).exists())
        .collect()
}

fn compare(folder: &Path, name: &str) -> Count {
    let bytes = std::fs::read(folder.join(format!("{name}.pdf"))).expect("the document can be read");
    let reference = std::fs::read(folder.join(format!("{name}.pdftotext.txt"))).expect("the reference can be read");
    let read = extract(&bytes, &PdfLimits::default()).map(|text| text.pages).unwrap_or_default();
    let text: String = read.iter().flatten().map(|leaf| plain(&leaf.text)).collect();
    let sentences = sentences(&String::from_utf8_lossy(&reference));
    let whole = sentences.iter().filter(|sentence| text.contains(&plain(sentence))).count();
    Count { whole, of: sentences.len() }
}

/// The sentences of the reference's paragraphs: what ends in a full stop, a question or an exclamation mark.
fn sentences(reference: &str) -> Vec<String> {
    let mut out = Vec::new();
    for paragraph in reference.replace('\u{c}', "\n\n").split("\n\n") {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let mut from = 0;
        for (n, word) in words.iter().enumerate() {
            let ends = word.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']).ends_with(['.', '!', '?']);
            let begins = words.get(n + 1).is_none_or(|w| w.starts_with(|c: char| c.is_uppercase() || c.is_numeric()));
            if ends && begins {
                if n + 1 - from >= WORDS {
                    out.push(words[from..=n].join(" "));
                }
                from = n + 1;
            }
        }
    }
    out
}

/// Letters, digits and signs; quotation marks and hyphens of all kinds, ligatures and accents set apart do not matter.
fn plain(text: &str) -> String {
    let keep = |c: &char| !c.is_whitespace() && !matches!(c, '-' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let text: String = text.chars().filter(keep).collect();
    text.replace('ﬁ', "fi")
        .replace('ﬂ', "fl")
        .replace('ﬀ', "ff")
        .replace('ﬃ', "ffi")
        .replace('ﬄ', "ffl")
        .replace('…', "...")
}
