//! Credits of pictures: who took them and who owns them. What a caption tells stays, because texts refer to it.

use dom_query::{Document, NodeRef};

use super::element_names::is_named;
use super::removal::{Held, Removal};

/// Parts of names that credits of pictures have.
const CREDITS: [&str; 7] =
    ["credit", "credits", "copyright", "photographer", "photo-credit", "image-credit", "source-label"];
/// How far around a credit its picture is.
const PICTURE_REACH: usize = 4;
/// Longest credit, in characters; a longer one tells something. Chosen, not measured.
const MAX_CHARS: usize = 100;

/// Removes the credits of pictures of `document`; returns their characters without white space.
pub(super) fn remove(document: &Document) -> usize {
    let mut page = Removal::new(document);
    let mut removed = 0;
    for node in document.select("[class]").nodes().iter().filter(|node| is_named(node, &CREDITS)) {
        let is_meant =
            page.size(node).chars <= MAX_CHARS && is_of_picture(&page, node) && !page.holds(node, Held::Picture);
        removed += page.remove_if(node, is_meant && !page.is_content(node));
    }
    removed
}

/// Whether `node` belongs to a picture.
fn is_of_picture(page: &Removal, node: &NodeRef<'_>) -> bool {
    let is_around = |above: &NodeRef<'_>| page.holds(above, Held::Picture) || above.has_name("figure");
    node.ancestors_it(Some(PICTURE_REACH)).any(|above| is_around(&above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(body: &str) -> String {
        let document = Document::from(format!("<body><main><p>kept</p>{body}</main>"));
        remove(&document);
        document.select("body").text().to_string()
    }

    #[test]
    fn credits_of_pictures_are_removed_and_captions_are_not() {
        for (body, is_kept) in [
            ("<figure><img src=a><span class=image-credit>Ida Lund</span></figure>", false),
            ("<figure><picture><img src=a></picture><span class=imageCredit>Ida Lund</span></figure>", false),
            ("<figure><img src=a><figcaption>Ida Lund</figcaption></figure>", true),
            ("<p class=credits>Ida Lund wrote the music.</p>", true),
        ] {
            assert_eq!(left(body).contains("Ida Lund"), is_kept, "{body}");
        }
    }

    #[test]
    fn a_long_credit_stays() {
        for (chars, is_kept) in [(MAX_CHARS - 1, false), (MAX_CHARS, false), (MAX_CHARS + 1, true)] {
            let body = format!("<figure><img src=b><i class=credit>{}</i></figure>", "a".repeat(chars));
            assert_eq!(left(&body).contains('a'), is_kept, "{chars}");
        }
    }
}
