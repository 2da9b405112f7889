//! Divides the carried sources among the calls that make findings of them: in their order, so much in each as fits it.

use precis_proto::job::{CompressionSource, SourcePart};

/// Sources of a call, unless more are needed to stay within the calls of a session: enough to compare, few enough to spread over workers
/// (chosen, not measured).
const SOURCES_PER_BATCH: usize = 8;

/// One part in how many of a call is spared where a source is divided. Chosen: a passage has about 100 tokens, a call some thousands.
const SPARED: u64 = 16;

/// What the calls of a session can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallRoom {
    /// Tokens of passages of one call.
    pub(super) tokens: u64,
    /// Most calls; `None` if they cost nothing, and a source is then never divided.
    pub(super) calls: Option<usize>,
}

/// A topic, empty if there is none, with sources to read under it.
pub(super) type TopicSources = (String, Vec<CompressionSource>);

/// Divides `groups` among calls. A source that is longer than a call is read in several, in order and to its end. If that would be more
/// calls than there may be, more sources share one; what is left after that goes into the last call, which reads of it what fits.
pub(super) fn batches(groups: &[TopicSources], room: CallRoom) -> Vec<TopicSources> {
    let Some(calls) = room.calls else {
        return pack_batches(groups, SOURCES_PER_BATCH, u64::MAX);
    };
    let longest = groups.iter().map(|(_, sources)| sources.len()).max().unwrap_or(0);
    let mut most = SOURCES_PER_BATCH;
    let mut found = pack_batches(groups, most, room.tokens);
    while found.len() > calls && most < longest {
        most = most.saturating_mul(2);
        found = pack_batches(groups, most, room.tokens);
    }
    within(found, calls)
}

/// Fills one call after the other with up to `most` sources and `tokens` tokens; each has sources of one topic.
fn pack_batches(groups: &[TopicSources], most: usize, tokens: u64) -> Vec<TopicSources> {
    let mut batches = Vec::new();
    for (topic, sources) in groups {
        let (mut batch, mut held) = (Vec::new(), 0_u64);
        for (piece, size) in sources.iter().flat_map(|source| pieces(source, tokens)) {
            if !batch.is_empty() && (batch.len() == most || held.saturating_add(size) > tokens) {
                batches.push((topic.clone(), std::mem::take(&mut batch)));
                held = 0;
            }
            held = held.saturating_add(size);
            batch.push(piece);
        }
        if !batch.is_empty() {
            batches.push((topic.clone(), batch));
        }
    }
    batches
}

/// The parts of `source` that calls of `tokens` tokens can carry, in order, with their tokens.
fn pieces(source: &CompressionSource, tokens: u64) -> Vec<(CompressionSource, u64)> {
    let size = source.reduction.as_ref().map_or(source.text.tokens, |reduction| reduction.tokens);
    if size <= tokens {
        return vec![(source.clone(), size)];
    }
    // A part ends with a whole passage, which may reach over its share.
    let share = (tokens - tokens / SPARED).max(1);
    let of = size.div_ceil(share).clamp(1, u64::from(u32::MAX)) as u32;
    let part = |n| CompressionSource { part: Some(SourcePart { n, of }), ..source.clone() };
    (0..of).map(|n| (part(n), size.div_ceil(u64::from(of)))).collect()
}

