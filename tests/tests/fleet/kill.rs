//! Nothing is lost, nothing is told twice in two ways, and nothing finished is paid twice, whatever dies.

use precis_tests::fleet::plan::{Plan, Weather};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::trial::Trial;
use precis_tests::fleet::work::{Work, Workplace};
use precis_tests::program;

/// Sessions of each run, of five documents each.
const SESSIONS: usize = 60;
const WORKERS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_session_ends_as_without_faults_whatever_dies() {
    let Some(servers) = SharedServers::open().await else { return };
    let place = Workplace::open(Work::Documents).await;
    let program = program::path();
    let (calm, expected) = Trial::calm(SESSIONS, WORKERS).run(&servers, &place, program, None).await;
    println!("{calm}");
    let mut wrongs = calm.wrongs();
    assert!(wrongs.is_empty() && calm.reports == SESSIONS, "without any fault: {wrongs:?}");
    for weather in [Weather::RedisKept, Weather::RedisTroubled, Weather::NoRedis] {
        let trial = Trial {
            seed: rand::random::<u32>().into(),
            weather,
            faults: Plan::round(weather),
            ..Trial::calm(SESSIONS, WORKERS)
        };
        let (ledger, _) = trial.run(&servers, &place, program, Some(&expected)).await;
        println!("{ledger}");
        wrongs.extend(ledger.wrongs().into_iter().map(|wrong| format!("seed {}: {wrong}", ledger.seed)));
    }
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}
