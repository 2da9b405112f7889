//! The traits of a unit: what tells an article from what stands around it. Each is a small number, the place of the unit in one row of
//! [`points`](super::points).

use std::collections::HashMap;

use dom_query::{Document, NodeId, NodeRef};

use super::text_sizes::TextSizes;
use super::text_traits::{UnitForm, UnitText, step};

/// Number of traits.
pub(super) const ROWS: usize = 71;

/// The traits of a unit, one for each row of points.
pub(super) type Traits = [u8; ROWS];

/// How many units around one are looked at for its siblings.
const REACH: usize = 12;
/// Elements around a unit that tell what it is.
const REGIONS: [&str; 15] = [
    "main",
    "article",
    "aside",
    "nav",
    "header",
    "footer",
    "section",
    "form",
    "figure",
    "td",
    "li",
    "blockquote",
    "a",
    "address",
    "label",
];
/// A trait of a unit without a group.
const NO_GROUP: u8 = 6;

/// A unit with its traits, and what the laws about it go by.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraitedUnit {
    pub(super) traits: Traits,
    pub(super) form: UnitForm,
    /// Whether the heuristics chose it.
    pub(super) is_chosen: bool,
    /// Whether it is mostly links, or a label above links.
    pub(super) is_linked: bool,
    /// Whether it stands between long paragraphs, beside some of them, and is not mostly links.
    pub(super) is_amid: bool,
    /// Whether it is a heading inside an article. The main heading is a title, which a page also says in its head.
    pub(super) is_section_heading: bool,
}

/// The `units` of `document`, in its order, with their traits; `chosen` tells which of them the heuristics chose.
pub(super) fn of(document: &Document, units: &[NodeRef<'_>], chosen: &[bool]) -> Vec<TraitedUnit> {
    let sizes = TextSizes::of(document);
    let texts: Vec<UnitText> = units.iter().map(|node| UnitText::of(node, &sizes)).collect();
    let mut held: HashMap<NodeId, Held> = HashMap::new();
    for ((node, text), chosen) in units.iter().zip(&texts).zip(chosen) {
        node.ancestors_it(None).for_each(|above| held.entry(above.id).or_default().add(text, *chosen));
    }
    let page = PageTraits {
        sizes: &sizes,
        all: texts.iter().fold(Held::default(), |mut all, text| {
            all.add(text, false);
            all
        }),
        held,
        title: units.iter().position(|node| node.has_name("h1")),
        first_long: texts.iter().position(UnitText::is_long),
        last_long: texts.iter().rposition(UnitText::is_long),
        texts: &texts,
        chosen,
    };
    let mut before = 0;
    let mut found = Vec::with_capacity(units.len());
    for (at, node) in units.iter().enumerate() {
        let mut traits = texts[at].traits(node, &sizes);
        traits.extend(page.of_group(node));
        traits.extend(page.of_place(at, before));
        traits.extend(regions(node));
        traits.extend(page.of_choice(at));
        before += texts[at].chars;
        let mut row: Traits = [0; ROWS];
        debug_assert_eq!(row.len(), traits.len());
        row.iter_mut().zip(traits).for_each(|(row, one)| *row = one);
        let is_amid = page.is_amid(at);
        found.push(TraitedUnit {
            traits: row,
            form: texts[at].form(node),
            is_chosen: chosen[at],
            is_linked: texts[at].is_linked(),
            is_amid,
            is_section_heading: texts[at].is_heading && !node.has_name("h1"),
        });
    }
    found
}

/// What an element holds of the units.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    chars: usize,
    chosen: usize,
    said: usize,
    units: usize,
    long: usize,
}

impl Held {
    fn add(&mut self, text: &UnitText, chosen: bool) {
        self.chars += text.chars;
        self.chosen += if chosen { text.chars } else { 0 };
        self.said += text.said_unlinked();
        self.units += 1;
        self.long += usize::from(text.is_long());
    }
}

struct PageTraits<'p> {
    sizes: &'p TextSizes,
    held: HashMap<NodeId, Held>,
    all: Held,
    title: Option<usize>,
    first_long: Option<usize>,
    last_long: Option<usize>,
    texts: &'p [UnitText],
    chosen: &'p [bool],
}

