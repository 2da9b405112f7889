//! Warnings of what a model made up as far as words can tell: quotations and figures that its quotes lack, in statements that nobody judged.

use precis_proto::Phase;
use precis_proto::claim::{CheckKind, Claim, Done, Verdict};
use precis_proto::warning::{Warning, WarningCode};

use super::settled::{ComparedWith, SettledDraft};

/// Most warnings of one report. Chosen.
pub const MOST_DOUBT_WARNINGS: usize = 50;
/// Most characters of a statement, and of a quotation, that a warning repeats; most figures that it names.
const STATEMENT_CHARS: usize = 80;
const QUOTATION_CHARS: usize = 120;
const MOST_FIGURES: usize = 5;

/// The warnings of `settled`: one for each quotation that is in no quote, and one for each cited statement with figures that its quotes
/// lack; at most [`MOST_DOUBT_WARNINGS`].
#[must_use]
pub fn doubt_warnings(settled: &SettledDraft) -> Vec<Warning> {
    let claims = settled.claims.iter().zip(&settled.compared);
    let open = claims.filter(|(claim, _)| claim.verdict == Verdict::NotJudged && claim.done != Done::Removed);
    open.flat_map(|(claim, compared)| of_claim(claim, compared)).take(MOST_DOUBT_WARNINGS).collect()
}

fn of_claim(claim: &Claim, compared: &ComparedWith) -> Vec<Warning> {
    let failed = || claim.checks.iter().filter(|check| !check.holds);
    let cut = |text: &str, chars| text.chars().take(chars).collect::<String>();
    let warning = |code, message| Warning::new(code, Phase::Evaluation, message);
    let mut found: Vec<Warning> = failed()
        .filter(|check| check.kind == CheckKind::Quoted)
        .map(|check| {
            let words = cut(&check.said, QUOTATION_CHARS);
            let message = format!("no quote cited there contains these words: “{words}”");
            warning(WarningCode::QuotationAltered, message)
        })
        .collect();
    let mut figures: Vec<&str> = Vec::new();
    for check in failed().filter(|check| matches!(check.kind, CheckKind::Number | CheckKind::Date)) {
        if check.said.contains(|c: char| c.is_numeric()) && !figures.contains(&check.said.as_str()) {
            figures.push(&check.said);
        }
    }
    if compared.cites && !figures.is_empty() {
        figures.truncate(MOST_FIGURES);
        let message =
            format!("no quote cited there contains {}: {}", figures.join(", "), cut(&claim.text, STATEMENT_CHARS));
        found.push(warning(WarningCode::FigureUnsupported, message));
    }
    found
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::{Check, JudgedBy};

    use super::*;

    fn settled(count: usize, verdict: Verdict, cites: bool) -> SettledDraft {
        let check = |kind, said: &str, holds| Check { kind, said: said.to_owned(), found: None, holds };
        let claim = Claim {
            text: "It fell by 9 percent.".to_owned(),
            verdict,
            quotes: vec![1],
            by_quote: Vec::new(),
            checks: vec![
                check(CheckKind::Number, "9", false),
                check(CheckKind::Number, "9", false),
                check(CheckKind::Number, "7", true),
                check(CheckKind::Name, "Brem", false),
            ],
            rests_on: None,
            judged_by: JudgedBy::Checks,
            reason: None,
            done: Done::Marked,
            now: None,
            now_verdict: None,
        };
        let compared = ComparedWith { cites, ..ComparedWith::default() };
        SettledDraft { claims: vec![claim; count], compared: vec![compared; count], ..SettledDraft::default() }
    }

    #[test]
    fn figures_missing_from_quotes_are_reported_where_not_judged() {
        let told = |verdict, cites| doubt_warnings(&settled(1, verdict, cites));
        let found = told(Verdict::NotJudged, true);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "no quote cited there contains 9: It fell by 9 percent.");
        assert!(told(Verdict::NotJudged, false).is_empty(), "it cites nothing that could contain it");
        assert!(told(Verdict::Supported, true).is_empty(), "a model judged it");
    }

    #[test]
    fn no_more_is_reported_than_the_limit() {
        for (count, want) in [
            (MOST_DOUBT_WARNINGS - 1, MOST_DOUBT_WARNINGS - 1),
            (MOST_DOUBT_WARNINGS, MOST_DOUBT_WARNINGS),
            (MOST_DOUBT_WARNINGS + 1, MOST_DOUBT_WARNINGS),
        ] {
            assert_eq!(doubt_warnings(&settled(count, Verdict::NotJudged, true)).len(), want);
        }
    }
}
