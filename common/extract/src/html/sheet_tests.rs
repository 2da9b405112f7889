//! Tests of style sheets on pages: which rules select which elements, and which of several is the stronger one.

use dom_query::Document;

use super::css::MAX_SHEET_BYTES;
use super::hidden::{HidingBelief, RemovedChars, prune};
use super::walk;

fn removed_chars(source: &str) -> RemovedChars {
    prune(&Document::from(source), HidingBelief::All)
}

fn visible_text(source: &str) -> String {
    let document = Document::from(source);
    prune(&document, HidingBelief::All);
    let (leaves, _) = walk::leaves(&document.root(), false);
    precis_text::CanonicalText::from_leaves(&leaves).as_str().to_owned()
}

#[test]
fn what_a_style_sheet_hides_is_left_out() {
    for (css, body) in [
        (".a{display:none}", "<p class='b a'>gone</p>"),
        ("#a{visibility:hidden}", "<p id=a>gone</p>"),
        ("aside{display:none}", "<aside><p>gone</p></aside>"),
        ("p.a.b{display:none}", "<p class='b c a'>gone</p>"),
        ("#out .a{display:none}", "<div id=out><div><i class=a>gone</i></div></div>"),
        (".a{display:none!important}", "<p class=a style='display:block'>gone</p>"),
        (".a{display:block}.a{display:none}", "<p class=a>gone</p>"),
        (".a{display:none}p{display:block}", "<p class=a>gone</p>"),
        ("[data-x]{display:none}", "<p data-x>gone</p>"),
        ("p[title*=x i]{display:none}", "<p title=AXE>gone</p>"),
        ("div>p,b+p{display:none}", "<div><p>gone</p></div><b></b><p>gone</p>"),
        ("p:not(.seen){display:none}", "<p>gone</p>"),
        (":is(.a,.b) i{display:none}", "<p class=b><i>gone</i></p>"),
        ("p:not(:hover){font-size:min(0px,16px)}", "<p>gone</p>"),
        ("p{font-size:clamp(0px,.1vw,1px)}", "<p>gone</p>"),
    ] {
        assert_eq!(visible_text(&format!("<style>{css}</style>kept {body}")), "kept", "{css}");
    }
    assert_eq!(visible_text("kept<i class=a>gone</i><style>.a{display:none}</style>"), "kept");
}

#[test]
fn what_another_rule_shows_again_is_kept() {
    for (css, body) in [
        (".a{display:none}.a.on{display:block}", "<p class='a on'>kept</p>"),
        (".a{display:none}#b{display:block}", "<p id=b class=a>kept</p>"),
        (".a{display:none}.out .a{display:block}", "<div class=out><p class=a>kept</p></div>"),
        ("p{display:none}p:not(.b){display:block}", "<p>kept</p>"),
        ("p{display:none}p:nth-child(1){display:block}", "<p>kept</p>"),
        ("p:nth-child(1):not(:checked){display:none}", "<p>kept</p>"),
        ("div>i{display:none}b+i{display:none}", "<div><p><i>kept</i></p></div>"),
        (".a{display:none}@media (min-width:9px){.a{display:block}}", "<p class=a>kept</p>"),
        (".a{display:none}", "<p class=a style='display:block'>kept</p>"),
        (".a{display:block!important}#b{display:none}", "<p id=b class=a>kept</p>"),
        ("html,body{display:none}", "<p>kept</p>"),
        (".A{display:none}", "<p class=a>kept</p>"),
    ] {
        assert_eq!(visible_text(&format!("<style>{css}</style><p>{body}")), "kept", "{css}");
    }
    for around in ["<noscript>|</noscript>", "<template>|</template>", "<svg>|</svg>"] {
        let sheet = around.replace('|', "<style>.a{display:none}</style>");
        assert_eq!(visible_text(&format!("<body>{sheet}<p class=a>kept</p>")), "kept", "{around}");
    }
    assert_eq!(visible_text("<style media=print>.a{display:none}</style><p class=a>kept</p>"), "kept");
}

