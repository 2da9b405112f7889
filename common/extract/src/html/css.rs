//! Parses style sheets: the simple selectors with declarations that can hide text. Everything else is skipped, and selectors that are not
//! understood are ignored. Works on text alone, without elements.

use super::declarations::{Declaration, claims};

/// Most rules kept of a page; later ones are ignored.
const MAX_RULES: usize = 10_000;
/// Most bytes of style sheets read of a page.
pub(super) const MAX_SHEET_BYTES: usize = 1 << 20;
/// Deepest nesting of `@media` that is read.
const MAX_DEPTH: usize = 4;

/// A selector without combinators: the properties of a single element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Compound {
    /// Tag name in lower case.
    pub(super) tag: Option<String>,
    pub(super) ids: Vec<String>,
    pub(super) classes: Vec<String>,
}

/// A selector and its declarations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    /// The selected element last, preceded by its required ancestors, outermost first. Never empty.
    pub(super) selector: Vec<Compound>,
    /// The declarations, in order; never empty.
    pub(super) claims: Vec<Declaration>,
}

impl Rule {
    /// Numbers of ids, classes and tags in the selector: a higher earlier number beats any later ones.
    pub(super) fn specificity(&self) -> [usize; 3] {
        self.selector.iter().fold([0; 3], |[ids, classes, tags], part| {
            [ids + part.ids.len(), classes + part.classes.len(), tags + usize::from(part.tag.is_some())]
        })
    }
}

/// The rules of the style sheet `css` with declarations that matter, in order.
pub(super) fn rules(css: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    read(&without_comments(css), true, 0, &mut rules);
    rules
}

/// Reads a list of rules. If they may not apply (`is_sure` is false), only declarations that can show text are kept.
fn read(css: &str, is_sure: bool, depth: usize, rules: &mut Vec<Rule>) {
    let mut rest = css;
    while let Some(end) = rest.find(['{', '}', ';']).filter(|_| rules.len() < MAX_RULES) {
        let (prelude, mark) = (rest[..end].trim().trim_start_matches("<!--").trim_start(), rest.as_bytes()[end]);
        rest = &rest[end + 1..];
        if mark != b'{' {
            continue;
        }
        let (body, after) = block(rest);
        rest = after;
        match prelude.strip_prefix('@') {
            Some(rule) => {
                if let Some(applies) = media(rule).filter(|_| depth < MAX_DEPTH) {
                    read(body, is_sure && applies, depth + 1, rules);
                }
            }
            None => add(prelude, body, is_sure, rules),
        }
    }
}

/// Whether the rules within `@media …` certainly apply to a reader at a screen; `None` if they do not, or if it is another at-rule.
fn media(rule: &str) -> Option<bool> {
    let rule = rule.to_ascii_lowercase();
    let query = rule
        .strip_prefix("media")
        .filter(|query| !query.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))?;
    is_for_screens(query)
}

/// Whether a media query certainly holds for a reader at a screen; `None` if it certainly does not.
pub(super) fn is_for_screens(query: &str) -> Option<bool> {
    let query = query.trim().to_ascii_lowercase();
    match query.as_str() {
        "" | "all" | "screen" | "only screen" => Some(true),
        "print" | "only print" | "speech" | "not screen" | "not all" => None,
        _ => Some(false),
    }
}

fn add(prelude: &str, body: &str, is_sure: bool, rules: &mut Vec<Rule>) {
    // Nested rules are not part of this rule.
    let claims = claims(body.split('{').next().unwrap_or_default());
    let claims: Vec<Declaration> = match is_sure {
        true => claims,
        false => claims.into_iter().filter_map(Declaration::if_unsure).collect(),
    };
    if claims.is_empty() {
        return;
    }
    let selectors = prelude.split(',').filter_map(selector);
    rules.extend(selectors.take(MAX_RULES - rules.len()).map(|selector| Rule { selector, claims: claims.clone() }));
}

/// A selector of compounds joined by the descendant combinator; `None` if it contains anything else.
fn selector(text: &str) -> Option<Vec<Compound>> {
    let parts: Option<Vec<Compound>> = text.split_ascii_whitespace().map(compound).collect();
    parts.filter(|parts| !parts.is_empty())
}

