//! Tests of settling the statements of a draft.

use precis_proto::CharRange;
use precis_text::CanonicalText;

use super::*;

const QUERY: &str = "What does delay cost?";

fn finding(finding_id: u32, source: &str, text: &str) -> Finding {
    let range = CharRange::new(0, text.chars().count());
    let source_id = SourceId::new(source).expect("an id");
    let quote = Quote {
        source_id,
        locator: Locator { page: None, range },
        text: text.to_owned(),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
    };
    Finding { finding_id, topic: String::new(), statement: text.to_owned(), quotes: vec![quote], score: 0.5, tokens: 9 }
}

fn source(id: &str, text: &CanonicalText) -> Source {
    serde_json::from_value(serde_json::json!({
        "source_id": id, "title": format!("{id}.pdf"), "origin": { "content": text.hash() },
        "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
    }))
    .expect("a source")
}

const FEE: &str = "The supplier pays the buyer 1 percent of the price for each week of delay.";
const CAP: &str =
    "The penalty of Nordwerk is capped at 5 % of the contract value. It may be claimed by the buyer in March 2024.";
const NOT: &str = "The buyer is not entitled to interest [12] on late payments of the supplier.";

fn settled_with(draft: &str, edits: bool) -> SettledDraft {
    let quotes = [("a", FEE), ("b", CAP), ("c", NOT)];
    let texts: SourceTexts = quotes
        .iter()
        .map(|(id, text)| {
            let text = format!("{text} Behind it stands the name of Ada Lovelace and the year 1984.");
            (SourceId::new(*id).expect("an id"), CanonicalText::from_plain(&text))
        })
        .collect();
    let findings: Vec<Finding> = quotes.iter().zip(1..).map(|((id, text), n)| finding(n, id, text)).collect();
    let sources: Vec<Source> = texts.iter().map(|(id, text)| source(id.as_str(), text)).collect();
    settle(QUERY, draft, &findings, &sources, &texts, edits)
}

fn settled(draft: &str) -> SettledDraft {
    settled_with(draft, true)
}

