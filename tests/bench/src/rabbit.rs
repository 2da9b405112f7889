//! The runner on RabbitMQ and Redis, beside a bare loop of the AMQP client on the same broker in the same run.
//!
//! A session is a request, three states and a result, all durable and confirmed, and its jobs; answers come over direct reply-to.
//! The bare loop publishes messages of a job's size in windows, awaits their confirms, takes and acks them.

use std::time::{Duration, Instant};

use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Connection, ConnectionProperties};
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_runtime::broker::{
    Binding, Broker, Outgoing, Queue, RabbitConnection, RabbitSettings, Route, Topology, names,
};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_runtime::store::Store;
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;
use precis_workers::assembly::pipeline;
use serde::Serialize;
use serde_json::json;

use crate::noop;

/// Jobs of a session.
const JOBS: usize = 8;
/// Messages published together, and deliveries held at once, by the bare loop.
const WINDOW: u16 = 64;
/// Queue of the results.
const RESULTS: &str = "bench.results";
/// Longest wait for one result.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a fleet of one worker does per second.
#[derive(Debug, Clone, Serialize)]
pub struct RabbitFigures {
    /// Sessions, each of eight jobs.
    pub sessions: usize,
    /// Sessions per second.
    pub sessions_per_second: f64,
    /// Jobs per second.
    pub jobs_per_second: f64,
    /// Durable messages per second: request, states, jobs, results.
    pub messages_per_second: f64,
    /// Messages per second of the bare loop.
    pub bare_messages_per_second: f64,
    /// Processor microseconds of this process per job, everything a session costs included.
    pub client_cpu_us_per_job: f64,
    /// Processor microseconds of this process per message of the bare loop. A job is at least two: itself and its answer.
    pub bare_cpu_us_per_message: f64,
}

/// Measures on private servers; `None` where one is not installed.
///
/// # Errors
/// What kept a session from its result.
pub async fn measure(sessions: usize) -> Result<Option<RabbitFigures>, String> {
    let (Some(rabbit), Some(redis)) = (RabbitServer::start().await, RedisServer::start().await) else {
        return Ok(None);
    };
    let bare_messages = sessions * (JOBS + 5);
    let cpu = process_cpu_seconds();
    let bare_messages_per_second = bare(&rabbit, bare_messages).await.map_err(|e| format!("bare loop: {e}"))?;
    let bare_cpu_us_per_message = (process_cpu_seconds() - cpu) * 1e6 / bare_messages as f64;
    let (seconds, cpu_seconds) = run(&rabbit, Store::Redis(redis.store()), sessions).await?;
    let jobs = (sessions * JOBS) as f64;
    // To the request's queue, two states between three phases, the jobs, the result to its caller.
    let messages = (sessions * (1 + 3 + JOBS + 1)) as f64;
    Ok(Some(RabbitFigures {
        sessions,
        sessions_per_second: sessions as f64 / seconds,
        jobs_per_second: jobs / seconds,
        messages_per_second: messages / seconds,
        bare_messages_per_second,
        client_cpu_us_per_job: cpu_seconds * 1e6 / jobs,
        bare_cpu_us_per_message,
    }))
}

async fn connect(rabbit: &RabbitServer) -> Result<Broker, String> {
    let settings = RabbitSettings::new(rabbit.address());
    RabbitConnection::connect(&settings).await.map(Broker::Rabbit).map_err(|e| e.to_string())
}

