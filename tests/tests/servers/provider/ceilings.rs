//! Ceilings of sessions and tenants over a provider's wire: what is spent never exceeds them, and the built-in model goes on.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use precis_proto::account::{Account, Spent};
use precis_proto::label::Label;
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, TenantId};
use precis_runtime::model::{BillingContext, ModelAnswer, Models, TenantPolicies, TenantPolicy};
use precis_runtime::store::LimitPolicy;
use precis_tests::provider::Reply;

use crate::provider::{Bench, FAKE, LONG, codes, said, session, summary};

const LOCAL: &str = "local:extractive";
/// What the scripted provider says that a call came to: 7 tokens in, 20 out.
const USED: u64 = 27;

fn billing(tokens: Option<u64>, usd: Option<f64>) -> BillingContext {
    let account = Account { max_spend_tokens: tokens, max_spend_usd: usd, ..Account::default() };
    BillingContext::new(session("s"), account)
}

async fn call(models: &Models, billing: &BillingContext, n: u32) -> ModelAnswer {
    let called = models.call(Label::Private, billing, &Arc::default(), Phase::Summarization, &summary(n), LONG).await;
    called.expect("the chain ends with the built-in model")
}

fn spent(calls: &[ModelAnswer]) -> u64 {
    let records: Vec<_> = calls.iter().flat_map(|c| c.records.clone()).collect();
    Spent::from_calls(&records).tokens
}

#[tokio::test]
async fn parallel_calls_of_two_processes_stay_within_the_ceiling() {
    let mut bench = Bench::new([]).await;
    bench.config.max_concurrent = 8;
    let (one, two) = (bench.models(), bench.models());
    // Room for one estimate at a time, and after some calls for none.
    let ceiling = 900;
    let billing = billing(Some(ceiling), None);
    let calls = (0..8).map(|n| call(if n % 2 == 0 { &one } else { &two }, &billing, n));
    let calls = join_all(calls).await;
    let paid = calls.iter().filter(|c| c.provider == FAKE).count();
    assert_eq!(paid, bench.server.calls());
    assert!(paid >= 2, "those who wait get what others did not need: {paid} of 8 were paid");
    assert!(spent(&calls) <= ceiling);
    for n in 100..140 {
        call(&one, &billing, n).await;
    }
    assert!(bench.server.calls() as u64 * USED <= ceiling);
    let refused = call(&two, &billing, 200).await;
    assert_eq!(refused.provider, LOCAL);
    assert_eq!(codes(&refused), [WarningCode::SpendCeilingReached]);
    let message = said(&refused, WarningCode::SpendCeilingReached)[0];
    assert_eq!(message, "the session's ceiling in tokens is reached; `local:extractive` answered");
}

#[tokio::test]
async fn a_session_without_money_uses_only_the_built_in_model() {
    let bench = Bench::new([]).await;
    let called = call(&bench.models(), &billing(None, Some(0.0)), 1).await;
    assert_eq!((called.provider.as_str(), bench.server.calls()), (LOCAL, 0));
    assert!(said(&called, WarningCode::SpendCeilingReached)[0].contains("US dollars"));
}

#[tokio::test]
async fn what_is_known_is_free_also_at_the_ceiling() {
    let bench = Bench::new([]).await;
    let models = bench.models();
    let first = call(&models, &billing(None, None), 1).await;
    let again = call(&models, &billing(Some(0), Some(0.0)), 1).await;
    assert_eq!(again, first);
}

#[tokio::test]
async fn what_a_provider_did_not_work_on_is_not_spent() {
    let bench = Bench::new([Reply::status(400), Reply::status(400)]).await;
    let models = bench.models();
    let billing = billing(Some(900), None);
    assert_eq!(call(&models, &billing, 1).await.provider, LOCAL);
    assert_eq!(call(&models, &billing, 2).await.provider, LOCAL);
    assert_eq!(call(&models, &billing, 3).await.provider, FAKE, "the whole ceiling is still there");
}

