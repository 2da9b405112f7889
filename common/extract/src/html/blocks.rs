//! [`Blocks`]: turns the elements met on a walk over a page into leaves. Each open block is a frame with everything that its text needs to
//! know, so only the innermost frame is consulted.

use dom_query::{Element, NodeId, NodeRef};
use precis_proto::BlockKind;
use precis_text::Leaf;

use super::collapsed;
use super::form_state;
use super::lists::OpenList;
use super::roles::{BlockRole, Flow, Region, attribute, flow, region, role};
use super::typography::Typography;
use crate::runs::{Marks, RunText};
use crate::table::{Cell, Leaves};

/// Longest text of a cell, in bytes, in which an empty line separates no paragraphs: short texts break lines to fit their column; chosen,
/// not measured.
const LONG_CELL_BYTES: usize = 200;
/// Least percentage of linked characters that makes an `<aside>` a menu; chosen, not measured.
const MENU_PERCENT: usize = 60;

/// The properties of an open block.
#[derive(Debug, Clone, Copy)]
struct BlockFrame {
    id: NodeId,
    kind: BlockKind,
    /// Level of the heading; 0 if it is none.
    heading: u8,
    /// Number of lists around it.
    depth: u8,
    /// A kind that overrides those of all blocks in it: notes, references, furniture.
    over_all: Option<BlockKind>,
    /// Whether headings in this furniture are kept, because they name the page.
    keeps_headings: bool,
    in_article: bool,
    in_table_head: bool,
    in_cell: bool,
    /// Whether it is closed until a reader opens it.
    is_collapsed: bool,
    end: BlockEnd,
}

/// What to do at the end of a block.
#[derive(Debug, Clone, Copy)]
enum BlockEnd {
    Nothing,
    List,
    Item,
    Table,
    Row,
    /// Counts of leaves, characters and linked characters at its start.
    Aside(usize, usize, usize),
}

/// The leaves of a page, as far as it has been walked.
pub(super) struct Blocks {
    leaves: Leaves,
    frames: Vec<BlockFrame>,
    lists: Vec<OpenList>,
    /// Marker of each open item, until its first leaf takes it.
    markers: Vec<Option<String>>,
    line: BlockText,
    typography: Typography,
    chars: usize,
    linked_chars: usize,
}

/// The text of the block being read.
#[derive(Default)]
struct BlockText {
    text: RunText,
    /// Number of its bytes inside links.
    linked: usize,
    /// Whether all words so far are labels of form fields.
    is_label: bool,
    has_words: bool,
    /// Number of line breaks since the last word.
    breaks: usize,
}

