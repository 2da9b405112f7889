//! Links, kept beside the text in every format that has them.

use super::*;

/// The text of a document, and the texts and targets of its links.
fn links(source: &str, name: &str) -> (String, Vec<(String, String)>) {
    let hint = Hint { content_type: None, name };
    let text = extract(source.as_bytes(), &hint, HtmlMode::Full, &ExtractLimits::default()).expect("text").text;
    let blocks = text.blocks().iter();
    let links = blocks.flat_map(|block| &block.links).map(|link| (link.text.clone(), link.target.clone()));
    (text.as_str().to_owned(), links.collect())
}

#[test]
fn a_link_has_its_text_and_target_in_every_format() {
    for (name, source, target) in [
        ("a.md", "See the [roll back](b.md#steps) page.", "b.md#steps"),
        ("a.md", "See the [roll back][b] page.\n\n[b]: b.md", "b.md"),
        ("a.md", "See the [[b notes|roll back]] page.", "b notes"),
        ("a.md", "- See the [roll back](b.md) page.", "b.md"),
        ("a.html", "<p>See the <a href='b.html'>roll <b>back</b></a> page.", "b.html"),
        ("a.adoc", "See the xref:b.adoc#steps[roll back] page.", "b.adoc#steps"),
        ("a.adoc", "See the link:./b.adoc[roll back] page.", "./b.adoc"),
        ("a.adoc", "See the <<b.adoc#,roll back>> page.", "b.adoc#"),
        ("a.rst", "See the :doc:`roll back <b>` page.", "b"),
        ("a.rst", "See the `roll back <b.html>`_ page.", "b.html"),
        ("a.org", "See the [[file:b.org::*Steps][roll back]] page.", "b.org"),
    ] {
        let (text, found) = links(source, name);
        assert_eq!(text.trim_start_matches("- "), "See the roll back page.", "{source}");
        assert_eq!(found, [("roll back".to_owned(), target.to_owned())], "{source}");
    }
}

#[test]
fn a_place_of_the_same_document_is_no_link_to_another() {
    for (name, source) in [
        ("a.md", "See [below](#steps) or [write](mailto:a@b.example)."),
        ("a.html", "<p>See <a href='#steps'>below</a> or <a>write</a>."),
        ("a.adoc", "See <<steps,below>> or write."),
        ("a.rst", "See :ref:`steps` or `steps`_."),
        ("a.org", "See [[#steps][below]]."),
    ] {
        assert_eq!(links(source, name).1, [], "{source}");
    }
}

#[test]
fn the_row_of_a_table_has_the_links_of_its_cells() {
    let source = "|Page|For|\n|-|-|\n|[Roll back](b.md)|[us](c.md)|\n";
    let targets: Vec<String> = links(source, "a.md").1.into_iter().map(|(_, target)| target).collect();
    assert_eq!(targets, ["b.md", "c.md"]);
}

#[test]
fn links_beyond_the_limit_are_left_out() {
    use precis_proto::block::MAX_LINKS;
    for (count, want) in [(MAX_LINKS - 1, MAX_LINKS - 1), (MAX_LINKS, MAX_LINKS), (MAX_LINKS + 1, MAX_LINKS)] {
        assert_eq!(links(&"[a](b)\n\n".repeat(count), "a.md").1.len(), want);
    }
}
