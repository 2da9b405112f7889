//! The figures as lines of text: what, how much, and the remark that makes it comparable.

use crate::Figures;
use crate::fleet::FleetFigures;
use crate::machine::Machine;
use crate::sample::Rate;
use crate::whole_run::WholeRun;

/// Width of the first column.
const NAME: usize = 34;
/// Width of the second column.
const AMOUNT: usize = 14;

/// All of it.
#[must_use]
pub fn render(figures: &Figures) -> String {
    let mut lines =
        vec![machine(&figures.machine), format!("{}, {} profile", figures.command, figures.profile), String::new()];
    fleet(&figures.fleet, &mut lines);
    for run in &figures.whole_runs {
        whole_run(run, &mut lines);
    }
    if let Some(start) = &figures.start {
        let remark = format!("median of {}, {:.1} to {:.1}", start.runs, start.lowest_ms, start.highest_ms);
        lines.push(String::new());
        lines.push(row("precis --help", &format!("{:.1} ms", start.median_ms), &remark));
    }
    for skipped in &figures.skipped {
        lines.push(format!("SKIPPED: {skipped}"));
    }
    lines.join("\n") + "\n"
}

fn machine(machine: &Machine) -> String {
    let memory = machine.memory_bytes.map_or_else(|| "unknown memory".to_owned(), gib);
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let load = machine.load_1m.map_or_else(String::new, |load| format!(", load {load:.2} before the start"));
    format!("{}, {} cores, {memory}, {cpu}{load}", machine.system, machine.cores)
}

fn fleet(figures: &FleetFigures, lines: &mut Vec<String>) {
    let load = figures.load;
    lines.push(format!("One core, one worker, memory broker; median of {}", load.repeats));
    let name = format!("job round trips ({}×{})", load.sessions, load.jobs);
    lines.push(rate(&name, &figures.round_trips));
    lines.push(rate(&format!("sessions of {} jobs", load.jobs), &figures.sessions_with_jobs));
    lines.push(rate(&format!("sessions without jobs ({})", load.empty_sessions), &figures.empty_sessions));
    lines.push(rate(&format!("bare broker, {} B messages", figures.message_bytes), &figures.broker_messages));
    let remark = "of a round trip is not the bare broker";
    lines.push(row("runner's share", &format!("{:.1} %", figures.runner_share * 100.0), remark));
}

fn rate(name: &str, rate: &Rate) -> String {
    let cost = rate.cpu_us_per_unit.map_or_else(String::new, |us| format!(", {us:.1} µs of processor each"));
    let remark = format!("{} to {}{cost}", amount(rate.lowest), amount(rate.highest));
    row(name, &format!("{}/s", amount(rate.per_second)), &remark)
}

fn whole_run(run: &WholeRun, lines: &mut Vec<String>) {
    let input = format!("{} documents, {}, {} unread", run.documents, mib(run.input_bytes), run.unread);
    lines.push(String::new());
    lines.push(row(&format!("whole run, {}", run.cache), &format!("{:.2} s", run.seconds), &input));
    lines.push(row(
        "  documents",
        &format!("{:.1}/s", run.documents_per_second),
        &format!("{} citations", run.citations),
    ));
    lines.push(row("  model calls", &run.calls.to_string(), &format!("{} from the memo", run.cached_calls)));
    if let Some(peak) = &run.peak {
        let remark = format!("{} processes at most, the largest {}", peak.processes, mib(peak.process_bytes));
        lines.push(row("  peak memory", &mib(peak.tree_bytes), &remark));
    }
    for phase in &run.phases {
        lines.push(row(&format!("  {}", phase.name), &format!("{:.3} s", phase.seconds), ""));
    }
    let phases: f64 = run.phases.iter().map(|phase| phase.seconds).sum();
    lines.push(row(
        "  outside the phases",
        &format!("{:.3} s", run.seconds - phases),
        "start, reading, queues, writing",
    ));
}

fn row(name: &str, amount: &str, remark: &str) -> String {
    format!("{name:<NAME$}{amount:>AMOUNT$}   {remark}").trim_end().to_owned()
}

/// Whole numbers where there are enough digits.
fn amount(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_and_nothing_trails() {
        let (long, short) = (row("a", "1 s", "remark"), row("sessions without jobs", "12345/s", "other"));
        assert_eq!(long.find("remark"), short.find("other"));
        assert_eq!(row("a", "1 s", "").len(), NAME + AMOUNT);
    }
}
