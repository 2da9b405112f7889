//! What a package says about its document as a whole.

use super::super::fields::Properties;
use super::archive::Package;
use super::markup::{Markup, walk};

/// The parts with properties: those of Office (ECMA-376, part 2), and of OpenDocument.
const PARTS: [&str; 2] = ["docProps/core.xml", "meta.xml"];

/// The properties of a package; empty if it has no part with them.
pub(super) fn of(package: &mut Package<'_>) -> Properties {
    let part = PARTS.iter().find_map(|name| package.part(name).ok());
    part.map_or_else(Properties::default, |part| read(&part))
}

/// The properties in `part`, which has an element for each. Also reads the content list of a book (EPUB 3, Dublin Core).
pub(super) fn read(part: &[u8]) -> Properties {
    let mut found = FoundProperties::default();
    let (mut open, mut text) = (None::<String>, String::new());
    walk(part, |event| match event {
        Markup::Open(element) => {
            open = Some(element.name);
            text.clear();
        }
        Markup::Text(more) => text.push_str(&more),
        Markup::Close(name) if open.as_ref() == Some(&name) => {
            open = None;
            found.take(&name, std::mem::take(&mut text));
        }
        Markup::Close(_) => {}
    });
    let join = |values: Vec<String>| (!values.is_empty()).then(|| values.join(", "));
    Properties {
        title: found.titles.into_iter().next(),
        author: join(found.first_authors).or(join(found.authors)),
        created: found.times.into_iter().next(),
        subject: join(found.subjects),
        keywords: join(found.keywords),
    }
}

/// The values of each property, in the order of the part.
#[derive(Debug, Default)]
struct FoundProperties {
    titles: Vec<String>,
    authors: Vec<String>,
    /// In OpenDocument, where `creator` is who saved the document last.
    first_authors: Vec<String>,
    times: Vec<String>,
    subjects: Vec<String>,
    keywords: Vec<String>,
}

impl FoundProperties {
    fn take(&mut self, name: &str, value: String) {
        let values = match name {
            "title" => &mut self.titles,
            "creator" => &mut self.authors,
            "initial-creator" => &mut self.first_authors,
            "created" | "creation-date" => &mut self.times,
            "subject" => &mut self.subjects,
            "keywords" | "keyword" => &mut self.keywords,
            _ => return,
        };
        // An element without words stands for a property that was never filled in.
        values.extend(Some(value.trim().to_owned()).filter(|value| !value.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::zip_parts;
    use super::*;

    fn found(name: &str, part: &str) -> Properties {
        of(&mut Package::open(&zip_parts(&[(name, part)])).expect("an archive"))
    }

    #[test]
    fn properties_are_those_of_office_and_open_document() {
        let want = Properties {
            title: Some("On Things".to_owned()),
            author: Some("Jo".to_owned()),
            created: Some("2026-03-14T09:30:00Z".to_owned()),
            subject: None,
            keywords: Some("a, b".to_owned()),
        };
        let office = "<cp:coreProperties><dc:title> On Things</dc:title><dc:creator>Jo</dc:creator><cp:keywords>a, b</cp:keywords>\
             <dcterms:created>2026-03-14T09:30:00Z</dcterms:created><dc:subject> </dc:subject><cp:lastModifiedBy>Al</cp:lastModifiedBy></cp:coreProperties>";
        let open = "<office:meta><dc:creator>Al</dc:creator><meta:initial-creator>Jo</meta:initial-creator><dc:title>On Things</dc:title>\
             <meta:creation-date>2026-03-14T09:30:00Z</meta:creation-date><dc:date>2027-01-01</dc:date><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword></office:meta>";
        assert_eq!((found("docProps/core.xml", office), found("meta.xml", open)), (want.clone(), want));
        assert_eq!(found("meta.xml", "<x/>"), Properties::default());
        assert_eq!(found("other.xml", office), Properties::default());
    }
}
