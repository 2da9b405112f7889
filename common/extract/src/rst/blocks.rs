//! Body elements: sections, paragraphs, literal blocks, quotes. Lists, tables and explicit markup have files of their own.

use precis_proto::BlockKind;
use precis_text::{Leaf, code_lines, hiding_marks, normalize, visible};

use super::definitions::{Definitions, is_adornment};
use super::inline;
use super::lines::{Lines, Region};
use crate::plain::ended;
use crate::runs::LeftOut;
use crate::table::Leaves;

/// Deepest nesting of blocks; deeper blocks become text of the block around them. Chosen, not measured: no page tested goes beyond ten.
const MAX_DEPTH: usize = 40;
/// Least length of a separator line, and of an underline that is shorter than its title.
const MIN_ADORNMENT: usize = 4;
/// Lowest level of a heading.
const MAX_LEVEL: u8 = 6;

/// Reads the block on a line if it is of the reader's kind; returns the index behind its last line.
type Reader<R> = fn(&mut R, Region, usize, Scope) -> Option<usize>;

/// The context that the surrounding blocks give to a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) kind: BlockKind,
    /// Number of open lists.
    pub(super) lists: u8,
    pub(super) is_note: bool,
    pub(super) depth: usize,
}

/// Reads blocks to leaves.
pub(super) struct BlockReader<'p> {
    pub(super) lines: &'p Lines<'p>,
    pub(super) definitions: &'p Definitions,
    pub(super) leaves: Leaves,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Number of texts that the page includes from elsewhere.
    pub(super) elsewhere: u64,
    /// The first heading.
    pub(super) heading: Option<String>,
    /// Marker of each open item, until its first leaf takes it.
    pub(super) markers: Vec<Option<String>>,
    /// Text to put before the next text: a label, or the name of a field.
    pub(super) prefix: Option<(BlockKind, String)>,
    /// Title adornments (the character, and whether it is also used as an overline), in order of appearance.
    adornments: Vec<(char, bool)>,
    /// Level of the section being read; 0 before the first.
    level: u8,
}

impl Scope {
    /// The scope of a block inside this one.
    pub(super) fn inside(self, kind: BlockKind) -> Self {
        Self { kind, depth: self.depth + 1, ..self }
    }
}

impl<'p> BlockReader<'p> {
    pub(super) fn new(lines: &'p Lines<'p>, definitions: &'p Definitions) -> Self {
        Self {
            lines,
            definitions,
            leaves: Leaves::default(),
            left_out: LeftOut::default(),
            elsewhere: 0,
            heading: None,
            markers: Vec::new(),
            prefix: None,
            adornments: Vec::new(),
            level: 0,
        }
    }

    /// Reads the blocks of `region`.
    pub(super) fn blocks(&mut self, region: Region, scope: Scope) {
        if scope.depth >= MAX_DEPTH {
            self.text(&self.source(region), scope);
            return;
        }
        let mut at = region.start;
        while let Some(start) = self.lines.text_from(region, at) {
            // At least one line further, so that the loop ends whatever a reader returns.
            at = self.block(region, start, scope).max(start + 1);
        }
    }

    /// Reads the block that begins on line `at`; returns the index behind its last line.
    fn block(&mut self, region: Region, at: usize, scope: Scope) -> usize {
        if let Some(inner) = self.lines.indented(region, at) {
            self.blocks(inner, scope.inside(BlockKind::Quotation));
            return inner.end;
        }
        let readers: [Reader<Self>; 11] = [
            Self::attribution,
            Self::bullet_item,
            Self::numbered_items,
            Self::field,
            Self::option,
            Self::doctest,
            Self::line_block,
            Self::grid_table,
            Self::simple_table,
            Self::explicit,
            Self::ruling,
        ];
        let found = readers.iter().find_map(|read| read(self, region, at, scope));
        found.unwrap_or_else(|| self.paragraph(region, at, scope))
    }

