//! `precis topology`: prints, creates or checks the exchanges, queues and bindings a fleet needs.

use precis_runtime::broker::{Topology, names};
use precis_runtime::config::Settings;
use serde_json::json;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet::{self, unreachable_broker};

/// Arguments of `precis topology`.
#[derive(Debug, clap::Args)]
pub struct TopologyCommand {
    /// The subcommand.
    #[command(subcommand)]
    pub what: TopologyWhat,
}

/// The subcommands of `precis topology`.
#[derive(Debug, clap::Subcommand)]
pub enum TopologyWhat {
    /// Print the topology; needs no broker
    Print {
        /// Print the topology as JSON
        #[arg(long)]
        json: bool,
    },
    /// Declare what is missing, and make the content store at content_url if it is not there; a queue with different arguments is an
    /// error and never replaced
    Apply {
        /// Where settings come from.
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Show what is missing or different, without changing anything
    Check {
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        /// Where settings come from.
        #[command(flatten)]
        config: ConfigArgs,
    },
}

/// Runs the subcommand.
#[must_use]
pub fn run(what: &TopologyWhat) -> Exit {
    match what {
        TopologyWhat::Print { json } => super::finish(terminal::print_as(*json, &topology_text(*json))),
        TopologyWhat::Apply { config } => super::finish(apply(config)),
        TopologyWhat::Check { json, config } => super::finish_as(check(*json, config)),
    }
}

fn topology_text(as_json: bool) -> String {
    let topology = Topology::standard();
    if as_json {
        let value = json!({
            "ingress": { "exchange": names::INGRESS, "routing_key": names::REQUEST_KEY },
            "results": { "exchange": names::RESULTS, "routing_key": "{session_id}" },
            "events": { "exchange": names::EVENTS, "routing_key": "{event}.{session_id}" },
            "exchanges": topology.exchanges,
            "queues": topology.queues,
            "bindings": topology.bindings,
        });
        return format!("{value:#}\n");
    }
    let mut text =
        format!("requests: publish to exchange {} with routing key {}\n", names::INGRESS, names::REQUEST_KEY);
    for exchange in &topology.exchanges {
        text.push_str(&format!("exchange  {:28} {}\n", exchange.name, format!("{:?}", exchange.kind).to_lowercase()));
    }
    for queue in &topology.queues {
        let mut facts = vec!["quorum".to_owned()];
        facts.extend(queue.delivery_limit.map(|n| format!("delivery limit {n}")));
        facts.extend(queue.message_ttl_ms.map(|ms| format!("TTL {} s", ms / 1_000)));
        let dead = queue.dead_letter.as_ref().map(|dead| match &dead.routing_key {
            Some(key) => format!("then to {key}"),
            None => "then back to the original queue".to_owned(),
        });
        facts.extend(dead);
        text.push_str(&format!("queue     {:28} {}\n", queue.name, facts.join(", ")));
    }
    for binding in &topology.bindings {
        text.push_str(&format!("binding   {:28} -> {} [{}]\n", binding.exchange, binding.queue, binding.key));
    }
    text
}

fn apply(config: &ConfigArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(config)?;
    super::block_on(async {
        content_store(&settings).await?;
        let broker = fleet::broker(&settings, "topology").await?;
        let topology = Topology::standard();
        let applied = broker.declare(&topology).await;
        broker.close().await;
        match applied {
            Ok(()) => terminal::print(&format!(
                "{} exchanges, {} queues and {} bindings exist\n",
                topology.exchanges.len(),
                topology.queues.len(),
                topology.bindings.len()
            )),
            Err(error @ precis_runtime::broker::BrokerError::Refused(_)) => {
                let failure =
                    CommandFailure::new(Exit::Failed, "topology_refused", format!("apply the topology: {error}"));
                Err(failure
                    .with_remedy("run `precis topology check`, and delete each queue that differs once it is empty"))
            }
            Err(error) => Err(unreachable_broker(&settings, &error)),
        }
    })
}

/// Makes the content store, which workers wait for and never make.
async fn content_store(settings: &Settings) -> Result<(), CommandFailure> {
    if settings.services.content_url.is_none() {
        terminal::print_warning("content_url is not set: no content store was made; workers wait until theirs is");
        return Ok(());
    }
    fleet::create_content(settings).await?;
    terminal::print("the content store exists\n")
}

fn check(as_json: bool, config: &ConfigArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(config)?;
    let faults = super::block_on(async {
        let broker = fleet::broker(&settings, "topology").await?;
        let checked = broker.check(&Topology::standard()).await;
        broker.close().await;
        checked.map_err(|e| unreachable_broker(&settings, &e))
    })?;
    let text = match (as_json, faults.is_empty()) {
        (true, _) => format!("{:#}\n", json!({ "ok": faults.is_empty(), "faults": faults })),
        (false, true) => "the topology is complete and correct\n".to_owned(),
        (false, false) => faults.iter().map(|fault| format!("{fault}\n")).collect(),
    };
    terminal::print_as(as_json, &text)?;
    Ok(if faults.is_empty() { Exit::Ok } else { Exit::Failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_in_is_printed_for_programs() {
        let value: serde_json::Value = serde_json::from_str(&topology_text(true)).expect("JSON");
        assert_eq!(value["ingress"], json!({ "exchange": "precis.ingress", "routing_key": "research.request" }));
        assert!(value["queues"].as_array().is_some_and(|queues| queues.len() > 15));
    }
}
