//! Resolves the codes of composite fonts without a ToUnicode map: Adobe's character collections (Japan1, GB1, CNS1, Korea1) number their
//! characters once for all fonts, and hayro contains the tables. Fonts are identified by name only.

use std::collections::BTreeMap;

use hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_interpret::hayro_syntax::object::dict::keys::{BASE_FONT, DESCENDANT_FONTS, ENCODING, RESOURCES, TO_UNICODE};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_interpret::hayro_syntax::page::{Page, Resources};

/// The fonts of a document that need a collection, by name without subset prefix; `None` if a font needs no collection or has no table.
#[derive(Debug, Default)]
pub(super) struct Collections {
    fonts: BTreeMap<String, Option<Collection>>,
}

#[derive(Debug)]
struct Collection {
    /// Maps codes to numbers in the collection.
    encoding: CMap,
    /// Maps numbers to text.
    text: CMap,
}

impl Collections {
    /// Reads the fonts of a page and of the forms it draws, one level deep. Fonts seen before cost nothing.
    pub(super) fn learn(&mut self, page: &Page<'_>) {
        let resources = page.resources();
        self.learn_fonts(&resources.fonts);
        for name in resources.x_objects.keys() {
            let form = resources.x_objects.get::<Stream<'_>>(name.as_ref());
            if let Some(inner) = form.and_then(|f| f.dict().get::<Dict<'_>>(RESOURCES)) {
                self.learn_fonts(&Resources::new(inner).fonts);
            }
        }
    }

    /// The text of a code in the given font; `None` if the font needs no collection or the code is unknown.
    pub(super) fn text(&self, font: &str, code: u32) -> Option<BfString> {
        let collection = self.fonts.get(font)?.as_ref()?;
        let cid = (1..=4).find_map(|bytes| collection.encoding.lookup_cid_code(code, bytes))?;
        collection.text.lookup_bf_string(cid)
    }

    fn learn_fonts(&mut self, fonts: &Dict<'_>) {
        for key in fonts.keys() {
            let Some(font) = fonts.get::<Dict<'_>>(key.as_ref()) else {
                continue;
            };
            let Some(name) = font.get::<Name<'_>>(BASE_FONT).map(|n| without_prefix(n.as_str()).to_owned()) else {
                continue;
            };
            self.fonts.entry(name).or_insert_with(|| Collection::from_font(&font));
        }
    }
}

impl Collection {
    fn from_font(font: &Dict<'_>) -> Option<Self> {
        if font.contains_key(TO_UNICODE) {
            return None;
        }
        let descendant = font.get::<Array<'_>>(DESCENDANT_FONTS)?.iter::<Dict<'_>>().next()?;
        let encoding = encoding(&font.get::<Object<'_>>(ENCODING)?)?;
        let named = encoding
            .metadata()
            .character_collection
            .as_ref()
            .map(|c| c.family.clone())
            .filter(|f| *f != CidFamily::AdobeIdentity);
        let family = named.or_else(|| family(&descendant))?;
        let text = parse(load_embedded(family.ucs2_cmap()?)?)?;
        Some(Self { encoding, text })
    }
}

fn encoding(object: &Object<'_>) -> Option<CMap> {
    match object {
        Object::Name(name) => match CMapName::from_bytes(name.as_ref()) {
            CMapName::IdentityH => Some(CMap::identity_h()),
            CMapName::IdentityV => Some(CMap::identity_v()),
            predefined => parse(load_embedded(predefined)?),
        },
        Object::Stream(stream) => parse(&stream.decoded_data().ok()?),
        _ => None,
    }
}

fn family(descendant: &Dict<'_>) -> Option<CidFamily> {
    let info = descendant.get::<Dict<'_>>(b"CIDSystemInfo")?;
    let entry = |key: &[u8]| info.get::<PdfString<'_>>(key);
    Some(CidFamily::from_registry_ordering(entry(b"Registry")?.as_bytes(), entry(b"Ordering")?.as_bytes()))
}

fn parse(data: &[u8]) -> Option<CMap> {
    CMap::parse(data, load_embedded)
}

/// Removes a subset prefix: `ABCDEF+Name` becomes `Name`, the form used by hayro.
fn without_prefix(name: &str) -> &str {
    match name.split_once('+') {
        Some((prefix, rest)) if prefix.len() == 6 => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_a_collection_have_a_text() {
        // "日本" in the encodings of three fonts: a legacy one, Unicode, and plain collection numbers.
        let table: [(&str, &str, [u32; 2]); 3] = [
            ("90ms-RKSJ-H", "Japan1", [0x93fa, 0x967b]),
            ("UniJIS-UCS2-H", "Japan1", [0x65e5, 0x672c]),
            ("Identity-H", "Japan1", [3284, 3722]),
        ];
        for (name, ordering, codes) in table {
            let dict = format!(
                "<< /BaseFont /ABCDEF+Mincho /Encoding /{name} /DescendantFonts [<< /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) >> >>] >>"
            );
            let fonts = format!("<< /F1 {dict} >>");
            let fonts: Dict<'_> =
                hayro_interpret::hayro_syntax::object::FromBytes::from_bytes(fonts.as_bytes()).expect("a dictionary");
            let mut collections = Collections::default();
            collections.learn_fonts(&fonts);
            let text: Vec<Option<BfString>> = codes.iter().map(|c| collections.text("Mincho", *c)).collect();
            assert_eq!(text, [Some(BfString::Char('日')), Some(BfString::Char('本'))], "{name}");
        }
    }

    #[test]
    fn a_font_with_its_own_map_needs_no_collection() {
        assert_eq!(Collections::default().text("Mincho", 1), None);
    }
}
