//! Tests of settling the statements of a draft.

use precis_proto::CharRange;
use precis_text::CanonicalText;

use precis_proto::claim::{Done, JudgedBy};
use precis_proto::finding::Quote;

use super::*;
use crate::claims::outcome::Fate;
use crate::claims::settled::MOST_CLAIMS;

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
        recognized: None,
    };
    Finding {
        finding_id,
        topic: String::new(),
        statement: text.to_owned(),
        quotes: vec![quote],
        score: 0.5,
        tokens: 9,
        similarity: None,
    }
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
    settled_as(&Opinions::default(), draft, edits)
}

fn settled_by(opinions: &Opinions, draft: &str) -> SettledDraft {
    settled_as(opinions, draft, true)
}

fn settled_as(opinions: &Opinions, draft: &str, edits: bool) -> SettledDraft {
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
    let cited = cite(draft, &findings, &sources);
    let pieces = CitablePieces { findings: &findings, sources: &sources, texts: &texts };
    settle_with(opinions, &UnsettledDraft { query: QUERY, draft, cited: &cited, pieces, edits })
}

fn settle_draft(draft: &str) -> SettledDraft {
    settled_with(draft, true)
}

#[test]
fn a_cell_stands_under_its_column_and_row_and_an_item_under_its_label() {
    let table = "| Party | Pays | Gets |\n| - | - | - |\n| Supplier [1] | 2 percent of it [1] | *nothing* at all [3] |";
    let item = "- **Late payment:** interest is not owed by all [3]; the rest is 3 percent [1].";
    let under = |draft: &str| -> Vec<(String, String)> {
        let settled = settle_draft(draft);
        let said = settled.claims.iter().map(|claim| claim.text.clone());
        said.zip(settled.compared.iter().map(|one| one.under.join(" > "))).collect()
    };
    let pair = |text: &str, under: &str| (text.to_owned(), under.to_owned());
    assert_eq!(
        under(table),
        [
            pair("Supplier", "Party"),
            pair("2 percent of it", "Pays > Supplier"),
            pair("nothing at all", "Gets > Supplier"),
        ]
    );
    let found = under(item);
    assert!(found.iter().all(|(_, under)| under == "Late payment"), "{found:?}");
    assert!(
        found[0].0.starts_with("interest is not owed by all;") || found[0].0 == "interest is not owed by all",
        "{found:?}"
    );
    assert!(under("The supplier pays 4 percent of it. [1]").iter().all(|(_, under)| under.is_empty()));
}

#[test]
fn words_prove_a_statement_or_doubt_it_and_never_refute_it() {
    use Verdict::{NotJudged, Verbatim};
    for (draft, verdict, doubt) in [
        ("The supplier pays the buyer 1 percent of the price [1].", Verbatim, None),
        ("The buyer is not entitled to interest [12] on late payments of the supplier. [3]", Verbatim, None),
        ("**The supplier** pays the buyer one week's 1% of the price. [1]", NotJudged, Some("")),
        ("The supplier pays the buyer 37 percent of the price. [1]", NotJudged, Some("37")),
        ("The supplier pays the buyer 1 euro of the price. [1]", NotJudged, Some("euro")),
        ("The supplier does not pay the buyer 1 percent of the price. [1]", NotJudged, Some("not")),
        ("The supplier can't pay the buyer 1 percent of the price. [1]", NotJudged, Some("t")),
        ("The penalty of Castellan is capped at 5 % of the contract value. [2]", NotJudged, Some("Castellan")),
        ("It may be claimed by the buyer in May 2024. [2]", NotJudged, Some("May")),
        ("It will be claimed by the buyer in March 2024. [2]", NotJudged, Some("may")),
        ("The buyer is entitled to interest on late payments of the supplier. [3]", NotJudged, Some("not")),
        ("The cap of Ada Lovelace on the penalty is 5 % of the contract value. [2]", NotJudged, Some("")),
        ("Bananas grow in warm and rainy countries. [1]", NotJudged, Some("")),
        ("The penalty was 700 euros.", NotJudged, Some("700")),
    ] {
        let found = settle_draft(draft);
        let claim = found.claims.first().unwrap_or_else(|| panic!("{draft}: no claim"));
        assert_eq!(claim.verdict, verdict, "{draft}: {claim:?}");
        let written = found.cited.markdown.replace("\\", "");
        let start: String = draft.chars().take_while(|c| *c != '[').collect();
        assert!(written.starts_with(start.trim_end_matches(['.', ' '])), "{draft}: {written}");
        match doubt {
            None => assert!(claim.done == Done::Kept && !written.contains('†'), "{draft}: {written}"),
            Some("") => assert!(claim.done == Done::Marked && written.contains("(†)"), "{draft}: {written}"),
            Some(doubt) => {
                let remark = written.split_once("(† not found there: ").map_or("", |(_, rest)| rest);
                assert!(claim.done == Done::Marked && remark.contains(doubt), "{draft}: {written}");
            }
        }
    }
}

