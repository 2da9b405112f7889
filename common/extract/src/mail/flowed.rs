//! Flowed text (RFC 3676): lines that end with a space go on in the next one.

use std::borrow::Cow;

use mail_parser::{ContentType, MessagePart, MimeHeaders};

/// The line before a signature, which never flows.
const SIGNATURE: &str = "-- ";

/// `text` of `part` with its flowed lines joined, one paragraph a line; unchanged unless the part says `format=flowed`.
pub(super) fn unfold<'t>(part: &MessagePart<'_>, text: &'t str) -> Cow<'t, str> {
    let says = |name: &str, value: &str| {
        let said = part.content_type().and_then(|kind: &ContentType<'_>| kind.attribute(name));
        said.is_some_and(|said| said.eq_ignore_ascii_case(value))
    };
    if says("format", "flowed") { Cow::Owned(join_flowed(text, says("delsp", "yes"))) } else { Cow::Borrowed(text) }
}

/// `text` with the lines joined that flow into each other. With `deletes_space` the space at the end of such a line is not part of it.
fn join_flowed(text: &str, deletes_space: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // The depth of the quotation that the line before leaves open.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let stuffed = line.trim_start_matches('>');
        let depth = line.len() - stuffed.len();
        let content = if deletes_space && open == Some(depth) && !is_stuffed(stuffed) {
            stuffed
        } else {
            stuffed.strip_prefix(' ').unwrap_or(stuffed)
        };
        let flows = content.ends_with(' ') && content != SIGNATURE;
        let goes_on = open == Some(depth) && content != SIGNATURE;
        if open.is_some() && !goes_on {
            out.push('\n');
        }
        if !goes_on && depth > 0 {
            out.push_str(&">".repeat(depth));
            out.push(' ');
        }
        out.push_str(if flows && deletes_space { content.strip_suffix(' ').unwrap_or(content) } else { content });
        open = flows.then_some(depth);
        if !flows {
            out.push('\n');
        }
    }
    out
}

/// Whether the space at the start of `line` was put there for transport: before a space, `>` or `From `. Programs that forget to do so leave
/// the space between two words at the start of a line, and two words must not become one.
fn is_stuffed(line: &str) -> bool {
    line.strip_prefix(' ').is_some_and(|rest| rest.starts_with([' ', '>']) || rest.starts_with("From "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_end_with_a_space_go_on_at_the_same_depth() {
        for (text, deletes_space, want) in [
            (
                "The agree \nment ends on \n the last day.\nNew line.",
                true,
                "The agreement ends on the last day.\nNew line.\n",
            ),
            ("The agreement \nends.\n\nNew.", false, "The agreement ends.\n\nNew.\n"),
            ("> You do not \n> pay.\n>> Never \n> I say.", false, "> You do not pay.\n>> Never \n> I say.\n"),
            (">quoted \n>more", false, "> quoted more\n"),
            ("Bye \n-- \nAnn \nB.", false, "Bye \n-- \nAnn B.\n"),
            (" From here\n  two", false, "From here\n two\n"),
            ("of \n  June", true, "of June\n"),
            ("ends open ", false, "ends open "),
            ("", false, ""),
        ] {
            assert_eq!(join_flowed(text, deletes_space), want, "{text:?}");
        }
    }
}
