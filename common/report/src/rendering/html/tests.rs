//! Tests that the page loads nothing, runs nothing, and links every number to its quote and back.

use precis_proto::call::LayerUsage;
use precis_proto::response::Citation;

use super::*;
use crate::rendering::context::contexts;
use crate::sample;

fn page() -> (ReportData, String) {
    let (data, archive) = sample::report();
    let text_of = |hex: &str| std::str::from_utf8(archive.get(hex)?).ok();
    let page = render(&data, &data.warning_details, &contexts(&data.citations, &text_of, &|_| None), &BTreeMap::new());
    (data, page)
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

#[test]
fn the_page_refers_to_nothing_outside_itself() {
    let (mut data, _) = page();
    data.query = "What does https://a.example say?".to_owned();
    data.report = data.report.lines().skip(1).collect::<Vec<_>>().join("\n");
    let page = render(&data, &data.warning_details, &BTreeMap::new(), &BTreeMap::new());
    let (head, body) = page.split_once("<body").expect("a body");
    assert!(!head.replace("http-equiv", "").contains("http"), "{head}");
    assert!(head.contains("default-src 'none'"), "{head}");
    for reference in ["src=", "url(", "@import", "<link", "<script", "<img", "<iframe", "srcset", "onclick", "onload="]
    {
        assert_eq!(count(&head.to_lowercase(), reference) + count(&body.to_lowercase(), reference), 0, "{reference}");
    }
}

#[test]
fn the_page_has_the_line_between_the_model_and_precis() {
    let (data, _) = sample::report();
    let page = render(&data, &data.warning_details, &BTreeMap::new(), &BTreeMap::new());
    let line = page.find("<p class=\"boundary\"").expect("a line");
    assert!(page[line..].contains("were written by the model house:small."), "{}", &page[line..line + 300]);
    assert!(line < page.find("<h2 id=\"quotes\"").expect("quotes"));
}

#[test]
fn every_link_is_an_anchor_or_a_shown_address() {
    let (_, page) = page();
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "ids are unique");
    for link in page.split(" href=\"").skip(1) {
        let target = link.split('"').next().expect("quoted");
        match target.strip_prefix('#') {
            Some(id) => assert!(ids.contains(&id), "{target}"),
            None => {
                assert_eq!(target, "https://ice.example/report?a=1&#38;b=2");
                assert!(link.contains("rel=\"noreferrer noopener\""), "{target}");
            }
        }
    }
}

#[test]
fn only_texts_stored_with_the_page_are_linked() {
    let (data, bare) = page();
    assert_eq!(count(&bare, "href=\"archive/"), 0);
    let hash = &data.citations[0].source_text_hash;
    let quotes = data.citations.iter().filter(|c| c.source_text_hash == *hash).count();
    let sources = data.sources.iter().filter(|s| s.source_text_hash.as_ref() == Some(hash)).count();
    let links = BTreeMap::from([(crate::verify::hex_of(hash).to_owned(), "archive/a%2541/b.txt".to_owned())]);
    let page = render(&data, &[], &BTreeMap::new(), &links);
    assert_eq!(count(&page, "href=\"archive/a%2541/b.txt\""), quotes + sources);
}

#[test]
fn each_number_links_its_quote_and_each_quote_every_place() {
    let (data, page) = page();
    for (citation, places) in data.citations.iter().zip([2, 2, 1]) {
        let n = citation.n;
        assert_eq!(count(&page, &format!("<li id=\"q{n}\"")), 1);
        for k in 1..=places {
            assert_eq!(count(&page, &format!("id=\"r{n}-{k}\"")), 1, "place {k} of {n}");
            assert_eq!(count(&page, &format!("href=\"#r{n}-{k}\"")), 1, "back to place {k} of {n}");
        }
        assert_eq!(count(&page, &format!("id=\"r{n}-{}\"", places + 1)), 0);
    }
}

