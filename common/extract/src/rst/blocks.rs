//! Body elements: sections, paragraphs, literal blocks, quotations, notes and lists. Directives and tables have files of their own.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::definitions::Definitions;
use super::inline::{self, is_note_label};
use super::lines::{block_end, body, bullet, directive_name, indented_lines, item, join_lines, number, options};
use crate::field_line::field_name;
use crate::plain::ends_text;
use crate::runs::RunText;
use crate::table::Leaves;

/// Deepest nesting of blocks; deeper blocks become text of the block around them. Chosen, not measured: no page tested goes beyond ten.
const MAX_DEPTH: usize = 40;
/// Least length of a separator line, and of an underline that is shorter than its title.
const MIN_ADORNMENT: usize = 4;
/// Lowest level of a heading.
pub(super) const MAX_LEVEL: u8 = 6;
/// Fields at the head of a page that are settings of Sphinx and never shown.
const SETTINGS: [&str; 5] = ["orphan", "nosearch", "no-search", "nocomments", "tocdepth"];

/// What the surrounding blocks say about a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) kind: BlockKind,
    is_note: bool,
    /// Number of open lists.
    lists: u8,
    depth: usize,
}

impl Scope {
    /// The scope of a block of `kind` inside this one.
    pub(super) fn inside(self, kind: BlockKind) -> Self {
        let lists = self.lists.saturating_add(u8::from(kind == BlockKind::ListItem));
        Self { kind, is_note: self.is_note || kind == BlockKind::Footnote, lists, depth: self.depth + 1 }
    }
}

/// Reads blocks to leaves.
#[derive(Default)]
pub(super) struct BlockReader {
    pub(super) definitions: Definitions,
    pub(super) leaves: Leaves,
    /// Number of texts that the page includes from elsewhere.
    pub(super) elsewhere: u64,
    /// The first heading.
    pub(super) title: Option<String>,
    /// Title adornments (the character, and whether it is also used as an overline), in order of appearance.
    adornments: Vec<(char, bool)>,
    /// Level of the section being read; 0 before the first.
    pub(super) level: u8,
    /// Number of the item read last in the list; 0 if it has none.
    number: u64,
}

impl BlockReader {
    /// Reads the blocks of `lines`.
    pub(super) fn blocks(&mut self, lines: &[&str], scope: Scope) {
        if scope.depth >= MAX_DEPTH {
            return self.text(&join_lines(lines), scope);
        }
        let mut at = 0;
        while at < lines.len() {
            // At least one line further, so that the loop ends whatever a reader returns.
            at = if lines[at].is_empty() { at + 1 } else { self.block(lines, at, scope).max(at + 1) };
        }
    }

    /// Reads the block that begins on line `at`; returns the index behind its last line.
    fn block(&mut self, lines: &[&str], at: usize, scope: Scope) -> usize {
        let line = lines[at];
        if line.starts_with(' ') {
            let (quoted, end) = indented_lines(lines, at, usize::MAX);
            self.blocks(&quoted, scope.inside(BlockKind::Quotation));
            return end;
        }
        if let Some(mark) = bullet(line) {
            // The style of a page decides how bullets look, so ASCII bullets are all shown alike.
            return self.item(lines, at, mark.len(), if mark.is_ascii() { "-" } else { mark }, scope);
        }
        if let Some(end) = self.numbered_item(lines, at, scope) {
            return end;
        }
        self.number = 0;
        if line == ">>>" || line.starts_with(">>> ") {
            let end = block_end(lines, at);
            self.code(&lines[at..end]);
            return end;
        }
        None.or_else(|| self.field(lines, at, scope))
            .or_else(|| self.line_block(lines, at, scope))
            .or_else(|| self.drawn_table(lines, at, scope))
            .or_else(|| self.explicit(lines, at, scope))
            .or_else(|| self.section(lines, at))
            .unwrap_or_else(|| self.paragraph(lines, at, scope))
    }

    fn item(&mut self, lines: &[&str], at: usize, bytes: usize, marker: &str, scope: Scope) -> usize {
        let (body, end) = item(lines, at, bytes);
        let (start, inner) = (self.leaves.len(), scope.inside(BlockKind::ListItem));
        self.number = 0;
        self.blocks(&body, inner);
        let is_own = |leaf: &&mut Leaf| leaf.level == Some(inner.lists) || leaf.kind == BlockKind::Footnote;
        if let Some(first) = self.leaves.since(start).first_mut().filter(is_own) {
            first.marker.get_or_insert_with(|| marker.to_owned());
        }
        end
    }

