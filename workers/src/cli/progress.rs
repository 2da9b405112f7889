//! The progress display of a session: on a terminal one live line per phase, otherwise one line per finished phase.
//!
//! It only displays events; a lost event makes a number on the screen stale and nothing else.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use precis_proto::Phase;
use precis_proto::event::EventKind;
use precis_proto::task::Role;
use precis_proto::warning::Warning;
use tokio::sync::mpsc;

use crate::cli::research_details::ShownEvent;
use crate::cli::terminal::{print_warning, printable};

/// Warnings shown while running; the report lists all of them.
const SHOWN_WARNINGS: usize = 12;
/// Time between two frames of the live line: fast enough to look alive, slow enough to cost no CPU.
const FRAME: Duration = Duration::from_millis(120);
const TEMPLATE: &str = "{spinner:.cyan} {prefix:13} {bar:28.cyan/dim} {pos}/{len} {elapsed:.dim}";
const TEMPLATE_WITHOUT_TOTAL: &str = "{spinner:.cyan} {prefix:13} {msg} {elapsed:.dim}";

/// How progress is shown on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressMode {
    /// A line that is redrawn in place.
    Live,
    /// Lines printed one below the other.
    Plain,
    /// No output.
    Silent,
}

impl ProgressMode {
    /// Chooses the mode by `quiet` and by whether standard error is a terminal.
    #[must_use]
    pub fn choose(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Silent,
            (false, true) => Self::Live,
            (false, false) => Self::Plain,
        }
    }
}

/// The progress display of one session.
#[derive(Debug)]
pub struct Progress {
    mode: ProgressMode,
    bar: Option<ProgressBar>,
    phase: Option<Phase>,
    /// Jobs of the phase (documents, chunks or topics): answered, total.
    jobs: (u64, u64),
    warned: BTreeSet<Warning>,
    /// The phase and the longest wait for a model shown in it, in seconds.
    waited: (Option<Phase>, u64),
    /// The last round of research whose start, and whose end, were shown.
    rounds: (u32, u32),
    /// Whether the plan was shown.
    has_plan: bool,
}

impl Progress {
    /// Creates an empty display.
    #[must_use]
    pub fn new(mode: ProgressMode) -> Self {
        Self {
            mode,
            bar: None,
            phase: None,
            jobs: (0, 0),
            warned: BTreeSet::new(),
            waited: (None, 0),
            rounds: (0, 0),
            has_plan: false,
        }
    }

    /// Shows that documents are being collected, before the session starts.
    pub fn collecting(&mut self) {
        if self.mode == ProgressMode::Live {
            self.show_bar("collecting", "looking for documents");
        }
    }

