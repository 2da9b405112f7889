//! The marks that a browser puts around a quotation (`<q>`), which are not in the text. Without them, what somebody else said reads as said
//! by the document.

use dom_query::Document;

/// The marks of a quotation and of one inside it: those of the default style sheet of HTML (Rendering, 15.3.4) where it knows no language.
const MARKS: [(&str, &str); 2] = [("“", "”"), ("‘", "’")];
/// Marks that a text may have itself, because its page switches the others off.
const OWN: &str = "\"'“”„‚‘’«»‹›「『";

/// Writes the marks of the quotations of `document` into their texts, unless a text has marks of its own.
pub(super) fn write_out(document: &Document) {
    for node in document.select("q").nodes() {
        let text = node.text();
        let Some(first) = text.trim_start().chars().next() else { continue };
        if OWN.contains(first) {
            continue;
        }
        let depth = node.ancestors_it(None).filter(|above| above.has_name("q")).count();
        let (open, close) = MARKS[depth % MARKS.len()];
        node.prepend_html(open);
        node.append_html(close);
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::page_text;

    fn read(body: &str) -> String {
        let leaves = page_text(&format!("<body><p>{body}</p>"), HtmlMode::Full).leaves;
        leaves.iter().map(|leaf| leaf.text.as_str()).collect()
    }

    #[test]
    fn a_quotation_has_its_marks() {
        for (body, text) in [
            ("He said <q>no more</q>.", "He said “no more”."),
            ("<q>She said <q>no</q> to me</q>", "“She said ‘no’ to me”"),
            ("<q><b>No</b></q>", "“No”"),
            ("<q>„nein“</q>", "„nein“"),
            ("<q> «non» </q>", "«non»"),
            ("a<q> </q>b", "a b"),
            ("<q style='display:none'>no</q>yes", "yes"),
        ] {
            assert_eq!(read(body), text, "{body}");
        }
    }
}
