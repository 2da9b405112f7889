//! Laws of the store seam: caches, leases, fence, breaker, limits and ceilings, on Redis and in memory alike.

mod breaker;
mod ceiling;
mod fence;
mod leases;
mod limit;
mod outage;
mod values;
mod work;

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::{LifeId, SessionId};
use precis_runtime::store::{FenceClaim, Revision, Store};

pub use self::breaker::*;
pub use self::ceiling::*;
pub use self::fence::*;
pub use self::leases::*;
pub use self::limit::*;
pub use self::outage::*;
pub use self::values::*;
pub use self::work::*;
use super::{fresh_name, within};

/// Long enough for a few operations on a loaded machine, short enough to wait for.
const SHORT: Duration = Duration::from_millis(400);
/// Past the end of [`SHORT`].
const PAST: Duration = Duration::from_millis(500);
/// Does not end during a law.
const LONG: Duration = Duration::from_secs(600);

/// A store the laws can be tried on.
pub trait StoreUnderTest: Sync {
    /// A handle as a worker holds it.
    fn store(&self) -> impl Future<Output = Store> + Send;
    /// Forgets everything, as a flush does.
    fn wipe(&self) -> impl Future<Output = ()> + Send;
    /// Makes the store unreachable, or reachable again.
    fn set_available(&self, available: bool) -> impl Future<Output = ()> + Send;
}

/// Calls a macro with the name of every law of the store.
#[macro_export]
macro_rules! store_laws {
    ($run:ident) => {
        $run! {
            a_value_is_read_until_it_expires
            of_racing_writers_one_wins_and_all_read_its_value
            a_cached_text_of_every_family_is_kept
            compare_and_set_replaces_only_what_was_expected
            racing_compare_and_sets_lose_no_update
            a_deleted_value_is_gone_and_may_be_written_anew
            a_lease_is_held_by_one_owner_until_it_ends
            a_lease_is_seen_by_who_only_looks
            an_owner_renews_its_lease_and_only_an_owner_releases_it
            work_is_entered_by_one_and_left_with_its_answer
            an_older_revision_is_stale
            a_revision_is_held_by_one_holder_at_a_time
            a_newer_revision_takes_the_hold_over
            a_hold_that_is_not_renewed_ends
            a_returned_copy_is_taken_over_at_once
            a_hold_is_renewed_by_its_holder_until_it_is_lost
            a_wipe_does_not_end_a_hold_that_is_renewed
            an_advance_never_goes_back_and_leaves_the_next_holder_alone
            only_the_holder_lets_go_of_a_hold
            a_fence_of_another_life_is_told_and_taken_over
            a_breaker_opens_and_refuses_until_its_time_is_over
            one_probe_is_admitted_among_many_askers
            who_need_not_wait_is_the_probe
            a_failed_probe_opens_again_and_a_good_one_closes
            a_probe_that_says_nothing_frees_its_place
            who_opens_a_breaker_is_told_and_nobody_else
            a_report_of_an_older_generation_is_ignored
            breakers_have_nothing_to_do_with_each_other
            a_limit_grants_its_slack_at_once_and_then_its_pace
            of_many_askers_no_more_are_granted_than_there_is_room_for
            a_reservation_takes_all_its_measures_or_none
            what_was_not_used_is_given_back
            limits_have_nothing_to_do_with_each_other
            what_is_set_aside_comes_back_when_its_lease_ends
            of_many_spenders_no_more_set_aside_than_the_ceiling_has_room_for
            a_busy_ceiling_is_told_from_one_that_is_reached
            a_wiped_ceiling_counts_on_from_what_is_known_to_be_spent
            a_ceiling_holds_for_money_and_tokens_together
            a_ceiling_per_window_begins_anew_with_the_next
            a_wiped_store_knows_nothing
            an_unreachable_store_says_so_and_remembers
        }
    };
}

async fn put(store: &Store, key: &str, value: &'static str, ttl: Duration) -> Bytes {
    within("a put", store.values().put_if_absent(key, Bytes::from_static(value.as_bytes()), ttl))
        .await
        .expect("reachable")
}

async fn get(store: &Store, key: &str) -> Option<Bytes> {
    within("a get", store.values().get(key)).await.expect("reachable")
}

async fn claim(store: &Store, session: &SessionId, revision: u64, holder: &str, ttl: Duration) -> FenceClaim {
    within("a claim", store.fences().claim(at(session, revision), holder, ttl)).await.expect("reachable")
}

/// A revision of the one life that the sessions of these laws have, unless a law says otherwise.
fn at(session: &SessionId, number: u64) -> Revision<'_> {
    Revision { session, life: Some(life()), number }
}

fn life() -> &'static LifeId {
    static LIFE: LazyLock<LifeId> = LazyLock::new(|| LifeId::new("this life").expect("a short name"));
    &LIFE
}

fn session() -> SessionId {
    SessionId::new(fresh_name("session")).expect("a short name")
}

fn claimed(first: bool) -> FenceClaim {
    FenceClaim::Claimed { first }
}