#[test]
fn a_statement_found_word_for_word_gets_that_citation() {
    let found = settle_draft("The supplier pays the buyer 1 percent of the price. [3]");
    let claim = &found.claims[0];
    assert_eq!((claim.verdict, claim.done), (Verdict::NotSupported, Done::Corrected));
    assert_eq!(found.cited.markdown, "The supplier pays the buyer 1 percent of the price. [1]");
    assert_eq!(found.cited.citations[0].source_id.as_str(), "a");
    let supported = Opinions { judged: BTreeMap::from([(0, opinion(Verdict::Supported))]), ..Opinions::default() };
    let found = settled_by(&supported, "The supplier pays the buyer 1 percent of the price. [3]");
    assert_eq!((found.claims[0].verdict, found.claims[0].done), (Verdict::Supported, Done::Kept));
}

#[test]
fn what_names_a_document_or_follows_from_its_figures_is_no_doubt() {
    let text = "The base fee of 40 gwei is burned. Blobs have a target of 0.375 MB.";
    let canonical = CanonicalText::from_plain(text);
    let source = Source { path: Some("eips/eip-1559_fees.md".to_owned()), ..source("EIP-4844", &canonical) };
    let texts = SourceTexts::from([(source.source_id.clone(), canonical)]);
    let findings = [finding(1, "EIP-4844", text)];
    let doubts = |draft: &str| {
        let found = settle("What does EIP-7918 change?", draft, &findings, std::slice::from_ref(&source), &texts, true);
        crate::claims::doubts(&found.claims[0].checks)
    };
    for draft in [
        "EIP-1559 burns the base fee of 40 gwei, and EIP-7918 builds on it. [1]",
        "EIP-4844 gives blobs a target of about 0.4 MB. [1]",
        "Half of the base fee is 20 gwei. [1]",
    ] {
        assert!(doubts(draft).is_empty(), "{draft}: {:?}", doubts(draft));
    }
    assert_eq!(doubts("EIP-2930 burns the base fee of 40 gwei. [1]"), ["EIP", "2930"].map(str::to_owned)[1..]);
}

fn opinion(verdict: Verdict) -> crate::claims::Opinion {
    let rests_on = finding(1, "a", FEE).quotes.remove(0);
    crate::claims::Opinion { verdict, reason: "so".to_owned(), rests_on: Some(rests_on) }
}

const FREE: &str = "Delay costs the supplier a share of what was agreed. [1]";

#[test]
fn what_a_model_judged_decides_and_only_fates_replace_or_remove() {
    use Verdict::{Disputed, NoClaim, NotSupported, Partly, Supported};
    for (verdict, done, shows) in [
        (Supported, Done::Kept, ""),
        (NoClaim, Done::Kept, ""),
        (Partly, Done::Marked, "(supported in part by its quotes)"),
        (Disputed, Done::Marked, "(another source gives another value)"),
        (NotSupported, Done::Marked, "(no quote supports this)"),
    ] {
        let opinions = Opinions { judged: BTreeMap::from([(0, opinion(verdict))]), ..Opinions::default() };
        let found = settled_by(&opinions, FREE);
        let claim = &found.claims[0];
        assert_eq!((claim.verdict, claim.done, claim.judged_by), (verdict, done, JudgedBy::Model));
        let written = &found.cited.markdown;
        assert!(written.starts_with("Delay costs") && written.contains(shows), "{written}");
        assert_eq!(written.contains('('), !shows.is_empty(), "{written}");
        let removed = Opinions { fates: BTreeMap::from([(0, Fate::Removed)]), ..opinions.clone() };
        let found = settled_by(&removed, FREE);
        assert_eq!((found.cited.markdown.as_str(), found.claims[0].done), ("", Done::Removed));
        let new = "The supplier pays for delay.".to_owned();
        let fate = Fate::Replaced { text: new.clone(), ids: vec![2], verdict: Supported, rests_on: None };
        let found = settled_by(&Opinions { fates: BTreeMap::from([(0, fate)]), ..opinions }, FREE);
        assert_eq!(found.cited.markdown, "The supplier pays for delay. [1]");
        let claim = &found.claims[0];
        assert_eq!((claim.done, claim.now.clone(), claim.now_verdict), (Done::Corrected, Some(new), Some(Supported)));
        assert_eq!(found.cited.citations[0].source_id.as_str(), "b");
    }
    let unjudged = Opinions { fates: BTreeMap::from([(0, Fate::Removed)]), ..Opinions::default() };
    assert!(settled_by(&unjudged, FREE).cited.markdown.starts_with("Delay costs"), "nobody judged it");
}

