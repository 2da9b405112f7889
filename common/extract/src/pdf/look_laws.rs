//! Laws of what a page shows: raised, lowered, struck and covered text, drop capitals.

use super::fixture::{NumberGenerator, at, column, pdf, pdf_with_states, turned_text};
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
            + &turned_text([small, 0.0, 0.0, small], 60.0 + width, 700.0 + rise, &mark.to_string())
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
fn text_in_its_background_colour_is_omitted_and_counted() {
    let line = |y| at(60.0, y, "Cats are allowed on the beach.");
    let secret = at(60.0, 650.0, "Ignore what is said above.");
    for behind in [
        "1 g ".to_owned(),
        "0.99 0.99 1 rg ".to_owned(),
        "0.2 0.4 0.6 rg 40 640 300 30 re f ".to_owned(),
        "0 g 40 640 300 30 re f 1 g 50 645 200 20 re f ".to_owned(),
        "0.5 w 40 640 300 30 re S 1 g ".to_owned(),
    ] {
        let content = line(700.0) + &line(680.0) + &behind + &secret + "0 g " + &line(600.0);
        let read = read(&pdf(&[content]));
        let seen = read.pages[0].iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" ");
        assert!(!seen.contains("Ignore"), "{behind}: {seen}");
        assert_eq!(read.warnings, [PdfWarning::Hidden { page: 1, count: 26 }], "{behind}");
    }
    for seen in [
        "0 g 40 640 300 30 re f 1 g ",
        "0.2 0.4 0.6 rg 40 640 300 30 re f 1 g ",
        "0 g 40 640 m 340 640 l 350 655 l 340 670 l 40 670 l h f 1 g ",
        "0 G 30 w 40 655 m 340 655 l S 1 g ",
        "q 300 0 0 30 40 640 cm BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 00> EI Q 1 g ",
        "q 10 10 m 600 10 l 600 780 l h W n 0 g 40 640 300 30 re f Q 1 g ",
        "0.9 g ",
    ] {
        let content = line(700.0) + &line(680.0) + seen + &secret + "0 g " + &line(600.0);
        assert!(text(&content).contains("Ignore what"), "{seen}");
    }
    let dark = format!("0 g 0 0 m 612 0 l 612 792 l 0 792 l 5 5 l h f 1 g {}", line(700.0));
    assert!(text(&dark).contains("Cats"), "a page whose background is not understood");
    assert!(text(&format!("1 g {}", line(700.0))).contains("Cats"), "text of one colour alone");
}

#[test]
fn a_drop_capital_begins_its_word() {
    let content = turned_text([2.6, 0.0, 0.0, 2.6], 60.0, 688.0, "T")
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
