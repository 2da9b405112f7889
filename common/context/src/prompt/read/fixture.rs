//! A task for the tests of reading.

use precis_proto::task::{SynthesizeTask, TaskFinding};

/// A task to write a report from findings with these numbers.
pub(super) fn synthesize(numbers: &[u32]) -> SynthesizeTask {
    let finding = |id: &u32| TaskFinding {
        id: *id,
        topic: String::new(),
        statement: "s".into(),
        title: "t".into(),
        source: 1,
        score: 0.5,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    };
    SynthesizeTask {
        query: "q".into(),
        findings: numbers.iter().map(finding).collect(),
        evidence: Default::default(),
        notes: Vec::new(),
        raw_notes: Vec::new(),
        status: None,
        target_tokens: 9,
        begun: String::new(),
    }
}
