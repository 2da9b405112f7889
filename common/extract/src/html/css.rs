//! Parses style sheets: the rules with declarations that can hide text. Everything else is skipped, and selectors that are not understood
//! are ignored. Works on text alone, without elements.

use std::rc::Rc;

use cssparser::{Parser, Token};

use super::css_text::plain;
use super::css_tokens::in_block;
use super::declarations::{Declared, claims};
use super::generated::{self, GeneratedRule, MAX_GENERATED};
use super::selector::{Selector, selectors};

/// Most rules kept of a page, one for each selector; later ones are counted and ignored.
const MAX_RULES: usize = 50_000;
/// Most bytes of style sheets read of a page.
pub(super) const MAX_SHEET_BYTES: usize = 1 << 20;
/// Deepest nesting of `@media` that is read.
const MAX_DEPTH: usize = 4;

/// A selector and its declarations.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rule {
    pub(super) selector: Selector,
    /// The declarations, in order; never empty.
    pub(super) claims: Rc<[Declared]>,
}

/// The rules of a style sheet with declarations that matter, in order.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) kept: Vec<Rule>,
    /// The rules that write texts, in order.
    pub(super) generated: Vec<GeneratedRule>,
    /// Number of rules beyond the limit.
    pub(super) left_out: u64,
}

/// The rules of the style sheet `css`.
pub(super) fn rules(css: &str) -> Rules {
    let mut rules = Rules::default();
    read(&mut Parser::new(css), true, 0, &mut rules);
    rules
}

/// Reads a list of rules. If they may not apply (`is_sure` is false), only declarations that can show text are kept.
fn read(parser: &mut Parser<'_>, is_sure: bool, depth: usize, rules: &mut Rules) {
    while !parser.is_exhausted() {
        let before = parser.state();
        match parser.next().cloned() {
            Ok(Token::AtKeyword(name)) => at_rule(&name, parser, (is_sure, depth), rules),
            Ok(Token::CDO | Token::CDC | Token::Semicolon) => {}
            _ => {
                parser.reset(&before);
                if let Some(prelude) = prelude(parser) {
                    add(prelude, content(parser).unwrap_or_default(), is_sure, rules);
                }
            }
        }
    }
}

/// The text up to the next block, which is entered next; `None` if there is no block.
fn prelude<'i>(parser: &mut Parser<'i>) -> Option<&'i str> {
    let start = parser.position();
    while !matches!(parser.next().ok()?, Token::CurlyBracketBlock) {}
    // The position before a token may be inside of the bracket before it, so the text is taken with its last token.
    parser.slice_from(start).strip_suffix('{')
}

/// The text of the block that was just opened.
fn content<'i>(parser: &mut Parser<'i>) -> Option<&'i str> {
    in_block(parser, |inside| {
        let start = inside.position();
        while inside.next().is_ok() {}
        inside.slice_from(start)
    })
}

/// Reads an at-rule behind its name: the rules in a media query, and nothing of any other.
fn at_rule(name: &str, parser: &mut Parser<'_>, (is_sure, depth): (bool, usize), rules: &mut Rules) {
    let start = parser.position();
    let ends = |token: &Token<'_>| matches!(token, Token::CurlyBracketBlock | Token::Semicolon);
    while parser.next().is_ok_and(|token| !ends(token)) {}
    let Some(query) = parser.slice_from(start).strip_suffix('{') else { return };
    let applies = is_for_screens(&plain(query)).filter(|_| name.eq_ignore_ascii_case("media"));
    if let Some(applies) = applies.filter(|_| depth < MAX_DEPTH) {
        in_block(parser, |inside| read(inside, is_sure && applies, depth + 1, rules));
    }
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

fn add(prelude: &str, body: &str, is_sure: bool, rules: &mut Rules) {
    for rule in if is_sure { generated::rules(prelude, body) } else { Vec::new() } {
        match rules.generated.len() < MAX_GENERATED {
            true => rules.generated.push(rule),
            false => rules.left_out += 1,
        }
    }
    let claims = claims(body);
    if claims.is_empty() {
        return;
    }
    let unsure: Rc<[Declared]> = claims.iter().cloned().filter_map(Declared::if_unsure).collect();
    let sure: Rc<[Declared]> = claims.into();
    for selector in selectors(prelude) {
        let claims = if is_sure && selector.is_sure { &sure } else { &unsure };
        if claims.is_empty() {
            continue;
        }
        match rules.kept.len() < MAX_RULES {
            true => rules.kept.push(Rule { selector, claims: Rc::clone(claims) }),
            false => rules.left_out += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_look::ElementDeclarations;
    use super::*;

    /// The selectors of `css` that hide, as they are written.
    fn hidden(css: &str) -> usize {
        let hides = |rule: &&Rule| {
            let mut claimed = ElementDeclarations::default();
            for claim in rule.claims.iter() {
                if let Declared::Known(claim) = claim {
                    claimed.add(*claim, [0; 4], 0);
                }
            }
            claimed.unseen().is_some()
        };
        rules(css).kept.iter().filter(hides).count()
    }

    #[test]
    fn rules_that_hide_are_found() {
        for (css, want) in [
            (".a{display:none}", 1),
            ("P , #b.c d{color:red;DISPLAY : None !important}", 2),
            ("/* .x{} */ @import 'y'; .a{color:red} .b{display:none", 1),
            ("<!-- .a{display:none} -->", 1),
            (".a{content:'}';display:none}.b{display:none}", 2),
            ("@media screen{.a{display:none}} @media{.b{display:none}}", 2),
            ("@media/**/screen{.a{display:none}} @m\\65 dia{.b{display:none}}", 2),
            ("[a='{'],.b>.c{display:none}", 2),
            (".a{b:{display:block};display:none}", 1),
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
            ".a:nth-child(2), .a:checked, ::before, .a::after, .a:before, svg|a{display:none}",
            ".a:not(:checked), .a:is(:checked){display:none}",
            ".a{color:red; .b{display:none}}",
            ".a{display:none;display:block}",
            ".a{display:block!important;display:none}",
            "{display:none}",
            "}{;}.",
            ".a > {display:none} > .a{display:none} .a..b{display:none} [=x]{display:none}",
            "@media screen{@media screen{@media screen{@media screen{@media screen{.a{display:none}}}}}}",
        ] {
            assert_eq!(hidden(css), 0, "{css}");
        }
    }

    #[test]
    fn rules_that_write_texts_are_bounded() {
        for (given, left_out) in [(MAX_GENERATED - 1, 0), (MAX_GENERATED, 0), (MAX_GENERATED + 1, 1)] {
            let rules = rules(&".a::after{content:'x'}".repeat(given));
            assert_eq!((rules.generated.len(), rules.left_out), (given.min(MAX_GENERATED), left_out));
        }
    }

    #[test]
    fn rules_of_a_page_are_bounded() {
        for (given, left_out) in [(MAX_RULES - 1, 0), (MAX_RULES, 0), (MAX_RULES + 1, 1)] {
            for css in [".a{display:none}".repeat(given), format!("{}.a{{display:none}}", ".b,".repeat(given - 1))] {
                let rules = rules(&css);
                assert_eq!((rules.kept.len(), rules.left_out), (given.min(MAX_RULES), left_out));
            }
        }
    }
}