#[test]
fn a_quote_is_marked_within_its_page() {
    let (_, page) = page();
    assert!(
        page.contains("The loss was <mark>largest below 2500 m, where 二年間で snow rarely las</mark>ts."),
        "{page}"
    );
    let (data, _) = sample::report();
    let bare = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    assert!(
        bare.contains("<blockquote class=\"context\" dir=\"auto\"><mark>largest below"),
        "a quote without its context stands alone"
    );
}

#[test]
fn text_from_sources_is_inert() {
    let (_, page) = page();
    assert!(page.contains("&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;"), "the hostile quote is shown");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the report's own HTML is shown");
    assert!(page.contains("‹U+202E›") && !page.contains('\u{202e}'), "what reorders text is shown, not obeyed");
    assert!(page.contains("<bdi>javascript:alert(1)</bdi>") && !page.contains("href=\"javascript"));
    assert!(page.contains("[12]"), "a literal bracket stays text");
    assert_eq!(count(&page, "href=\"#q12\""), 0);
}

#[test]
fn the_page_shows_the_fate_of_each_source_and_problems() {
    let (data, page) = page();
    for text in [
        "2 of about 2 sentences quoted",
        "<li id=\"s3\" class=\"failed\">",
        "could not be read: fetch https://gone.example: 404",
        "<li><bdi>A source could not be read, so nothing in this report is based on it.</bdi></li>",
        "<dd><bdi>2026-01-31 12:00 UTC</bdi></dd>",
        "<html lang=\"en\" dir=\"ltr\">",
        "condensed, to fit the budget <span class=\"tokens\">40 → 20</span>",
        "left out, to fit the budget <span class=\"tokens\">40 → 0</span>",
        "unchanged in extraction, compression",
        "<bdi>fetch https://gone.example: 404</bdi> <code>http_404</code>",
        "<code>CONTENT_DROPPED</code>",
        "1 source &#60;left&#62; out",
        "<tr><th scope=\"row\">summarization</th><td>0.5</td><td>2</td><td>80</td><td>20</td><td>20</td><td>0</td><td>40</td></tr>",
        "<bdi>house:small</bdi>",
        "How fast do glaciers melt?</h1>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(count(&page, "class=\"question\""), 0, "the question is not said twice");
    let mut other = data;
    other.session.incomplete = true;
    other.session.stop_reason = Some(precis_proto::stop_reason::StopReason::Deadline);
    other.query = "And the sea?".to_owned();
    let page = render(&other, &[], &BTreeMap::new(), &BTreeMap::new());
    assert!(page.contains("Incomplete: the session reached its deadline.") && page.contains(">And the sea?</p>"));
    assert_eq!(count(&page, "id=\"warnings\""), 0);
}

#[test]
fn each_call_is_a_bar_of_layers_and_omissions() {
    let (mut data, page) = page();
    assert_eq!(count(&page, "class=\"stack\""), 0, "no call, no bar");
    for (call_key, dropped) in [("call:1", 0), ("call:2", 400)] {
        for (layer, kept) in [("L1", 200), ("L3", 500), ("L5", 50)] {
            let dropped = if layer == "L3" { dropped } else { 0 };
            data.token_usage.push(LayerUsage {
                call_key: call_key.to_owned(),
                provider: "house:<small>".to_owned(),
                layer: layer.to_owned(),
                estimated: kept + dropped,
                budget: 1_000,
                kept,
                dropped,
                ..LayerUsage::default()
            });
        }
    }
    let page = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    assert_eq!(count(&page, "class=\"stack\""), 2);
    for (class, width) in [("l1", "20.00"), ("l3", "50.00"), ("l5", "5.00")] {
        // The second bar is longer than its budget: 1,150 tokens were offered.
        assert_eq!(count(&page, &format!("<span class=\"{class}\" style=\"width:{width}%\"")), 1, "{class}");
        assert_eq!(count(&page, &format!("<span class=\"{class}\"")), 2, "{class}");
    }
    assert_eq!(count(&page, "<span class=\"out\" style=\"width:34.78%\" title=\"left out: 400\""), 1);
    assert!(page.contains("aria-label=\"rules 200, evidence 500, question 50, left out 400 tokens\""), "{page}");
    assert!(page.contains("750 of 1,000</span>") && page.contains("750 of 1,000, 400 left out</span>"));
    assert!(page.contains("<bdi>house:&#60;small&#62;</bdi>"));
}