    /// Shows `done` of `total` on a terminal; `label` is one word.
    pub fn count(&mut self, label: &str, done: u64, total: u64) {
        if self.mode != ProgressMode::Live {
            return;
        }
        if self.bar.is_none() {
            self.show_bar(label, "");
        }
        if let Some(bar) = &self.bar {
            bar.set_style(style(TEMPLATE));
            bar.set_prefix(label.to_owned());
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Shows events until the channel is closed.
    pub async fn follow(mut self, mut events: mpsc::Receiver<ShownEvent>) {
        while let Some(shown) = events.recv().await {
            self.see(&shown.event.kind, &shown.details);
        }
        self.clear();
        let hidden = self.warned.len().saturating_sub(SHOWN_WARNINGS);
        if hidden > 0 && self.mode != ProgressMode::Silent {
            print_warning(&format!("{hidden} more warnings; report.md lists all of them"));
        }
    }

    /// Removes the live line from the screen.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Shows an event; `details` are the lines on what it refers to.
    fn see(&mut self, event: &EventKind, details: &[String]) {
        match event {
            EventKind::SessionAccepted { .. } | EventKind::SessionFinished { .. } => {}
            EventKind::PhaseStarted { phase, .. } => self.start_phase(*phase),
            EventKind::JobsProgress { phase, done, total } => self.show_progress(*phase, *done, *total),
            EventKind::PlanWritten { .. } => {
                if !std::mem::replace(&mut self.has_plan, true) {
                    self.print(&details.concat());
                }
            }
            EventKind::RoundStarted { round, .. } => {
                if is_next(&mut self.rounds.0, *round) {
                    self.print(&details.concat());
                }
            }
            EventKind::ResearcherTurn { .. } => self.print(&details.concat()),
            EventKind::RoundFinished { round, searches, passages, covered, sub_questions, .. } => {
                if is_next(&mut self.rounds.1, *round) {
                    let line = round_line(*round, (*searches, *passages), (*covered, *sub_questions));
                    self.print(&(details.concat() + &line));
                }
            }
            EventKind::Waiting { phase, role, seconds } => self.waiting(*phase, *role, *seconds),
            EventKind::Warned { warning } => self.warn(warning),
            EventKind::PhaseFinished { phase, seconds } => self.finish_phase(*phase, *seconds),
        }
    }

    fn start_phase(&mut self, phase: Phase) {
        if self.phase == Some(phase) {
            return;
        }
        (self.phase, self.jobs) = (Some(phase), (0, 0));
        if self.mode == ProgressMode::Live {
            self.show_bar(phase.as_str(), "");
        }
    }

    fn show_bar(&mut self, prefix: &str, message: &str) {
        self.clear();
        let bar = ProgressBar::new_spinner().with_style(style(TEMPLATE_WITHOUT_TOTAL));
        bar.set_prefix(prefix.to_owned());
        bar.set_message(message.to_owned());
        bar.enable_steady_tick(FRAME);
        self.bar = Some(bar);
    }

    fn show_progress(&mut self, phase: Phase, done: u64, total: u64) {
        self.start_phase(phase);
        if self.jobs.1 == 0
            && let Some(bar) = self.bar.as_ref().filter(|_| total > 0)
        {
            bar.set_style(style(TEMPLATE));
        }
        self.jobs = (done, total);
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Prints lines above the live line.
    fn print(&self, lines: &str) {
        match (&self.bar, self.mode) {
            (_, ProgressMode::Silent) => {}
            (Some(bar), _) => bar.suspend(|| print_lines(lines)),
            (None, _) => print_lines(lines),
        }
    }

    /// Prints that a model has not answered yet, once per waiting time and phase, however many calls are waiting.
    fn waiting(&mut self, phase: Phase, role: Role, seconds: u64) {
        if !self.waits_longer(phase, seconds) {
            return;
        }
        self.print(&waiting_line(phase, role, seconds));
    }

    /// Records a wait in `phase`; returns whether it is longer than any wait shown for that phase.
    fn waits_longer(&mut self, phase: Phase, seconds: u64) -> bool {
        let is_longer = self.waited.0 != Some(phase) || self.waited.1 < seconds;
        if is_longer {
            self.waited = (Some(phase), seconds);
        }
        is_longer
    }

    fn finish_phase(&mut self, phase: Phase, seconds: f64) {
        let (done, total) = if self.phase == Some(phase) { self.jobs } else { (0, 0) };
        let line = finished_line(phase, done, total, seconds);
        self.clear();
        self.phase = None;
        if self.mode != ProgressMode::Silent {
            // Progress only informs: a closed standard error must not end the run.
            let _ = anstream::stderr().lock().write_all(line.as_bytes());
        }
    }

    /// Shows each warning once: a phase that is repeated raises its warnings again.
    fn warn(&mut self, warning: &Warning) {
        // Compared without the phase: several phases may raise the same warning.
        let without_phase = Warning { phase: None, ..warning.clone() };
        // Recorded even if it is not shown: the number of hidden warnings is computed from the record.
        if !self.warned.insert(without_phase) || self.warned.len() > SHOWN_WARNINGS || self.mode == ProgressMode::Silent
        {
            return;
        }
        let about = warning.item_id.as_ref().map_or(String::new(), |id| format!("{id}: "));
        let message = about + &warning.message;
        match &self.bar {
            Some(bar) => bar.suspend(|| print_warning(&message)),
            None => print_warning(&message),
        }
    }
}

impl Drop for Progress {
    /// Removes the live line, however the run ended.
    fn drop(&mut self) {
        self.clear();
    }
}

fn waiting_line(phase: Phase, role: Role, seconds: u64) -> String {
    format!("{phase}: no answer from the {} model after {seconds} s; still waiting\n", role.as_str())
}

/// Returns the line on a finished round; the last pair is the number of covered sub-questions and their total.
fn round_line(round: u32, (searches, passages): (u64, u64), (covered, total): (u32, u32)) -> String {
    let plural = |n: u64, noun: &str| {
        format!(
            "{n} {noun}{}",
            if n == 1 {
                ""
            } else if noun == "search" {
                "es"
            } else {
                "s"
            }
        )
    };
    let round = format!("round {round}");
    let (searches, passages) = (plural(searches, "search"), plural(passages, "passage"));
    let noun = if total == 1 { "sub-question" } else { "sub-questions" };
    format!("{round:13} {searches} so far, {passages} found, {covered} of {total} {noun} covered\n")
}

fn print_lines(lines: &str) {
    // Progress only informs: a closed standard error must not end the run.
    let _ = anstream::stderr().lock().write_all(printable(lines).as_bytes());
}

/// Whether `round` comes after the last one shown, which it then is: a phase that is repeated sends its events again.
fn is_next(shown: &mut u32, round: u32) -> bool {
    let is_next = round > *shown;
    *shown = round.max(*shown);
    is_next
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("a valid template");
    style.progress_chars("━╸─")
}

fn finished_line(phase: Phase, done: u64, total: u64, seconds: f64) -> String {
    let jobs = if total == 0 { String::new() } else { format!("{done}/{total}") };
    printable(&format!("{:13} {jobs:>9} {seconds:>7.1} s\n", phase.as_str()))
}

#[cfg(test)]
mod tests {
    use precis_proto::warning::WarningCode;

    use super::*;

    #[test]
    fn a_finished_phase_is_one_line() {
        assert_eq!(finished_line(Phase::Extraction, 35, 35, 1.23), "extraction        35/35     1.2 s\n");
        assert_eq!(finished_line(Phase::Synthesis, 0, 0, 0.04), "synthesis                   0.0 s\n");
    }

    #[test]
    fn each_round_is_reported_once_with_its_progress() {
        assert_eq!(
            round_line(2, (5, 31), (1, 2)),
            "round 2       5 searches so far, 31 passages found, 1 of 2 sub-questions covered\n"
        );
        assert_eq!(
            round_line(1, (1, 1), (0, 1)),
            "round 1       1 search so far, 1 passage found, 0 of 1 sub-question covered\n"
        );
        let mut shown = 0;
        for (round, is_shown, last) in [(1, true, 1), (2, true, 2), (1, false, 2), (2, false, 2), (3, true, 3)] {
            assert_eq!((is_next(&mut shown, round), shown), (is_shown, last));
        }
    }

    #[test]
    fn waits_are_reported_once_per_interval_of_a_phase() {
        let line = waiting_line(Phase::Synthesis, Role::Synthesis, 30);
        assert_eq!(line, "synthesis: no answer from the synthesis model after 30 s; still waiting\n");
        let mut progress = Progress::new(ProgressMode::Silent);
        // Of parallel calls only the first one prints; a call that started later has waited for less time.
        for (phase, seconds, is_shown) in [
            (Phase::Summarization, 15, true),
            (Phase::Summarization, 15, false),
            (Phase::Summarization, 30, true),
            (Phase::Summarization, 15, false),
            (Phase::Synthesis, 15, true),
            (Phase::Synthesis, 30, true),
        ] {
            assert_eq!(progress.waits_longer(phase, seconds), is_shown, "{phase} {seconds}");
        }
    }

    #[test]
    fn a_repeated_phase_goes_on_where_it_was_and_warns_once() {
        let mut progress = Progress::new(ProgressMode::Silent);
        let warning = Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, "a.pdf: encrypted");
        for attempt in [1, 2] {
            progress.see(&EventKind::PhaseStarted { phase: Phase::Extraction, attempt }, &[]);
            progress.see(&EventKind::JobsProgress { phase: Phase::Extraction, done: attempt.into(), total: 2 }, &[]);
            progress.see(&EventKind::Warned { warning: warning.clone() }, &[]);
        }
        progress.see(&EventKind::PhaseStarted { phase: Phase::Extraction, attempt: 3 }, &[]);
        assert_eq!((progress.jobs, progress.warned.len()), ((2, 2), 1));
    }
}
