//! `precis digest` says of a document what `precis extract` lets anyone check: a valid payload whose every snippet stands where its
//! locator says, in a text, a page and a PDF alike, and the same bytes each time.

use precis_context::digest::validate;
use precis_proto::Locator;
use precis_proto::digest::DigestPayload;
use precis_tests::program::CliWorkspace;
use serde_json::Value;

const QUERY: &str = "How much ice did the glacier lose in a warm summer?";

/// A PDF with a page for each text, whose lines are ASCII without brackets.
fn pdf(pages: &[String]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|n| format!("{} 0 R", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (n, page) in pages.iter().enumerate() {
        let lines: String = page.lines().map(|line| format!("({line}) Tj T*\n")).collect();
        let drawn = format!("BT /F1 10 Tf 14 TL 50 760 Td\n{lines}ET");
        let contents = 5 + 2 * n;
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {contents} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>"
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()));
    }
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (n, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", n + 1));
    }
    let (size, at) = (objects.len() + 1, file.len());
    file.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"));
    format!("{file}startxref\n{at}\n%%EOF\n").into_bytes()
}

fn sentence(n: usize) -> String {
    let said = ["The glacier did lose ice in the warm summer", "Nobody walked on the road", "The valley kept a record"];
    format!("{} of year {n}.", said[n % said.len()])
}

fn lines(from: usize) -> String {
    (from..from + 40).map(sentence).collect::<Vec<_>>().join("\n")
}

/// What stands at `locator` in a text as `precis extract` gives it.
fn sliced(extracted: &Value, locator: &Locator) -> String {
    let pages = extracted["pages"].as_array().expect("a list");
    let start = match locator.page {
        None => 0,
        Some(page) => {
            let page = pages.iter().find(|p| p["page"] == page).unwrap_or_else(|| panic!("no page {page}"));
            page["start"].as_u64().expect("a number") as usize
        }
    };
    let (from, len) = (start + locator.range.start, locator.range.end - locator.range.start);
    extracted["text"].as_str().expect("a text").chars().skip(from).take(len).collect()
}

#[test]
fn each_snippet_of_a_digest_is_in_the_extracted_text() {
    let workspace = CliWorkspace::new();
    let wide = |n| format!("{} 氷河は後退した。😀 Größe: {n} m. ", sentence(n));
    workspace.write("notes.txt", (0..120).map(wide).collect::<String>());
    let paragraphs: String = (0..120).map(|n| format!("<p>{} a &lt; b &amp; caf\u{e9}</p>", wide(n))).collect();
    workspace.write(
        "page.html",
        format!("<html><head><title>Ice</title></head><body><main>{paragraphs}</main></body></html>"),
    );
    workspace.write("paper.pdf", pdf(&[lines(0), lines(40), lines(80)]));
    for (document, has_pages) in [("notes.txt", false), ("page.html", false), ("paper.pdf", true)] {
        let extracted = workspace.run(&["extract", document, "--json"]);
        let extracted: Value = serde_json::from_str(&extracted.stdout).unwrap_or_else(|e| panic!("{e}: {extracted:?}"));
        let command = ["digest", document, "--query", QUERY, "--json"];
        let printed = workspace.run(&command);
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{document}");
        let payload: DigestPayload = serde_json::from_str(&printed.stdout).expect("a payload");
        assert_eq!(validate(&payload), Ok(()), "{document}");
        assert_eq!(extracted["source_text_hash"], payload.source_text_hash.as_str(), "{document}");
        let chars = extracted["text"].as_str().expect("a text").chars().count();
        assert_eq!(payload.original_chars, chars as u64, "{document}");
        assert!(!payload.evidence_snippets.is_empty(), "{document}: {payload:?}");
        for snippet in &payload.evidence_snippets {
            assert_eq!(snippet.locator.page.is_some(), has_pages, "{document} {}", snippet.locator);
            assert_eq!(snippet.text, sliced(&extracted, &snippet.locator), "{document} {}", snippet.locator);
            assert!(snippet.text.contains("glacier"), "{document}: {}", snippet.text);
        }
        assert_eq!(workspace.run(&command).stdout, printed.stdout, "{document}: the same bytes each time");
    }
}