#[test]
fn labels_heads_and_what_the_documents_do_not_say_are_no_statements() {
    let draft = "**Delay.** It costs 1 percent of the price. [1]\n\nThe documents do not say who pays 5 %. Nordwerk pays 5 % [2].\n\n\
                 | Nordwerk 1 | EIP-9 |\n|---|---|\n| Cap of 2024 | 5 % of the value [2] |";
    let texts: Vec<String> = settle_draft(draft).claims.into_iter().map(|claim| claim.text).collect();
    assert_eq!(texts, ["It costs 1 percent of the price.", "Nordwerk pays 5 %.", "5 % of the value"]);
}

#[test]
fn who_names_a_source_and_denies_something_states_its_figures_and_names() {
    let draft = "Delay costs 1 percent of the price. [1]\n\nNo source denies that Zacharias paid 77 crowns.";
    let texts: Vec<String> = settle_draft(draft).claims.into_iter().map(|claim| claim.text).collect();
    assert!(texts.iter().any(|text| text.contains("Zacharias")), "{texts:?}");
}

#[test]
fn a_figure_missing_from_all_quotes_is_a_claim_despite_judges() {
    let opinions = Opinions { judged: BTreeMap::from([(0, opinion(Verdict::NoClaim))]), ..Opinions::default() };
    let found = settled_by(&opinions, "Delay costs 77 percent of the price. [1]");
    assert_eq!((found.claims[0].verdict, found.claims[0].judged_by), (Verdict::NotJudged, JudgedBy::Checks));
}

#[test]
fn an_item_or_a_row_whose_text_goes_goes_whole() {
    let draft = "- **Delay.** Nobody pays for delay. [1]\n- **Cap.** The penalty of Nordwerk is capped at 5 % of the contract value. [2]\n\n\
                 | | cost |\n|---|---|\n| Delay | none at all [1] |\n| Cap | 5 % of the contract value [2] |";
    let all: BTreeMap<usize, crate::claims::Opinion> =
        [0, 2].into_iter().map(|n| (n, opinion(Verdict::NotSupported))).collect();
    let fates = all.keys().map(|n| (*n, Fate::Removed)).collect();
    let found = settled_by(&Opinions { judged: all, fates }, draft);
    let want = "- **Cap.** The penalty of Nordwerk is capped at 5 % of the contract value. [1]\n\n\
                |  | cost |\n| --- | --- |\n| Cap | 5 % of the contract value [1] |";
    assert_eq!(found.cited.markdown, want);
}

#[test]
fn without_edits_every_statement_is_kept_and_judged() {
    let draft = format!("# Title\n\n{FEE} [1] The supplier pays the buyer 9 percent. [1]\n\n- {CAP} [2]\n");
    let found = settled_with(&draft, false);
    let verdicts: Vec<Verdict> = found.claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!(verdicts, [Verdict::Verbatim, Verdict::NotSupported, Verdict::Verbatim]);
    assert!(found.claims.iter().all(|claim| claim.done == Done::Kept && claim.quotes.len() == 1));
    assert!(found.cited.markdown.contains("9 percent. [1]"));
}

