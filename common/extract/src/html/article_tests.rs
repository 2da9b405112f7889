//! Laws of the choice of a main part, over generated pages: an article of paragraphs, short lines, headings, tables and lists, in one of
//! several kinds of boxes, among menus, teasers and footers.

use precis_proto::extraction::HtmlMode;

use super::page_text;

/// A source of numbers that is the same everywhere (a linear congruential generator, Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn sentence(&mut self, words: u64) -> String {
        let words: Vec<&str> = (0..words).map(|_| self.pick(&WORDS)).collect();
        format!("The {}, {}.", words.join(" "), self.below(10_000))
    }
}

const WORDS: [&str; 12] =
    ["harbour", "was", "opened", "river", "town", "bridge", "council", "near", "before", "old", "slowly", "ships"];
const BOXES: [(&str, &str); 5] = [
    ("<article>", "</article>"),
    ("<div class=x>", "</div>"),
    ("<main><div>", "</div></main>"),
    ("<section><div><div>", "</div></div></section>"),
    ("<table><tr><td>", "</td></tr></table>"),
];

/// An article and the texts that must be read of it, in order.
fn article(numbers: &mut Numbers) -> (String, Vec<String>) {
    let (mut html, mut texts) = (String::new(), Vec::new());
    let paragraphs = 5 + numbers.below(8);
    for at in 0..paragraphs {
        let long = (0..3).map(|_| numbers.sentence(9)).collect::<Vec<_>>().join(" ");
        html += &format!("<p>{long}</p>");
        texts.push(long);
        if at + 1 == paragraphs {
            break;
        }
        let (one, other) = (numbers.sentence(3), numbers.sentence(2));
        html += &match numbers.below(5) {
            0 => format!("<p>{one}</p>"),
            1 => format!("<h2>{one}</h2>"),
            2 => format!("<blockquote>{one}</blockquote>"),
            3 => format!("<table><tr><th>{one}</th><th>b</th></tr><tr><td>{other}</td><td>7</td></tr></table>"),
            _ => format!("<p>{one} <a href=x>{other}</a></p>"),
        };
        texts.push(one);
    }
    (html, texts)
}

fn page(seed: u64) -> (String, Vec<String>) {
    let mut numbers = Numbers(seed);
    let (article, texts) = article(&mut numbers);
    let (open, close) = BOXES[numbers.below(BOXES.len() as u64) as usize];
    let menu: String = (0..12).map(|_| format!("<li><a href=x>Menu {}</a></li>", numbers.pick(&WORDS))).collect();
    let teaser = |numbers: &mut Numbers| format!("<div><a href=x><h3>Teaser {}</h3></a></div>", numbers.pick(&WORDS));
    let teasers: String = (0..4).map(|_| teaser(&mut numbers)).collect();
    let page = format!(
        "<body><ul>{menu}</ul><h1>Title</h1>{open}{article}{close}<div>{teasers}</div><div>Imprint | © 2024</div>"
    );
    (page, texts)
}

#[test]
fn an_article_is_read_whole_and_in_order() {
    for seed in 0..200 {
        let (page, texts) = page(seed);
        let read: String =
            page_text(&page, HtmlMode::Main).leaves.iter().map(|leaf| format!("{} ", leaf.text)).collect();
        let mut from = 0;
        for text in &texts {
            let at = read[from..].find(text.as_str());
            assert!(at.is_some(), "seed {seed}: {text:?} is not read, or not at its place, of {page}");
            from += at.unwrap_or(0) + text.len();
        }
    }
}

#[test]
fn menus_teasers_and_imprints_are_not_read() {
    for seed in 0..200 {
        let (page, _) = page(seed);
        let leaves = page_text(&page, HtmlMode::Main).leaves;
        let is_around = |text: &str| ["Menu ", "Teaser ", "Imprint"].iter().any(|label| text.starts_with(label));
        let kept: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).filter(|text| is_around(text)).collect();
        assert!(kept.is_empty(), "seed {seed}: {kept:?} of {page}");
    }
}
