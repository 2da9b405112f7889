//! The crash matrix: a worker dies at each named point, the store goes, the broker restarts; each session still ends once. Each row
//! runs with states that travel whole and with states on pages.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use precis_runtime::failpoints::Fault;
use precis_tests::world::{Fate, WorkerSlot, World};

const SESSIONS: [(&str, usize); 2] = [("one", 3), ("two", 5)];
const LIMIT: Duration = Duration::from_secs(3_600);

/// Two workers; the first to reach `point` for the `nth` time meets `fate`.
async fn at(world: World, point: &'static str, nth: usize, fate: Fate) -> Result<(), String> {
    let reached = std::sync::Arc::new(AtomicUsize::new(0));
    let slots: Vec<WorkerSlot> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let reached = std::sync::Arc::clone(&reached);
            WorkerSlot::start(&world, name, move |p| {
                let is_it = p == point && reached.fetch_add(1, Ordering::Relaxed) + 1 == nth;
                if is_it { fate } else { Fate::Fault(Fault::None) }
            })
        })
        .collect();
    for (session, sources) in SESSIONS {
        world.submit(session, sources).await;
    }
    world.wait_for(SESSIONS.len(), LIMIT).await.map_err(|n| format!("only {n} results"))?;
    let checked = world.check(&SESSIONS).await;
    drop(slots);
    if reached.load(Ordering::Relaxed) < nth {
        return Err(format!("{point} was reached fewer than {nth} times: the row tests nothing"));
    }
    checked
}

async fn rows(points: &[&'static str], nths: &[usize], fate: Fate) {
    for point in points {
        for nth in nths {
            for (world, states) in [(World::new().await, "whole"), (World::paged().await, "on pages")] {
                if let Err(error) = at(world, point, *nth, fate).await {
                    panic!("{fate:?} at {point}, time {nth}, states {states}: {error}");
                }
            }
        }
    }
}

const CRASH: Fate = Fate::Fault(Fault::Crash);

#[tokio::test(start_paused = true)]
async fn without_faults_each_session_ends_once_as_expected() {
    for world in [World::new().await, World::paged().await] {
        let _slot = WorkerSlot::start(&world, "a", |_| Fate::Fault(Fault::None));
        for (session, sources) in SESSIONS {
            world.submit(session, sources).await;
        }
        world.wait_for(SESSIONS.len(), LIMIT).await.expect("both end");
        world.check(&SESSIONS).await.expect("as expected");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_death_between_pages_and_message_loses_nothing() {
    rows(&["state.kept"], &[1, 2, 3, 4, 5, 6], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_before_a_publish_loses_nothing() {
    rows(&["publish.before", "session.claimed", "session.ran", "intake.received"], &[1, 2], CRASH).await;
    rows(&["publish.before"], &[3, 5, 8, 13, 21], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_between_publish_and_confirm_loses_and_doubles_nothing() {
    rows(&["publish.confirm"], &[1, 2, 3, 5, 8, 13, 21, 30], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_death_between_confirm_and_fence_leaves_a_harmless_duplicate() {
    rows(&["session.published"], &[1, 2, 3, 4, 5, 6], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_death_between_fence_and_ack_leaves_a_stale_delivery() {
    rows(&["session.fenced", "ack.before"], &[1, 2, 3, 4, 5, 6], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_worker_that_dies_is_replaced() {
    rows(&["job.received", "job.answered", "job.replied", "reply.send"], &[1, 2, 4, 9], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_at_any_store_operation_loses_nothing() {
    rows(&["store.before", "store.after"], &[1, 2, 3, 5, 8, 13, 21, 34, 55], CRASH).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_cut_while_the_process_lives_changes_nothing() {
    rows(
        &["session.claimed", "session.ran", "session.published", "job.received", "job.answered"],
        &[1, 2, 3],
        Fate::Cut,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_or_repeated_on_its_way_changes_nothing() {
    rows(&["reply.send"], &[1, 3, 7], Fate::Fault(Fault::Drop)).await;
    rows(&["reply.send", "publish.confirm"], &[1, 3, 7], Fate::Fault(Fault::Repeat)).await;
}

/// A fault-free worker pair in a world to which something happens after `after`.
async fn amid<F: std::future::Future<Output = ()>>(after: Duration, happens: impl Fn(World) -> F) {
    for world in [World::new().await, World::paged().await] {
        amid_in(world, after, &happens).await;
    }
}

async fn amid_in<F: std::future::Future<Output = ()>>(world: World, after: Duration, happens: impl Fn(World) -> F) {
    let _slots = ["a", "b"].map(|name| WorkerSlot::start(&world, name, |_| Fate::Fault(Fault::None)));
    for (session, sources) in SESSIONS {
        world.submit(session, sources).await;
    }
    tokio::time::sleep(after).await;
    happens(world.clone()).await;
    world.wait_for(SESSIONS.len(), LIMIT).await.expect("both end");
    world.check(&SESSIONS).await.expect("as expected");
}

#[tokio::test(start_paused = true)]
async fn a_broker_restart_at_any_time_loses_nothing() {
    for ms in [0, 5, 15, 25, 35, 45, 65, 85] {
        amid(Duration::from_millis(ms), |world| async move { world.broker.restart() }).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wiped_store_costs_work_and_no_session() {
    for ms in [0, 5, 15, 25, 35, 45, 65, 85] {
        amid(Duration::from_millis(ms), |world| async move { world.store.wipe() }).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_absent_for_a_minute_costs_work_not_sessions() {
    for ms in [0, 15, 45] {
        amid(Duration::from_millis(ms), |world| async move {
            world.store.set_available(false);
            tokio::time::sleep(Duration::from_secs(60)).await;
            world.store.set_available(true);
        })
        .await;
    }
}