#[tokio::test]
async fn the_sessions_of_a_tenant_spend_its_day_together() {
    let mut bench = Bench::new([]).await;
    let policy = TenantPolicy { tokens_per_day: Some(900), ..TenantPolicy::default() };
    bench.policy.tenants = TenantPolicies([("a".to_owned(), policy)].into());
    let models = bench.models();
    let of = |tenant: &str, name: &str| {
        let tenant = Some(TenantId::new(tenant).expect("an id"));
        BillingContext::new(session(name), Account { tenant, ..Account::default() })
    };
    let mut providers = Vec::new();
    for n in 0..6 {
        providers.push(call(&models, &of("a", &format!("s{n}")), n).await.provider);
    }
    let paid = providers.iter().filter(|p| *p == FAKE).count();
    assert!((1..6).contains(&paid), "{providers:?}");
    assert_eq!((bench.server.calls(), providers[5].as_str()), (paid, LOCAL));
    assert_eq!(call(&models, &of("b", "t"), 9).await.provider, FAKE, "another tenant has no ceiling");
}

/// Calls until nobody is asked any more, and what they cost in US dollars.
async fn until_refused(models: &Models, billing: &BillingContext) -> (usize, f64) {
    let mut cost = 0.0;
    for n in 0..40 {
        let called = call(models, billing, n).await;
        cost += called.records.iter().filter(|r| r.paid).map(|r| r.cost_usd).sum::<f64>();
        if called.provider == LOCAL {
            assert_eq!(codes(&called), [WarningCode::SpendCeilingReached]);
            return (n as usize, cost);
        }
    }
    panic!("40 calls for {cost} US dollars were all paid");
}

#[tokio::test]
async fn no_dollar_ceiling_of_session_or_tenant_is_exceeded() {
    // An estimate comes to some 1,200 millionths, a call to 47 of them.
    let ceiling = 0.001_5;
    let bench = Bench::new([]).await;
    let (paid, cost) = until_refused(&bench.models(), &billing(None, Some(ceiling))).await;
    assert!(paid >= 2 && paid == bench.server.calls() && cost > 0.0 && cost <= ceiling, "{paid} calls for {cost}");

    let mut bench = Bench::new([]).await;
    let policy = TenantPolicy { usd_per_day: Some(ceiling), ..TenantPolicy::default() };
    bench.policy.tenants = TenantPolicies([("a".to_owned(), policy)].into());
    let account = Account { tenant: Some(TenantId::new("a").expect("an id")), ..Account::default() };
    let (paid, cost) = until_refused(&bench.models(), &BillingContext::new(session("t"), account)).await;
    assert!(paid >= 2 && paid == bench.server.calls() && cost > 0.0 && cost <= ceiling, "{paid} calls for {cost}");
}

#[tokio::test]
async fn a_tenant_over_its_rate_waits_no_longer_than_the_call() {
    let mut bench = Bench::new([]).await;
    let limits = LimitPolicy { requests: Some(1), ..LimitPolicy::default() };
    let policy = TenantPolicy { limits, ..TenantPolicy::default() };
    bench.policy.tenants = TenantPolicies([("a".to_owned(), policy)].into());
    let models = bench.models();
    let account = Account { tenant: Some(TenantId::new("a").expect("an id")), ..Account::default() };
    let billing = BillingContext::new(session("t"), account);
    let (mut answered, brief) = (Vec::new(), Duration::from_secs(2));
    for n in 0..3 {
        let called =
            models.call(Label::Private, &billing, &Arc::default(), Phase::Summarization, &summary(n), brief).await;
        answered.push(called.expect("the chain ends with the built-in model").provider);
    }
    assert_eq!((answered[0].as_str(), bench.server.calls()), (FAKE, 1), "{answered:?}");
    assert!(answered[1..].iter().all(|provider| provider == LOCAL), "{answered:?}");
}