impl PageTraits<'_> {
    /// The innermost group of several units around `node`, and the next larger one.
    fn of_group(&self, node: &NodeRef<'_>) -> Vec<u8> {
        let held = |node: &NodeRef<'_>| self.held.get(&node.id).copied().unwrap_or_default();
        let group = node.ancestors_it(None).find(|above| held(above).units > 1);
        let next =
            group.and_then(|group| group.ancestors_it(None).find(|above| held(above).units > held(&group).units));
        let mut traits = Vec::new();
        for one in [group, next] {
            let Some(one) = one else {
                traits.extend([NO_GROUP; 5]);
                continue;
            };
            let (size, inside) = (self.sizes.of_node(&one), held(&one));
            traits.extend([
                step(percent(size.linked, size.chars), &[5, 20, 40, 70]),
                step(percent(inside.said, self.all.said), &[1, 5, 15, 40, 75]),
                step(inside.long, &[1, 2, 4]),
                step(inside.units, &[3, 6, 12, 30]),
                step(percent(inside.chosen, inside.chars), &[1, 25, 50, 75, 95]),
            ]);
        }
        traits.push(u8::from(group.is_some_and(|group| node.parent().is_some_and(|parent| parent.id == group.id))));
        traits
    }

    fn siblings(&self, at: usize) -> impl Iterator<Item = &UnitText> {
        let near = self.texts.iter().enumerate().skip(at.saturating_sub(REACH)).take(2 * REACH + 1);
        near.filter(move |(other, text)| *other != at && text.parent == self.texts[at].parent).map(|(_, text)| text)
    }

    fn is_amid(&self, at: usize) -> bool {
        let is_between =
            self.first_long.is_some_and(|first| at > first) && self.last_long.is_some_and(|last| at < last);
        is_between && !self.texts[at].is_linked() && self.siblings(at).any(UnitText::is_long)
    }

    fn of_place(&self, at: usize, before: usize) -> Vec<u8> {
        let texts = self.texts;
        let shape = |at: Option<usize>| at.and_then(|at| texts.get(at)).map_or(0, UnitText::shape);
        let siblings: Vec<&UnitText> = self.siblings(at).collect();
        // No long unit on that side is the last step.
        let distance = |units: Option<usize>| units.map_or(5, |units| step(units, &[1, 2, 4, 10]));
        vec![
            step(siblings.iter().filter(|text| text.is_long()).count(), &[1, 3]),
            step(siblings.len(), &[1, 3]),
            shape(at.checked_sub(2)),
            shape(at.checked_sub(1)),
            shape(Some(at + 1)),
            shape(Some(at + 2)),
            self.title.map_or(2, |title| u8::from(at < title)),
            u8::from(self.first_long.is_some_and(|first| at < first)),
            u8::from(self.last_long.is_some_and(|last| at > last)),
            distance(texts[..at].iter().rev().take(99).position(UnitText::is_long)),
            distance(texts[at + 1..].iter().take(99).position(UnitText::is_long)),
            step(percent(before, self.all.chars), &[5, 20, 50, 80, 95]),
            step(self.all.long, &[2, 4, 8, 16]),
        ]
    }

    /// Whether the heuristics chose the unit, its neighbours, and how much of the page.
    fn of_choice(&self, at: usize) -> [u8; 4] {
        let near = |chosen: &[bool]| chosen.iter().filter(|is| **is).count() as u8;
        let of_page =
            self.chosen.iter().zip(self.texts).filter(|(is, _)| **is).map(|(_, text)| text.said_unlinked()).sum();
        let is_chosen = self.chosen[at];
        let share = step(percent(of_page, self.all.said), &[20, 40, 60, 80]);
        [
            u8::from(is_chosen),
            near(&self.chosen[at.saturating_sub(3)..at]),
            near(&self.chosen[at + 1..(at + 4).min(self.chosen.len())]),
            if is_chosen { share } else { share + 5 },
        ]
    }
}

fn regions(node: &NodeRef<'_>) -> [u8; 15] {
    let mut found = [0; 15];
    for above in node.ancestors_it(None) {
        let Some(name) = above.node_name() else { continue };
        if let Some(region) = REGIONS.iter().position(|region| *region == &*name) {
            found[region] = 1;
        }
    }
    found
}

fn percent(part: usize, whole: usize) -> usize {
    part * 100 / whole.max(1)
}
