//! The names that a page gives its elements: ids and classes, taken apart into words.

use dom_query::NodeRef;

/// First words of a name that tells what an element has, lacks, is about or in which state it is, not what it is: `has-sidebar`,
/// `tag-newsletter`, `node--promoted`.
const ABOUT: [&str; 11] =
    ["has", "with", "without", "no", "not", "sticky", "enable", "tag", "category", "type", "node"];

/// Whether the id or a class of `node` has one of `names` as a part; words of a name are joined by hyphens, and parts in `camelCase` are
/// words of their own.
pub(super) fn is_named(node: &NodeRef<'_>, names: &[&str]) -> bool {
    ["id", "class"].into_iter().filter_map(|name| node.attr(name)).any(|given| {
        given.split_ascii_whitespace().map(words).any(|words| {
            let is_about = ABOUT
                .iter()
                .any(|about| words.strip_prefix('-').is_some_and(|rest| rest.starts_with(&format!("{about}-"))));
            !is_about && names.iter().any(|name| words.contains(&format!("-{name}-")))
        })
    })
}

/// The words of `name` in lower case, each between hyphens.
fn words(name: &str) -> String {
    let mut words = String::from("-");
    let mut before = '-';
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        let parts = !c.is_ascii_alphanumeric();
        if (begins || parts) && !words.ends_with('-') {
            words.push('-');
        }
        words.extend((!parts).then(|| c.to_ascii_lowercase()));
        before = c;
    }
    if !words.ends_with('-') {
        words.push('-');
    }
    words
}

#[cfg(test)]
mod tests {
    use dom_query::Document;

    use super::*;

    #[test]
    fn a_name_is_taken_apart_into_words() {
        for (attributes, is_it) in [
            ("class=related", true),
            ("class='x Related_posts'", true),
            ("id=relatedArticlesText", true),
            ("class=td-author-box", true),
            ("class=correlated", false),
            ("class='author box'", false),
            ("class=has-related", false),
            ("class='tag-related post'", false),
            ("class='node node--related'", false),
            ("title=related", false),
        ] {
            let document = Document::from(format!("<p {attributes}>a</p>"));
            let node = document.select("p").nodes()[0];
            assert_eq!(is_named(&node, &["related", "author-box"]), is_it, "{attributes}");
        }
    }
}