/// Puts what lies beyond `calls` calls into the last of them.
fn within(mut batches: Vec<TopicSources>, calls: usize) -> Vec<TopicSources> {
    let beyond = batches.split_off(calls.max(1).min(batches.len()));
    if let Some((topic, sources)) = batches.last_mut() {
        for (other, more) in beyond {
            if !topic.lines().any(|line| line == other) {
                *topic = format!("{topic}\n{other}").trim().to_owned();
            }
            sources.extend(more);
            // Of several topics at once, no passage is of another one.
            sources.iter_mut().for_each(|source| source.topics.clear());
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(n: usize, tokens: u64) -> CompressionSource {
        let hash = format!("sha256:{n:064}");
        let text = json!({ "content": hash, "hash": hash, "chars": tokens * 4, "tokens": tokens, "pages": 0 });
        let source = json!({ "source_id": format!("s{n}"), "title": "t", "text": text, "reduction": null });
        serde_json::from_value(source).expect("a source")
    }

    fn sizes(batches: &[TopicSources]) -> Vec<Vec<String>> {
        let named = |source: &CompressionSource| match source.part {
            Some(SourcePart { n, of }) => format!("{} {}/{of}", source.source_id, n + 1),
            None => source.source_id.to_string(),
        };
        batches.iter().map(|(_, sources)| sources.iter().map(named).collect()).collect()
    }

    #[test]
    fn a_long_source_is_read_in_order_to_its_end() {
        let group = vec![(String::new(), vec![source(0, 40), source(1, 250), source(2, 30)])];
        let room = |tokens, calls| CallRoom { tokens, calls };
        for (room, want) in [
            (room(100, Some(9)), &[&["s0"][..], &["s1 1/3"], &["s1 2/3"], &["s1 3/3"], &["s2"]][..]),
            (room(400, Some(9)), &[&["s0", "s1", "s2"]]),
            (room(319, Some(9)), &[&["s0", "s1"], &["s2"]]),
            (room(100, Some(2)), &[&["s0"], &["s1 1/3", "s1 2/3", "s1 3/3", "s2"]]),
            (room(249, Some(9)), &[&["s0", "s1 1/2"], &["s1 2/2", "s2"]]),
            (room(250, Some(9)), &[&["s0"], &["s1"], &["s2"]]),
            (room(251, Some(9)), &[&["s0"], &["s1"], &["s2"]]),
            (room(100, None), &[&["s0", "s1", "s2"]]),
        ] {
            assert_eq!(sizes(&batches(&group, room)), want, "{room:?}");
        }
    }

    #[test]
    fn more_sources_share_a_call_before_any_topic_shares_one() {
        let all: Vec<CompressionSource> = (0..40).map(|n| source(n, 1)).collect();
        for (calls, want) in [(4, 3), (5, 5), (6, 5)] {
            let found = batches(&[(String::new(), all.clone())], CallRoom { tokens: 100, calls: Some(calls) });
            assert_eq!(found.len(), want, "{calls}");
        }
        let topics = [("a".to_owned(), vec![source(0, 9)]), ("b".to_owned(), vec![source(1, 9)])];
        let one = batches(&topics, CallRoom { tokens: 100, calls: Some(1) });
        assert_eq!((one.len(), one[0].0.as_str(), one[0].1.len()), (1, "a\nb", 2));
    }

    #[test]
    fn every_source_is_whole_in_a_limited_number_of_calls() {
        let mut dice = 7_u64;
        let mut below = |most: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % most
        };
        for _ in 0..500 {
            let mut n = 0;
            let mut sources = |below: &mut dyn FnMut(u64) -> u64| -> Vec<CompressionSource> {
                let numbered = (0..below(20)).map(|_| {
                    n += 1;
                    source(n, below(500))
                });
                numbered.collect()
            };
            let groups: Vec<TopicSources> =
                (0..below(5)).map(|at| (format!("topic {at}"), sources(&mut below))).collect();
            let room = CallRoom { tokens: 1 + below(300), calls: Some(1 + below(20) as usize) };
            let found = batches(&groups, room);
            assert!(found.len() <= room.calls.expect("a bound"), "{room:?}");
            let mut read = found.iter().flat_map(|(_, sources)| sources).peekable();
            for source in groups.iter().flat_map(|(_, sources)| sources) {
                let of = read.peek().and_then(|piece| piece.part).map_or(1, |part| part.of);
                for at in 0..of {
                    let piece = read.next().expect("a piece");
                    assert_eq!((&piece.source_id, piece.part.map_or(0, |part| part.n)), (&source.source_id, at));
                }
            }
            assert!(read.next().is_none(), "{room:?}");
        }
    }
}
