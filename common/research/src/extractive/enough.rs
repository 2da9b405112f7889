//! Where a report ends: what is shown behind the first statements is shown for what they do not say, and not to fill a page.

use precis_evidence::question::query::asking_worth;
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::likeness;

use super::merged_statement::{FLOOR, MergedStatement, score};
use super::report::{MOST_OPENING, OPENING_CHARS, OPENING_SHARE};

/// Most characters of a report whose points only say more of what its opening says. With the 1,900 of before, 7 of 107 reports more held
/// the whole answer, and the median report had 1,700 characters instead of 735.
const SAID_CHARS: usize = 700;
/// Most characters of a report whose points say what those before them lack; short enough to be read as a whole.
const REPORT_CHARS: usize = 1_900;

/// A report as it grows.
struct Growing {
    /// Terms of the question that no statement has yet.
    lacks: Vec<String>,
    sources: Vec<u32>,
    statements: usize,
    chars: usize,
    best: f64,
}

impl Growing {
    fn new(query: &str, best: f64) -> Self {
        let lacks = terms::query_terms(query).into_iter().filter(|term| asking_worth(term) >= 1.0).collect();
        Self { lacks, sources: Vec::new(), statements: 0, chars: 0, best }
    }

    /// Whether a statement with these terms has a term of the question that the report lacks.
    fn adds(&self, own: &[String]) -> bool {
        self.lacks.iter().any(|asked| is_in(asked, own))
    }

    /// Whether `finding` with these terms is wanted in a report that has `chars` characters with it.
    fn wants(&self, chars: usize, finding: &TaskFinding, own: &[String]) -> bool {
        let opens = self.statements < MOST_OPENING && chars <= OPENING_CHARS;
        let is_short = chars <= SAID_CHARS;
        match score(finding) {
            _ if self.statements == 0 => true,
            good if good >= OPENING_SHARE * self.best && (opens || is_short) => true,
            poor if poor < FLOOR * self.best => false,
            _ if is_short && !self.sources.contains(&finding.source) => true,
            _ => chars <= REPORT_CHARS && self.adds(own),
        }
    }
}

fn is_in(asked: &str, own: &[String]) -> bool {
    own.iter().any(|term| likeness(asked, term) > 0.0)
}

/// Removes from `statements`, best first, those that a report on `query` does not need; those for which `is_kept` stay while there is room.
///
/// The first one stays. Others stay up to [`SAID_CHARS`] characters in all if they are about as good (in the opening, up to its own limit)
/// or of a further source, and up to [`REPORT_CHARS`] if they have a term of the question that those before them lack.
pub(super) fn retain_needed(
    query: &str,
    statements: &mut Vec<MergedStatement<'_>>,
    is_kept: &dyn Fn(&MergedStatement<'_>) -> bool,
) {
    let mut report = Growing::new(query, statements.first().map_or(0.0, |first| score(first.finding)));
    statements.retain(|statement| {
        let own = terms::terms(&statement.finding.statement);
        let chars = report.chars + statement.finding.statement.chars().count();
        let is_wanted = report.wants(chars, statement.finding, &own);
        if !is_wanted && (chars > REPORT_CHARS || !is_kept(statement)) {
            return false;
        }
        report.lacks.retain(|asked| !is_in(asked, &own));
        report.sources.push(statement.finding.source);
        (report.statements, report.chars) = (report.statements + 1, chars);
        true
    });
}

#[cfg(test)]
mod tests {
    use super::super::merged_statement::distinct;
    use super::*;

    /// A statement of `chars` characters that begins with `words`.
    fn finding(id: u32, words: &str, chars: usize, score: f64) -> TaskFinding {
        TaskFinding {
            id,
            topic: String::new(),
            statement: format!("{words} {}", "x".repeat(chars - words.len() - 1)),
            title: String::new(),
            source: id,
            score,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        }
    }

    fn kept(findings: &[TaskFinding]) -> Vec<u32> {
        let mut statements = distinct(findings);
        retain_needed("the dam and the bridge", &mut statements, &|statement| statement.finding.id == 9);
        statements.iter().map(|statement| statement.finding.id).collect()
    }

    #[test]
    fn what_only_says_more_is_left_out_beyond_its_length() {
        for chars in [SAID_CHARS - 401, SAID_CHARS - 400] {
            let few =
                [(1, 100), (2, 100), (3, 200), (4, chars)].map(|(id, n)| finding(id, &format!("dam {id}"), n, 0.9));
            assert_eq!(kept(&few), [1, 2, 3, 4], "{chars}");
        }
        let more = [(1, 100), (2, 100), (3, 200), (4, SAID_CHARS - 399)];
        assert_eq!(kept(&more.map(|(id, n)| finding(id, &format!("dam {id}"), n, 0.9))), [1, 2, 3]);
        for (chars, ids) in [(OPENING_CHARS - 500, vec![1, 2]), (OPENING_CHARS - 499, vec![1])] {
            assert_eq!(kept(&[finding(1, "dam", 500, 0.9), finding(2, "the dam", chars, 0.9)]), ids, "{chars}");
        }
    }

    #[test]
    fn what_says_another_part_of_the_question_stays() {
        let with = |words: &str, chars, score| {
            kept(&[finding(1, "the dam", 500, 0.9), finding(2, "a dam", 499, 0.8), finding(3, words, chars, score)])
        };
        let (least, most) = (0.9 * FLOOR, REPORT_CHARS - 999);
        assert_eq!(with("bridge", most, least), [1, 2, 3]);
        assert_eq!(with("bridge", most + 1, least), [1, 2], "too long");
        assert_eq!(with("bridge", most, least - 0.01), [1, 2], "too weak");
        assert_eq!(with("dams", most, 0.8), [1, 2], "said before");
    }

    #[test]
    fn a_further_source_speaks_while_the_report_is_short() {
        let with = |source, chars, score| {
            let other = TaskFinding { source, ..finding(2, "a dam", chars, score) };
            kept(&[finding(1, "the dam", 400, 0.9), other])
        };
        let least = 0.9 * FLOOR;
        assert_eq!(with(2, SAID_CHARS - 400, least), [1, 2]);
        assert_eq!(with(2, SAID_CHARS - 399, least), [1], "too long");
        assert_eq!(with(2, SAID_CHARS - 400, least - 0.01), [1], "too weak");
        assert_eq!(with(1, SAID_CHARS - 400, least), [1], "the same source");
    }

    #[test]
    fn what_must_stay_stays_while_there_is_room() {
        let with = |chars| kept(&[finding(1, "the dam", 800, 0.9), finding(9, "a dam", chars, 0.1)]);
        assert_eq!(with(REPORT_CHARS - 800), [1, 9]);
        assert_eq!(with(REPORT_CHARS - 799), [1]);
    }
}
