//! Selectors of CSS as data, and how they are read (Selectors 4). Works on text alone, without elements.

use cssparser::{Delimiter, Parser, Token};

use super::css_tokens::{in_block, until};

/// Most elements that a selector names; a longer one is not understood.
const MAX_PARTS: usize = 32;
/// Deepest nesting of `:is()` and `:not()`.
const MAX_DEPTH: usize = 4;

/// What an element and those around it must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Selector {
    /// What the element itself must be.
    pub(super) subject: Compound,
    /// The elements that it must be related to, each to the one before it.
    pub(super) related: Vec<(Combinator, Compound)>,
    /// Whether it selects no more than in a browser: `false` if something in it is not understood, and left out.
    pub(super) is_sure: bool,
}

/// How an element is related to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combinator {
    /// Somewhere below it.
    Descendant,
    /// Directly below it.
    Child,
    /// Directly after it.
    Next,
    /// Somewhere after it, below the same element.
    Later,
}

/// What a single element must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Compound {
    /// Tag name in lower case.
    pub(super) tag: Option<String>,
    pub(super) ids: Vec<String>,
    pub(super) classes: Vec<String>,
    pub(super) attributes: Vec<AttributeTest>,
    pub(super) others: Vec<OtherTest>,
}

/// A test of an attribute; its name is in lower case, and so is the value if case is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttributeTest {
    pub(super) name: String,
    pub(super) value: ValueTest,
    pub(super) ignores_case: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueTest {
    Any,
    Equals(String),
    /// One of the words, separated by white space.
    HasWord(String),
    /// The value, or its start before a hyphen.
    IsLanguage(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OtherTest {
    /// `:is()`, or `:where()`, which does not count towards specificity.
    Is {
        any_of: Vec<Selector>,
        counts: bool,
    },
    Not(Vec<Selector>),
    Root,
    FirstChild,
    LastChild,
    Link,
    /// What no element is before somebody uses the page, such as `:hover`.
    InUse,
}

impl Selector {
    /// Numbers of ids, classes and tags: a higher earlier number beats any later ones.
    pub(super) fn specificity(&self) -> [usize; 3] {
        let related = self.related.iter().map(|(_, compound)| compound);
        related.chain([&self.subject]).map(Compound::specificity).fold([0; 3], sum)
    }
}

impl Compound {
    fn specificity(&self) -> [usize; 3] {
        let own = [self.ids.len(), self.classes.len() + self.attributes.len(), usize::from(self.tag.is_some())];
        let most = |of: &[Selector]| of.iter().map(Selector::specificity).max().unwrap_or_default();
        let others = self.others.iter().map(|test| match test {
            OtherTest::Is { any_of, counts: true } | OtherTest::Not(any_of) => most(any_of),
            OtherTest::Is { counts: false, .. } => [0; 3],
            OtherTest::Root | OtherTest::FirstChild | OtherTest::LastChild | OtherTest::Link | OtherTest::InUse => {
                [0, 1, 0]
            }
        });
        others.fold(own, sum)
    }
}

fn sum(a: [usize; 3], b: [usize; 3]) -> [usize; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The selectors of a comma-separated list, without those that are not understood at all.
pub(super) fn selectors(list: &str) -> Vec<Selector> {
    read_list(&mut Parser::new(list), 0).into_iter().flatten().collect()
}

fn read_list(parser: &mut Parser<'_>, depth: usize) -> Vec<Option<Selector>> {
    let mut selectors = Vec::new();
    while !parser.is_exhausted() {
        selectors.push(until(parser, Delimiter::Comma, |one| selector(one, depth)).flatten());
    }
    selectors
}

fn selector(parser: &mut Parser<'_>, depth: usize) -> Option<Selector> {
    let mut reader = SelectorReader { depth, is_sure: true };
    let mut found = Selector { subject: reader.compound(parser)?, related: Vec::new(), is_sure: true };
    while let Some(combinator) = combinator(parser)? {
        let next = reader.compound(parser)?;
        let before = std::mem::replace(&mut found.subject, next);
        found.related.insert(0, (combinator, before));
        if found.related.len() >= MAX_PARTS {
            return None;
        }
    }
    Some(Selector { is_sure: reader.is_sure, ..found })
}

/// The combinator at this place, `Some(None)` at the end; `None` if there is something else.
fn combinator(parser: &mut Parser<'_>) -> Option<Option<Combinator>> {
    let mut is_apart = false;
    loop {
        let before = parser.state();
        let Ok(token) = parser.next_including_whitespace().cloned() else { return Some(None) };
        let combinator = match token {
            Token::WhiteSpace(_) => {
                is_apart = true;
                continue;
            }
            Token::Delim('>') => Combinator::Child,
            Token::Delim('+') => Combinator::Next,
            Token::Delim('~') => Combinator::Later,
            _ => {
                parser.reset(&before);
                return is_apart.then_some(Some(Combinator::Descendant));
            }
        };
        return Some(Some(combinator));
    }
}

struct SelectorReader {
    depth: usize,
    is_sure: bool,
}

impl SelectorReader {
    /// Reads a compound and stops before what follows it; `None` if there is none or if it is about no element.
    fn compound(&mut self, parser: &mut Parser<'_>) -> Option<Compound> {
        parser.skip_whitespace();
        let (mut compound, mut is_empty) = (Compound::default(), true);
        loop {
            let before = parser.state();
            let token = parser.next_including_whitespace().cloned();
            match token {
                Ok(Token::Ident(name)) if is_empty => compound.tag = Some(name.to_ascii_lowercase()),
                Ok(Token::Delim('*')) if is_empty => {}
                Ok(Token::IDHash(name)) => compound.ids.push(name.as_ref().to_owned()),
                Ok(Token::Delim('.')) => match parser.next_including_whitespace().ok()? {
                    Token::Ident(name) => compound.classes.push(name.as_ref().to_owned()),
                    _ => return None,
                },
                Ok(Token::SquareBracketBlock) => compound.attributes.push(in_block(parser, attribute).flatten()?),
                Ok(Token::Colon) => compound.others.extend(self.pseudo_class(parser)?),
                _ if is_empty => return None,
                _ => {
                    parser.reset(&before);
                    return Some(compound);
                }
            }
            is_empty = false;
        }
    }

    /// Reads a pseudo-class; `Some(None)` if it is not understood, `None` if it is a part of an element that is not in the page.
    fn pseudo_class(&mut self, parser: &mut Parser<'_>) -> Option<Option<OtherTest>> {
        let found = match parser.next_including_whitespace().ok()?.clone() {
            Token::Ident(name) => match &*name.to_ascii_lowercase() {
                "before" | "after" | "first-line" | "first-letter" => return None,
                "root" => Some(OtherTest::Root),
                "first-child" => Some(OtherTest::FirstChild),
                "last-child" => Some(OtherTest::LastChild),
                "link" | "any-link" => Some(OtherTest::Link),
                "hover" | "active" | "focus" | "focus-visible" | "focus-within" | "target" | "target-within"
                | "visited" | "fullscreen" | "playing" => Some(OtherTest::InUse),
                _ => None,
            },
            Token::Function(name) => self.function(&name.to_ascii_lowercase(), parser),
            _ => return None,
        };
        self.is_sure &= found.is_some();
        Some(found)
    }

    /// Reads a pseudo-class with arguments; `None` if it is not understood.
    fn function(&mut self, name: &str, parser: &mut Parser<'_>) -> Option<OtherTest> {
        let depth = self.depth + 1;
        let is_list =
            depth <= MAX_DEPTH && matches!(name, "not" | "is" | "where" | "matches" | "-webkit-any" | "-moz-any");
        let list = is_list.then(|| in_block(parser, |inside| read_list(inside, depth))).flatten()?;
        let is_sure = |one: &Selector| one.is_sure;
        if name == "not" {
            // Without what is not understood, it would select more than it does.
            let none_of = list.into_iter().collect::<Option<Vec<Selector>>>()?;
            return (!none_of.is_empty() && none_of.iter().all(is_sure)).then_some(OtherTest::Not(none_of));
        }
        let any_of: Vec<Selector> = list.into_iter().flatten().collect();
        self.is_sure &= any_of.iter().all(is_sure);
        Some(OtherTest::Is { any_of, counts: name != "where" })
    }
}

/// Reads the content of `[…]`.
fn attribute(parser: &mut Parser<'_>) -> Option<AttributeTest> {
    let name = parser.expect_ident().ok()?.to_ascii_lowercase();
    let Ok(operator) = parser.next().cloned() else {
        return Some(AttributeTest { name, value: ValueTest::Any, ignores_case: false });
    };
    let value = match parser.next().ok()? {
        Token::Ident(value) | Token::QuotedString(value) => value.as_ref().to_owned(),
        _ => return None,
    };
    let ignores_case = match parser.next() {
        Ok(Token::Ident(flag)) if flag.eq_ignore_ascii_case("i") => true,
        Ok(Token::Ident(flag)) if flag.eq_ignore_ascii_case("s") => false,
        Ok(_) => return None,
        Err(_) => false,
    };
    let value = if ignores_case { value.to_ascii_lowercase() } else { value };
    let value = match operator {
        Token::Delim('=') => ValueTest::Equals(value),
        Token::IncludeMatch => ValueTest::HasWord(value),
        Token::DashMatch => ValueTest::IsLanguage(value),
        Token::PrefixMatch => ValueTest::StartsWith(value),
        Token::SuffixMatch => ValueTest::EndsWith(value),
        Token::SubstringMatch => ValueTest::Contains(value),
        _ => return None,
    };
    parser.is_exhausted().then_some(AttributeTest { name, value, ignores_case })
}
