//! What is read of each syntax, as tables: the source, its blocks, and the characters left out as directives and as hidden.

use precis_proto::BlockKind;

use super::super::read;
use super::limits::{MAX_PASSES, MAX_TAG_BYTES, MAX_UNCLOSED};

/// Blocks of `source`, one a line: code with `$`, headings with `#`, items with `-`, quotations with `>`, rows with `|`.
fn blocks(source: &str, is_mdx: bool) -> (String, u64, u64) {
    let page = read(source, is_mdx);
    let sign = |kind: BlockKind| match kind {
        BlockKind::Code => "$ ",
        BlockKind::Heading => "# ",
        BlockKind::ListItem => "- ",
        BlockKind::Quotation => "> ",
        BlockKind::TableRow => "| ",
        _ => "",
    };
    let lines: Vec<String> = page.leaves.iter().map(|leaf| format!("{}{}", sign(leaf.kind), leaf.text)).collect();
    (lines.join("\n"), page.left_out.directives, page.left_out.hidden)
}

/// Checks rows of source, blocks, and characters left out as directives and hidden.
fn check(is_mdx: bool, table: &[(&str, &str, u64, u64)]) {
    let failures = table.iter().filter_map(|(source, want, directives, hidden)| {
        let found = blocks(source, is_mdx);
        let is_as_wanted = (found.0.as_str(), found.1, found.2) == (*want, *directives, *hidden);
        (!is_as_wanted).then(|| format!("{source}\n  read as {found:?}\n  not as {:?}", (want, directives, hidden)))
    });
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tags_of_liquid_are_left_out_and_their_content_is_read() {
    check(
        false,
        &[
            ("See [the page]({% page /holidays %}) now", "See the page now", 17, 0),
            ("{% include a.html b=\"c\" %}\n\nText ends", "Text ends", 22, 0),
            ("{% if page.a %}\n- one\n{% else %}\n- two\n{% endif %}", "- one\n- two", 8, 0),
            ("a {%- comment -%} no {%- endcomment -%} b", "a b", 0, 31),
            ("{% raw %}\nUse `x` or {{ y }}.\n{% endraw %}", "Use x or {{ y }}.", 0, 0),
            ("{% highlight ruby %}\nputs {{ x }}\n{% endhighlight %}", "$ puts {{ x }}", 0, 0),
            ("{% tab title=\"Web\" %}\nGo.\n{% endtab %}", "Web\nGo.", 0, 0),
            ("|a|b|\n|-|-|\n{% for x in y %}\n|1|2|\n{% endfor %}", "| a\nb\n| 1\n2", 0, 0),
            ("`{% x %}` and `{{ y }}`\n\n```\n{% z %}\n```", "{% x %} and {{ y }}\n$ {% z %}", 0, 0),
            ("It {% is not.\n\nIt is {% if a %}not {% endif %}so", "It {% is not.\nIt is not so", 0, 0),
            ("a {% b is {% if c %}not{% endif %} d", "a {% b is not d", 0, 0),
            ("a {% b\n\nc %} d", "a {% b\nc %} d", 0, 0),
            ("a {% b\nc %} d", "a d", 6, 0),
            ("a {{ b, {% c and {{ two words }} stay", "a {{ b, {% c and {{ two words }} stay", 0, 0),
            ("\\{\\{ x }} and \\{% y %}", "{{ x }} and {% y %}", 0, 0),
            ("$e^{{x}}$ is $x_{{a}}$", "$e^{{x}}$ is $x_{{a}}$", 0, 0),
        ],
    );
}

#[test]
fn values_stay_as_they_are_written_unless_they_are_whole_paragraphs() {
    check(
        false,
        &[
            (
                "Dear {{name}}, your invoice of {{amount}} {{ due }}.",
                "Dear {{name}}, your invoice of {{amount}} {{ due }}.",
                0,
                0,
            ),
            ("# {{ page.title }}\n\n- {{ a }}\n- b {{ c }}", "# {{ page.title }}\n- {{ a }}\n- b {{ c }}", 0, 0),
            ("| a | b |\n|-|-|\n| {{ x | upcase }} | {{ y }} |", "| a\nb\n| {{ x | upcase }}\n{{ y }}", 0, 0),
            ("a {{ b | replace: \"*\", \"_*_\" }} *c*", "a {{ b | replace: \"*\", \"_*_\" }} c", 0, 0),
            ("**Sum:**{{ sum }} and 5{{ x }}0 m", "Sum:{{ sum }} and 5{{ x }}0 m", 0, 0),
            ("{{ content }}\n\n**{{ a.b }}** {% c %}\n{{ d }}\n\nx", "x", 28, 0),
            ("> {{ a }}\n\n`{{ b }}`\n\n[^1]: {{ c }}\n\n{{ d }},", "{{ b }}\n{{ c }}\n{{ d }},", 5, 0),
            ("<p>Dear {{ a | b: \"<i>\" }}</p>\n\n<div>{{ c }}</div>", "Dear {{ a | b: \"<i>\" }}", 5, 0),
            ("[a]({{ site.url }}/b \"{{ c }}\") [{{ d }}](e) ![{{ f }}](g)", "a {{ d }} {{ f }}", 0, 0),
            ("<b hidden>{{ a }}</b> b", "b", 0, 5),
            ("A,{{ a }},b 0{{ a }}1{{ b }}{{ c }} 2", "A,{{ a }},b 0{{ a }}1{{ b }}{{ c }} 2", 0, 0),
        ],
    );
    check(
        true,
        &[
            ("It costs {price} for {a.b ? 'x' : <b>y</b>}.", "It costs {price} for {a.b ? 'x' : <b>y</b>}.", 0, 0),
            ("{a.map((b) =>\n  <C>{b}</C>)}\n\n# {title}\n\n{a} {b}", "# {title}", 30, 0),
        ],
    );
}

#[test]
fn a_page_holds_javascript_if_it_uses_what_it_imports() {
    let (import, tag) = ("import { X as Card, B } from 'a'\n", "<Card>\n\n{ c } it\n\n</Card>");
    let found = |source: &str, is_mdx: bool| blocks(source, is_mdx).1 > 0;
    for (source, is_mdx, want) in [
        (format!("{import}\n{tag}"), false, true),
        (format!("---\na: b\n---\n\nimport Y from \"y\"\n{import}\n{tag}"), false, true),
        (format!("{import}\n<B.C/>"), false, true),
        (format!("{import}\nText"), false, false),
        (format!("{import}\nText\n\n<Other/>"), false, false),
        (format!("{import}\n`<Card/>` is how."), false, false),
        (format!("Text\n\n{import}\n{tag}"), false, false),
        (format!("```js\n{import}```\n\n{import}\n{tag}"), false, false),
        (format!("Text\n\n{import}\nText"), true, true),
    ] {
        assert_eq!(found(&source, is_mdx), want, "{source}");
    }
}

#[test]
fn shortcodes_of_hugo_show_their_titles_and_texts() {
    check(
        false,
        &[
            ("{{< tabs \"id\" >}}\n{{% tab \"Mac *OS*\" %}}\nIn.\n{{% /tab %}}\n{{< /tabs >}}", "Mac OS\nIn.", 0, 0),
            ("{{% note %}}\nKeep **it**.\n{{% /note %}}", "Keep it.", 0, 0),
            ("Version {{< param \"v\" >}} is out", "Version is out", 14, 0),
            ("A {{< tooltip text=\"pod\" id=\"p>}}\" >}} runs", "A pod runs", 0, 0),
            ("{{< figure src=\"a.png\" caption=\"The dam\" >}}", "The dam", 0, 0),
            ("a {{< b and\n\n{{< c >}}d", "a {{< b and\nd", 7, 0),
            ("{{</* x */>}} and {{< not closed", "{{</* x */>}} and {{< not closed", 0, 0),
        ],
    );
}

#[test]
fn blocks_between_colons_show_their_titles_and_content() {
    check(
        false,
        &[
            (":::note[Mind *this*]\nText\n- item\n:::\nafter", "Mind this\nText\n- item\nafter", 0, 0),
            ("::::tip Do it\n:::danger\nNo.\n:::\n::::", "Do it\nNo.", 0, 0),
            ("::: details Click {open}\nIn.\n:::", "Click\nIn.", 0, 0),
            ("::: {.warning title=\"W\"}\nIn.\n:::", "W\nIn.", 0, 0),
            ("> :::note\n> In.\n> :::", "> In.", 0, 0),
            (":::{admonition} A title\n:class: tip\nIn.\n:::", "A title\nIn.", 0, 0),
            (":::{code-block} python\n:linenos:\n\nif *x*:\n    y\n:::", "$ if *x*: y", 0, 0),
            (":::{toctree}\na.md\n:::\n\nx", "x", 19, 0),
            ("/// details | Some summary\n    type: x\n\nIn.\n///", "Some summary\n$ type: x\nIn.", 0, 0),
            ("::youtube[A film]{#x}\n\n::video{id=1}", "A film", 13, 0),
            (":::note\nnot closed", ":::note not closed", 0, 0),
            (":::tip 1. First\nIn.\n:::", "1. First\nIn.", 0, 0),
            ("```\n:::note\n```\n:::", "$ :::note\n:::", 0, 0),
        ],
    );
}

#[test]
fn content_by_indentation_is_read_as_blocks() {
    check(
        false,
        &[
            (
                "!!! note inline \"A *title*\"\n    Text\n\n    - item\n\n    ```py\n    x = {{ y }}\n    ```\nafter",
                "A title\nText\n- item\n$ x = {{ y }}\nafter",
                0,
                0,
            ),
            (
                "??? tip\n\n    ??? \"no name\"\n\n        !!! x\n\n            deep",
                "??? \"no name\"\n$ !!! x deep",
                0,
                0,
            ),
            ("!!! a\n    one\n\n    !!! b \"\"\n\n        two", "one\ntwo", 0, 0),
            ("=== \"C\"\n\n\tcode\n\n=== \"D\"\n\n    # h", "C\ncode\nD\n# h", 0, 0),
            ("1. a\n\n    !!! note\n\n        b\n\n2. c", "- a\n- b\n- c", 0, 0),
            ("> !!! note \"T\"\n>\n>     b", "> T\n> b", 0, 0),
            ("=== \"T\"\n\n    > b\n    >\n\nc", "T\n> b\nc", 0, 0),
            ("!!! note\nno content", "!!! note no content", 0, 0),
            ("Wow !!! great\n    x", "Wow !!! great x", 0, 0),
            ("--8<-- \"a.md\"\n\nx\n\n--8<--\nb.md\n--8<--", "x", 28, 0),
        ],
    );
}

#[test]
fn directives_and_roles_of_myst_show_what_they_say() {
    check(
        false,
        &[
            ("```{note} Mind\n:class: x\n\nIt **is**.\n```", "Mind\nIt is.", 0, 0),
            ("````{tab-set}\n```{tab-item} One\nIn.\n```\n````", "One\nIn.", 0, 0),
            ("```{figure} a.png\n---\nalt: A dam\n---\nThe dam.\n```", "A dam\nThe dam.", 0, 0),
            ("```{code-block} python\n:linenos:\nx = 1\n```", "$ x = 1", 0, 0),
            ("```{include} a.md\n```\n\nx", "x", 19, 0),
            ("```{python}\nx = 1\n```", "$ x = 1", 0, 0),
            ("```{note}\nnot closed", "$ not closed", 0, 0),
            ("(target)=\n# A\n\nSee {ref}`the part <target>` or {doc}`a`.", "# A\nSee the part or a.", 9, 0),
            ("H{sub}`2`O, 10{sup}`6`, {del}`no` it", "H₂O, 10⁶, it", 0, 0),
            ("{py:class}`~water.Dam` of {pep}`8`, {code}`a<b>`, {ref}`<b>`", "Dam of PEP 8, a<b>, b", 0, 0),
            ("```{versionadded} 3.8\nIt is.\n```", "Added in version 3.8\nIt is.", 0, 0),
            (":::{deprecated} 3.9\nIt is.\n:::", "Deprecated since version 3.9\nIt is.", 0, 0),
            ("{ref}`a`\n\n% gone\n\n+++\n\nx", "a\nx", 3, 5),
            ("% stays\n\nx", "% stays\nx", 0, 0),
        ],
    );
}

#[test]
fn attribute_lists_are_left_out() {
    check(
        false,
        &[
            ("Text\n{: .note #a b=\"c\" }\n\n*x*{:.c} y", "Text\nx y", 20, 0),
            ("[a](b){ .md-button target=_blank } ends", "a ends", 25, 0),
            ("Some [small text]{.smallcaps} here", "Some small text here", 12, 0),
            ("* list\n{:toc}\n\n# A {:.no}\n\nx", "# A\nx", 6, 0),
            ("a {::comment}no{:/comment} b\n\n{::options x=\"y\" /}", "a b", 17, 24),
            ("f(x){y=1} and {a} and {.b} in a line", "f(x){y=1} and {a} and {.b} in a line", 0, 0),
            ("`x`{.py} z", "x z", 5, 0),
        ],
    );
}

#[test]
fn brackets_of_wikis_show_their_text() {
    check(
        false,
        &[
            ("See [[page|the label]] and [[Other page]]. ![[embed]]", "See the label and Other page.", 10, 0),
            ("[[1]](a.b) [[x]][y] a[[2]]\n\n[y]: z", "[1] [x] a[[2]]", 0, 0),
            ("> [!NOTE]\n> Text\n\n> [!info]- A *title*\n> More", "> Text\n> A title\n> More", 0, 0),
            ("> [!NOT] closed [!x]\n\n[!x] y", "> closed [!x]\n[!x] y", 0, 0),
            ("[TOC]\n\n[[_TOC_]]\n\nx", "x", 14, 0),
            ("%% gone %%\n\na 50%% b %% c\n\n%%\ngone\n%%", "a 50%% b %% c", 0, 16),
        ],
    );
}

#[test]
fn marks_inside_lines_go_and_their_words_stay() {
    check(
        false,
        &[
            ("Press ++ctrl+c++ now", "Press ctrl+c now", 0, 0),
            ("C++ and g++ and i++ + j++", "C++ and g++ and i++ + j++", 0, 0),
            ("{+ added +} and {--gone--} {>>note<<} {==kept==}", "added and kept", 0, 10),
            (":material-account:{ .x } Name at 10:30:45", "Name at 10:30:45", 22, 0),
        ],
    );
    assert_eq!(read("{- gone -}", false).left_out.struck, 4);
}

#[test]
fn components_show_their_titles_and_content() {
    check(
        true,
        &[
            (
                "import { Tabs } from '@x/y';\nimport Z from \"z\"\n\n<Tabs>\n  <TabItem label=\"npm\">\n    ```sh\n    npm {i}\n    ```\n    - **a**\n  </TabItem>\n</Tabs>\nafter",
                "npm\n$ npm {i}\n- a\nafter",
                37,
                0,
            ),
            (
                "export const a = {\n  b: [1,\n\n  2],\n};\n\nText {a.b} and {' '}{\"said\"}.",
                "Text {a.b} and said.",
                24,
                0,
            ),
            (
                "1. a\n\n    <Tabs>\n      <Tab title=\"b\">\n        ```js\n        let c;\n\n        let d;\n        ```\n      </Tab>\n    </Tabs>\n2. e",
                "- a\n- b\n$ let c; let d;\n- e",
                0,
                0,
            ),
            ("{/* gone */}\n\n<Since v={\"1\"} />\n\nx", "x", 15, 10),
            ("A <Badge text=\"b\" /> and <B.C>*d*</B.C><></>", "A and d", 16, 0),
            ("<details>\n<summary>A *b*</summary>\nc **d**\n</details>", "A b\nc d", 0, 0),
            ("<div style={{a: 'b'}}>\nx *y*\n</div>", "x y", 0, 0),
            ("`{a}` and \\{b} and {not closed\n\n```\n<A>\n```", "{a} and {b} and {not closed\n$ <A>", 0, 0),
        ],
    );
    check(
        false,
        &[
            ("import A from 'a'\n\n<A/> {b}", "", 21, 0),
            ("import the file from 'a' and\n\nexport it {b}", "import the file from 'a' and\nexport it {b}", 0, 0),
        ],
    );
}

#[test]
fn directives_are_read_up_to_a_length() {
    for (bytes, is_read) in [(MAX_TAG_BYTES - 1, true), (MAX_TAG_BYTES, true), (MAX_TAG_BYTES + 1, false)] {
        for (open, close) in [("{% x ", "%}"), ("{{< x ", ">}}"), ("{{ ", "}}")] {
            let tag = format!("{open}{}{close}", "a".repeat(bytes - open.len() - close.len()));
            assert_eq!(blocks(&format!("{tag}\n\nb"), false).0 == "b", is_read, "{open} {bytes}");
        }
        let tag = format!("<A b={{'{}'}} />", "a".repeat(bytes - 12));
        let left_out = blocks(&format!("{tag} b"), true).1;
        assert_eq!(left_out, if is_read { bytes as u64 - 2 } else { 0 }, "{bytes}");
    }
}

#[test]
fn blocks_are_read_up_to_a_depth() {
    for (depth, is_read) in [(MAX_PASSES - 1, true), (MAX_PASSES, true), (MAX_PASSES + 1, false)] {
        let heads: String = (0..depth).map(|at| format!("{}!!! a\n\n", "    ".repeat(at))).collect();
        let found = blocks(&format!("{heads}{}x", "    ".repeat(depth)), false).0;
        assert_eq!(found == "x", is_read, "{depth}: {found}");
    }
}

#[test]
fn beginnings_without_an_end_are_searched_up_to_a_number() {
    for (before, is_read) in [(MAX_UNCLOSED - 1, true), (MAX_UNCLOSED, false), (MAX_UNCLOSED + 1, false)] {
        let far = "x".repeat(MAX_TAG_BYTES);
        let found = blocks(&format!("{}{far}\n\n[[a]]", "[[ ".repeat(before)), false).0;
        assert_eq!(!found.ends_with("[[a]]"), is_read, "{before}");
    }
}
