//! Laws of what a page shows: raised, lowered, struck and covered text, drop capitals.

use super::fixture::{NumberGenerator, at, column, pdf, pdf_with_states, turned};
use super::{PdfLimits, PdfText, PdfWarning, extract};

fn read(bytes: &[u8]) -> PdfText {
    extract(bytes, &PdfLimits::default()).expect("the document has text")
}

fn text(content: &str) -> String {
    let leaves = read(&pdf_with_states(content)).pages.remove(0);
    leaves.iter().map(|leaf| leaf.text.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n")
}

/// Numbers with marks behind them: none is joined to the digits before it, whatever the sizes.
#[test]
fn a_raised_number_is_never_read_as_digits_of_the_one_before() {
    let mut numbers = NumberGenerator(5);
    let raised: Vec<char> = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().collect();
    let lowered: Vec<char> = "₀₁₂₃₄₅₆₇₈₉".chars().collect();
    for n in 0..60 {
        let (value, mark) = (1 + numbers.below(9_999), numbers.below(10));
        let small = 0.5 + 0.05 * numbers.below(7) as f64;
        let (rise, forms) = if n % 2 == 0 {
            (2.0 + numbers.below(30) as f64 / 10.0, &raised)
        } else {
            (-1.0 - numbers.below(15) as f64 / 10.0, &lowered)
        };
        let width = 5.56 * value.to_string().len() as f64;
        let content = at(60.0, 700.0, &value.to_string())
            + &turned([small, 0.0, 0.0, small], 60.0 + width, 700.0 + rise, &mark.to_string())
            + &at(60.0 + width + 9.0, 700.0, "million people");
        assert_eq!(text(&content), format!("{value}{} million people", forms[mark]), "{small} {rise}");
    }
}

#[test]
fn struck_text_is_left_out_and_counted() {
    let line = "Dogs are not allowed on the beach";
    for rule in ["103.4 702.5 m 117.2 702.5 l S", "103.4 702.3 13.9 0.5 re f", "0.4 w 103.4 703.2 13.9 0 re S"] {
        let read = read(&pdf(&[at(60.0, 700.0, line) + rule]));
        let text: Vec<&str> = read.pages[0].iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(
            (text, read.warnings),
            (vec!["Dogs are allowed on the beach"], vec![PdfWarning::Struck { page: 1, count: 3 }]),
            "{rule}"
        );
    }
    for rule in ["103.4 698.5 m 117.2 698.5 l S", "103.4 709 m 117.2 709 l S", "20 702.5 m 500 702.5 l S"] {
        assert_eq!(text(&(at(60.0, 700.0, line) + rule)), line, "{rule}");
    }
}

#[test]
fn covered_text_is_left_out_and_counted() {
    let line = at(60.0, 700.0, "The witness is Karla Brandt of Norby.");
    let black = "0 g 121 697 62 12 re f\n";
    let read = read(&pdf(&[line.clone() + black]));
    let seen: Vec<&str> = read.pages[0].iter().map(|leaf| leaf.text.as_str()).collect();
    assert_eq!(
        (seen, read.warnings),
        (vec!["The witness is of Norby."], vec![PdfWarning::Hidden { page: 1, count: 11 }])
    );
    let whole = "The witness is Karla Brandt of Norby.";
    let table = [
        format!("{black}1 g {line}"),
        format!("{line}/Multiply gs {black}"),
        format!("{line}/Thin gs {black}"),
        format!("{line}q 0 0 50 50 re W n {black} Q"),
        format!("{line}q 300 300 m 400 500 l 50 500 l h W n {black} Q"),
        format!("{line}{black} 1 g {}", at(60.0, 700.0, whole)),
    ];
    for content in table {
        assert_eq!(text(&content), whole, "{content}");
    }
}

#[test]
fn a_drop_capital_begins_its_word() {
    let content = turned([2.6, 0.0, 0.0, 2.6], 60.0, 688.0, "T")
        + &column(
            78.0,
            700.0,
            &["he harbour of the town was built in the year", "that followed the flood, and it was paid for by"],
        )
        + &column(60.0, 676.0, &["those who had boats in it, and by nobody else."]);
    assert!(
        text(&content).starts_with("The harbour of the town was built in the year that followed"),
        "{}",
        text(&content)
    );
}
