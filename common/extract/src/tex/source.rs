//! [`Source`]: the characters still to be read.

/// Characters with what was put in front of them.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// In reverse order.
    rest: Vec<char>,
}

impl Source {
    pub(super) fn of(text: &str) -> Self {
        Self { rest: text.chars().rev().collect() }
    }

    /// Puts `text` in front of the rest.
    pub(super) fn put(&mut self, text: &str) {
        self.rest.extend(text.chars().rev());
    }

    pub(super) fn next(&mut self) -> Option<char> {
        self.rest.pop()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.last().copied()
    }

    /// Takes `c` if it is next.
    pub(super) fn take(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.rest.pop();
        }
        is_next
    }

    /// Takes `text` if it is next.
    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let is_next = text.chars().zip(self.rest.iter().rev()).filter(|(a, b)| a == *b).count() == text.chars().count();
        if is_next {
            self.rest.truncate(self.rest.len() - text.chars().count());
        }
        is_next
    }

    /// Skips blanks and comments, but no empty line; returns whether one follows.
    pub(super) fn skip_blanks(&mut self) -> bool {
        self.skip_blanks_after(0)
    }

    /// Skips blanks like [`Self::skip_blanks`], after the end of a line.
    pub(super) fn skip_line_end(&mut self) -> bool {
        self.skip_blanks_after(1)
    }

    fn skip_blanks_after(&mut self, mut lines: usize) -> bool {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace() || *c == '%') {
            match c {
                '%' => self.skip_comment(),
                '\n' if lines == 1 => return true,
                '\n' => {
                    lines += 1;
                    self.next();
                }
                _ => {
                    self.next();
                }
            }
        }
        false
    }

    /// Skips a comment with the end of its line and the indent of the next.
    pub(super) fn skip_comment(&mut self) {
        while self.next().is_some_and(|c| c != '\n') {}
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.next();
        }
    }

    /// The name of the command whose backslash was read: letters, or one other character. Blanks behind letters belong to it.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphabetic() || *c == '@') {
            name.push(c);
            self.next();
        }
        if name.is_empty() {
            return self.next().map(String::from).unwrap_or_default();
        }
        while self.peek().is_some_and(|c| matches!(c, ' ' | '\t')) {
            self.next();
        }
        name
    }

    /// The next argument, without its braces; a single character or command if it has none.
    pub(super) fn argument(&mut self) -> String {
        self.skip_blanks();
        match self.peek() {
            Some('{') => self.between('{', '}').unwrap_or_default(),
            Some('\\') => {
                self.next();
                format!("\\{} ", self.name())
            }
            Some('}') | None => String::new(),
            Some(c) => {
                self.next();
                c.to_string()
            }
        }
    }

    /// The next argument if it has braces.
    pub(super) fn group(&mut self) -> Option<String> {
        self.skip_blanks();
        self.between('{', '}')
    }

    /// The optional argument that is next, without its brackets.
    pub(super) fn option(&mut self) -> Option<String> {
        let blanks: Vec<char> = self.rest.iter().rev().take_while(|c| c.is_whitespace()).copied().collect();
        if self.rest.iter().rev().nth(blanks.len()) != Some(&'[') || blanks.contains(&'\n') {
            return None;
        }
        self.rest.truncate(self.rest.len() - blanks.len());
        self.between('[', ']')
    }

    /// What stands between `open`, which must be next, and the `close` that belongs to it; up to the end if none does.
    fn between(&mut self, open: char, close: char) -> Option<String> {
        if !self.take(open) {
            return None;
        }
        let (mut text, mut depth, mut braces) = (String::new(), 1, 0_usize);
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    text.push(c);
                    text.extend(self.next());
                    continue;
                }
                '%' => {
                    self.skip_comment();
                    continue;
                }
                c if c == close && (open == '{' || braces == 0) => depth -= 1,
                c if c == open => depth += 1,
                '{' => braces += 1,
                '}' => braces = braces.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            text.push(c);
        }
        Some(text)
    }

    /// What stands before `end`, which is taken too; all of the rest if it never comes.
    pub(super) fn until(&mut self, end: &str) -> String {
        let (mut text, last) = (String::new(), end.chars().next_back());
        while let Some(c) = self.next() {
            text.push(c);
            if Some(c) == last && text.ends_with(end) {
                text.truncate(text.len() - end.len());
                break;
            }
        }
        text
    }

    /// The body of the environment `name`, which has begun; environments of the same name may stand in it.
    pub(super) fn environment(&mut self, name: &str) -> String {
        let (begin, end) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let mut body = self.until(&end);
        for _ in 0..body.matches(&begin).count() {
            body.push_str(&end);
            body.push_str(&self.until(&end));
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_what_their_braces_enclose() {
        for (text, argument, rest) in [
            ("{a{b}\\}c}d", "a{b}\\}c", Some('d')),
            (" x", "x", None),
            ("\\alpha b", "\\alpha ", Some('b')),
            ("{open", "open", None),
            ("{a% }\n  b}c", "ab", Some('c')),
        ] {
            let mut source = Source::of(text);
            assert_eq!((source.argument().as_str(), source.peek()), (argument, rest), "{text}");
        }
        assert_eq!(Source::of(" [a[b]{]}]x").option().as_deref(), Some("a[b]{]}"));
        assert_eq!(Source::of("x[a]").option(), None);
    }

    #[test]
    fn the_body_of_an_environment_has_others_of_its_name() {
        let mut source = Source::of("a\\begin{t}b\\end{t}c\\end{t}d");
        assert_eq!((source.environment("t").as_str(), source.peek()), ("a\\begin{t}b\\end{t}c", Some('d')));
    }
}
