use super::*;
use crate::store::MemoryStore;

fn billing(session: &str, tenant: Option<&str>, max_spend_tokens: Option<u64>) -> BillingContext {
    let tenant = tenant.map(|t| TenantId::new(t).expect("an id"));
    let account = Account { tenant, max_spend_tokens, ..Account::default() };
    BillingContext::new(SessionId::new(session).expect("an id"), account)
}

fn tokens(n: u64) -> Amount {
    Amount { requests: 1, tokens: n, micro_usd: 0 }
}

fn tenants(rows: &[(&str, u64)]) -> TenantPolicies {
    let policy = |tokens| TenantPolicy { tokens_per_day: Some(tokens), ..TenantPolicy::default() };
    TenantPolicies(rows.iter().map(|(name, tokens)| ((*name).to_owned(), policy(*tokens))).collect())
}

/// Sets an amount aside, and frees it again if that is refused.
async fn ask(
    ceilings: &Ceilings,
    store: &Store,
    tenants: &TenantPolicies,
    billing: &BillingContext,
    amount: Amount,
) -> Result<SpendHold, String> {
    let mut aside = SpendHold::new(amount, LONGEST_WAIT);
    match ceilings.set_aside(store, tenants, billing, soon(), &mut aside).await {
        Ok(()) => Ok(aside),
        Err(reached) => {
            ceilings.spend(store, aside, Amount::default()).await;
            Err(reached)
        }
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(1)
}

#[tokio::test(start_paused = true)]
async fn eight_calls_of_two_processes_never_set_aside_more_than_the_ceiling() {
    let store = Store::Memory(MemoryStore::new());
    let (one, two, none) = (Ceilings::default(), Ceilings::default(), TenantPolicies::default());
    let billing = billing("s", None, Some(1_000));
    let mut held = Vec::new();
    for n in 0..8 {
        let who = if n % 2 == 0 { &one } else { &two };
        if let Ok(aside) = ask(who, &store, &none, &billing, tokens(300)).await {
            held.push(aside);
        }
    }
    assert_eq!(held.len(), 3);
    // Each cost a third of the amount set aside: the rest is free again.
    for aside in held {
        one.spend(&store, aside, tokens(100)).await;
    }
    assert!(ask(&two, &store, &none, &billing, tokens(700)).await.is_ok());
    assert!(ask(&one, &store, &none, &billing, tokens(1)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_reservations_but_not_for_spent_amounts() {
    let store = Store::Memory(MemoryStore::new());
    let (ceilings, none, billing) = (Ceilings::default(), TenantPolicies::default(), billing("s", None, Some(100)));
    let first = ask(&ceilings, &store, &none, &billing, tokens(80)).await.expect("room");
    let second = ask(&ceilings, &store, &none, &billing, tokens(50));
    let settle = async {
        sleep(Duration::from_millis(500)).await;
        ceilings.spend(&store, first, tokens(10)).await;
    };
    let (second, ()) = tokio::join!(second, settle);
    ceilings.spend(&store, second.expect("the first came to less"), tokens(50)).await;
    let before = Instant::now();
    let refused = ask(&ceilings, &store, &none, &billing, tokens(50)).await;
    assert_eq!(refused.expect_err("60 of 100 are spent"), "the session's ceiling in tokens is reached");
    assert_eq!(Instant::now(), before);
}

#[tokio::test(start_paused = true)]
async fn a_tenants_sessions_share_its_day_and_other_tenants_not() {
    let store = Store::Memory(MemoryStore::new());
    let (ceilings, tenants) = (Ceilings::default(), tenants(&[("a", 100), ("default", 50)]));
    let call = async |session: &str, tenant: Option<&str>, n: u64| {
        let aside = ask(&ceilings, &store, &tenants, &billing(session, tenant, None), tokens(n)).await?;
        ceilings.spend(&store, aside, tokens(n)).await;
        Ok::<(), String>(())
    };
    assert!(call("s1", Some("a"), 60).await.is_ok());
    assert_eq!(call("s2", Some("a"), 60).await, Err("the tenant's ceiling in tokens is reached".to_owned()));
    assert!(call("s2", Some("a"), 40).await.is_ok());
    for tenant in [Some("b"), Some("c"), None] {
        assert!(call("s3", tenant, 50).await.is_ok(), "{tenant:?} has a count of its own");
        assert!(call("s3", tenant, 1).await.is_err(), "{tenant:?} has the default's ceiling");
    }
    tokio::time::advance(DAY).await;
    assert!(call("s4", Some("a"), 100).await.is_ok(), "the next day");
}

#[tokio::test(start_paused = true)]
async fn what_the_tenant_refuses_takes_nothing_of_the_session() {
    let store = Store::Memory(MemoryStore::new());
    let (ceilings, tenants) = (Ceilings::default(), tenants(&[("a", 10)]));
    let billing = billing("s", Some("a"), Some(100));
    assert!(ask(&ceilings, &store, &tenants, &billing, tokens(90)).await.is_err());
    let aside = ask(&ceilings, &store, &TenantPolicies::default(), &billing, tokens(100)).await;
    assert!(aside.is_ok());
}

#[tokio::test(start_paused = true)]
async fn without_the_store_a_process_spends_its_share_of_the_rest() {
    let memory = MemoryStore::new();
    memory.set_available(false);
    let (store, ceilings, none) = (Store::Memory(memory), Ceilings::default(), TenantPolicies::default());
    let mut billing = billing("s", None, Some(1_000));
    billing.account.spent.tokens = 200;
    assert!(ask(&ceilings, &store, &none, &billing, tokens(201)).await.is_err());
    let aside = ask(&ceilings, &store, &none, &billing, tokens(200)).await.expect("a quarter of 800");
    ceilings.spend(&store, aside, tokens(200)).await;
    assert!(ask(&ceilings, &store, &none, &billing, tokens(1)).await.is_err());
}