    /// A numbered item. It begins with a number only if the line below is blank, indented, or another item.
    fn numbered_item(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let (text, own) = number(lines[at])?;
        let below = lines.get(at + 1).copied().unwrap_or_default();
        (below.is_empty() || below.starts_with(' ') || number(below).is_some()).then(|| {
            // What counts up by itself begins at 1.
            let own = own.parse().unwrap_or(if own == "#" { self.number + 1 } else { 0 });
            let end = self.item(lines, at, text.len(), &text.replace('#', &own.to_string()), scope);
            self.number = own;
            end
        })
    }

    /// `:name: value`.
    fn field(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let (name, bytes) = field_name(lines[at])?;
        let (body, end) = body(lines, at, bytes);
        if !(SETTINGS.contains(&name) && scope.depth == 0 && self.leaves.len() == 0) {
            self.read_labelled(&format!("{name}:"), &body, scope.inside(BlockKind::FormField));
        }
        Some(end)
    }

    /// Reads `lines` with `label` before their first text; it stands alone if they begin with another block.
    pub(super) fn read_labelled(&mut self, label: &str, lines: &[&str], scope: Scope) {
        let label = self.leaves.block_words(inline::read(label, &self.definitions)).text;
        let mut leaves = self.leaves_of(lines, scope);
        match leaves.first_mut().filter(|leaf| leaf.kind == scope.kind && leaf.marker.is_none()) {
            Some(first) => first.text.insert_str(0, &format!("{label} ")),
            None => self.push(RunText::of(&label), scope),
        }
        self.leaves.extend(leaves);
    }

    /// The leaves of `lines`, which are not added.
    pub(super) fn leaves_of(&mut self, lines: &[&str], scope: Scope) -> Vec<Leaf> {
        let inner = self.leaves.inner();
        let around = std::mem::replace(&mut self.leaves, inner);
        self.blocks(lines, scope);
        let inner = std::mem::replace(&mut self.leaves, around);
        self.leaves.end_inner(inner)
    }

    fn term(&mut self, term: RunText, body: &[&str], scope: Scope) {
        let inner = scope.inside(BlockKind::ListItem);
        self.push(term, inner);
        self.blocks(body, inner);
    }

    /// A line block, whose lines stay separate, as in a poem.
    fn line_block(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let is_verse = |line: &str| line == "|" || line.starts_with("| ");
        is_verse(lines[at]).then(|| {
            let length = lines[at..].iter().take_while(|line| is_verse(line) || line.starts_with(' ')).count();
            let verses: Vec<&str> = lines[at..at + length].iter().map(|line| line.trim_start_matches('|')).collect();
            self.text(&join_lines(&verses), scope);
            at + length
        })
    }

