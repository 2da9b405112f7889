//! The header fields that the front matter of an article in JATS becomes: journal, authors, days, numbers, keywords, rights and funding.
//! An element that is not known here is a field with its own name.

use precis_proto::FieldPlace;
use precis_text::Leaf;

use super::super::fields;
use super::super::runs::LeftOut;
use super::front_matter::FrontElement;

/// Elements that hold others and say nothing themselves.
const GROUPS: [&str; 18] = [
    "journal-meta",
    "article-meta",
    "journal-title-group",
    "publisher",
    "article-categories",
    "subj-group",
    "contrib-group",
    "aff-alternatives",
    "permissions",
    "license",
    "kwd-group",
    "history",
    "pub-history",
    "event",
    "funding-group",
    "award-group",
    "custom-meta-group",
    "conference",
];
/// Elements for programs, and those that repeat others in another form.
const UNSAID: [&str; 12] = [
    "journal-id",
    "label",
    "title",
    "counts",
    "related-article",
    "related-object",
    "self-uri",
    "copyright-year",
    "copyright-holder",
    "alt-title",
    "lpage",
    "event-desc",
];

/// Fields by name, in order of the first value of each.
#[derive(Default)]
struct Fields {
    found: Vec<(String, Vec<String>)>,
    left_out: LeftOut,
}

/// The fields of the front matter in `holders`, and what they do not say.
pub(super) fn of(holders: &[FrontElement]) -> (Vec<Leaf>, LeftOut) {
    let mut fields = Fields::default();
    holders.iter().for_each(|holder| fields.take(holder));
    let leaf = |(name, values): (String, Vec<String>)| {
        // Values that have commas of their own.
        let between = if matches!(name.as_str(), "affiliation" | "license" | "funding") { "; " } else { ", " };
        fields::leaf(&name, &values.join(between), FieldPlace::FrontMatter)
    };
    (fields.found.into_iter().filter_map(leaf).collect(), fields.left_out)
}

impl Fields {
    /// Elements nest only as deep as the reader of the document goes.
    fn take(&mut self, element: &FrontElement) {
        match element.name.as_str() {
            name if UNSAID.contains(&name) => {}
            name if GROUPS.contains(&name) => {
                element.elements().for_each(|inside| self.take(inside));
                if let [Some(first), Some(last)] = ["fpage", "lpage"].map(|page| element.first(page)) {
                    let (first, last) = (first.words().text, last.words().text);
                    self.add("pages", if first == last { first } else { format!("{first}-{last}") });
                }
            }
            "fpage" => {}
            "contrib" => self.person(element),
            "pub-date" => self.day("date", element),
            "date" => self.day(element.kind.as_deref().unwrap_or("date"), element),
            "custom-meta" => {
                let said = |part: &str| element.first(part).map(|part| part.words().text).unwrap_or_default();
                self.add(&said("meta-name"), said("meta-value"));
            }
            "article-id" => self.say(element.kind.as_deref().unwrap_or("id"), element),
            name => self.say(field_name(name), element),
        }
    }

    fn person(&mut self, contrib: &FrontElement) {
        let called = contrib.kind.as_deref().unwrap_or("author");
        for one in contrib.elements() {
            match one.name.as_str() {
                "name" => self.name(called, one),
                // The first is the name in the language of the article.
                "name-alternatives" => one.first("name").into_iter().for_each(|name| self.name(called, name)),
                "string-name" | "collab" => self.say(called, one),
                "aff" => self.say("affiliation", one),
                _ => {}
            }
        }
    }

    fn name(&mut self, called: &str, name: &FrontElement) {
        let parts = ["prefix", "given-names", "surname", "suffix"].map(|part| name.first(part));
        let parts: Vec<String> = parts.into_iter().flatten().map(|part| part.words().text).collect();
        self.add(called, parts.join(" "));
    }

    /// A day as in ISO 8601, or as much of it as is given. Of two days of publication the one that says more counts.
    fn day(&mut self, called: &str, date: &FrontElement) {
        let two = |number: String| if number.len() == 1 { format!("0{number}") } else { number };
        let parts = ["year", "month", "day"].iter().map_while(|part| date.first(part));
        let day = parts.map(|part| two(part.words().text)).collect::<Vec<_>>().join("-");
        match self.found.iter_mut().find(|(name, _)| name == called).and_then(|(_, values)| values.first_mut()) {
            Some(known) if day.len() > known.len() => *known = day,
            Some(_) => {}
            None => self.add(called, day),
        }
    }

    fn say(&mut self, name: &str, element: &FrontElement) {
        let words = element.words();
        self.left_out += words.left_out;
        self.add(name, words.text);
    }

    fn add(&mut self, name: &str, value: String) {
        match self.found.iter_mut().find(|(known, _)| known == name) {
            _ if value.is_empty() => {}
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => self.found.push((name.to_owned(), vec![value])),
        }
    }
}

/// The name of the field of the element `name`.
fn field_name(name: &str) -> &str {
    match name {
        "journal-title" => "journal",
        "publisher-name" => "publisher",
        "publisher-loc" => "place of publication",
        "aff" => "affiliation",
        "kwd" => "keywords",
        "license-p" => "license",
        "copyright-statement" => "copyright",
        "elocation-id" => "pages",
        "funding-statement" | "funding-source" | "award-id" => "funding",
        _ => name,
    }
}