#[test]
fn a_statement_gets_its_verdict_and_what_fails_is_corrected_marked_or_removed() {
    use Done::{Corrected, Kept, Marked, Removed};
    use Verdict::{NotSupported, Partly, Supported, Verbatim};
    let table: [(&str, Verdict, Done, &str); 19] = [
        (
            "The supplier pays the buyer 1 percent of the price [1].",
            Verbatim,
            Kept,
            "The supplier pays the buyer 1 percent of the price [1].",
        ),
        (
            "**The supplier** pays the buyer one week's 1% of the price. [1]",
            Supported,
            Kept,
            "**The supplier** pays the buyer one week's 1% of the price. [1]",
        ),
        (
            "The supplier pays the buyer 2 percent of the price. [1]",
            NotSupported,
            Corrected,
            &(FEE.to_owned() + " [1]"),
        ),
        ("The supplier pays the buyer 1 euro of the price. [1]", NotSupported, Corrected, &(FEE.to_owned() + " [1]")),
        (
            "The supplier does not pay the buyer 1 percent of the price. [1]",
            NotSupported,
            Corrected,
            &(FEE.to_owned() + " [1]"),
        ),
        (
            "The penalty of Castellan is capped at 5 % of the contract value. [2]",
            NotSupported,
            Corrected,
            "The penalty of Nordwerk is capped at 5 % of the contract value. [1]",
        ),
        (
            "It may be claimed by the buyer in May 2024. [2]",
            NotSupported,
            Corrected,
            "It may be claimed by the buyer in March 2024. [1]",
        ),
        (
            "It may be claimed by the buyer in March 2023. [2]",
            NotSupported,
            Corrected,
            "It may be claimed by the buyer in March 2024. [1]",
        ),
        (
            "It will be claimed by the buyer in March 2024. [2]",
            Partly,
            Marked,
            "It will be claimed by the buyer in March 2024. (supported in part by its quotes) [1]",
        ),
        (
            "The buyer is entitled to interest on late payments of the supplier. [3]",
            NotSupported,
            Corrected,
            "The buyer is not entitled to interest \\[12\\] on late payments of the supplier. [1]",
        ),
        (
            "The buyer is not entitled to interest [12] on late payments of the supplier. [3]",
            Verbatim,
            Kept,
            "The buyer is not entitled to interest \\[12\\] on late payments of the supplier. [1]",
        ),
        (
            "The supplier pays the buyer 1 percent of the price. [3]",
            NotSupported,
            Corrected,
            "The supplier pays the buyer 1 percent of the price. [1]",
        ),
        ("Bananas grow in warm and rainy countries. [1]", NotSupported, Removed, ""),
        (
            "The cap of Ada Lovelace on the penalty is 5 % of the contract value. [2]",
            Supported,
            Kept,
            "The cap of Ada Lovelace on the penalty is 5 % of the contract value. [1]",
        ),
        (
            "The penalty of Nordwerk is capped at 5 % of the contract value. It may be claimed by the buyer in March 2025. [2]",
            NotSupported,
            Corrected,
            "The penalty of Nordwerk is capped at 5 % of the contract value. It may be claimed by the buyer in March 2024. [1]",
        ),
        (
            "In 1974 it was built by Ada. The supplier pays the buyer 1 percent of the price. [1]",
            NotSupported,
            Corrected,
            "The supplier pays the buyer 1 percent of the price. [1]",
        ),
        (
            "The supplier can't pay the buyer 1 percent of the price. [1]",
            NotSupported,
            Corrected,
            &(FEE.to_owned() + " [1]"),
        ),
        ("The penalty was 700 euros.", NotSupported, Marked, "The penalty was 700 euros. (no quote supports this)"),
        (
            "- The supplier pays the buyer 3 percent of the price. [1]\n- Bananas grow in warm countries. [1]",
            NotSupported,
            Corrected,
            &("- ".to_owned() + FEE + " [1]"),
        ),
    ];
    for (draft, verdict, done, want) in table {
        let found = settled(draft);
        let claim = found.claims.first().unwrap_or_else(|| panic!("{draft}: no claim"));
        assert_eq!(
            (claim.verdict, claim.done, found.cited.markdown.as_str()),
            (verdict, done, want),
            "{draft}: {claim:?}"
        );
    }
}

#[test]
fn without_edits_all_stands_and_is_judged() {
    let draft = format!("# Title\n\n{FEE} [1] The supplier pays the buyer 9 percent. [1]\n\n- {CAP} [2]\n");
    let found = settled_with(&draft, false);
    let verdicts: Vec<Verdict> = found.claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!(verdicts, [Verdict::Verbatim, Verdict::NotSupported, Verdict::Verbatim]);
    assert!(found.claims.iter().all(|claim| claim.done == Done::Kept && claim.quotes.len() == 1));
    assert!(found.cited.markdown.contains("9 percent. [1]"));
}

/// A quote may start with a command name in lower case, or follow a title without an end mark.
#[test]
fn a_citation_ends_a_statement_where_an_end_mark_or_the_built_in_model_says_so() {
    let texts = |draft: &str, edits| -> Vec<String> {
        settled_with(draft, edits).claims.into_iter().map(|claim| claim.text).collect()
    };
    let ended = format!("{FEE} [1] precis pays the buyer 1 percent. [1]");
    assert_eq!(texts(&ended, true), [FEE, "precis pays the buyer 1 percent."]);
    let open = "The supplier pays [1] the buyer 1 percent. [1]";
    assert_eq!(texts(open, true), ["The supplier pays the buyer 1 percent."]);
    assert_eq!(texts(open, false), ["The supplier pays", "the buyer 1 percent."]);
}

#[test]
fn citations_with_nothing_but_white_space_between_them_part_no_statement() {
    for gap in ["", " ", "  ", "     ", " \n"] {
        for edits in [true, false] {
            let found = settled_with(
                &format!("{FEE} [1]{gap}[2] <b and more. [1]\n\n| x |\n|---|\n| {FEE} [1]{gap}[3] <b |"),
                edits,
            );
            assert!(found.claims.iter().any(|claim| claim.text == FEE), "{gap:?}: {:?}", found.claims);
        }
    }
}

