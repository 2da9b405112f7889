//! What a researcher does, told to whoever watches while it does it.

use bytes::Bytes;
use precis_proto::event::EventKind;
use precis_proto::job::Research as Kind;
use precis_proto::task::{ToolCall, Turn};
use precis_research::researcher::Action;
use precis_runtime::runner::JobContext;

/// What a turn thinks and concludes.
pub(super) fn thoughts(turn: Option<&Turn>) -> Vec<ToolCall> {
    let calls = turn.map_or(&[][..], |turn| &turn.calls);
    let is_said = |call: &&ToolCall| matches!(call, ToolCall::Think { .. } | ToolCall::Complete { .. });
    calls.iter().filter(is_said).cloned().collect()
}

/// The thoughts of a turn with what is done in it: what it asked for and may not have is left out.
pub(super) fn calls(mut thoughts: Vec<ToolCall>, actions: &[Action]) -> Vec<ToolCall> {
    let (mut queries, mut addresses) = (Vec::new(), Vec::new());
    for action in actions {
        match action {
            Action::Search { query, .. } => queries.push(query.clone()),
            Action::Read { address, .. } => addresses.push(address.clone()),
        }
    }
    let at = thoughts.iter().position(|call| matches!(call, ToolCall::Complete { .. })).unwrap_or(thoughts.len());
    let searched = (!queries.is_empty()).then_some(ToolCall::Search { queries });
    let read = (!addresses.is_empty()).then_some(ToolCall::Read { addresses });
    thoughts.splice(at..at, searched.into_iter().chain(read));
    thoughts
}

/// Announces `calls` of a turn of `directive`. A content store that fails costs the announcement only.
pub(super) async fn announce(directive: &str, calls: Vec<ToolCall>, ctx: &JobContext<Kind>) {
    if calls.is_empty() {
        return;
    }
    let Ok(bytes) = serde_json::to_vec(&calls) else { return };
    if let Ok(calls) = ctx.services().content.put(Bytes::from(bytes)).await {
        ctx.announce(EventKind::ResearcherTurn { directive: directive.to_owned(), calls });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_reported_with_its_actions_and_its_end_last() {
        let think = ToolCall::Think { text: "More.".to_owned() };
        let done = ToolCall::Complete { summary: "Enough.".to_owned() };
        let refused = ToolCall::Search { queries: vec!["a".to_owned(), "b".to_owned()] };
        let turn = Turn { calls: vec![think.clone(), refused, done.clone()] };
        let actions = [
            Action::Search { key: 1, query: "a".to_owned() },
            Action::Read { key: 2, number: "3".to_owned(), address: "x.txt".to_owned(), page: None },
        ];
        let told = calls(thoughts(Some(&turn)), &actions);
        let searched = ToolCall::Search { queries: vec!["a".to_owned()] };
        assert_eq!(told, [think, searched, ToolCall::Read { addresses: vec!["x.txt".to_owned()] }, done]);
        assert!(calls(thoughts(None), &[]).is_empty());
    }
}
