//! What the fields of a form show, which is no text of the page: values, ticks and choices. Said with the signs that the other formats have,
//! so that a box that is not ticked does not read like one that is. Noted beside the page, because it tells nothing of which part of it is
//! the article.

use dom_query::{Document, Element, NodeRef};

use super::roles::attribute;
use super::units;

/// The attribute that notes what a field shows.
const SHOWN: &str = "data-shown";

/// The signs of a box.
const TICKED: &str = "☒";
const UNTICKED: &str = "☐";
/// Kinds of fields whose value a reader sees. Passwords, hidden fields and files say nothing, buttons and searches nothing of the page.
const WRITTEN: [&str; 11] =
    ["", "text", "number", "date", "time", "datetime-local", "month", "week", "email", "tel", "url"];
/// Elements in which a box belongs to words. Others may be boxes that only open a menu.
const WORDED: [&str; 8] = ["label", "li", "p", "td", "th", "fieldset", "form", "dd"];
/// Most fields of a page that are written out; later ones stay as they are. Chosen: forms of authorities have up to a thousand.
const MAX_FIELDS: usize = 5_000;

/// Notes the state of the fields of `document` in the attribute [`SHOWN`], whatever the page itself has there.
pub(super) fn note(document: &Document) {
    document.select("[data-shown]").remove_attr(SHOWN);
    document.select("input").nodes().iter().take(MAX_FIELDS).for_each(field);
    let mut left = MAX_FIELDS;
    for list in document.select("select").nodes() {
        let options: Vec<NodeRef<'_>> = list.descendants_it().filter(|node| node.has_name("option")).collect();
        let Some(rest) = left.checked_sub(options.len()) else { return };
        left = rest;
        choices(list, &options);
    }
}

/// Forgets the state of the fields of `document` that stand in none of its units: nobody chooses whether they are kept.
pub(super) fn forget_beside_units(document: &Document) {
    let fields = document.select("input[data-shown]");
    let is_beside = |field: &&NodeRef<'_>| !field.ancestors_it(None).any(|above| above.has_attr(units::MARK));
    fields.nodes().iter().filter(is_beside).for_each(|field| field.remove_attr(SHOWN));
}

/// The state that was noted of the field `element`.
pub(super) fn field_state(element: &Element) -> Option<&str> {
    matches!(element.name.local.as_ref(), "input" | "option").then(|| attribute(element, SHOWN)).flatten()
}

fn field(input: &NodeRef<'_>) {
    let kind = input.attr_or("type", "").trim().to_ascii_lowercase();
    let is_worded = || input.ancestors_it(None).any(|above| WORDED.iter().any(|name| above.has_name(name)));
    let shown = match kind.as_str() {
        "checkbox" | "radio" if is_worded() => sign(input.has_attr("checked")).to_owned(),
        kind if WRITTEN.contains(&kind) => input.attr_or("value", "").trim().to_owned(),
        _ => return,
    };
    if !shown.is_empty() {
        input.set_attr(SHOWN, &shown);
    }
}

/// Marks the choices of `list`. Of a list of which one is chosen, the last that is declared so is shown, else the first.
fn choices(list: &NodeRef<'_>, options: &[NodeRef<'_>]) {
    let is_several = list.has_attr("multiple");
    let declared = options.iter().rposition(|option| option.has_attr("selected"));
    let shown = declared.or_else(|| options.iter().position(|option| !option.has_attr("disabled")));
    for (at, option) in options.iter().enumerate() {
        let is_chosen = if is_several { option.has_attr("selected") } else { shown == Some(at) };
        if !option.text().trim().is_empty() {
            option.set_attr(SHOWN, sign(is_chosen));
        }
    }
}

fn sign(is_ticked: bool) -> &'static str {
    if is_ticked { TICKED } else { UNTICKED }
}

#[cfg(test)]
mod tests {
    use precis_proto::extraction::HtmlMode;

    use super::super::page_text;
    use super::*;

