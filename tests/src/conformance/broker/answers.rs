//! Direct answers: to the asker or to nobody.

use super::BrokerUnderTest;
use super::bench::{Bench, SILENCE, consume, envelope, next, text, to_queue};
use crate::conformance::within;

/// Two askers on one queue: each gets its own answer over the address in the job.
pub async fn an_answer_reaches_its_asker_and_nobody_else(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    let (one, two) = (broker.connect().await, broker.connect().await);
    let mut askers = Vec::new();
    for (connection, name) in [(&one, "one"), (&one, "another of one"), (&two, "two")] {
        let replies = within("a reply channel", connection.replies()).await.expect("opened");
        let mut job = to_queue(&bench.work, name);
        job.envelope.header.reply_to = Some(replies.address().to_owned());
        within("a confirm", replies.publish_all(vec![job])).await.expect("published");
        askers.push((replies, name));
    }
    let mut jobs = consume(&worker, &bench.work, 10).await;
    for _ in 0..askers.len() {
        let job = next(&mut jobs, "a job").await;
        let reply_to = job.envelope.header.reply_to.clone().expect("carries the address");
        let answer = envelope(&format!("to {}", text(&job)));
        within("a reply", worker.reply(&reply_to, answer)).await.expect("sent");
        job.ack().await.expect("acked");
    }
    for (replies, name) in &askers {
        let answer = within("an answer", replies.next()).await.expect("the channel is open");
        assert_eq!(answer.decode::<String>().expect("a text"), format!("to {name}"));
        assert!(tokio::time::timeout(SILENCE, replies.next()).await.is_err(), "only one answer for {name}");
    }
}

/// Whoever asked may be gone; its worker must not suffer.
pub async fn an_answer_to_a_lost_asker_is_lost_without_an_error(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    let asker = broker.connect().await;
    let replies = within("a reply channel", asker.replies()).await.expect("opened");
    let mut job = to_queue(&bench.work, "1");
    job.envelope.header.reply_to = Some(replies.address().to_owned());
    within("a confirm", replies.publish_all(vec![job])).await.expect("published");
    broker.kill(&asker).await;
    assert_eq!(within("the end", replies.next()).await, None);
    let held = next(&mut consume(&worker, &bench.work, 1).await, "the job").await;
    let reply_to = held.envelope.header.reply_to.clone().expect("carries the address");
    within("a reply", worker.reply(&reply_to, envelope("late"))).await.expect("silently lost");
    held.ack().await.expect("the connection still works");
}

/// Well formed, but of a node that is not there: RabbitMQ 3.10 to 4.1 end the connection that publishes to such an address.
const OF_NO_NODE: &str = "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAA==.aGVsbG8gd29ybGQhISEhIQ==";

/// A caller may write any address into its request; whoever answers keeps what it holds, and answers others.
pub async fn a_direct_address_that_nobody_has_costs_its_answerer_nothing(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    let asker = broker.connect().await;
    let replies = within("a reply channel", asker.replies()).await.expect("opened");
    let mut job = to_queue(&bench.work, "1");
    job.envelope.header.reply_to = Some(replies.address().to_owned());
    within("a confirm", replies.publish_all(vec![job])).await.expect("published");
    let held = next(&mut consume(&worker, &bench.work, 1).await, "the job").await;
    let reply_to = held.envelope.header.reply_to.clone().expect("carries the address");
    for _ in 0..2 {
        within("an answer", worker.answer_caller(OF_NO_NODE, envelope("to nobody"))).await.expect("silently lost");
    }
    within("an answer", worker.answer_caller(&reply_to, envelope("to somebody"))).await.expect("sent");
    let answer = within("an answer", replies.next()).await.expect("the channel is open");
    assert_eq!(answer.decode::<String>().expect("a text"), "to somebody");
    held.ack().await.expect("the connection still works");
}