#[test]
fn a_report_that_was_not_tidied_cannot_reach_out_either() {
    let (mut data, _) = page();
    data.report = "# T\n\n[x](http://evil.example) ![y](http://evil.example/i.png) <img src=http://evil.example onerror=alert(1)>\n\n\
                   <iframe src=x></iframe>\n\n[1](http://evil.example) [1]: x [9]\n\n```\n<b>[1]</b>\n```\n"
        .to_owned()
        + &"> ".repeat(20_000)
        + "deep";
    let page = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    for bad in ["<img", "<iframe", "<b>", "href=\"http://evil"] {
        assert_eq!(count(&page, bad), 0, "{bad}");
    }
    assert!(page.contains("deep") && count(&page, "<blockquote") < 30);
}

#[test]
fn a_passage_unfolds_below_its_citing_block_but_not_in_tables() {
    let (_, page) = page();
    let opening = page.split("opening\">").nth(1).and_then(|rest| rest.split("</div>").next()).expect("an opening");
    assert_eq!((count(opening, "<details class=\"passage\">"), count(opening, "</p>")), (2, 1), "{opening}");
    assert!(
        opening.contains("<summary>[1] <bdi dir=\"auto\">Ice &amp; snow</bdi>, page 1</summary>")
            || opening.contains("<summary>[1] <bdi>Ice &amp; snow</bdi>, page 1</summary>"),
        "{opening}"
    );
    assert!(
        opening.contains("in two years")
            && opening.contains("<span class=\"from\"> (<bdi>Ice &amp; snow</bdi>)</span>"),
        "{opening}"
    );
    let table = page.split("<table>").nth(1).and_then(|rest| rest.split("</table>").next()).expect("a table");
    assert_eq!(count(table, "<details"), 0);
}

#[test]
fn a_statement_shows_three_numbers_and_the_rest_is_one_link() {
    let (mut data, _) = page();
    let first = data.citations[0].clone();
    data.citations = (1..=60).map(|n| Citation { n, ..first.clone() }).collect();
    data.report = format!("# T\n\nSo it is. {}", (1..=60).map(|n| format!("[{n}]")).collect::<String>());
    let page = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    assert!(page.contains("href=\"#q4\" id=\"r4-1\" aria-label=\"and 57 more\">and 57 more</a>"), "{page}");
    assert_eq!((count(&page, "class=\"quote\""), count(&page, "<details class=\"passage\">")), (3, 3));
    assert_eq!(count(&page, "<li id=\"q60\""), 1, "each has its place");
}

#[test]
fn the_page_speaks_the_language_of_its_question_where_it_can() {
    let (mut data, _) = page();
    let mut said = |query: &str| {
        query.clone_into(&mut data.query);
        render(&data, &[], &BTreeMap::new(), &BTreeMap::new())
    };
    let german = said("Wie schnell schmelzen die Gletscher?");
    assert!(german.contains("<html lang=\"de\" dir=\"ltr\">") && german.contains("<h2 id=\"quotes\">Zitate</h2>"));
    let arabic = said("ما هي عاصمة مصر؟");
    assert!(arabic.contains("<html lang=\"ar\" dir=\"rtl\">"));
    assert!(arabic.contains("<h2 id=\"quotes\" lang=\"en\" dir=\"ltr\">Quotes</h2>"), "what is English says so");
    assert!(said("???").contains("<html lang=\"und\" dir=\"ltr\">"));
}

