//! A session submitted as another service would submit it, and its report verified; then the same report with a forged quote.
//!
//! `cargo run -p precis-tests --example session`. The broker is in memory and the handlers are those of the program; the built-in model
//! answers, so nothing leaves the machine.

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use std::error::Error;

use precis_runtime::config::Settings;
use precis_tests::finished;
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::json;

const MINUTES: &str = "The council met on 4 May. The harbour closes at nine in winter, because the lights fail in frost. A new \
    crane was not bought: its price had doubled within a year.";

/// Submits one document with a question, and prints the report.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let (world, settings) = (World::new().await, Settings::default());
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;

    let document = json!({ "source_id": "minutes", "title": "Minutes", "content": MINUTES });
    let request = json!({
        "schema_version": 2, "session_id": "harbour", "query": "Why was no crane bought?", "sources": [document],
    });
    world.submit_body("harbour", &request).await;
    let response = result_of(&world, "harbour").await;
    println!("{}", response.data.as_ref().ok_or("the session failed")?.report);

    // Each quote is compared with the archived text at its place, character by character.
    let body = serde_json::to_string(&response)?;
    finished::check_result(body.as_bytes(), &world.content).await?;
    let forged = body.replace("doubled", "halved");
    match finished::check_result(forged.as_bytes(), &world.content).await {
        Err(said) if forged != body => println!("forged: {said}"),
        _ => return Err("the report does not quote the price, or a forged quote was accepted".into()),
    }
    Ok(())
}
