//! Every list of document formats matches the table, `proto/src/document_format.rs`.

use clap::CommandFactory;
use precis_proto::DocumentFormat;
use precis_workers::commands::Cli;

/// Returns `text` with single spaces between its words, wherever its lines were broken.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn guide_and_run_help_list_the_formats_of_the_table() {
    let listed = format!("reads {}", DocumentFormat::list("and"));
    assert!(include_str!("../../../docs/commands.md").contains(&format!("`precis run` {listed}")), "{listed}");
    let mut command = Cli::command();
    let run = command.find_subcommand_mut("run").expect("a command");
    let help = unwrapped(&run.render_long_help().to_string());
    assert!(help.to_lowercase().contains(&listed.to_lowercase()), "{help}");
}