fn compound(text: &str) -> Option<Compound> {
    let mut compound = Compound::default();
    let mut rest = text;
    while let Some(mark) = rest.chars().next() {
        let is_tag = !matches!(mark, '.' | '#');
        if is_tag && rest.len() != text.len() {
            return None;
        }
        let (name, after) = name(if is_tag { rest } else { &rest[1..] })?;
        match mark {
            '.' => compound.classes.push(name),
            '#' => compound.ids.push(name),
            _ => compound.tag = Some(name.to_ascii_lowercase()),
        }
        rest = after;
    }
    Some(compound)
}

/// The name at the start of `text`, and the rest; `None` if there is no name.
fn name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = chars.next() {
        match c {
            // An escaped character; escapes by number are not supported.
            '\\' => name.push(chars.next().map(|(_, c)| c).filter(|c| !c.is_ascii_hexdigit())?),
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() => name.push(c),
            _ => {
                end = at;
                break;
            }
        }
    }
    (!name.is_empty()).then(|| (name, &text[end..]))
}

/// The block that begins at the start of `css`, and the text behind its closing brace; all of `css` if it is never closed.
fn block(css: &str) -> (&str, &str) {
    let (mut depth, mut quote, mut is_escaped) = (1_usize, None, false);
    for (at, byte) in css.bytes().enumerate() {
        match (byte, quote) {
            _ if is_escaped => is_escaped = false,
            (b'\\', _) => is_escaped = true,
            (b'\n', _) => quote = None,
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'{', None) => depth += 1,
            (b'}', None) => {
                depth -= 1;
                if depth == 0 {
                    return (&css[..at], &css[at + 1..]);
                }
            }
            _ => {}
        }
    }
    (css, "")
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = rest[at + 2..].find("*/").map_or("", |end| &rest[at + 2 + end + 2..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(css: &str) -> Vec<String> {
        let hiding = |rule: &Rule| {
            let mut claimed = super::super::text_look::ElementDeclarations::default();
            rule.claims.iter().for_each(|claim| claimed.add(*claim, [0; 4], 0));
            claimed.unseen().is_some()
        };
        let words = |part: &Compound| {
            let mut words = part.tag.clone().unwrap_or_default();
            part.ids.iter().for_each(|id| words.extend(["#", id]));
            part.classes.iter().for_each(|class| words.extend([".", class]));
            words
        };
        let selector = |rule: Rule| rule.selector.iter().map(words).collect::<Vec<_>>().join(" ");
        rules(css).into_iter().filter(hiding).map(selector).collect()
    }

    #[test]
    fn simple_selectors_that_hide_are_found() {
        for (css, want) in [
            (".a{display:none}", &[".a"][..]),
            ("P , #b.c d{color:red;DISPLAY : None !important}", &["p", "#b.c d"]),
            ("/* .x{} */ @import 'y'; .a{color:red} .b{display:none", &[".b"]),
            ("<!-- .a{display:none} -->", &[".a"]),
            (".a{content:'}';display:none}.b{display:none}", &[".a", ".b"]),
            ("@media screen{.a{display:none}} @media{.b{display:none}}", &[".a", ".b"]),
            (".md\\:a{display:none}", &[".md:a"]),
            (".é{display:none}", &[".é"]),
        ] {
            assert_eq!(hidden(css), want, "{css}");
        }
    }

    #[test]
    fn what_may_not_apply_or_is_not_understood_hides_nothing() {
        for css in [
            "@media print{.a{display:none}}",
            "@media (max-width:600px){.a{display:none}}",
            "@supports (x:y){.a{display:none}}",
            "@mediaeval{.a{display:none}}",
            ".a:hover{display:none}",
            ".a>.b, .a+.b, .a~.b, [a], *, a[b=c], .a:not(.b), ::before, .\\61{display:none}",
            ".a{color:red; .b{display:none}}",
            ".a{display:none;display:block}",
            ".a{display:block!important;display:none}",
            "{display:none}",
            "}{;}.",
            "@media screen{@media screen{@media screen{@media screen{@media screen{.a{display:none}}}}}}",
        ] {
            assert_eq!(hidden(css), Vec::<String>::new(), "{css}");
        }
    }

    #[test]
    fn rules_of_a_page_are_bounded() {
        for (given, kept) in [(MAX_RULES - 1, MAX_RULES - 1), (MAX_RULES, MAX_RULES), (MAX_RULES + 1, MAX_RULES)] {
            assert_eq!(rules(&".a{display:none}".repeat(given)).len(), kept);
            assert_eq!(rules(&format!("{}.a{{display:none}}", ".b,".repeat(given - 1))).len(), kept);
        }
    }
}
