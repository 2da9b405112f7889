//! Laws of page furniture, tested on generated documents: what differs between pages is text, what recurs at their ends is furniture.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::fixture::{at, column, pdf};
use super::super::{PdfLimits, extract};

fn pages(contents: &[String]) -> Vec<Vec<Leaf>> {
    extract(&pdf(contents), &PdfLimits::default()).expect("the document has text").pages
}

fn furniture(page: &[Leaf]) -> Vec<&str> {
    page.iter().filter(|leaf| leaf.kind == BlockKind::Furniture).map(|leaf| leaf.text.as_str()).collect()
}

/// The first lines of pages whose other lines are all different.
fn with_body(first: &str, page: usize) -> String {
    let body: Vec<String> =
        (0..10).map(|n| format!("Line {n} of chapter {} has words of its own.", page * 7 + n)).collect();
    at(60.0, 740.0, first) + &column(60.0, 700.0, &body.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn lines_that_differ_in_digits_are_text() {
    let lines: [fn(usize) -> String; 5] = [
        |n| format!("In {} the club had {} members and a debt of {},000 euros.", 2020 + n, 310 - 20 * n, 4 + 5 * n),
        |n| format!("In {} the club was quiet.", 2020 + n),
        |n| format!("{:02}.03.2026 Card payment {},00 EUR", 7 + n, 92 - 13 * n),
        |n| format!("Room {} has {} seats", 100 + 7 * n, 20 + n * n),
        |n| format!("Dose {} mg", 5 * n * n),
    ];
    for line in lines {
        for count in 1..8 {
            let contents: Vec<String> = (0..count).map(|n| with_body(&line(n), n)).collect();
            for page in pages(&contents) {
                assert!(furniture(&page).is_empty(), "{count} pages of {:?}: {page:#?}", line(0));
            }
        }
    }
}

#[test]
fn lines_that_recur_and_count_are_furniture() {
    let heads: [fn(usize) -> String; 4] = [
        |_| "Statement of account 4711".into(),
        |n| format!("Page {} of 9", n + 1),
        |n| format!("Norby sailing club, page {}", 131 + n),
        |n| (n + 12).to_string(),
    ];
    for head in heads {
        for count in 2..8 {
            let contents: Vec<String> = (0..count).map(|n| with_body(&head(n), n)).collect();
            for (n, page) in pages(&contents).iter().enumerate() {
                assert_eq!(furniture(page), [head(n)], "{count} pages");
            }
        }
    }
}

#[test]
fn the_only_sentence_of_a_page_is_text() {
    let slides: [fn(usize) -> String; 3] =
        [|n| format!("The harbour has {n} boats"), |_| "Nobody swims here.".into(), |n| format!("Step {n}")];
    for slide in slides {
        let contents: Vec<String> =
            (1..7).map(|n| at(60.0, 400.0, &slide(n)) + &at(300.0, 30.0, &n.to_string())).collect();
        for (n, page) in pages(&contents).iter().enumerate() {
            let text: Vec<&str> =
                page.iter().filter(|l| l.kind != BlockKind::Furniture).map(|l| l.text.as_str()).collect();
            assert_eq!(text, [slide(n + 1)]);
            assert_eq!(furniture(page), [(n + 1).to_string()]);
        }
    }
}

#[test]
fn rows_of_a_table_over_pages_are_rows() {
    for step in [12.0, 16.0, 24.0] {
        let row = |k: usize, n: usize| {
            let y = 740.0 - step * k as f64;
            at(60.0, y, &n.to_string()) + &at(120.0, y, &format!("Member {n}")) + &at(300.0, y, &format!("{n}0.00"))
        };
        let header = at(60.0, 740.0, "Nr") + &at(120.0, 740.0, "Name") + &at(300.0, 740.0, "Amount");
        let contents: Vec<String> =
            (0..3).map(|page| header.clone() + &(1..25).map(|k| row(k, 24 * page + k)).collect::<String>()).collect();
        for page in pages(&contents) {
            assert!(page.iter().all(|leaf| leaf.kind == BlockKind::TableRow), "{step}: {page:#?}");
            assert_eq!(page.len(), 25, "{step}");
        }
    }
}
