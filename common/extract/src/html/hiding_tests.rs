//! Tests ways of hiding text on a page, and look-alikes that hide nothing.

use precis_proto::extraction::HtmlMode;
use precis_text::CanonicalText;

use super::*;

fn read(page: &str) -> (String, u64) {
    let page = page_text(page, HtmlMode::Full);
    (CanonicalText::from_leaves(&page.leaves).as_str().to_owned(), page.left_out.hidden)
}

#[test]
fn text_hidden_by_style_is_left_out_and_counted() {
    for style in [
        "color:white",
        "color:#fff;background:#ffffff",
        "background-color:rgb(0,0,0);color:#000",
        "opacity:0.01",
        "filter:opacity(0)",
        "color:transparent",
        "font-size:0",
        "font-size:1px",
        "font:0/0 a",
        "position:absolute;left:-9999px",
        "position:fixed;left:-100vw",
        "margin-left:-9999px",
        "text-indent:-9999px",
        "clip-path:inset(50%)",
        "transform:scale(0)",
        "height:0;overflow:hidden",
        "max-height:0;overflow:hidden",
        "zoom:0",
        // More of the same kinds.
        "display:none",
        "visibility:hidden",
        "content-visibility:hidden",
        "color:rgba(0,0,0,.01)",
        "color:#fefefe",
        "-webkit-text-fill-color:transparent",
        "position:absolute;top:-999em",
        "position:absolute;clip:rect(0 0 0 0)",
        "position:absolute;clip:rect(1px,1px,1px,1px)",
        "clip-path:circle(0)",
        "clip-path:polygon(0 0,0 0,0 0)",
        "transform:translateX(-9999px)",
        "transform:rotateY(90deg)",
        "width:1px;height:1px;overflow:hidden",
        "font-size:0.05em",
        "OPACITY : 0 ! important; opacity:1",
        // Written in ways that only a tokeniser reads.
        "d\\69splay:none",
        "display:n\\6fne",
        "display:/**/none",
        "/**/display/**/:none/**/",
        "font-size:calc(0px)",
        "opacity:calc(0)",
    ] {
        for hidden in [
            format!("<p style='{style}'>gone now</p>"),
            format!("<div style='{style}'><i>gone</i> <b>now</b></div>"),
            format!("<style>.x{{{style}}}</style><p class=x>gone now</p>"),
            format!("<style>#y{{{style}}}</style><p id=y>gone now</p>"),
        ] {
            assert_eq!(read(&format!("<p>kept as it is</p>{hidden}")), ("kept as it is".to_owned(), 7), "{hidden}");
        }
    }
}

#[test]
fn text_hidden_by_elements_and_attributes_is_left_out_and_counted() {
    for hidden in [
        "<p hidden>gone now</p>",
        "<p aria-hidden=true>gone now</p>",
        "<noscript><p>gone now</p></noscript>",
        "<font color=white>gone now</font>",
        "<table><tr><td bgcolor=black><font color='#000000'>gone now</font></table>",
        "<p>go\u{e0041}\u{e0042}\u{e0043}ne\u{202e}\u{e0044}\u{e0045}\u{e0046}</p>",
    ] {
        let (text, counted) = read(&format!("<p>kept</p>{hidden}"));
        assert_eq!((text.trim_end_matches("gone").trim(), counted), ("kept", 7), "{hidden}");
    }
    let page =
        "<p>kept</p><script>var gone = 1</script><style>p{color:red}</style><!-- gone --><template>gone</template>";
    assert_eq!(read(page), ("kept".to_owned(), 0));
}

