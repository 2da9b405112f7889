//! The content type of a text read back from an archive, with a reference to the structure it had when it was first read.
//!
//! Without the structure a text is parsed line by line, and a heading may be quoted together with the sentence below it.

use bytes::Bytes;
use precis_extract::CANONICAL_TYPE;
use precis_proto::Block;
use precis_proto::source::ContentRef;

const STRUCTURE: &str = "structure";

/// Returns the type of an archived text with these blocks, and the page with the blocks that the type references; without blocks the
/// type alone.
#[must_use]
pub(crate) fn with_blocks(blocks: Option<&[Block]>) -> (String, Option<Bytes>) {
    let Some(blocks) = blocks.filter(|blocks| !blocks.is_empty()) else { return (CANONICAL_TYPE.to_owned(), None) };
    let page = serde_json::to_vec(blocks).expect("blocks have string keys and no floats");
    let name = ContentRef::from_bytes(&page);
    (format!("{CANONICAL_TYPE}; {STRUCTURE}={}", name.hex()), Some(page.into()))
}

/// Returns the page with the blocks that `content_type` references, if it is the type of an archived text.
#[must_use]
pub(crate) fn structure(content_type: &str) -> Option<ContentRef> {
    let (mime, parameters) = content_type.split_once(';')?;
    let is_archived = mime.trim().eq_ignore_ascii_case(CANONICAL_TYPE);
    let mut named = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let (_, hex) = named.find(|(name, _)| name.trim() == STRUCTURE).filter(|_| is_archived)?;
    format!("sha256:{}", hex.trim()).parse().ok()
}

#[cfg(test)]
mod tests {
    use precis_proto::{BlockKind, CharRange};

    use super::*;

    #[test]
    fn the_type_of_an_archived_text_names_its_structure() {
        assert_eq!(with_blocks(None), (CANONICAL_TYPE.to_owned(), None));
        assert_eq!(with_blocks(Some(&[])).1, None);
        let blocks = [Block::new(BlockKind::Paragraph, CharRange::new(0, 4))];
        let (named, page) = with_blocks(Some(&blocks));
        let page = page.expect("a page");
        assert_eq!(structure(&named), Some(ContentRef::from_bytes(&page)));
        assert_eq!(serde_json::from_slice::<Vec<Block>>(&page).expect("blocks"), blocks);
        let hex = structure(&named).expect("named").hex().to_owned();
        for none in [
            CANONICAL_TYPE.to_owned(),
            format!("text/html; structure={hex}"),
            format!("{CANONICAL_TYPE}; structure={}", &hex[1..]),
            format!("{CANONICAL_TYPE}; charset=utf-8"),
        ] {
            assert_eq!(structure(&none), None, "{none}");
        }
    }
}