#[test]
fn the_work_on_hostile_sheets_is_bounded() {
    let css: String = (0..5_000).map(|n| format!("b b b b .a{n}, .b .a{{display:none}}")).collect();
    let body = format!("{}<p>kept</p>", "<b>".repeat(400) + &"<i class=a>x</i>".repeat(2_000));
    assert!(visible_text(&format!("<style>{css}</style>{body}")).ends_with("kept"));
}

#[test]
fn sheets_of_a_page_are_read_up_to_a_size() {
    for (bytes, is_read) in [(MAX_SHEET_BYTES - 1, true), (MAX_SHEET_BYTES, true), (MAX_SHEET_BYTES + 1, false)] {
        let (first, last) = (".a{display:none}", ".b{display:none}");
        let css = format!("{first}{}{last}", " ".repeat(bytes - first.len() - last.len()));
        let page = format!("<style>{css}</style>kept <i class=a>gone</i><i class=b>late</i>");
        let want = if is_read { ("kept", 0) } else { ("kept late", 1) };
        assert_eq!((visible_text(&page).as_str(), removed_chars(&page).unapplied.rules), want, "{bytes}");
    }
}

#[test]
fn rules_beyond_the_limit_of_a_page_are_counted() {
    let css = format!("{}.a{{display:none}}", "i,".repeat(60_000));
    assert_eq!(removed_chars(&format!("<style>{css}</style><p>kept")).unapplied.rules, 10_001);
}

#[test]
fn a_long_sheet_on_a_long_page_is_bounded_and_omissions_reported() {
    let body = "<i x=1>x</i>".repeat(100_000);
    for rule in [
        "[x]:not([x]) i{display:none}",
        "* *{display:block}",
        "i ~ i ~ i ~ b ~ *{display:none}",
        "* :is(:is(b,u) i,u *){opacity:1}",
    ] {
        let css = rule.repeat(MAX_SHEET_BYTES / rule.len());
        let started = std::time::Instant::now();
        let removed = removed_chars(&format!("<style>{css}</style>{body}"));
        // Ten times what it takes on an idle machine.
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "{rule}: {:?}", started.elapsed());
        assert!(removed.unapplied.elements > 0, "{rule}");
        println!("{rule}: {:?}, {:?}", started.elapsed(), removed.unapplied);
    }
}

#[test]
fn variables_are_inherited_and_cascade() {
    for (css, body) in [
        (":root{--a:none}.y{display:var(--a)}", "<p class=y>gone</p>"),
        ("body{--a:none}p{display:var(--a,block)}", "<div><p>gone</p></div>"),
        (".y{display:var(--missing,none)}", "<p class=y>gone</p>"),
        (":root{--a:var(--b)}html{--b:none}p{display:var(--a)}", "<p>gone</p>"),
        ("*{--a:none}p{display:var(--a)}", "<p>gone</p>"),
        (":root{--a:0}p{opacity:calc(var(--a) * 1)}", "<p>gone</p>"),
        (":root{--A:none}p{display:var(--A)}", "<p>gone</p>"),
        (":root{--c:#fff}p{color:var(--c);background:var(--c)}", "<p>gone</p>"),
        ("", "<div style='--a:none'><p style='display:var(--a)'>gone</p></div>"),
        (".x{--a:block}#y{--a:none}p{display:var(--a)}", "<p id=y class=x>gone</p>"),
    ] {
        assert_eq!(visible_text(&format!("<style>{css}</style>kept {body}")), "kept", "{css}{body}");
    }
    for (css, body) in [
        (":root{--a:none}.x{--a:block}p{display:var(--a)}", "<div class=x><p>kept</p></div>"),
        (".x{--a:none}p{display:var(--a)}", "<p class=x hidden></p><p>kept</p>"),
        (":root{--a:none}p{display:var(--A)}", "<p>kept</p>"),
        (":root{--a:none}@media (x){:root{--a:block}}p{display:var(--a)}", "<p>kept</p>"),
        ("@media (x){:root{--a:none}}p{display:var(--a)}", "<p>kept</p>"),
        (":root{--a:none}@media (x){p{display:var(--a)}}", "<p>kept</p>"),
        (":root{--a:none!important;--a:block}.x{--a:block}p{display:var(--a)}", "<p class=x>kept</p>"),
    ] {
        assert_eq!(visible_text(&format!("<style>{css}</style>{body}")), "kept", "{css}{body}");
    }
}
