//! Work that is done once: entered, left, found done.

use bytes::Bytes;
use precis_runtime::store::{Lease, Store, Work, WorkState};

use super::{LONG, StoreUnderTest, at, fresh_name, life, session, within};

/// What travels together says what the operations it is made of say.
pub async fn work_is_entered_by_one_and_left_with_its_answer(under_test: &impl StoreUnderTest) {
    let store = under_test.store().await;
    let session = session();
    let work = |owner: &str, name: &str| Work {
        session: session.clone(),
        life: Some(life().clone()),
        owner: owner.to_owned(),
        mark: format!("running:{name}"),
        answer: format!("answer:{name}"),
    };
    let name = fresh_name("job");
    let (ours, theirs) = (work("a", &name), work("b", &name));
    let new = WorkState { latest: None, lease: Lease::Mine, answer: None };
    assert_eq!(enter(&store, &ours).await, new);
    assert_eq!(enter(&store, &ours).await, new, "the owner may enter again");
    assert!(matches!(enter(&store, &theirs).await, WorkState { latest: None, lease: Lease::Held(_), answer: None }));
    assert_eq!(store.leases().is_held(&ours.mark).await, Ok(true));
    store.fences().advance(at(&ours.session, 7), LONG).await.expect("reachable");
    let done = Bytes::from_static(b"done");
    assert_eq!(within("leaving", store.leases().leave(&ours, done.clone(), LONG)).await, Ok(done.clone()));
    assert_eq!(store.leases().is_held(&ours.mark).await, Ok(false));
    let found = WorkState { latest: Some(7), lease: Lease::Mine, answer: Some(done.clone()) };
    assert_eq!(enter(&store, &theirs).await, found);
    let late = within("leaving", store.leases().leave(&theirs, Bytes::from_static(b"late"), LONG)).await;
    assert_eq!(late, Ok(done), "the first writer wins");
    let elsewhere = Work { life: None, ..theirs.clone() };
    assert_eq!(enter(&store, &elsewhere).await.latest, None, "the fence does not count for it");
    under_test.wipe().await;
    assert_eq!(enter(&store, &theirs).await, new);
}

async fn enter(store: &Store, work: &Work) -> WorkState {
    within("entering", store.leases().enter(work, LONG)).await.expect("reachable")
}