#[test]
fn differing_values_link_to_quotes_that_are_shown_in_pairs() {
    use precis_proto::compare::{ComparedBy, ComparedRow, Comparison, Disagreement, GivenValue};
    let (mut data, _) = sample::report();
    let value = |value: &str, n| GivenValue { value: value.to_owned(), citations: vec![n], newer: None };
    let values = vec![value("5 %", 1), value("<b>10 %", 3)];
    data.disagreements =
        vec![Disagreement { unit: "%".to_owned(), kind: precis_proto::research::ValueKind::Number, values }];
    let dated =
        precis_proto::compare::TimelineRow { date: "1987".to_owned(), text: "<u>".to_owned(), citations: vec![3] };
    data.timeline = Some(precis_proto::compare::Timeline { rows: vec![dated] });
    let row = |name: &str, citations| ComparedRow { name: name.to_owned(), citations };
    let rows = vec![row("Alps", vec![1]), row("<i>", Vec::new())];
    data.comparison = Some(Comparison { by: ComparedBy::Source, rows });
    let page = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    let alerts = page.split("class=\"alerts\"").nth(1).and_then(|rest| rest.split("</ul>").next()).expect("alerts");
    assert!(
        alerts.contains("Sources give different values: <strong><bdi>5 %</bdi></strong><a class=\"cite\" href=\"#q1\"")
    );
    let line = "<tr><th scope=\"row\"><bdi>1987</bdi></th><td dir=\"auto\">&#60;u&#62;<a class=\"cite\" href=\"#q3\"";
    assert!(page.contains(line), "{page}");
    assert!(!page.contains("<b>10") && !page.contains("<i></bdi>"), "{alerts}");
    let table = page.split("aria-labelledby=\"compared\"").nth(2).and_then(|rest| rest.split("</table>").next());
    let table = table.expect("a table");
    assert!(table.contains("<th scope=\"col\">Source</th>") && table.contains("href=\"#q1\""), "{table}");
}

#[test]
fn nearly_equal_sentences_are_shown_together_with_marked_differences() {
    use precis_proto::compare::{Disagreement, GivenValue};
    let (mut data, _) = sample::report();
    let side = |value: &str, n| GivenValue { value: value.to_owned(), citations: vec![n], newer: None };
    let values = vec![side("The <supplier> pays.", 1), side("The buyer pays.", 3)];
    data.disagreements =
        vec![Disagreement { unit: String::new(), kind: precis_proto::research::ValueKind::Wording, values }];
    let page = render(&data, &[], &BTreeMap::new(), &BTreeMap::new());
    let pair = page.split("<div class=\"pair\">").nth(1).and_then(|rest| rest.split("</div>").next()).expect("a pair");
    for want in [
        "Nearly the same words:",
        "The &#60;<mark>supplier</mark>&#62; pays.<a class=\"cite\" href=\"#q1\"",
        "The <mark>buyer</mark> pays.<a class=\"cite\" href=\"#q3\"",
    ] {
        assert!(pair.contains(want), "{want}\n{pair}");
    }
    let alerts = page.split("class=\"alerts\"").nth(1).and_then(|rest| rest.split("</ul>").next()).unwrap_or_default();
    assert!(!alerts.contains("pays"), "no conflict is claimed: {alerts}");
}

#[test]
fn nothing_but_numbers_is_kept_from_wrapping() {
    let css = include_str!("../../../templates/report.css");
    let kept: Vec<&str> =
        css.split('}').filter(|rule| rule.contains("nowrap")).filter_map(|rule| rule.split('{').next()).collect();
    let kept: Vec<&str> = kept.into_iter().map(str::trim).collect();
    assert_eq!(kept, [".cite", ".numbers td, .numbers th"], "citation numbers, and tables that scroll by themselves");
    let template = include_str!("../../../templates/report.html");
    for (at, _) in template.match_indices("<table class=\"numbers\"") {
        let around = template[..at].trim_end().lines().last().unwrap_or_default();
        assert!(around.contains("class=\"scroll\""), "{around}");
    }
}

#[test]
fn the_facts_of_the_page_stand_after_the_points() {
    let (mut data, _) = page();
    data.report = "# Ice\n\nIt melts [1].\n\n- A tenth in two years [1].\n".to_owned();
    let page = render(&data, &data.warning_details, &BTreeMap::new(), &BTreeMap::new());
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what}"));
    assert!(["It melts", "A tenth in two", "<dl class=\"facts\"", "<h2 id=\"quotes\""].map(at).is_sorted(), "{page}");
}
