//! The layout of a report: title, opening, points, citations.

use precis_context::markdown::escape;
use precis_evidence::compared::compared_heads;
use precis_proto::compare::ComparedBy;

use super::merged_statement::MergedStatement;
use super::overview;
use super::overview::OverviewSection;

/// Most characters of a title.
const TITLE_CHARS: usize = 120;
/// Most statements of the opening. Measured on `bench-answers`.
pub(super) const MOST_OPENING: usize = 3;
/// Least share of the best score for the others. Of the second and third statements on 134 questions put to five folders, none of the 52
/// below it answered anything that the first did not (somebody else read them all).
pub(super) const OPENING_SHARE: f64 = 0.8;
/// Most characters of a report that is read at a glance (five lines), and the least share in it: where sentences are short, the next best
/// costs a reader nothing, and it often has the answer. Chosen on the questions of `tests/gold`.
pub(super) const SHORT_CHARS: usize = 350;
/// See [`SHORT_CHARS`].
const SHORT_SHARE: f64 = 0.5;
/// Most characters of an opening of several statements, about six lines. Measured on `bench-answers`: the first length at which openings on
/// `covid` contain more answers than the first three passages of BM25 (600: 0.772, 800: 0.804, 1,000: 0.813; BM25: 0.801). The last one,
/// since statements are whole paragraphs.
pub(super) const OPENING_CHARS: usize = 1_000;

/// The report on `statements`, which are best first and at least one.
pub(super) fn write(query: &str, statements: &[MergedStatement<'_>]) -> String {
    let mut text = title(query);
    let (opening, points) = statements.split_at(opening(statements));
    text.push_str(&opening.iter().map(line).collect::<Vec<_>>().join(" "));
    text.push('\n');
    if !points.is_empty() {
        text.push('\n');
    }
    for point in points {
        text.push_str(&format!("- {}\n", line(point)));
    }
    text
}

/// Number of statements in the opening: the best one, and further ones of similar score while it stays short.
pub(super) fn opening(statements: &[MergedStatement<'_>]) -> usize {
    let score = |statement: &MergedStatement<'_>| statement.finding.score;
    let (mut chars, best) = (0, statements.first().map_or(0.0, score));
    let fits = |statement: &&MergedStatement<'_>| {
        let is_first = chars == 0;
        chars += statement.finding.statement.chars().count();
        is_first || (chars <= OPENING_CHARS && score(statement) >= least_share(chars) * best)
    };
    statements.iter().take(MOST_OPENING).take_while(fits).count()
}

/// Least share of the best score for a further statement of a report that has `chars` characters with it.
pub(super) fn least_share(chars: usize) -> f64 {
    if chars <= SHORT_CHARS { SHORT_SHARE } else { OPENING_SHARE }
}

/// The report with a comparison table.
pub(super) fn write_table(
    query: &str,
    by: ComparedBy,
    opening: Option<&MergedStatement<'_>>,
    rows: &[(String, Vec<MergedStatement<'_>>)],
) -> String {
    let mut text = title(query);
    if let Some(opening) = opening {
        text.push_str(&format!("{}\n\n", line(opening)));
    }
    let [first, second] = compared_heads(query, by);
    text.push_str(&format!("| {first} | {second} |\n| --- | --- |\n"));
    for (name, statements) in rows {
        let cell = statements.iter().map(line).collect::<Vec<_>>().join(" ");
        let cell = if cell.is_empty() { "–" } else { &cell };
        text.push_str(&format!("| {} | {cell} |\n", escape(name)));
    }
    text
}

/// The report with one passage for each section.
pub(super) fn write_overview(query: &str, sections: &[OverviewSection<'_>]) -> String {
    overview::write(&title(query), sections, line)
}

/// The report if no passage answers the question.
pub(super) fn nothing_found(query: &str) -> String {
    format!("{}No passage of the sources answers this question.\n", title(query))
}

/// One statement with its citations: `Text. [3][7]`.
fn line(statement: &MergedStatement<'_>) -> String {
    let citations: String = statement.ids.iter().map(|id| format!("[{id}]")).collect();
    format!("{} {citations}", escape(statement.finding.statement.trim()))
}

/// `# ` and the question on one line, cut at a word to [`TITLE_CHARS`]; `Report` if it is blank.
fn title(query: &str) -> String {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = if line.is_empty() { "Report".to_owned() } else { line };
    format!("# {}\n\n", escape(&cut(&line, TITLE_CHARS)))
}

fn cut(line: &str, most: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(most) else {
        return line.to_owned();
    };
    let head = &line[..end];
    let word = head.rfind(' ').filter(|at| *at * 2 > end).unwrap_or(end);
    format!("{}…", head[..word].trim_end_matches([',', ';', ':', ' ']))
}
