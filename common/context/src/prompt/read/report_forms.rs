//! A report in the forms in which models hand it over: with a greeting, with a list of references.

use precis_language::heading::heads_own_references;

/// Most characters of a greeting, and of the words with which an answer takes leave.
const COURTESY_CHARS: usize = 240;

/// `markdown` without what surrounds a report: a greeting before its first heading or behind its end, and a list of references at its end.
pub(super) fn report_alone(markdown: &str) -> String {
    without_references(without_leave(without_greeting(markdown.trim()))).trim().to_owned()
}

/// Without a first paragraph that ends in a colon and cites nothing, if more follows: `Here is the report you asked for:`.
fn without_greeting(text: &str) -> &str {
    let Some((first, rest)) = text.split_once("\n\n") else { return text };
    let first = first.trim();
    let is_greeting = first.ends_with(':')
        && !first.contains(['[', '#', '|', '\n'])
        && is_courtesy(first)
        && !rest.trim_start().starts_with(['-', '*', '1', '|', '>']);
    if is_greeting { rest.trim_start() } else { text }
}

/// Without a last paragraph that speaks to the reader and cites nothing: `I hope this helps!`.
fn without_leave(text: &str) -> &str {
    let Some((before, last)) = text.rsplit_once("\n\n") else { return text };
    let last = last.trim();
    let is_leave = last.ends_with(['!', '?'])
        && !last.contains(['[', '#', '|', '\n'])
        && !last.starts_with(['-', '*', '>', '`'])
        && is_courtesy(last);
    if is_leave { before.trim_end() } else { text }
}

/// Whether a paragraph may speak to the reader alone: it is one sentence without a figure, and does not speak of the subject at length.
fn is_courtesy(text: &str) -> bool {
    text.chars().count() <= COURTESY_CHARS && !text.contains(|c: char| c.is_ascii_digit())
}

/// Without a last section that lists references.
fn without_references(text: &str) -> &str {
    let heads = text.match_indices('\n').map(|(at, _)| at + 1).chain([0]);
    let is_heading = |at: &usize| {
        let line = text[*at..].lines().next().unwrap_or_default();
        let name = line.trim_start_matches('#').trim().trim_matches(['*', ':', '：']).trim().to_lowercase();
        let is_marked = line.starts_with('#') || line.starts_with("**");
        is_marked && heads_own_references(&name)
    };
    let Some(at) = heads.filter(|at| *at > 0).filter(is_heading).max() else { return text };
    let behind = text[at..].split_once('\n').map_or("", |(_, rest)| rest);
    let is_list = behind.lines().filter(|line| !line.trim().is_empty()).all(|line| {
        let line = line.trim();
        // A line that ends in a citation states something: `- The tunnel costs 12 million [2].`
        let ends_in_citation = line.trim_end_matches(['.', ' ']).ends_with(']')
            && !line.trim_start_matches(['-', '*', ' ']).starts_with('[');
        !ends_in_citation
            && (line.starts_with(['-', '*', '[', '•', '|']) || line.starts_with(|c: char| c.is_ascii_digit()))
    });
    if is_list { text[..at].trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_a_report_is_left_out() {
        let report = "# Ice\n\nIt fell [1].";
        for text in [
            report.to_owned(),
            format!("Here is the report you asked for:\n\n{report}"),
            format!("{report}\n\nI hope this helps!"),
            format!("Sure, here it is:\n\n{report}\n\nLet me know if you need more!"),
            format!("{report}\n\n## References\n\n- [1] Survey\n- [2] Winter"),
            format!("{report}\n\n**Sources:**\n1. Survey\n2. Winter"),
            format!("{report}\n\n## Quellen\n\n[1] Survey"),
        ] {
            assert_eq!(report_alone(&text), report, "{text}");
        }
    }

    #[test]
    fn what_belongs_to_a_report_stays() {
        for text in [
            "The costs are as follows:\n\n- Base fee: 5 [1]\n- Tip: 1 [2]",
            "It fell [1].\n\nWhy did it fall [2]?",
            "It fell [1].\n\n## Sources\n\nThe river has two sources, both dry [2].",
            "## References\n\nIt fell [1].",
            "It fell [1].\n\n## Sources\n\n- The tunnel costs 12 million [2].",
            "No: the toll is 12 million francs, for this reason:\n\nThe ferry takes 18 minutes [1].",
            "It fell [1].",
            "",
        ] {
            assert_eq!(report_alone(text), text, "{text}");
        }
    }
}
