//! [`Macros`]: the definitions of a document. Expansion is bounded, since a definition may name itself or grow without end.

use std::collections::BTreeMap;

use super::source::Source;

/// Most expansions in a document. Chosen: books have tens of thousands.
const MAX_EXPANSIONS: usize = 200_000;
/// Most bytes that expansions add to a document. Chosen: as long as the longest books.
const MAX_EXPANDED_BYTES: usize = 4_000_000;
/// Most arguments of a macro; the language has nine.
const MAX_ARGUMENTS: usize = 9;

/// The macros of a document by name.
#[derive(Debug)]
pub(super) struct Macros {
    macros: BTreeMap<String, Macro>,
    expansions_left: usize,
    bytes_left: usize,
}

#[derive(Debug, Clone)]
struct Macro {
    arguments: usize,
    /// What the first argument is if it is not given, for a macro whose first argument is optional.
    default: Option<String>,
    body: String,
}

impl Default for Macros {
    fn default() -> Self {
        Self { macros: BTreeMap::new(), expansions_left: MAX_EXPANSIONS, bytes_left: MAX_EXPANDED_BYTES }
    }
}

impl Macros {
    /// Reads the definition behind `command`; returns whether it begins one.
    pub(super) fn define(&mut self, command: &str, source: &mut Source) -> bool {
        match command {
            "newcommand" | "renewcommand" | "providecommand" | "DeclareRobustCommand" => {
                source.take('*');
                let name = source.argument();
                let arguments = source.option().and_then(|number| number.trim().parse().ok()).unwrap_or(0);
                let default = source.option();
                let body = source.argument();
                self.add(&name, Macro { arguments, default, body });
            }
            "DeclareMathOperator" => {
                source.take('*');
                let name = source.argument();
                let body = format!("\\operatorname{{{}}}", source.argument());
                self.add(&name, Macro { arguments: 0, default: None, body });
            }
            "def" | "edef" | "gdef" | "xdef" => {
                let name = source.argument();
                let pattern = source.until("{");
                source.put("{");
                let (body, arguments) = (source.argument(), pattern.matches('#').count());
                // Patterns with words between the arguments are not followed.
                if pattern.chars().all(|c| c == '#' || c.is_ascii_digit()) {
                    self.add(&name, Macro { arguments, default: None, body });
                }
            }
            _ => return false,
        }
        true
    }

    fn add(&mut self, name: &str, of: Macro) {
        let name = name.trim().trim_start_matches('\\').to_owned();
        if !name.is_empty() && of.arguments <= MAX_ARGUMENTS {
            self.macros.insert(name, of);
        }
    }

    /// What the macro `name`, which has no arguments, stands for.
    pub(super) fn body(&self, name: &str) -> Option<String> {
        self.macros.get(name).map(|found| found.body.clone())
    }

    /// Puts what the macro `name` stands for in front of `source`; returns whether there is such a macro.
    pub(super) fn expand(&mut self, name: &str, source: &mut Source) -> bool {
        let Some(found) = self.macros.get(name).cloned() else { return false };
        let mut arguments = Vec::new();
        if let Some(default) = found.default {
            arguments.push(source.option().unwrap_or(default));
        }
        while arguments.len() < found.arguments {
            arguments.push(source.argument());
        }
        let text = fill_arguments(&found.body, &arguments);
        if self.expansions_left == 0 || text.len() > self.bytes_left {
            return true;
        }
        self.expansions_left -= 1;
        self.bytes_left -= text.len();
        source.put(&text);
        true
    }
}

/// `body` with its arguments in their places.
fn fill_arguments(body: &str, arguments: &[String]) -> String {
    let (mut text, mut chars) = (String::new(), body.chars().peekable());
    while let Some(c) = chars.next() {
        let number = chars.peek().filter(|_| c == '#').and_then(|next| next.to_digit(10));
        match number {
            Some(number) => {
                chars.next();
                let argument = (number as usize).checked_sub(1).and_then(|at| arguments.get(at));
                text.push_str(argument.map_or("", String::as_str));
            }
            None => text.push(c),
        }
    }
    // A name at the end must not join the letters that follow.
    let ends_with_name = text.rsplit('\\').next().is_some_and(|last| last.chars().all(|c| c.is_ascii_alphabetic()));
    if text.contains('\\') && ends_with_name {
        text.push(' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(definition: &str, macros: &mut Macros, rest: &str) -> String {
        let mut source = Source::of(definition);
        assert!(source.take('\\'));
        let name = source.name();
        assert!(macros.define(&name, &mut source), "{definition}");
        let mut source = Source::of(rest);
        assert!(macros.expand("x", &mut source));
        source.until("\u{0}")
    }

    #[test]
    fn definitions_are_followed_with_their_arguments() {
        for (definition, rest, want) in [
            ("\\newcommand{\\x}{Precis}", "!", "Precis!"),
            ("\\newcommand\\x[2]{#2 and #1}", "{a}{b}.", "b and a."),
            ("\\renewcommand*{\\x}[2][one]{#1-#2}", "b.", "one-b."),
            ("\\newcommand{\\x}[1][one]{<#1>}", "[two]", "<two>"),
            ("\\def\\x#1{(#1)}", "{a}", "(a)"),
            ("\\DeclareMathOperator{\\x}{rank}", "", "\\operatorname{rank}"),
        ] {
            assert_eq!(expanded(definition, &mut Macros::default(), rest), want, "{definition}");
        }
    }

    #[test]
    fn expansion_is_bounded() {
        for (left, want) in [(4, ""), (5, "words"), (6, "words")] {
            let mut macros = Macros { bytes_left: left, ..Macros::default() };
            assert_eq!(expanded("\\newcommand{\\x}{words}", &mut macros, ""), want, "{left}");
        }
        for (left, want) in [(0, ""), (1, "words"), (2, "words")] {
            let mut macros = Macros { expansions_left: left, ..Macros::default() };
            assert_eq!(expanded("\\newcommand{\\x}{words}", &mut macros, ""), want, "{left}");
        }
        for (arguments, is_known) in [(MAX_ARGUMENTS - 1, true), (MAX_ARGUMENTS, true), (MAX_ARGUMENTS + 1, false)] {
            let mut macros = Macros::default();
            macros.define("newcommand", &mut Source::of(&format!("{{\\x}}[{arguments}]{{y}}")));
            assert_eq!(macros.expand("x", &mut Source::of("")), is_known, "{arguments}");
        }
    }
}