#[test]
fn what_only_looks_hidden_is_kept() {
    for page in [
        // A background of its own, that of an ancestor, or an unknown one.
        "<p style='color:white;background:navy'>kept</p>",
        "<div style='background:#333'><p style='color:#fff'>kept</p></div>",
        "<body bgcolor=black text=white><p>kept</p>",
        "<div style='background:url(x.png)'><p style='color:white'>kept</p></div>",
        "<div style='background:linear-gradient(#000,#333)'><p style='color:white'>kept</p></div>",
        "<link rel=stylesheet href=x.css><p style='color:white'>kept</p>",
        "<meta name=color-scheme content=dark><p style='color:white'>kept</p>",
        "<style>@import 'x.css';.a{color:#fff}</style><p class=a>kept</p>",
        "<style>.a{color:#fff}@media (prefers-color-scheme:dark){.a{color:#ccc}}</style><p class=a>kept</p>",
        "<style>.a{color:#fff}.a p{background:var(--x)}</style><div class=a><p>kept</p></div>",
        "<div><div style='position:absolute;background:#000'></div><p style='color:white'>kept</p></div>",
        "<img src=x><p style='position:absolute;color:white'>kept</p>",
        "<p style='color:white'><a href=x>kept</a></p>",
        "<p style='color:#ccc'>kept</p>",
        // Letters cut out of a picture, or with a shadow.
        "<p style='color:transparent;background-clip:text;background-image:linear-gradient(red,blue)'>kept</p>",
        "<p style='color:white;text-shadow:0 0 4px black'>kept</p>",
        // Sizes that are compensated, or that are merely small.
        "<ul style='font-size:0'><li style='font-size:14px'>kept</ul>",
        "<p style='font-size:6px'>kept</p>",
        "<p style='font:bold 12px/0 a'>kept</p>",
        "<p style='font-size:var(--s)'>kept</p>",
        "<p style='font-size:calc(0px + 12px)'>kept</p>",
        "<p style='font-size:calc(0)'>kept</p>",
        "<p style='x\\3b display:none'>kept</p>",
        "<p style='display:no/**/ne'>kept</p>",
        "<p style='/* display:none */color:red'>kept</p>",
        // Shifts that keep the text on the screen, or have no effect.
        "<p style='left:-9999px'>kept</p>",
        "<p style='position:absolute;left:-20px'>kept</p>",
        "<p style='margin-left:-9999px;padding-left:9999px'>kept</p>",
        "<p style='margin:0 -9999px;padding:0 9999px'>kept</p>",
        "<p style='text-indent:-2em'>kept</p>",
        "<p style='transform:translate(-50%,-50%) scale(1)'>kept</p>",
        "<p style='clip:rect(0 0 0 0)'>kept</p>",
        "<p style='clip-path:inset(10%)'>kept</p>",
        "<p style='clip-path:polygon(0 0,100% 0,50% 100%)'>kept</p>",
        // A box without height shows its overflow.
        "<p style='height:0'>kept</p>",
        "<p style='overflow:hidden;height:20px'>kept</p>",
        "<p style='overflow:hidden;height:auto;width:100%'>kept</p>",
        "<p style='opacity:.3'>kept</p>",
        "<p style='filter:opacity(50%) blur(1px)'>kept</p>",
        "<p style='zoom:1'>kept</p>",
        // The reader can open it.
        "<details><summary>kept</summary></details>",
        "<style>.a{opacity:0}.a{opacity:1}</style><p class=a>kept</p>",
        "<style>@media print{.a{font-size:0}}</style><p class=a>kept</p>",
        "<style>.a:hover{color:#fff}</style><p class=a>kept</p>",
    ] {
        assert_eq!(read(page), ("kept".to_owned(), 0), "{page}");
    }
}

#[test]
fn a_page_that_fades_in_more_than_it_shows_is_read_whole() {
    let part = "<p style='opacity:0'>This part comes in when somebody scrolls.</p>";
    let (text, hidden) = read(&format!("<h1>Kept</h1>{part}{part}<p hidden>gone</p>"));
    assert_eq!((text.matches("comes in").count(), hidden), (2, 4));
    let (text, hidden) = read(&format!("<p>{}</p>{part}", "Some more words. ".repeat(9)));
    assert_eq!((text.contains("comes in"), hidden), (false, 35));
}
