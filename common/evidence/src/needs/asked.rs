//! The question of an answer, in an FAQ, a form or an interview, and the term of a definition.

use precis_proto::quote_context::ContextRole;
use precis_proto::{BlockKind, CharRange};
use precis_text::sentences::{self, is_question};

use super::blocks::{Blocks, NeededRange};

/// Most characters of a question that is a block, and of a term. Chosen, not measured.
const QUESTION_CHARS: usize = 300;
const TERM_CHARS: usize = 80;
/// Most items before a definition in its list of pairs. Chosen, not measured.
const MOST_PAIRED: usize = 100;
/// Blocks behind a question that are its answer. A longer answer tells by itself what it is about. Chosen, not measured.
const ANSWER_BLOCKS: usize = 3;

/// The question that the block at `at` answers, or the term that it defines.
pub(super) fn of(blocks: Blocks<'_>, at: usize) -> Option<NeededRange> {
    question(blocks, at).or_else(|| term(blocks, at))
}

fn question(blocks: Blocks<'_>, at: usize) -> Option<NeededRange> {
    if is_asking(blocks, at) {
        return None;
    }
    let mut other = at;
    for _ in 0..ANSWER_BLOCKS {
        other = blocks.before(other)?;
        let kind = blocks.all[other].kind;
        // A mail quotes the question of another one, and what follows is no answer to it.
        if is_asking(blocks, other) {
            let is_pair = kind == BlockKind::Heading || kind == blocks.all[at].kind;
            return is_pair.then(|| NeededRange::new(ContextRole::Question, blocks.all[other].range()));
        }
        if matches!(kind, BlockKind::Heading | BlockKind::Quotation) {
            return None;
        }
    }
    None
}

/// Whether a block is one question and nothing else.
fn is_asking(blocks: Blocks<'_>, at: usize) -> bool {
    let block = &blocks.all[at];
    let may_ask =
        matches!(block.kind, BlockKind::Heading | BlockKind::Paragraph | BlockKind::ListItem | BlockKind::FormField);
    may_ask
        && block.range().len() <= QUESTION_CHARS
        && is_question(blocks.text_at(at))
        && !blocks.text_at(at).trim_end_matches(is_mark).contains(is_mark)
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | '?' | '!' | '。' | '？' | '！' | '؟')
}

/// The question right before `unit` in its block: `Is it safe? No, it is not.`
pub(super) fn within_block(blocks: Blocks<'_>, at: usize, unit: CharRange) -> Option<NeededRange> {
    let block = &blocks.all[at];
    let said = blocks.text_at(at);
    if unit.start == block.start
        || !said.contains(['?', '？', '؟', ';', '\u{37e}'])
        || is_question(blocks.text.slice(unit))
    {
        return None;
    }
    let before =
        sentences::of_block(said).into_iter().map(|one| CharRange::new(block.start + one.start, block.start + one.end));
    let last = before.take_while(|one| one.end <= unit.start).last()?;
    let asks = is_question(blocks.text.slice(last)) && last.len() <= QUESTION_CHARS;
    asks.then(|| NeededRange::new(ContextRole::Question, last))
}

/// The term before a definition, in a list of pairs: items without marks, of which the first of each pair is short and no sentence.
fn term(blocks: Blocks<'_>, at: usize) -> Option<NeededRange> {
    let is_bare = |at: usize| blocks.all[at].kind == BlockKind::ListItem && blocks.all[at].marker.is_none();
    if !is_bare(at) {
        return None;
    }
    let mut first = at;
    while let Some(before) = first.checked_sub(1).filter(|before| is_bare(*before)) {
        first = before;
        if at - first > MOST_PAIRED {
            return None;
        }
    }
    let is_own = first.checked_sub(1).is_none_or(|before| blocks.all[before].kind != BlockKind::ListItem);
    let end = (at..blocks.all.len().min(at + MOST_PAIRED))
        .find(|other| !is_bare(*other))
        .unwrap_or(blocks.all.len().min(at + MOST_PAIRED));
    let is_term = |at: usize| blocks.all[at].range().len() <= TERM_CHARS && !sentences::is_whole(blocks.text_at(at));
    let are_pairs = is_own && (end - first).is_multiple_of(2) && (first..end).step_by(2).all(is_term);
    (are_pairs && (at - first) % 2 == 1).then(|| NeededRange::new(ContextRole::Term, blocks.all[at - 1].range()))
}