    /// An attribution: the last lines of a quotation, behind dashes.
    fn attribution(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let is_behind = scope.kind == BlockKind::Quotation && at > region.start;
        let view = self.lines.view(region, at);
        let name = ["---", "--", "—"].iter().find_map(|dash| view.strip_prefix(dash))?.trim_start();
        let is_name =
            is_behind && self.lines.view(region, at - 1).is_empty() && name.starts_with(char::is_alphanumeric);
        let end = self.lines.block_end(region, at);
        is_name.then(|| {
            let rest = self.source(self.lines.tail(region, at + 1).until(end));
            self.text(&format!("— {name}\n{rest}"), scope);
            end
        })
    }

    fn doctest(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let view = self.lines.view(region, at);
        (view == ">>>" || view.starts_with(">>> ")).then(|| {
            let end = self.lines.block_end(region, at);
            self.code(self.lines.tail(region, at).until(end), scope);
            end
        })
    }

    /// A line block, whose lines stay separate, as in a poem.
    fn line_block(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let verse = |line: &str| line == "|" || line.starts_with("| ");
        verse(self.lines.view(region, at)).then(|| {
            let goes_on = |at: &usize| self.lines.text_at(region, *at).is_some_and(|l| verse(l) || l.starts_with(' '));
            let end = (at + 1..).take_while(goes_on).last().map_or(at + 1, |last| last + 1);
            let parts: Vec<&str> = (at..end).map(|at| self.lines.view(region, at)).collect();
            let parts: Vec<&str> =
                parts.into_iter().map(|part| part.strip_prefix('|').unwrap_or(part).trim()).collect();
            self.text(&parts.join("\n"), scope);
            end
        })
    }

    /// A line of adornment characters: above a title, or between two texts.
    fn ruling(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let over = Some(self.lines.view(region, at)).filter(|view| is_adornment(view) && *view != "::")?;
        let Some(title) = self.lines.text_at(region, at + 1) else {
            // docutils treats three such characters as text, but they carry no meaning either.
            if over.len() + 1 == MIN_ADORNMENT {
                self.leaves.push(Leaf::new(BlockKind::Furniture, over));
            }
            return (over.len() + 1 >= MIN_ADORNMENT).then_some(at + 1);
        };
        let under = self.lines.text_at(region, at + 2).filter(|under| is_adornment(under) && under[..1] == over[..1]);
        if under.is_some_and(|under| fits(title.trim(), under) && !is_adornment(title)) {
            self.section(title, over, true, scope);
            return Some(at + 3);
        }
        (over.len() >= MIN_ADORNMENT).then(|| {
            self.leaves.push(Leaf::new(BlockKind::Furniture, over));
            at + 1
        })
    }

    /// A title, a term with its definition, or running text with the literal block after its `::`.
    fn paragraph(&mut self, region: Region, at: usize, scope: Scope) -> usize {
        let lines = self.lines;
        let first = lines.view(region, at);
        let below = lines.text_at(region, at + 1).unwrap_or_default();
        if is_adornment(below) && below != "::" && fits(first, below) {
            self.section(first, below, false, scope);
            return at + 2;
        }
        if below.starts_with(' ') && !first.ends_with("::") {
            return self.definition(region, at, scope);
        }
        let (mut end, mut last) = (at + 1, first);
        while let Some(line) = lines.text_at(region, end) {
            // An indented continuation belongs to the sentence: a border could cut off its "not".
            if line.starts_with(' ') && (ended(last) || last.ends_with("::")) {
                break;
            }
            (end, last) = (end + 1, line);
        }
        let source = self.source(lines.tail(region, at).until(end));
        let Some(text) = source.strip_suffix("::") else {
            self.text(&source, scope);
            return end;
        };
        match text.is_empty() || text.ends_with(char::is_whitespace) {
            true => self.text(text, scope),
            false => self.text(&format!("{text}:"), scope),
        }
        self.literal(region, end, scope)
    }