    fn read(body: &str) -> Vec<String> {
        let leaves = page_text(&format!("<body>{body}"), HtmlMode::Full).leaves;
        leaves.iter().map(|leaf| format!("{}: {}", leaf.kind.as_str(), leaf.text)).collect()
    }

    #[test]
    fn boxes_show_whether_they_are_ticked() {
        for (body, want) in [
            ("<form><label><input type=checkbox checked> Paid</label></form>", "form_field: ☒ Paid"),
            ("<form><label><input type=radio>Paid</label></form>", "form_field: ☐ Paid"),
            ("<ul><li><input type=checkbox disabled checked> Sign it</ul>", "list_item: ☒ Sign it"),
            ("<p>No dogs <input type=checkbox></p>", "paragraph: No dogs ☐"),
        ] {
            assert_eq!(read(body), [want], "{body}");
        }
        assert_eq!(read("<div><input type=checkbox id=menu><b>Menu</b></div>"), ["paragraph: Menu"]);
        assert_eq!(read("<p>a<b data-shown=x>b</b> <input type=hidden data-shown=x></p>"), ["paragraph: ab"]);
        assert_eq!(read("<p style='display:none'><input type=checkbox checked>x</p>y"), ["paragraph: y"]);
    }

    #[test]
    fn fields_show_their_values() {
        for (input, want) in [
            ("<input value='Ida &lt;Lund&gt;'>", "form_field: Name Ida <Lund>"),
            ("<input type=DATE value=2024-05-03>", "form_field: Name 2024-05-03"),
            ("<input value=' '>", "form_field: Name"),
            ("<input placeholder='Your name'>", "form_field: Name"),
            ("<input type=password value=secret>", "form_field: Name"),
            ("<input type=hidden value=secret>", "form_field: Name"),
            ("<input type=submit value=Send>", "form_field: Name"),
        ] {
            assert_eq!(read(&format!("<form><p><label>Name</label> {input}</p></form>")), [want], "{input}");
        }
    }

    #[test]
    fn a_field_of_an_article_is_read_and_neighbours_are_not() {
        let paragraph = "<p>The article has several sentences, with commas, and says one thing at some length. It goes on after that, and on, until it has said what there is to say.</p>";
        let page = format!(
            "<body><article>{}<ul><li><input type=checkbox checked> Signed by both of them.</ul></article><div><input value=Search></div>",
            paragraph.repeat(8)
        );
        let leaves = page_text(&page, HtmlMode::Main).leaves;
        assert_eq!(leaves.last().map(|leaf| leaf.text.as_str()), Some("☒ Signed by both of them."));
        assert!(leaves.iter().all(|leaf| !leaf.text.contains("Search")));
    }

    #[test]
    fn fields_are_written_out_up_to_a_number() {
        for (fields, written) in
            [(MAX_FIELDS - 1, MAX_FIELDS - 1), (MAX_FIELDS, MAX_FIELDS), (MAX_FIELDS + 1, MAX_FIELDS)]
        {
            let document = Document::from("<input value=v>".repeat(fields));
            note(&document);
            assert_eq!(document.select("input[data-shown]").length(), written, "{fields}");
            let document = Document::from(format!("<select>{}</select>", "<option>v</option>".repeat(fields)));
            note(&document);
            let signs = document.select("option[data-shown]").length();
            assert_eq!(signs, if fields > MAX_FIELDS { 0 } else { fields }, "{fields}");
        }
    }

    #[test]
    fn choices_show_which_is_chosen() {
        let list = |attributes: &str, second: &str| {
            read(&format!("<select {attributes}><option>Adult<option {second}>Child<option value=x></select>"))
        };
        assert_eq!(list("", ""), ["form_field: ☒ Adult", "form_field: ☐ Child"]);
        assert_eq!(list("", "selected"), ["form_field: ☐ Adult", "form_field: ☒ Child"]);
        assert_eq!(list("multiple", ""), ["form_field: ☐ Adult", "form_field: ☐ Child"]);
        assert_eq!(list("multiple", "selected"), ["form_field: ☐ Adult", "form_field: ☒ Child"]);
    }
}
