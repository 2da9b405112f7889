//! Small PDFs for tests, built with lopdf: pages of plain content streams in Helvetica, whose widths every engine knows.

use lopdf::encryption::EncryptionVersion;
use lopdf::{Dictionary, Document, EncryptionState, Object, Permissions, Stream, StringFormat, dictionary};

use super::words::LineWord;

/// Text at a place, size 10, from left to right. Points from the lower left.
pub(crate) fn at(x: f64, y: f64, text: &str) -> String {
    turned_text([1.0, 0.0, 0.0, 1.0], x, y, text)
}

/// Text at a place under a matrix.
pub(crate) fn turned_text(m: [f64; 4], x: f64, y: f64, text: &str) -> String {
    let [a, b, c, d] = m;
    format!("BT /F1 10 Tf {a} {b} {c} {d} {x} {y} Tm ({text}) Tj ET\n")
}

/// Lines of a column, twelve points apart.
pub(crate) fn column(x: f64, top: f64, lines: &[&str]) -> String {
    lines.iter().enumerate().map(|(i, line)| at(x, top - 12.0 * i as f64, line)).collect()
}

/// A document whose pages hold the given content.
pub(crate) fn pdf(pages: &[String]) -> Vec<u8> {
    bytes(document(pages, helvetica()))
}

/// A document of one page in another font.
pub(crate) fn pdf_in(font: Dictionary, content: &str) -> Vec<u8> {
    bytes(document(&[content.to_owned()], font))
}

/// A document of one page, on which `/Multiply gs` and `/Thin gs` let what is below shine through.
pub(crate) fn pdf_with_states(content: &str) -> Vec<u8> {
    let mut document = document(&[content.to_owned()], helvetica());
    let font = document.add_object(helvetica());
    let states = dictionary! { "Multiply" => dictionary! { "BM" => "Multiply" }, "Thin" => dictionary! { "ca" => Object::Real(0.4) } };
    let resources = dictionary! { "Font" => dictionary! { "F1" => font }, "ExtGState" => states };
    let page = document.get_pages()[&1];
    document.get_dictionary_mut(page).expect("the page was just made").set("Resources", resources);
    bytes(document)
}

/// A document of one page with a form field of the given entries.
pub(crate) fn pdf_with_field(content: &str, mut field: Dictionary) -> Vec<u8> {
    field.set("Subtype", "Widget");
    pdf_with_annotation(content, field)
}

/// A document of one page with an annotation of the given entries.
pub(crate) fn pdf_with_annotation(content: &str, annotation: Dictionary) -> Vec<u8> {
    pdf_with_annotations(content, vec![(annotation, None)])
}

/// A document of one page with annotations of the given entries, each perhaps a kid of a field of its own.
pub(crate) fn pdf_with_annotations(content: &str, annotations: Vec<(Dictionary, Option<Dictionary>)>) -> Vec<u8> {
    let mut document = document(&[content.to_owned()], helvetica());
    let mut all: Vec<Object> = Vec::new();
    for (mut annotation, parent) in annotations {
        annotation.set("Type", "Annot");
        if let Some(parent) = parent {
            annotation.set("Parent", document.add_object(parent));
        }
        all.push(document.add_object(annotation).into());
    }
    let page = document.get_pages()[&1];
    document.get_dictionary_mut(page).expect("the page was just made").set("Annots", all);
    bytes(document)
}

/// A number generator (the constants are Knuth's, MMIX), so that the pages are always the same.
pub(crate) struct NumberGenerator(pub(crate) u64);

impl NumberGenerator {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// The document, encrypted: anybody opens it with `user`.
pub(crate) fn encrypt_pages(pages: &[String], user: &str) -> Vec<u8> {
    let mut document = document(pages, helvetica());
    let id = Object::String(vec![7; 16], StringFormat::Hexadecimal);
    document.trailer.set("ID", vec![id.clone(), id]);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: user,
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).expect("the parameters are valid");
    document.encrypt(&state).expect("a document that was just made can be encrypted");
    bytes(document)
}

/// A page that draws a form, which draws the next one `times` times, and so on for `depth` forms.
pub(crate) fn nested_forms(content: &str, depth: usize, times: usize) -> Vec<u8> {
    let mut document = document(&[format!("{content} /X Do")], helvetica());
    let mut inner: Option<Object> = None;
    for _ in 0..depth {
        let mut head = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => numbers([0, 0, 612, 792]) };
        if let Some(inner) = inner.take() {
            head.set("Resources", dictionary! { "XObject" => dictionary! { "X" => inner } });
        }
        inner = Some(document.add_object(Stream::new(head, "/X Do ".repeat(times).into_bytes())).into());
    }
    let font = document.add_object(helvetica());
    let page = document.get_pages()[&1];
    let resources = dictionary! { "Font" => dictionary! { "F1" => font }, "XObject" => dictionary! { "X" => inner.unwrap_or(Object::Null) } };
    document.get_dictionary_mut(page).expect("the page was just made").set("Resources", resources);
    bytes(document)
}

fn numbers(values: [i64; 4]) -> Object {
    values.map(Object::Integer).to_vec().into()
}

fn helvetica() -> Dictionary {
    dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding" }
}

fn document(pages: &[String], font: Dictionary) -> Document {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(font);
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|content| {
            let content = document.add_object(Stream::new(Dictionary::new(), content.clone().into_bytes()));
            let page = dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content };
            document.add_object(page).into()
        })
        .collect();
    let count = kids.len() as i64;
    let node = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources, "MediaBox" => numbers([0, 0, 612, 792]) };
    document.set_object(tree, node);
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let info = document.add_object(dictionary! { "Title" => Object::string_literal("  A\tsmall title ") });
    document.trailer.set("Info", info);
    document
}

fn bytes(mut document: Document) -> Vec<u8> {
    let mut out = Vec::new();
    document.save_to(&mut out).expect("writing to memory does not fail");
    out
}

/// A word of a line: its text, left edge, baseline and size; half as wide as it is high per character.
pub(super) fn word(text: &str, u0: f64, v: f64, em: f64) -> LineWord {
    let len = text.chars().count();
    LineWord {
        text: text.into(),
        u0,
        u1: u0 + 0.5 * em * len as f64,
        v,
        em,
        space_before: false,
        space_after: false,
        len,
        style: Default::default(),
        pitch: None,
    }
}
