//! Tokens of each model call as a stacked bar: how much each layer of the prompt used, and what was left out.

use std::fmt;

use precis_proto::Phase;
use precis_proto::call::LayerUsage;
use precis_proto::response::ReportData;
use precis_proto::task::Role;

use crate::rendering::words::{group_digits, visible};

/// Most calls drawn; the page counts the rest.
const MOST_CALLS: usize = 120;
/// The content of the layers `L1` to `L5`.
const LAYERS: [&str; 5] = ["rules", "earlier context", "evidence", "history", "question"];

/// The calls of a session.
#[derive(Debug)]
pub(super) struct Usage {
    pub(super) calls: Vec<CallBar>,
    /// Calls that are not drawn.
    pub(super) more: usize,
}

/// One call.
#[derive(Debug)]
pub(super) struct CallBar {
    pub(super) role: String,
    pub(super) provider: String,
    pub(super) phase: Option<Phase>,
    pub(super) segments: Vec<BarSegment>,
    pub(super) kept: String,
    pub(super) room: String,
    /// Tokens left out; `None` if nothing was.
    pub(super) dropped: Option<String>,
}

/// A piece of a bar.
#[derive(Debug)]
pub(super) struct BarSegment {
    /// `l1` to `l5`, or `out` for what was left out.
    pub(super) class: String,
    pub(super) name: &'static str,
    pub(super) tokens: String,
    pub(super) width: Percent,
}

/// A percentage shown with two decimals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.0)
    }
}

impl Usage {
    pub(super) fn new(data: &ReportData) -> Self {
        let mut calls: Vec<&[LayerUsage]> = data.token_usage.chunk_by(|a, b| a.call_key == b.call_key).collect();
        let more = calls.len().saturating_sub(MOST_CALLS);
        calls.truncate(MOST_CALLS);
        Self { calls: calls.into_iter().map(CallBar::new).collect(), more }
    }
}

impl CallBar {
    /// Builds the bar of a call. Its length is the budget, or the tokens offered if those exceed the budget.
    fn new(layers: &[LayerUsage]) -> Self {
        let sum = |of: fn(&LayerUsage) -> u64| layers.iter().map(of).fold(0, u64::saturating_add);
        let (kept, dropped) = (sum(|l| l.kept), sum(|l| l.dropped));
        let room = layers.iter().map(|l| l.budget).max().unwrap_or(0);
        let length = room.max(kept.saturating_add(dropped)).max(1);
        let segment = |class: String, name, tokens: u64| BarSegment {
            class,
            name,
            tokens: group_digits(tokens),
            width: Percent(tokens as f64 * 100.0 / length as f64),
        };
        let place =
            |l: &LayerUsage| l.layer.trim_start_matches('L').parse().ok().filter(|n| (1..=LAYERS.len()).contains(n));
        let of_layer = |l: &LayerUsage| place(l).map(|n| segment(format!("l{n}"), LAYERS[n - 1], l.kept));
        let mut segments: Vec<BarSegment> = layers.iter().filter(|l| l.kept > 0).filter_map(of_layer).collect();
        if dropped > 0 {
            segments.push(segment("out".to_owned(), "left out", dropped));
        }
        let first = layers.first();
        Self {
            role: first.and_then(|l| l.role).map_or("call", Role::as_str).to_owned(),
            provider: first.map_or_else(String::new, |l| visible(&l.provider)),
            phase: first.and_then(|l| l.phase),
            segments,
            kept: group_digits(kept),
            room: group_digits(room),
            dropped: (dropped > 0).then(|| group_digits(dropped)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(layer: &str, budget: u64, kept: u64, dropped: u64) -> LayerUsage {
        let estimated = kept.saturating_add(dropped);
        LayerUsage {
            call_key: "call:1".into(),
            layer: layer.into(),
            estimated,
            budget,
            kept,
            dropped,
            ..LayerUsage::default()
        }
    }

    #[test]
    fn the_segments_of_a_bar_never_exceed_it() {
        for dropped in [0, 100, 90_000] {
            let bar =
                CallBar::new(&[layer("L1", 1_000, 200, 0), layer("L3", 700, 500, dropped), layer("L5", 800, 50, 0)]);
            let total: f64 = bar.segments.iter().map(|s| s.width.0).sum();
            assert!(total <= 100.0 + 1e-9, "{total}");
            assert_eq!((bar.kept.as_str(), bar.room.as_str(), bar.dropped.is_some()), ("750", "1,000", dropped > 0));
        }
        let odd = CallBar::new(&[layer("L9", 0, u64::MAX, u64::MAX)]);
        assert_eq!(odd.segments.len(), 1, "a layer nobody knows is not drawn");
    }
}