/// Puts all requests, then starts a worker; the watch runs from there to the last result. Wall and processor seconds.
async fn run(rabbit: &RabbitServer, store: Store, sessions: usize) -> Result<(f64, f64), String> {
    let caller = connect(rabbit).await?;
    let mut topology = Topology::standard();
    topology.queues.push(Queue {
        name: RESULTS.to_owned(),
        delivery_limit: None,
        dead_letter: None,
        message_ttl_ms: None,
    });
    topology.bindings.push(Binding {
        exchange: names::RESULTS.to_owned(),
        queue: RESULTS.to_owned(),
        key: "#".to_owned(),
    });
    caller.declare(&topology).await.map_err(|e| e.to_string())?;
    for window in (0..sessions).collect::<Vec<_>>().chunks(WINDOW.into()) {
        let requests = window.iter().map(|n| request(*n)).collect::<Result<Vec<_>, _>>()?;
        caller.publish_all(requests).await.map_err(|e| e.to_string())?;
    }
    let mut results = caller.consume(RESULTS, WINDOW).await.map_err(|e| e.to_string())?;
    let models = pipeline::models(&Settings::default(), store.clone()).map_err(|e| e.to_string())?;
    let parts = WorkerParts {
        worker_id: "bench".to_owned(),
        broker: connect(rabbit).await?,
        store,
        services: Services { content: ContentStore::in_memory(), models },
        registry: noop::registry(JOBS),
        settings: RunnerSettings { job_prefetch: WINDOW, ..RunnerSettings::default() },
        queues: Queues::All,
        clock: Clock::system(),
        failpoints: Failpoints::none(),
    };
    let (begun, cpu) = (Instant::now(), process_cpu_seconds());
    let worker = Worker::start(parts).await.map_err(|e| e.to_string())?;
    for n in 0..sessions {
        let delivery = tokio::time::timeout(PATIENCE, results.next()).await;
        let delivery = delivery.map_err(|_| format!("result {n} of {sessions} did not come"))?;
        delivery.ok_or("the connection ended")?.ack().await.map_err(|e| e.to_string())?;
    }
    let taken = (begun.elapsed().as_secs_f64(), process_cpu_seconds() - cpu);
    worker.drain(Duration::from_secs(5)).await;
    caller.close().await;
    Ok(taken)
}

fn request(n: usize) -> Result<Outgoing, String> {
    let id = format!("bench-{n}");
    let body = json!({ "schema_version": 2, "session_id": id, "query": "q", "sources": [{ "source_id": "a", "content": "x" }] });
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: id.clone(),
        correlation_id: id,
        ..Header::default()
    };
    let envelope = Envelope::encode(header, &body).map_err(|e| e.to_string())?;
    Ok(Outgoing { route: Route::queue(names::REQUESTS), envelope })
}

/// Messages per second of the client alone: windows published, confirmed, taken and acked, publishing and consuming at once.
async fn bare(rabbit: &RabbitServer, messages: usize) -> Result<f64, lapin::Error> {
    let address = rabbit.address();
    let connection = Connection::connect(address.expose(), ConnectionProperties::default()).await?;
    let (publishing, consuming) = (connection.create_channel().await?, connection.create_channel().await?);
    let mut arguments = FieldTable::default();
    arguments.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    let durable = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
    publishing.queue_declare("bench.bare".into(), durable, arguments).await?;
    publishing.confirm_select(ConfirmSelectOptions::default()).await?;
    consuming.basic_qos(WINDOW, BasicQosOptions::default()).await?;
    let options = BasicConsumeOptions::default();
    let mut consumer = consuming.basic_consume("bench.bare".into(), "".into(), options, FieldTable::default()).await?;
    let windows = messages.div_ceil(WINDOW.into());
    let body = vec![b'x'; 400];
    let begun = Instant::now();
    let publish = async {
        let persistent = BasicProperties::default().with_delivery_mode(2);
        for _ in 0..windows {
            let mut confirms = Vec::with_capacity(WINDOW.into());
            for _ in 0..WINDOW {
                let mandatory = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
                let sent =
                    publishing.basic_publish("".into(), "bench.bare".into(), mandatory, &body, persistent.clone());
                confirms.push(sent.await?);
            }
            for confirm in confirms {
                confirm.await?;
            }
        }
        Ok::<(), lapin::Error>(())
    };
    let consume = async {
        for _ in 0..windows * usize::from(WINDOW) {
            if let Some(delivery) = futures_util::StreamExt::next(&mut consumer).await {
                delivery?.acker.ack(BasicAckOptions::default()).await?;
            }
        }
        Ok::<(), lapin::Error>(())
    };
    futures_util::future::try_join(publish, consume).await?;
    Ok((windows * usize::from(WINDOW)) as f64 / begun.elapsed().as_secs_f64())
}

/// Processor seconds of this process, user and system; 0 where the system does not tell.
fn process_cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses: user and system time are the 12th and 13th field, in ticks of 10 ms.
    let fields: Vec<&str> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
