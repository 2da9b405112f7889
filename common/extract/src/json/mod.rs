//! JSON (RFC 8259) and JSON Lines as an outline that a person can read: names with their values, tables where a list has objects of the
//! same names; and notebooks, which are written in JSON.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `json_text` | what the readers give |
//! | `value` | a value as it is written: numbers keep their digits, members their order |
//! | `outline` | values as headings, fields, items and rows |
//! | `records` | lists of objects as tables |
//! | `notebook` | cells and outputs of Jupyter notebooks |

mod json_text;
mod notebook;
mod outline;
mod records;
mod value;

pub(super) use json_text::JsonText;
pub(super) use notebook::is_notebook;

/// Whether the whole of `text` is one object, or a list of objects.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim();
    let looks_so = (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    let opens = text.trim_start_matches('[').trim_start().starts_with('{');
    looks_so && opens && value::is_whole(text)
}

/// The text of the JSON in `source`; what cannot be read as JSON is kept as program text, with a remark.
pub(super) fn read(source: &str) -> JsonText {
    let source = source.trim_start_matches('\u{feff}');
    let values = value::values(source);
    match values.found.as_slice() {
        [notebook] if notebook::is_one(notebook) => notebook::read(notebook, values.fault),
        found => outline::read(found, values.fault),
    }
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::render_leaf;
    use super::*;

    fn lines(source: &str) -> Vec<String> {
        read(source).leaves.iter().map(render_leaf).collect()
    }

    #[test]
    fn names_with_their_values_are_fields_and_objects_sections() {
        let source = r#"{"title": "On ropes", "price": 84.50, "sold": false, "note": null, "tags": ["a", "b"],
            "seller": {"name": "Ann", "seat": {"town": "\u00d6rebro"}}, "empty": {}, "none": []}"#;
        assert_eq!(
            lines(source),
            [
                "form_field : title: On ropes",
                "form_field : price: 84.50",
                "form_field : sold: false",
                "form_field : note: null",
                "form_field : tags: a, b",
                "heading1 : seller",
                "form_field : name: Ann",
                "heading2 : seat",
                "form_field : town: Örebro"
            ]
        );
        assert_eq!(read(source).title.as_deref(), Some("On ropes"));
    }

    #[test]
    fn objects_of_the_same_names_are_rows() {
        for source in [
            r#"[{"item":"rope","euros":84.50},{"item":"hook","euros":null}]"#,
            "{\"item\":\"rope\",\"euros\":84.50}\n{\"item\":\"hook\",\"euros\":null}\n",
        ] {
            assert_eq!(
                lines(source),
                ["table_row1h : item|euros", "table_row1 : rope|84.50", "table_row1 : hook|null"]
            );
        }
        let mixed = r#"{"parts": [{"item":"rope"},{"size":{"m":5}}], "x": [[1,2],[3]]}"#;
        assert_eq!(
            lines(mixed),
            [
                "heading1 : parts",
                "heading2 : parts 1",
                "form_field : item: rope",
                "heading2 : parts 2",
                "heading3 : size",
                "form_field : m: 5",
                "form_field : x: 1, 2; 3"
            ]
        );
    }

    #[test]
    fn long_texts_and_pages_inside_are_read_as_what_they_are() {
        let long = format!("{} Not one.\n\n- a\n- b", "Words and more words.".repeat(12));
        let source = format!(
            "{{\"body\": {}, \"page\": \"<p>No <b>party</b> pays.</p><p hidden>gone</p>\"}}",
            serde_json::json!(long)
        );
        let found = read(&source);
        let kinds: Vec<&str> = found.leaves.iter().map(|leaf| leaf.kind.as_str()).collect();
        assert_eq!(kinds, ["heading", "paragraph", "list_item", "list_item", "heading", "paragraph"]);
        assert_eq!((found.leaves[5].text.as_str(), found.left_out.hidden), ("No party pays.", 4));
    }

    #[test]
    fn what_is_no_json_is_program_text_with_a_remark() {
        let found = read("{\"a\": 1}\n{\"b\": [2,\n");
        assert_eq!(
            found.leaves.iter().map(render_leaf).collect::<Vec<_>>(),
            ["form_field : a: 1", "code : {\"b\": [2,"]
        );
        assert_eq!(found.remarks, ["line 2 is no JSON: what begins there is kept as it is written"]);
        let deep = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
        assert!(read(&deep).remarks[0].starts_with("values nested more than"), "{:?}", read(&deep).remarks);
    }

    #[test]
    fn only_whole_objects_and_lists_of_them_are_json_without_a_name() {
        for (text, want) in [
            ("{\"a\": 1}", true),
            (" [ {\"a\": [1]} ] \n", true),
            ("[1, 2]", false),
            ("{a}", false),
            ("{\"a\": 1} and more", false),
            ("[see {\"a\": 1}]", false),
            ("", false),
        ] {
            assert_eq!(is_json(text), want, "{text}");
        }
    }
}
