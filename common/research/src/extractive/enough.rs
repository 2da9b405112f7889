//! Where a report ends: what is shown behind the first statements is shown for what they do not say, and not to fill a page.

use precis_evidence::question::query::asking_worth;
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::likeness;

use super::answerability::telling_names;
use super::continued::GivenNames;
use super::measures::share_with_names;
use super::merged_statement::{FLOOR, MergedStatement, score};
use super::report::{MOST_OPENING, OPENING_CHARS, SHORT_CHARS, least_share};

/// Most characters of a report whose points say what those before them lack; short enough to be read as a whole.
const REPORT_CHARS: usize = 1_900;
/// Least share of the question, by the letters of its words, that a further statement has with what names it, unless it has a name or number
/// of the question. Chosen on 134 questions put to five folders, whose statements somebody else had read.
const LEAST_OF_QUESTION: f64 = 0.4;

/// A report as it grows.
struct Growing {
    is_answered: bool,
    asked: Vec<String>,
    /// The terms of each name and number of the question.
    names: Vec<Vec<String>>,
    /// Terms of the question that no statement has yet.
    lacks: Vec<String>,
    given: GivenNames,
    statements: usize,
    chars: usize,
    best: f64,
}

impl Growing {
    fn new(query: &str, is_answered: bool, best: f64) -> Self {
        let asked = terms::query_terms(query);
        let lacks = asked.iter().filter(|term| asking_worth(term) >= 1.0).cloned().collect();
        let names = telling_names(query).map(|(_, terms)| terms).collect();
        Self { is_answered, asked, names, lacks, given: GivenNames::default(), statements: 0, chars: 0, best }
    }

    /// Whether a statement with these terms has a term of the question that the report lacks.
    fn adds(&self, own: &[String]) -> bool {
        self.lacks.iter().any(|asked| is_in(asked, own))
    }

    /// Whether `finding` with these terms is wanted in a report that has `chars` characters with it.
    fn wants(&self, chars: usize, finding: &TaskFinding, own: &[String]) -> bool {
        let opens = self.statements < MOST_OPENING && chars <= OPENING_CHARS;
        match score(finding) {
            _ if self.statements == 0 => true,
            good if good >= FLOOR * self.best && chars <= REPORT_CHARS && self.goes_on(finding, own) => true,
            poor if poor < least_share(chars) * self.best => false,
            _ if opens && chars <= SHORT_CHARS => true,
            _ if self.is_answered && !self.is_about(finding, own) => false,
            _ => opens || (chars <= REPORT_CHARS && self.adds(own)),
        }
    }

    /// Whether `finding` says what the report lacks of a thing that the report names and the question does not.
    fn goes_on(&self, finding: &TaskFinding, own: &[String]) -> bool {
        self.adds(own) && self.given.are_of(finding)
    }

    /// Whether `finding` has enough of the question. Where meaning was compared it chose the finding, whatever its words.
    fn is_about(&self, finding: &TaskFinding, own: &[String]) -> bool {
        let is_named = self.names.iter().any(|name| name.iter().all(|term| is_in(term, own)));
        is_named || finding.similarity.is_some() || share_with_names(&self.asked, finding) >= LEAST_OF_QUESTION
    }
}

fn is_in(asked: &str, own: &[String]) -> bool {
    own.iter().any(|term| likeness(asked, term) > 0.0)
}

