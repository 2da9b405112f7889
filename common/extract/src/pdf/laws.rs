//! Laws of reading order, tested on generated pages: no leaf mixes columns, and every sentence of a column is in one leaf.

use super::fixture::{NumberGenerator, at, pdf};
use super::{PdfLimits, extract};

/// The letters used in each column, all 0.5 or 0.556 em wide in Helvetica.
const LETTERS: [&str; 3] = ["abdeg", "hknop", "quvxy"];

/// A page of columns, and the sentences each of them holds.
struct ColumnPage {
    content: String,
    sentences: Vec<Vec<String>>,
}

/// Columns of paragraphs in 10-point type, optionally under a title that spans them.
fn sheet(columns: usize, numbers: &mut NumberGenerator) -> ColumnPage {
    let gutter = 11.0 + numbers.below(20) as f64;
    let width = (512.0 - gutter * (columns - 1) as f64) / columns as f64;
    let shift = [0.0, 5.0][numbers.below(2)];
    let mut sheet = ColumnPage { content: String::new(), sentences: Vec::new() };
    if numbers.below(2) == 0 {
        sheet.content += &at(60.0, 740.0, "THE TITLE OF THIS PAGE RUNS OVER ALL OF ITS COLUMNS FROM SIDE TO SIDE 1234");
    }
    for column in 0..columns {
        let left = 50.0 + column as f64 * (width + gutter);
        let lines = 12 + numbers.below(30);
        let (text, sentences) = column_text(column, width, lines, numbers);
        for (n, line) in text.iter().enumerate() {
            sheet.content += &at(left, 710.0 - 12.0 * n as f64 - shift * column as f64, line);
        }
        sheet.sentences.push(sentences);
    }
    sheet
}

/// Lines that fill a column, and their sentences.
fn column_text(column: usize, width: f64, lines: usize, numbers: &mut NumberGenerator) -> (Vec<String>, Vec<String>) {
    let (mut out, mut sentences): (Vec<String>, Vec<String>) = (vec![String::new()], Vec::new());
    while out.len() < lines {
        let count = 4 + numbers.below(14);
        let mut sentence: Vec<String> = (0..count).map(|_| word(column, numbers)).collect();
        sentence[0] = sentence[0].to_uppercase();
        sentence[count - 1].push('.');
        for word in &sentence {
            match out.last_mut() {
                Some(line) if measure(line) + measure(word) + 2.8 <= width => {
                    line.push_str(if line.is_empty() { "" } else { " " });
                    line.push_str(word);
                }
                _ => out.push(word.clone()),
            }
        }
        sentences.push(sentence.join(" "));
    }
    (out, sentences)
}

fn word(column: usize, numbers: &mut NumberGenerator) -> String {
    let letters: Vec<char> = LETTERS[column].chars().collect();
    (0..2 + numbers.below(6)).map(|_| letters[numbers.below(letters.len())]).collect()
}

/// An upper bound for the width of a text in 10-point Helvetica.
fn measure(text: &str) -> f64 {
    text.chars()
        .map(|c| {
            if c.is_uppercase() {
                7.78
            } else if c == ' ' || c == '.' {
                2.78
            } else {
                5.56
            }
        })
        .sum()
}

#[test]
fn no_leaf_mixes_columns_and_no_sentence_of_a_column_is_broken() {
    let mut numbers = NumberGenerator(7);
    for n in 0..40 {
        let columns = 2 + n % 2;
        let sheet = sheet(columns, &mut numbers);
        let text =
            extract(&pdf(std::slice::from_ref(&sheet.content)), &PdfLimits::default()).expect("the page has text");
        let leaves: Vec<String> =
            text.pages[0].iter().map(|leaf| leaf.text.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for leaf in leaves.iter().filter(|leaf| !leaf.starts_with("THE TITLE")) {
            let of = |c: char| LETTERS.iter().position(|letters| letters.contains(c.to_ascii_lowercase()));
            let mut found: Vec<usize> = leaf.chars().filter_map(of).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 1, "page {n} mixes columns {found:?}: {leaf}");
        }
        for sentence in sheet.sentences.iter().flatten() {
            assert!(leaves.iter().any(|leaf| leaf.contains(sentence)), "page {n} breaks {sentence:?}: {leaves:#?}");
        }
    }
}