    /// What begins with two dots: notes, targets, directives and comments. A comment includes the indented lines below it; so does a
    /// substitution, which is inserted where it is used.
    fn explicit(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let line = lines[at];
        let is_anonymous = line == "__" || line.starts_with("__ ");
        let rest = line.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let rest = rest.or_else(|| is_anonymous.then_some("_"))?.trim_start();
        if rest.starts_with('_') {
            return Some(at + 1 + lines[at + 1..].iter().take_while(|below| below.starts_with(' ')).count());
        }
        let skip = line.len() - rest.len();
        let label =
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).filter(|(label, _)| is_note_label(label));
        if let Some((label, _)) = label {
            let (body, end) = body(lines, at, skip + label.len() + 2);
            let mark = self.definitions.note(label, false);
            self.read_labelled(&mark, &body, scope.inside(BlockKind::Footnote));
            return Some(end);
        }
        let is_alone = line == ".." && lines.get(at + 1).is_none_or(|below| below.is_empty());
        let (below, end) = if is_alone { (Vec::new(), at + 1) } else { indented_lines(lines, at + 1, usize::MAX) };
        if let Some((name, arguments)) = directive_name(rest) {
            self.directive(name, arguments.trim_start(), &below, scope);
        }
        Some(end)
    }

    /// A title with a line of adornment characters below, or also above it; or such a line between two texts, which says nothing.
    fn section(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        let line = |n: usize| lines.get(at + n).copied().unwrap_or_default();
        let is_over = is_adornment(line(0));
        let (title, under) = (line(usize::from(is_over)).trim(), line(1 + usize::from(is_over)));
        let is_long = under.len() >= MIN_ADORNMENT || title.chars().count() <= under.len();
        let is_even = !is_over || under.starts_with(&line(0)[..1]);
        if is_adornment(under) && is_long && is_even && !title.is_empty() && !is_adornment(title) {
            let style = (under.chars().next().unwrap_or('='), is_over);
            let known = self.adornments.iter().position(|known| *known == style);
            let nth = known.unwrap_or(self.adornments.len());
            self.adornments.extend(known.is_none().then_some(style));
            self.level = u8::try_from(nth + 1).unwrap_or(MAX_LEVEL).min(MAX_LEVEL);
            self.heading(title, self.level);
            return Some(at + 2 + usize::from(is_over));
        }
        // docutils takes three such characters for text, but they carry no meaning either.
        (is_over && line(0).len() + 1 >= MIN_ADORNMENT).then_some(at + 1)
    }

    pub(super) fn heading(&mut self, title: &str, level: u8) {
        let text = self.leaves.block_words(inline::read(title, &self.definitions)).text;
        self.title.get_or_insert_with(|| text.clone());
        self.leaves.push(Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) });
    }

    /// A term with its definition, an option with its description, or running text with the literal block after its `::`.
    fn paragraph(&mut self, lines: &[&str], at: usize, scope: Scope) -> usize {
        if let Some(options) = options(lines[at]) {
            let (body, end) = body(lines, at, options.len());
            self.term(RunText::of(options), &body, scope);
            return end;
        }
        let is_term = !lines[at].ends_with("::") && !lines[at].starts_with("-- ");
        if is_term && lines.get(at + 1).is_some_and(|below| below.starts_with(' ')) {
            let (body, end) = indented_lines(lines, at + 1, usize::MAX);
            self.term(inline::read(lines[at], &self.definitions), &body, scope);
            return end;
        }
        let mut end = at + 1;
        // An indented continuation belongs to the sentence: a border could cut off its "not".
        let is_apart =
            |line: &str, before: &str| line.starts_with(' ') && (ends_text(before) || before.ends_with("::"));
        while end < lines.len() && !lines[end].is_empty() && !is_apart(lines[end], lines[end - 1]) {
            end += 1;
        }
        let source = join_lines(&lines[at..end]);
        let Some(text) = source.strip_suffix("::") else {
            self.text(&source, scope);
            return end;
        };
        let colon = if text.is_empty() || text.ends_with(char::is_whitespace) { "" } else { ":" };
        self.text(&format!("{text}{colon}"), scope);
        self.literal(lines, end)
    }

    /// The literal block announced by `::`: indented lines, or lines that begin with the same character.
    fn literal(&mut self, lines: &[&str], at: usize) -> usize {
        let (mut block, mut end) = indented_lines(lines, at, usize::MAX);
        let start = at + lines[at..].iter().take_while(|line| line.is_empty()).count();
        let mark = lines.get(start).and_then(|line| line.chars().next()).filter(char::is_ascii_punctuation);
        let quoted = &lines[start..block_end(lines, start)];
        if mark.is_some_and(|mark| quoted.iter().all(|line| line.starts_with(mark))) {
            (block, end) = (quoted.to_vec(), start + quoted.len());
        }
        self.code(&block);
        end
    }

    /// Adds a leaf of running text.
    pub(super) fn text(&mut self, source: &str, scope: Scope) {
        self.push(inline::read(source, &self.definitions), scope);
    }

    /// Adds lines that stay as typed.
    pub(super) fn code(&mut self, lines: &[&str]) {
        self.push(RunText::of(&lines.join("\n")), Scope { kind: BlockKind::Code, ..Scope::default() });
    }

    fn push(&mut self, words: RunText, scope: Scope) {
        let kind = if scope.is_note { BlockKind::Footnote } else { scope.kind };
        if let Some(leaf) = self.leaves.leaf(kind, words) {
            let level = (kind == BlockKind::ListItem).then_some(scope.lists);
            self.leaves.push(Leaf { level, ..leaf });
        }
    }
}

/// Whether `text` is an underline or a separator: a single ASCII punctuation character, repeated.
fn is_adornment(text: &str) -> bool {
    let mark = text.bytes().next().filter(u8::is_ascii_punctuation);
    mark.is_some_and(|mark| text.bytes().all(|byte| byte == mark)) && text != "::"
}