/// Removes from `statements`, best first, those that a report on `query` does not need; those for which `is_kept` stay while there is room.
///
/// The first one stays. Others stay if they are about as good and, where the findings answer, about what is asked: in the opening up to its
/// own limit, behind it up to [`REPORT_CHARS`] if they have a term of the question that those before them lack. What says such a term of a
/// document that a statement of another one names need not be as good: it is the second step of an answer.
pub(super) fn retain_needed(
    (query, is_answered): (&str, bool),
    statements: &mut Vec<MergedStatement<'_>>,
    is_kept: &dyn Fn(&MergedStatement<'_>) -> bool,
) {
    let mut report = Growing::new(query, is_answered, statements.first().map_or(0.0, |first| score(first.finding)));
    statements.retain(|statement| {
        let own = terms::terms(&statement.finding.statement);
        let chars = report.chars + statement.finding.statement.chars().count();
        let is_wanted = report.wants(chars, statement.finding, &own);
        if !is_wanted && (chars > REPORT_CHARS || !is_kept(statement)) {
            return false;
        }
        report.lacks.retain(|asked| !is_in(asked, &own));
        report.given.add(statement.finding, &report.asked);
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
        kept_for("the dam and the bridge", findings)
    }

    fn kept_for(query: &str, findings: &[TaskFinding]) -> Vec<u32> {
        kept_if(true, query, findings)
    }

    fn kept_if(is_answered: bool, query: &str, findings: &[TaskFinding]) -> Vec<u32> {
        let mut statements = distinct(findings);
        retain_needed((query, is_answered), &mut statements, &|statement| statement.finding.id == 9);
        statements.iter().map(|statement| statement.finding.id).collect()
    }

    #[test]
    fn what_only_says_more_is_left_out_beyond_the_opening() {
        let four = [1, 2, 3, 4].map(|id| finding(id, &format!("dam and bridge {id}"), 100, 0.9));
        assert_eq!(kept(&four), [1, 2, 3]);
        for (chars, ids) in [(OPENING_CHARS - 500, vec![1, 2]), (OPENING_CHARS - 499, vec![1])] {
            let two = [finding(1, "dam and bridge", 500, 0.9), finding(2, "the dam and bridge", chars, 0.9)];
            assert_eq!(kept(&two), ids, "{chars}");
        }
    }

    #[test]
    fn what_says_another_part_of_the_question_stays() {
        let with = |words: &str, chars, score| {
            kept(&[finding(1, "the dam", 500, 0.9), finding(2, "a dam", 499, 0.9), finding(3, words, chars, score)])
        };
        let (least, most) = (0.9 * least_share(REPORT_CHARS), REPORT_CHARS - 999);
        assert_eq!(with("bridge", most, least), [1, 3]);
        assert_eq!(with("bridge", most + 500, least), [1], "too long");
        assert_eq!(with("bridge", most, least - 0.01), [1], "too weak");
        assert_eq!(with("dams", most, 0.9), [1], "said before");
    }

    #[test]
    fn a_short_report_takes_the_next_best() {
        let with = |chars, score| kept(&[finding(1, "the dam and bridge", 200, 0.9), finding(2, "dams", chars, score)]);
        let (half, most) = (0.9 * least_share(SHORT_CHARS), SHORT_CHARS - 200);
        assert_eq!([most - 1, most, most + 1].map(|chars| with(chars, half).len()), [2, 2, 1]);
        assert_eq!(with(most, half - 0.01), [1], "too weak");
    }

    #[test]
    fn a_further_statement_is_about_enough_of_the_question() {
        let with = |words: &str, similarity| {
            let other = TaskFinding { similarity, ..finding(2, words, 100, 0.9) };
            kept_for("dam bridge lock", &[finding(1, "the dam and bridge", 400, 0.9), other])
        };
        assert_eq!(with("bridge lock", None), [1, 2]);
        assert_eq!(with("lock", None), [1], "a quarter of the letters");
        assert_eq!(with("lock", Some(0.9)), [1, 2], "chosen by meaning");
        let named = [finding(1, "the dam and bridge", 400, 0.9), finding(2, "Norby", 100, 0.9)];
        assert_eq!(kept_for("dam and bridge in Norby", &named), [1, 2], "it has the name");
        let closest = [finding(1, "the dam and bridge", 400, 0.9), finding(2, "lock", 100, 0.9)];
        assert_eq!(kept_if(false, "dam bridge lock", &closest), [1, 2], "the closest passages");
    }

    #[test]
    fn the_second_step_of_an_answer_need_not_be_as_good() {
        let with = |title: &str, score| {
            let other = TaskFinding { title: title.to_owned(), ..finding(2, "bridge", 400, score) };
            kept(&[finding(1, "the dam by R-17", 400, 0.9), other])
        };
        assert_eq!(with("Rule R-17", 0.9 * FLOOR), [1, 2]);
        assert_eq!(with("Rule R-17", 0.9 * FLOOR - 0.01), [1]);
        assert_eq!(with("Rule R-18", 0.9 * FLOOR), [1]);
    }

    #[test]
    fn what_must_stay_stays_while_there_is_room() {
        let with = |chars| kept(&[finding(1, "the dam", 800, 0.9), finding(9, "a dam", chars, 0.1)]);
        assert_eq!(with(REPORT_CHARS - 800), [1, 9]);
        assert_eq!(with(REPORT_CHARS - 799), [1]);
    }
}