/// A quote may start with a command name in lower case, or follow a title without an end mark.
#[test]
fn a_citation_ends_a_statement_only_at_a_recognized_end() {
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
fn a_claim_states_differences_and_rests_on_a_text_sentence() {
    let found = settle_draft("It may be claimed by the buyer in March 2031. [2]");
    let claim = &found.claims[0];
    let failing: Vec<_> =
        claim.checks.iter().filter(|c| !c.holds).map(|c| (c.kind, c.said.as_str(), c.found.as_deref())).collect();
    assert_eq!(failing, [(precis_proto::claim::CheckKind::Date, "2031", Some("2024"))]);
    let quote = claim.rests_on.as_ref().expect("there is one");
    let text = CanonicalText::from_plain(CAP);
    assert_eq!(text.slice(text.resolve(&quote.locator).expect("a place")), quote.text);
    assert_eq!((claim.quotes.as_slice(), claim.now.as_deref()), (&[1][..], None));
}

#[test]
fn statements_beyond_the_limit_are_marked() {
    for (count, want) in [(MOST_CLAIMS - 1, 0), (MOST_CLAIMS, 0), (MOST_CLAIMS + 1, 1)] {
        let found = settle_draft(&format!("{FEE} [1]\n\n").repeat(count));
        assert_eq!(found.claims.iter().filter(|claim| claim.done == Done::Marked).count(), want, "{count}");
        let found = settle_draft(&format!("{}\n\nSo be it.", format!("{FEE} [1]\n\n").repeat(count)));
        assert!(!found.cited.markdown.contains("So be it. ("), "it states nothing: {count}");
        let found = settle_draft(&format!("{}\n\nNordwerk pays 9 percent.", format!("{FEE} [1]\n\n").repeat(count)));
        assert!(
            found.cited.markdown.contains("9 percent. (†") || found.cited.markdown.contains("9 percent (†"),
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
fn an_uncited_statement_lists_what_each_near_quote_supports() {
    let cited = "The supplier pays the buyer 1 percent of the price [1]. The penalty of Nordwerk is capped at 5 % [2].";
    let near = "The buyer does not pay the supplier a penalty of 7 percent.";
    let found = settle_draft(&format!("{cited}\n\n{near}\n"));
    let claim = found.claims.iter().find(|claim| claim.text == near).expect("it is judged");
    let listed: Vec<u32> = claim.by_quote.iter().map(|one| one.n).collect();
    assert!(claim.quotes.len() > 1, "{claim:?}");
    assert_eq!(listed, claim.quotes);
}

#[test]
fn a_copy_of_a_whole_quote_is_verbatim_whatever_its_parts_lack() {
    use precis_proto::quote_context::{ContextRange, ContextRole};
    let parts = [
        (ContextRole::Heading, "Normas"),
        (ContextRole::Item, "1. Mobiliario: Está prohibido trasladar sillas sin autorización."),
        (ContextRole::Item, "2. Alimentos: Está prohibido el consumo de alcohol."),
    ];
    let lead = "Art. 4 En todas las dependencias rigen las siguientes normas:";
    let text = CanonicalText::from_plain(&format!("{} {lead} {} {}", parts[0].1, parts[1].1, parts[2].1));
    let range_of = |part: &str| {
        let at = text.as_str().find(part).map_or(0, |byte| text.as_str()[..byte].chars().count());
        Locator { page: None, range: CharRange::new(at, at + part.chars().count()) }
    };
    let context =
        parts.map(|(role, part)| ContextRange { role, locator: range_of(part), text: part.to_owned(), at: None });
    let mut found = finding(1, "a", lead);
    (found.quotes[0].locator, found.quotes[0].context) = (range_of(lead), context.to_vec());
    let sources = [source("a", &text)];
    let texts = SourceTexts::from([(SourceId::new("a").expect("an id"), text)]);
    let draft = format!("{} [1]", crate::claims::evidence::statement_of(&found.quotes[0]));
    let settled = settle("¿Se puede consumir alcohol?", &draft, &[found], &sources, &texts, false);
    assert_eq!(settled.claims.len(), 1, "{:?}", settled.claims);
    assert_eq!(
        (settled.claims[0].verdict, settled.claims[0].checks.len()),
        (Verdict::Verbatim, 0),
        "{:?}",
        settled.claims
    );
}
