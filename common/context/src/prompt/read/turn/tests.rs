use super::*;

fn search(queries: &[&str]) -> ToolCall {
    ToolCall::Search { queries: queries.iter().map(|&q| q.to_owned()).collect() }
}

fn think(text: &str) -> ToolCall {
    ToolCall::Think { text: text.to_owned() }
}

fn read(addresses: &[&str]) -> ToolCall {
    ToolCall::Read { addresses: addresses.iter().map(|&a| a.to_owned()).collect() }
}

#[test]
fn a_call_is_read_in_every_shape_models_write() {
    let want = vec![search(&["a b", "c"])];
    for text in [
        r#"{"calls": [{"tool": "search", "queries": ["a b", "c"]}]}"#,
        r#"{"calls": [{"tool": "search", "queries": ["a b", "c"], "addresses": [], "text": "", "summary": ""}]}"#,
        "```json\n{\"tool\": \"search\", \"queries\": [\"a b\", \"c\"]}\n```",
        "I will {look} first [of all].\n\n{\"tool\": \"search\", \"queries\": [\"a b\", \"c\"]}\n\nThat should do it.",
        r#"[{"tool": "search", "queries": ["a b", "c"]}]"#,
        r#"{'tool': 'search', 'queries': ['a b', 'c']}"#,
        r#"{"name": "search", "arguments": {"queries": ["a b", "c"]}}"#,
        r#"{"name": "search", "arguments": "{\"queries\": [\"a b\", \"c\"]}"}"#,
        r#"{"tool_calls": [{"type": "function", "function": {"name": "search", "arguments": "{\"queries\": [\"a b\", \"c\"]}"}}]}"#,
        r#"{"search": {"queries": ["a b", "c"]}}"#,
        r#"{"tool": "Search", "args": {"queries": ["a b", " c ", "c", ""]}}"#,
        // A repeated call counts once.
        r#"{"tool": "search", "queries": ["a b", "c"]} {"tool": "search", "queries": ["a b", "c"]}"#,
        // Cut in the middle: complete calls count.
        r#"{"calls": [{"tool": "search", "queries": ["a b", "c", "dee"#,
        r#"{"calls": [{"tool": "search", "queries": ["a b", "c"]}, {"tool": "think", "text": "and so"#,
        // Cut, and then again from the beginning.
        "{\"tool\": \"search\", \"que\n\n{\"tool\": \"search\", \"queries\": [\"a b\", \"c\"]}",
        // An invented tool next to a real one.
        r#"[{"tool": "browse", "url": "x"}, {"tool": "search", "queries": ["a b", "c"]}]"#,
    ] {
        assert_eq!(turn(text), Ok(Turn { calls: want.clone() }), "{text}");
    }
}

#[test]
fn several_calls_keep_their_order() {
    let text = r#"{"calls": [{"tool": "think", "text": "t"}, {"name": "read", "arguments": {"number": 3}},
        {"tool": "read", "url": "https://a.example/x"}, {"tool": "complete", "summary": "s"}]}"#;
    let complete = ToolCall::Complete { summary: "s".into() };
    let calls = vec![think("t"), read(&["3"]), read(&["https://a.example/x"]), complete];
    assert_eq!(turn(text), Ok(Turn { calls }));
}

#[test]
fn what_is_no_call_is_refused() {
    for text in [
        "",
        "I would search for a.",
        "{}",
        "[]",
        "{\"calls\": []}",
        r#"{"tool": "browse", "url": "x"}"#,
        r#"{"tool": "search"}"#,
        r#"{"tool": "search", "queries": []}"#,
        r#"{"tool": "search", "queries": [{"a": 1}]}"#,
        r#"{"tool": "think", "text": " "}"#,
        r#"{"text": "{\"tool\": \"search\", \"queries\": [\"a\"]}"}"#,
        &"[".repeat(1 << 20),
        &r#"{"a":["#.repeat(100_000),
    ] {
        assert!(turn(text).is_err(), "{}", &text[..text.len().min(80)]);
    }
}

