//! XML as a flat list of events. A stream, so nesting costs no stack; what references stand for is bounded. Broken markup ends the list,
//! which is reported.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::charset;
use super::entities::Entities;

/// One event, with prefixes removed: the parts of a package use one namespace each, and prefixes are arbitrary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Markup<'a> {
    /// An element begins.
    Open(XmlElement<'a>),
    /// The element of this name ends. Also emitted for empty-element tags.
    Close(String),
    /// Text between tags.
    Text(String),
}

/// An element with its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XmlElement<'a> {
    /// Name without prefix.
    pub(crate) name: String,
    tag: BytesStart<'a>,
}

impl XmlElement<'_> {
    /// The value of the attribute `name`, only if it has a prefix.
    pub(super) fn attribute_with_prefix(&self, name: &str) -> Option<String> {
        let mut attributes = self.tag.attributes();
        let is_it =
            |key: quick_xml::name::QName<'_>| key.prefix().is_some() && key.local_name().as_ref() == name.as_bytes();
        let found = attributes.with_checks(false).flatten().find(|attribute| is_it(attribute.key))?;
        Some(String::from_utf8_lossy(&found.value).into_owned())
    }

    /// Number of attributes, but for those that name a namespace.
    pub(crate) fn attribute_count(&self) -> usize {
        let mut attributes = self.tag.attributes();
        attributes
            .with_checks(false)
            .flatten()
            .filter(|attribute| attribute.key.as_namespace_binding().is_none())
            .count()
    }

    /// The value of the attribute `name`, with any prefix or none.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut attributes = self.tag.attributes();
        let mut found = attributes.with_checks(false).flatten();
        let value = found.find(|a| a.key.local_name().as_ref() == name.as_bytes())?.value;
        let text = String::from_utf8_lossy(&value).into_owned();
        Some(quick_xml::escape::unescape(&text).map_or_else(|_| text.clone(), |unescaped| unescaped.into_owned()))
    }
}

/// Passes the events of the XML in `bytes` to `take`, in order; returns whether the markup was complete.
pub(crate) fn walk(bytes: &[u8], mut take: impl FnMut(Markup<'_>)) -> bool {
    let Ok(source) = charset::decode(bytes, None) else { return false };
    let mut reader = Reader::from_str(&source);
    let mut entities = Entities::default();
    let config = reader.config_mut();
    // Lenient: a document with slightly broken XML still has readable text.
    (config.check_end_names, config.allow_unmatched_ends, config.allow_dangling_amp) = (false, true, true);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => take(open_tag(tag)),
            Ok(Event::Empty(tag)) => {
                let name = local(tag.local_name().as_ref());
                take(open_tag(tag));
                take(Markup::Close(name));
            }
            Ok(Event::End(tag)) => take(Markup::Close(local(tag.local_name().as_ref()))),
            Ok(Event::Text(text)) => take(Markup::Text(String::from_utf8_lossy(&text).into_owned())),
            Ok(Event::CData(text)) => take(Markup::Text(String::from_utf8_lossy(&text).into_owned())),
            Ok(Event::GeneralRef(reference)) => {
                let name = String::from_utf8_lossy(&reference).into_owned();
                let sign = reference.resolve_char_ref().ok().flatten().map(String::from);
                take(Markup::Text(sign.unwrap_or_else(|| entities.text_of(&name))));
            }
            Ok(Event::DocType(declarations)) => entities.declare(&String::from_utf8_lossy(&declarations)),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_)) => {}
            Ok(Event::Eof) => return true,
            Err(_) => return false,
        }
    }
}

fn open_tag(tag: BytesStart<'_>) -> Markup<'_> {
    Markup::Open(XmlElement { name: local(tag.local_name().as_ref()), tag })
}

fn local(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> (String, bool) {
        let mut text = String::new();
        let whole = walk(source.as_bytes(), |event| {
            if let Markup::Text(more) = event {
                text.push_str(&more);
            }
        });
        (text, whole)
    }

    #[test]
    fn entities_are_resolved_once_and_none_unfolds() {
        assert_eq!(
            texts("<a>&lt;b&gt; &amp;amp; &#233;&#x1F680; <![CDATA[<c>&amp;]]></a>").0,
            "<b> &amp; é🚀 <c>&amp;"
        );
        let bomb = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;'>]><a>1&x;&y;2&z;</a>";
        assert_eq!(texts(bomb).0, "1ha&x;&x;2&z;");
    }

    #[test]
    fn markup_that_breaks_off_gives_what_came_before() {
        assert_eq!(texts("<a>one<b>two</a>three"), ("onetwothree".to_owned(), true));
        let (text, whole) = texts("<a>one<b attr='");
        assert_eq!((text.as_str(), whole), ("one", false));
    }

    #[test]
    fn attributes_are_found_whatever_their_prefix() {
        let mut found = None;
        walk(b"<p:item xmlns:p='x' p:id='1' href='a&amp;b'/>", |event| {
            if let Markup::Open(element) = event {
                found = Some((element.name.clone(), element.attribute("id"), element.attribute("href")));
            }
        });
        assert_eq!(found, Some(("item".to_owned(), Some("1".to_owned()), Some("a&b".to_owned()))));
    }
}
