//! Each reader of what others wrote, tried with wrong inputs for a moment. For longer:
//! `cargo run -p precis-bench --bin fuzz-messages -- TARGET SECONDS SEED`.

use precis_tests::fuzz::run;
use precis_tests::fuzz::targets::{TARGETS, Target};

/// Inputs of each target in a test run.
const INPUTS: u64 = 1_500;

#[test]
fn no_wrong_input_breaks_a_reader() {
    let tried = std::thread::scope(|scope| {
        let threads =
            TARGETS.map(|target| (target.name, scope.spawn(move || run(&target, 1, |number| number == INPUTS))));
        threads.map(|(name, thread)| (name, thread.join().expect("findings are caught")))
    });
    for (name, result) in tried {
        assert_eq!(result.unwrap_or_else(|finding| panic!("{name}: {finding:?}")), INPUTS, "{name}");
    }
}

#[test]
fn good_inputs_break_no_law_and_are_read() {
    for target in TARGETS {
        let corpus = (target.corpus)();
        assert!(!corpus.is_empty(), "{}", target.name);
        corpus.iter().for_each(|input| (target.try_one)(input));
    }
}

#[test]
fn a_law_that_is_broken_is_found() {
    let broken = Target {
        name: "broken",
        try_one: |input| assert!(!input.contains(&b'}'), "a brace"),
        corpus: || vec![b"{}".to_vec()],
    };
    let finding = run(&broken, 1, |number| number == 1_000).expect_err("a brace stays in some of them");
    assert!(finding.message.contains("a brace"), "{finding:?}");
}