#[test]
fn a_report_of_which_nothing_is_left_is_lost() {
    assert!(settled("Bananas grow in warm and rainy countries. [1]").is_lost());
    assert!(!settled("Bananas grow in warm and rainy countries.").is_lost());
    assert!(!settled(&format!("{FEE} [1]\n\nBananas grow in warm countries. [1]")).is_lost());
    let found = settled(
        "# Fruit\n\n## Bananas\n\nBananas grow in warm countries. [1]\n\n## Delay\n\nThe supplier pays the buyer. [1]",
    );
    assert_eq!(found.cited.markdown, "# Fruit\n\n## Delay\n\nThe supplier pays the buyer. [1]");
}

#[test]
fn a_claim_says_what_differs_and_rests_on_a_sentence_of_the_text() {
    let found = settled("It may be claimed by the buyer in March 2025. [2]");
    let claim = &found.claims[0];
    let failing: Vec<_> =
        claim.checks.iter().filter(|c| !c.holds).map(|c| (c.kind, c.said.as_str(), c.found.as_deref())).collect();
    assert_eq!(failing, [(precis_proto::claim::CheckKind::Date, "2025", Some("2024"))]);
    let quote = claim.rests_on.as_ref().expect("there is one");
    let text = CanonicalText::from_plain(CAP);
    assert_eq!(text.slice(text.resolve(&quote.locator).expect("a place")), quote.text);
    assert_eq!((claim.quotes.as_slice(), claim.now.as_deref()), (&[1][..], Some(quote.text.as_str())));
}

#[test]
fn statements_beyond_the_limit_are_marked() {
    for (count, want) in [(MOST_CLAIMS - 1, 0), (MOST_CLAIMS, 0), (MOST_CLAIMS + 1, 1)] {
        let found = settled(&format!("{FEE} [1]\n\n").repeat(count));
        assert_eq!(found.claims.iter().filter(|claim| claim.done == Done::Marked).count(), want, "{count}");
        let found = settled(&format!("{}\n\nThe supplier pays the buyer.", format!("{FEE} [1]\n\n").repeat(count)));
        assert!(!found.cited.markdown.contains("supplier pays the buyer. ("), "it states nothing: {count}");
        let found = settled(&format!("{}\n\nNordwerk pays 9 percent.", format!("{FEE} [1]\n\n").repeat(count)));
        assert!(
            found.cited.markdown.contains("9 percent. (") || found.cited.markdown.contains("9 percent ("),
            "{count}"
        );
    }
}

#[test]
fn what_sources_give_different_values_for_is_disputed() {
    let texts = ["The penalty cap is 5 % of the price.", "The penalty cap is 10 % of the price."];
    let canonical = texts.map(CanonicalText::from_plain);
    let findings: Vec<Finding> = texts.iter().zip(1..).map(|(text, n)| finding(n, &format!("s{n}"), text)).collect();
    let sources: Vec<Source> = canonical.iter().zip(1..).map(|(text, n)| source(&format!("s{n}"), text)).collect();
    let draft = "The penalty cap is 5 % of the price. [1]\n\nThe penalty cap is 10 % of the price. [2]";
    let found = settle("What is the penalty cap?", draft, &findings, &sources, &SourceTexts::new(), true);
    assert!(
        found.claims.iter().all(|c| c.verdict == Verdict::Disputed && c.done == Done::Marked),
        "{:?}",
        found.claims
    );
    assert_eq!(found.cited.markdown.matches("(another source gives another value)").count(), 2);
}

#[test]
fn a_statement_without_a_citation_tells_what_each_quote_it_is_near_supports() {
    let cited = "The supplier pays the buyer 1 percent of the price [1]. The penalty of Nordwerk is capped at 5 % [2].";
    let near = "The buyer does not pay the supplier a penalty of 7 percent.";
    let found = settled(&format!("{cited}\n\n{near}\n"));
    let claim = found.claims.iter().find(|claim| claim.text == near).expect("it is judged");
    let listed: Vec<u32> = claim.by_quote.iter().map(|one| one.n).collect();
    assert!(claim.quotes.len() > 1, "{claim:?}");
    assert_eq!(listed, claim.quotes);
}
