//! Lists: the marks before an item say in which lists it is.

/// Most lists inside each other; further marks of an item are left out. Chosen: discussions have a dozen.
pub(super) const MAX_DEPTH: usize = 32;

/// The lists that are open.
#[derive(Debug, Default)]
pub(super) struct OpenLists {
    /// For each list its mark, and the element of its open item.
    open: Vec<(char, &'static str)>,
}

/// The marks of the item `line`, and its text.
pub(super) fn item(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches(['*', '#', ';', ':']);
    (text.len() < line.len()).then(|| (&line[..line.len() - text.len()], text.trim()))
}

/// A term and what it means, parted by a colon outside of links and addresses.
pub(super) fn term(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'[' | b'<' => depth += 1,
            b']' | b'>' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && !text[at + 1..].starts_with("//") => {
                return (text[..at].trim_end(), Some(text[at + 1..].trim_start()));
            }
            _ => {}
        }
    }
    (text, None)
}

impl OpenLists {
    /// Begins an item with these marks, and ends the one before it.
    pub(super) fn begin_item(&mut self, marks: &str, out: &mut String) {
        let marks: Vec<char> = marks.chars().take(MAX_DEPTH).collect();
        let kind = |mark: char| if mark == ';' { ':' } else { mark };
        let same = self.open.iter().zip(&marks).take_while(|((open, _), mark)| kind(*open) == kind(**mark)).count();
        self.close_to(same, out);
        if same == marks.len()
            && let Some(((open, element), mark)) = self.open.last_mut().zip(marks.last())
        {
            let next = item_element(*mark);
            out.push_str(&format!("</{element}>\n<{next}>"));
            (*open, *element) = (*mark, next);
        }
        for mark in &marks[same..] {
            let element = item_element(*mark);
            out.push_str(&format!("<{}><{element}>", list_element(*mark)));
            self.open.push((*mark, element));
        }
    }

    /// Begins what the term of the open item means.
    pub(super) fn begin_meaning(&mut self, out: &mut String) {
        if let Some((mark, element)) = self.open.last_mut() {
            out.push_str(&format!("</{element}>\n<dd>"));
            (*mark, *element) = (':', "dd");
        }
    }

    /// Ends all lists but so many.
    pub(super) fn close_to(&mut self, kept: usize, out: &mut String) {
        while self.open.len() > kept {
            if let Some((mark, element)) = self.open.pop() {
                out.push_str(&format!("</{element}></{}>\n", list_element(mark)));
            }
        }
    }
}

fn list_element(mark: char) -> &'static str {
    match mark {
        '*' => "ul",
        '#' => "ol",
        _ => "dl",
    }
}

fn item_element(mark: char) -> &'static str {
    match mark {
        ';' => "dt",
        ':' => "dd",
        _ => "li",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(items: &[&str]) -> String {
        let (mut lists, mut out) = (OpenLists::default(), String::new());
        for marks in items {
            lists.begin_item(marks, &mut out);
            out.push('x');
        }
        lists.close_to(0, &mut out);
        out.replace('\n', "")
    }

    #[test]
    fn marks_nest_lists() {
        for (items, want) in [
            (&["*", "**", "*"][..], "<ul><li>x<ul><li>x</li></ul></li><li>x</li></ul>"),
            (&["*", "#"], "<ul><li>x</li></ul><ol><li>x</li></ol>"),
            (&["#", "#*", "#"], "<ol><li>x<ul><li>x</li></ul></li><li>x</li></ol>"),
            (&[";", ":"], "<dl><dt>x</dt><dd>x</dd></dl>"),
            (&["**"], "<ul><li><ul><li>x</li></ul></li></ul>"),
        ] {
            assert_eq!(html(items), want, "{items:?}");
        }
    }

    #[test]
    fn lists_nest_to_a_depth() {
        for (marks, lists) in [(MAX_DEPTH - 1, MAX_DEPTH - 1), (MAX_DEPTH, MAX_DEPTH), (MAX_DEPTH + 1, MAX_DEPTH)] {
            assert_eq!(html(&[&"*".repeat(marks)]).matches("<ul>").count(), lists, "{marks}");
        }
    }

    #[test]
    fn a_colon_parts_a_term_from_its_meaning() {
        for (text, want) in [
            ("a : b", ("a", Some("b"))),
            ("a", ("a", None)),
            ("[[a:b]] : c", ("[[a:b]]", Some("c"))),
            ("[https://a.b c]: d", ("[https://a.b c]", Some("d"))),
            ("https://a.b", ("https://a.b", None)),
        ] {
            assert_eq!(term(text), want, "{text}");
        }
    }
}