impl Blocks {
    /// Starts with the tree below `root`; if it is known to be an article, its header and footer belong to it.
    pub(super) fn new(root: NodeId, is_article: bool) -> Self {
        let frame = BlockFrame {
            id: root,
            kind: BlockKind::Paragraph,
            heading: 0,
            depth: 0,
            over_all: None,
            keeps_headings: false,
            in_article: is_article,
            in_table_head: false,
            in_cell: false,
            is_collapsed: false,
            end: BlockEnd::Nothing,
        };
        Self {
            leaves: Leaves::default(),
            frames: vec![frame],
            lists: Vec::new(),
            markers: Vec::new(),
            line: BlockText::default(),
            typography: Typography::default(),
            chars: 0,
            linked_chars: 0,
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.typography.formula_text(text) {
            return;
        }
        if let Some(marks) = self.typography.marks() {
            self.run(text, marks, self.typography.is_label());
        }
    }

    /// What a field shows, which is no word of the text around it.
    fn state(&mut self, element: &Element) {
        if let Some((shown, marks)) = form_state::field_state(element).zip(self.typography.marks()) {
            self.run(shown, marks, true);
            self.set_apart();
        }
    }

    fn run(&mut self, text: &str, marks: Marks, in_label: bool) {
        let line = &mut self.line;
        let is_blank = text.chars().all(char::is_whitespace);
        if !is_blank && !marks.is_struck {
            line.is_label = in_label && (line.is_label || !line.has_words);
            (line.has_words, line.breaks) = (true, 0);
            if self.typography.is_linked() {
                line.linked += text.len();
            }
        }
        if !is_blank || !line.text.ends_apart() {
            line.text.push(text, marks);
        }
    }

    pub(super) fn open(&mut self, node: &NodeRef<'_>, element: &Element) {
        let name = element.name.local.as_ref();
        if self.typography.open_formula(name) {
            return;
        }
        match flow(name) {
            Flow::Inline => {
                self.typography.open(element);
                if name == "a" {
                    self.line.text.begin_link(attribute(element, "href").unwrap_or_default());
                }
            }
            Flow::Apart => {
                self.typography.open(element);
                self.set_apart();
                self.state(element);
            }
            Flow::Break => self.line_break(),
            Flow::Block => {
                self.end_block();
                self.open_block(node, element);
                self.state(element);
            }
        }
    }

    pub(super) fn close(&mut self, id: NodeId, name: &str) {
        match self.typography.close_formula() {
            (false, _) => {}
            (true, None) => return,
            (true, Some(formula)) => {
                if let Some(marks) = self.typography.marks() {
                    self.line.text.formula(&formula, marks);
                    (self.line.has_words, self.line.breaks) = (true, 0);
                }
                return;
            }
        }
        match flow(name) {
            Flow::Inline => {
                self.typography.close(name);
                if name == "a" {
                    self.line.text.end_link();
                }
            }
            Flow::Apart => {
                self.typography.close(name);
                self.set_apart();
            }
            Flow::Break => {}
            Flow::Block => {
                self.end_block();
                self.close_block(id);
            }
        }
    }

    /// The leaves, and the number of characters that are struck out. Hidden ones were removed, and counted, before the walk.
    pub(super) fn finish(mut self) -> (Vec<Leaf>, u64) {
        self.end_block();
        let struck = self.leaves.left_out().struck;
        (self.leaves.finish(), struck)
    }

    fn set_apart(&mut self) {
        if !self.line.text.ends_apart() {
            self.line.text.space(' ');
        }
    }

    /// One break ends a line; a second one leaves an empty line and ends the paragraph.
    fn line_break(&mut self) {
        self.line.text.space('\n');
        self.line.breaks += 1;
        let frame = self.frame();
        let may_end = frame.kind != BlockKind::Code && frame.heading == 0;
        let is_long = || self.line.text.len() > LONG_CELL_BYTES;
        if self.line.breaks > 1 && may_end && (!frame.in_cell || is_long()) {
            self.end_block();
        }
    }

    fn frame(&self) -> BlockFrame {
        *self.frames.last().expect("the root's frame is never removed")
    }

    fn open_block(&mut self, node: &NodeRef<'_>, element: &Element) {
        if matches!(element.name.local.as_ref(), "thead" | "tbody" | "tfoot") {
            self.leaves.begin_row_group();
        }
        let mut frame = BlockFrame { id: node.id, end: BlockEnd::Nothing, ..self.frame() };
        let beyond = self.frames.iter().rev().nth(1).is_some_and(|beyond| beyond.is_collapsed);
        frame.is_collapsed = collapsed::is_closed(element, frame.is_collapsed, beyond);
        self.enter_region(&mut frame, element);
        self.enter_role(&mut frame, node, element);
        self.frames.push(frame);
    }

    fn enter_region(&mut self, frame: &mut BlockFrame, element: &Element) {
        let furniture = Some(BlockKind::Furniture);
        match region(element) {
            None => {}
            Some(Region::Footnotes) => frame.over_all = Some(BlockKind::Footnote),
            Some(Region::References) => frame.over_all = Some(BlockKind::Reference),
            Some(Region::Furniture) => (frame.over_all, frame.keeps_headings) = (furniture, false),
            // The title of a page is often in its header.
            Some(Region::Head) if !frame.in_article && frame.over_all.is_none() => {
                (frame.over_all, frame.keeps_headings) = (furniture, true);
            }
            Some(Region::Foot) if !frame.in_article => (frame.over_all, frame.keeps_headings) = (furniture, false),
            Some(Region::Head | Region::Foot) => {}
            Some(Region::Aside) => {
                frame.in_article = true;
                frame.end = BlockEnd::Aside(self.leaves.len(), self.chars, self.linked_chars);
            }
            Some(Region::Article) => frame.in_article = true,
        }
    }

    fn enter_role(&mut self, frame: &mut BlockFrame, node: &NodeRef<'_>, element: &Element) {
        match role(element) {
            BlockRole::Plain => {}
            BlockRole::Heading(level) => (frame.kind, frame.heading) = (BlockKind::Heading, level),
            BlockRole::List { is_ordered } => {
                self.lists.push(OpenList::from_element(node, element, is_ordered));
                (frame.depth, frame.end) = (frame.depth.saturating_add(1), BlockEnd::List);
            }
            BlockRole::Item { is_marked } => {
                let marker = is_marked.then(|| match self.lists.last_mut() {
                    Some(list) => list.marker(element),
                    None => "-".to_owned(),
                });
                self.markers.push(marker);
                (frame.kind, frame.end) = (BlockKind::ListItem, BlockEnd::Item);
            }
            BlockRole::Quotation => frame.kind = BlockKind::Quotation,
            BlockRole::Caption => frame.kind = BlockKind::Caption,
            BlockRole::Code => frame.kind = BlockKind::Code,
            BlockRole::Field => frame.kind = BlockKind::FormField,
            BlockRole::Table => {
                self.leaves.open_table();
                if attribute(element, "role").is_some_and(|role| matches!(role.trim(), "presentation" | "none")) {
                    self.leaves.table_is_layout();
                }
                (frame.in_table_head, frame.end) = (false, BlockEnd::Table);
            }
            BlockRole::TableHead => frame.in_table_head = true,
            BlockRole::Row => {
                self.leaves.open_row(frame.in_table_head);
                frame.end = BlockEnd::Row;
            }
            BlockRole::Cell { is_header } => {
                self.leaves.open_cell(cell(element, is_header));
                (frame.kind, frame.in_cell, frame.in_table_head) = (BlockKind::Paragraph, true, false);
            }
        }
    }

    fn close_block(&mut self, id: NodeId) {
        let Some(frame) = self.frames.pop_if(|frame| frame.id == id) else { return };
        match frame.end {
            BlockEnd::Nothing => {}
            BlockEnd::List => drop(self.lists.pop()),
            BlockEnd::Item => drop(self.markers.pop()),
            BlockEnd::Table => self.leaves.close_table(),
            BlockEnd::Row => self.leaves.close_row(),
            BlockEnd::Aside(leaves, chars, linked) => {
                let (chars, linked) = (self.chars - chars, self.linked_chars - linked);
                if linked * 100 >= chars * MENU_PERCENT {
                    self.leaves.since(leaves).iter_mut().for_each(|leaf| {
                        *leaf = Leaf::new(BlockKind::Furniture, std::mem::take(&mut leaf.text));
                    });
                }
            }
        }
    }

    /// Ends the block being read and adds its leaf, if it has words.
    fn end_block(&mut self) {
        let line = std::mem::take(&mut self.line);
        let (bytes, frame) = (line.text.len(), self.frame());
        let Some(mut leaf) = self.leaves.leaf(kind(&frame, line.is_label), line.text) else { return };
        leaf.is_collapsed = frame.is_collapsed;
        self.chars += bytes;
        self.linked_chars += line.linked;
        if leaf.kind == BlockKind::Heading {
            leaf.level = Some(frame.heading);
        }
        if frame.kind == BlockKind::ListItem && leaf.kind != BlockKind::Furniture {
            leaf.level = (leaf.kind == frame.kind).then_some(frame.depth.max(1));
            leaf.marker = self.markers.last_mut().and_then(Option::take);
        }
        self.leaves.push(leaf);
    }
}

fn kind(frame: &BlockFrame, is_label: bool) -> BlockKind {
    match frame.over_all {
        Some(BlockKind::Furniture) if !frame.keeps_headings => BlockKind::Furniture,
        Some(over_all) if frame.kind != BlockKind::Heading => over_all,
        None if is_label && frame.kind == BlockKind::Paragraph => BlockKind::FormField,
        _ => frame.kind,
    }
}

fn cell(element: &Element, is_header: bool) -> Cell {
    // As browsers read numbers: the digits at the start.
    let span = |name: &str| {
        let value = attribute(element, name).unwrap_or_default().trim_start();
        let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
        value[..digits].parse::<usize>().ok()
    };
    // 0 is every row up to the end of the group.
    let rows = span("rowspan").map_or(1, |rows| if rows == 0 { usize::MAX } else { rows });
    Cell { is_header, columns: span("colspan").unwrap_or(1).max(1), rows, goes_on: false }
}