    /// The literal block announced by `::`: indented lines, or lines that begin with the same character.
    fn literal(&mut self, region: Region, at: usize, scope: Scope) -> usize {
        let lines = self.lines;
        if let Some(block) = lines.indented(region, at) {
            self.code(block, scope);
            return block.end;
        }
        let Some(start) = lines.text_from(region, at) else { return region.end };
        let mark = lines.view(region, start).chars().next().filter(char::is_ascii_punctuation);
        let end = lines.block_end(region, start);
        let is_quoted = |line: &str| mark.is_some_and(|mark| line.starts_with(mark));
        let block = lines.tail(region, start).until(end);
        if !lines.views(block).all(is_quoted) {
            return at;
        }
        self.code(block, scope);
        end
    }

    fn section(&mut self, title: &str, adornment: &str, is_over: bool, scope: Scope) {
        let style = (adornment.chars().next().unwrap_or('='), is_over);
        let known = self.adornments.iter().position(|known| *known == style);
        let at = known.unwrap_or_else(|| {
            self.adornments.push(style);
            self.adornments.len() - 1
        });
        self.level = u8::try_from(at + 1).unwrap_or(MAX_LEVEL).min(MAX_LEVEL);
        self.title(title, self.level, scope);
    }

    /// A heading below the current section.
    pub(super) fn rubric(&mut self, title: &str, scope: Scope) {
        self.title(title, (self.level + 1).min(MAX_LEVEL), scope);
    }

    fn title(&mut self, title: &str, level: u8, scope: Scope) {
        self.flush_prefix(scope);
        let text = self.shown(title.trim());
        self.heading.get_or_insert_with(|| text.clone());
        self.leaves.push(Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) });
    }

    /// The trimmed lines of `region`.
    pub(super) fn source(&self, region: Region) -> String {
        self.lines.views(region).map(str::trim).collect::<Vec<_>>().join("\n")
    }

    /// Adds a leaf of running text.
    pub(super) fn text(&mut self, source: &str, scope: Scope) {
        let text = self.shown(source);
        if text.is_empty() {
            return;
        }
        if scope.kind == BlockKind::ListItem && self.markers.last().is_some_and(Option::is_some) {
            self.flush_prefix(scope);
        }
        let text = self.prefix.take().map_or(text.clone(), |(_, prefix)| format!("{prefix} {text}"));
        self.push(text, scope);
    }

    /// Adds text that stays as typed.
    pub(super) fn code(&mut self, region: Region, scope: Scope) {
        let text = self.lines.views(region).collect::<Vec<_>>().join("\n");
        self.code_text(&text, scope);
    }

    pub(super) fn code_text(&mut self, text: &str, scope: Scope) {
        self.flush_prefix(scope);
        let (lines, text) = (code_lines(&visible(text)), self.words(text));
        self.leaves.push(Leaf { lines, ..Leaf::new(BlockKind::Code, text) });
    }

    /// Writes a pending prefix whose text did not follow.
    pub(super) fn flush_prefix(&mut self, scope: Scope) {
        if let Some((kind, prefix)) = self.prefix.take() {
            self.push(prefix, Scope { kind, ..scope });
        }
    }

    pub(super) fn push(&mut self, text: String, scope: Scope) {
        let mut leaf = Leaf::new(scope.kind, text);
        if scope.kind == BlockKind::ListItem {
            leaf.level = Some(scope.lists.max(1));
            leaf.marker = self.markers.last_mut().and_then(Option::take);
        }
        if scope.is_note {
            leaf = Leaf { marker: leaf.marker, ..Leaf::new(BlockKind::Footnote, leaf.text) };
        }
        self.leaves.push(leaf);
    }

    /// The visible words of `source`.
    pub(super) fn shown(&mut self, source: &str) -> String {
        let shown = inline::shown(source, self.definitions);
        self.words(&shown)
    }

    /// The normalized `text` without invisible characters.
    pub(super) fn words(&mut self, text: &str) -> String {
        self.left_out.hidden += hiding_marks(text) as u64;
        normalize(&visible(text))
    }
}

/// Whether an adornment is long enough for `title`.
fn fits(title: &str, adornment: &str) -> bool {
    adornment.len() >= MIN_ADORNMENT || title.chars().count() <= adornment.len()
}
