//! Laws, tested on generated pages: of nested directives every word of titles and content is read, in order, and no other; a page without
//! directives is not rewritten.

use std::borrow::Cow;
use std::fmt::Write;

use precis_text::CanonicalText;

use super::super::read;
use super::without_directives;

/// Number of generated pages of each kind.
const PAGES: u64 = 2_000;
/// Deepest nesting of generated blocks.
const DEPTH: usize = 4;

/// Blocks around others: the lines before and behind, and what stands before each line of the content. `@` is a title, `zz` a word that no
/// page shows. Backquotes are of the length that the content needs.
const AROUND: [(&str, &str, &str); 12] = [
    (":::zz[@]", ":::", ""),
    ("::: zz @", ":::", ""),
    (":::{admonition} @\n:zz: zz\n", ":::", ""),
    ("!!! zz \"@\"\n", "", "    "),
    ("??? zz \"@\"", "", "    "),
    ("=== \"@\"\n", "", "    "),
    ("`{note} @\n:zz: zz\n", "`", ""),
    ("{{% tab \"@\" %}}", "{{% /tab %}}", ""),
    ("{% zz title=\"@\" %}", "{% endzz %}", ""),
    ("{% if zz %}", "{% endif %}", ""),
    ("> [!zz] @", "", "> "),
    ("/// zz | @", "///", ""),
];
/// The same for pages that hold JavaScript.
const AROUND_MDX: [(&str, &str, &str); 5] = [
    ("<TabItem label=\"@\" zz={{ zz: `zz` }}>", "</TabItem>", ""),
    ("<Zz.Zz>", "</Zz.Zz>", "  "),
    ("<Zz\n  title=\"@\"\n>", "</Zz>", "      "),
    (":::zz[@]", ":::", ""),
    (":::zz @", ":::", ""),
];
/// Content: `W` is a word.
const CONTENT: [&str; 9] = [
    "W W",
    "- W\n- **W**",
    "# W",
    "```\nW `W`\n```",
    "[W](W%) *W*",
    "1. W\n\n   W",
    "| W | W |\n|---|---|\n| W | {{ W | W }} |",
    "W {{ W | W: \"**W\" }} **W**{{W}}",
    "- {{ W.W }}\n- {W}",
];
/// Directives without content.
const EMPTY: [&str; 9] = [
    "{% include zz.html zz=\"zz\" %}",
    "{{ zz.zz | zz: \"zz\" }}",
    "{{< zz \"zz\" zz=\"zz\" >}}",
    "--8<-- \"zz.md\"",
    "![[zz]]",
    "(zz)=",
    "{% comment %}\n\nzz\n{% endcomment %}",
    "%% zz %%",
    "```{include} zz\n```",
];
/// The same for pages that hold JavaScript.
const EMPTY_MDX: [&str; 4] = ["{zz}", "{/* zz */}", "<Zz zz={zz} />", "{zz.map((zz) => <Zz>{zz}</Zz>)}"];

/// A number generator (the constants are Knuth's, MMIX), so that the pages are always the same.
struct Pages {
    seed: u64,
    words: usize,
    is_mdx: bool,
}

impl Pages {
    fn below(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap_or_default() % n
    }

    /// `template` with a new word for each `mark`.
    fn worded(&mut self, template: &str, mark: char) -> String {
        let mut out = String::new();
        for c in template.chars() {
            if c == mark {
                self.words += 1;
                let _ = write!(out, "w{}", self.words);
            } else {
                out.push(c);
            }
        }
        out
    }

    fn blocks(&mut self, depth: usize) -> String {
        let parts = 1 + self.below(3);
        let of = |page: &mut Self| match page.below(4) {
            0 if page.is_mdx => EMPTY_MDX[page.below(EMPTY_MDX.len())].to_owned(),
            0 => EMPTY[page.below(EMPTY.len())].to_owned(),
            1 | 2 if depth > 0 => page.around(depth),
            _ => {
                let template = CONTENT[page.below(CONTENT.len())].replace("W%", "zz");
                page.worded(&template, 'W')
            }
        };
        (0..parts).map(|_| of(self)).collect::<Vec<_>>().join("\n\n")
    }

    fn around(&mut self, depth: usize) -> String {
        let (open, close, indent) = match self.is_mdx {
            true => AROUND_MDX[self.below(AROUND_MDX.len())],
            false => AROUND[self.below(AROUND.len())],
        };
        let ticks = "`".repeat(3 + depth);
        let open = self.worded(open, '@');
        let is_fence = close == "`";
        let (open, close) = match is_fence {
            true => (format!("{ticks}{}", &open[1..]), ticks),
            false => (open, close.to_owned()),
        };
        let content: String =
            self.blocks(depth - 1).lines().fold(String::new(), |text, line| text + indent + line + "\n");
        format!("{open}\n{content}\n{close}")
    }
}

#[test]
fn words_of_titles_and_content_are_read_and_no_others() {
    for seed in 0..PAGES * 2 {
        let mut pages = Pages { seed, words: 0, is_mdx: seed % 2 == 1 };
        let page = format!("{}\n\nw0\n", pages.blocks(DEPTH));
        let found = read(&page, pages.is_mdx);
        let text = CanonicalText::from_leaves(&found.leaves).as_str().to_owned();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let want: Vec<String> = (1..=pages.words).chain([0]).map(|word| format!("w{word}")).collect();
        assert_eq!(words, want, "page {seed}:\n{page}");
    }
}

#[test]
fn pages_without_directives_are_not_rewritten() {
    let pieces = [
        "w ", "w ", "\n", "\n\n", "    ", "- ", "1. ", "> ", "# ", "```\n", "`", "**", "*", "_", "[", "]", "](a.b)",
        "![", "<b>", "</b>", "<!-- ", " -->", "| ", "|-|-|\n", "{", "}", "{ ", ": ", "::", "%", "!", "?", "= ", "+",
        "$", "\\", "é", "---\n", "[^1]", "&amp;", "{w", "w}", "(w)", "~~",
    ];
    for seed in 0..PAGES {
        let mut pages = Pages { seed, words: 0, is_mdx: false };
        let length = 1 + pages.below(60);
        let page: String = (0..length).map(|_| pieces[pages.below(pieces.len())]).collect();
        let has_directive = ["{{", "{%", "[[", "![", ":::", "{:", "++", "%%", "{+", "{=", "{-", "::w"]
            .iter()
            .any(|mark| page.contains(mark));
        let plain = without_directives(&page, false);
        assert!(
            has_directive || matches!(plain.text, Cow::Borrowed(_)),
            "page {seed}:\n{page}\nbecame\n{}",
            plain.text
        );
    }
}