#[test]
fn bounds_hold_at_one_less_at_the_bound_and_at_one_more() {
    let queries = |n: usize| serde_json::json!({"tool": "search", "queries": (0..n).map(|n| format!("q{n}")).collect::<Vec<_>>()});
    for (given, kept) in [(9, 9), (SEARCH_QUERIES, 10), (11, 10)] {
        let Ok(Turn { calls }) = turn(&queries(given).to_string()) else { panic!("{given}") };
        assert!(matches!(&calls[..], [ToolCall::Search { queries }] if queries.len() == kept), "{given}");
    }
    for (given, kept) in [(1, 1), (READ_ADDRESSES, 2), (3, 2)] {
        let numbers: Vec<usize> = (1..=given).collect();
        let Ok(Turn { calls }) = turn(&serde_json::json!({"tool": "read", "addresses": numbers}).to_string()) else {
            panic!("{given}")
        };
        assert!(matches!(&calls[..], [ToolCall::Read { addresses }] if addresses.len() == kept), "{given}");
    }
    for (given, kept) in [(7, 7), (TURN_CALLS, 8), (9, 8)] {
        let calls: Vec<Value> =
            (0..given).map(|n| serde_json::json!({"tool": "think", "text": format!("t{n}")})).collect();
        assert_eq!(turn(&Value::from(calls).to_string()).map(|t| t.calls.len()), Ok(kept), "{given}");
    }
    for (given, kept) in
        [(THOUGHT_CHARS - 1, THOUGHT_CHARS - 1), (THOUGHT_CHARS, THOUGHT_CHARS), (THOUGHT_CHARS + 1, THOUGHT_CHARS)]
    {
        let text = "é".repeat(given);
        let Ok(Turn { calls }) = turn(&serde_json::json!({"tool": "think", "text": text}).to_string()) else {
            panic!()
        };
        assert!(matches!(&calls[..], [ToolCall::Think { text }] if text.chars().count() == kept), "{given}");
    }
    for (given, kept) in
        [(QUERY_CHARS - 1, QUERY_CHARS - 1), (QUERY_CHARS, QUERY_CHARS), (QUERY_CHARS + 1, QUERY_CHARS)]
    {
        let Ok(Turn { calls }) = turn(&serde_json::json!({"tool": "search", "query": "é".repeat(given)}).to_string())
        else {
            panic!()
        };
        assert!(matches!(&calls[..], [ToolCall::Search { queries }] if queries[0].chars().count() == kept), "{given}");
    }
}

/// Pieces of good and bad answers, joined and cut at random.
#[test]
fn nothing_panics_and_nothing_passes_a_bound_whatever_the_text() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "'",
        "\\",
        "\\u12",
        "\\ud83d",
        "“",
        "”",
        "\n",
        " ",
        "é",
        "😀",
        "```json\n",
        "<think>",
        "\"tool\"",
        "'tool'",
        "tool",
        "\"name\"",
        "\"arguments\"",
        "\"calls\":[",
        "search",
        "\"search\"",
        "'read'",
        "\"think\"",
        "\"complete\"",
        "\"queries\":[",
        "\"addresses\":[",
        "\"text\":",
        "\"summary\":",
        "\"a\"",
        "\"b c\"",
        "12",
        "-1.5e",
        "true",
        "None",
        "{\"tool\":\"search\",\"queries\":[\"x\"]}",
        "{'tool':'think','text':'it's'}",
        "{\"tool\":\"read\",\"addresses\":[1,2,3]}",
    ];
    let mut seed = 11_u64;
    let mut dice = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut read = 0;
    for _ in 0..20_000 {
        let text: String = (0..dice(40)).map(|_| pieces[dice(pieces.len())]).collect();
        let Ok(Turn { calls }) = turn(&text) else { continue };
        read += 1;
        assert!((1..=TURN_CALLS).contains(&calls.len()), "{text}");
        for call in &calls {
            let is_within = match call {
                ToolCall::Search { queries } => {
                    (1..=SEARCH_QUERIES).contains(&queries.len())
                        && queries.iter().all(|q| !q.is_empty() && q.chars().count() <= QUERY_CHARS)
                }
                ToolCall::Read { addresses } => (1..=READ_ADDRESSES).contains(&addresses.len()),
                ToolCall::Think { text } => !text.is_empty() && text.chars().count() <= THOUGHT_CHARS,
                ToolCall::Complete { summary } => summary.chars().count() <= THOUGHT_CHARS,
            };
            assert!(is_within, "{text}: {call:?}");
        }
    }
    assert!(read > 1_000, "the generator makes calls: {read}");
}
