//! Two fleets side by side on one broker and one Redis, each with callers of its own and the permissions that ship: nobody learns or
//! changes anything of the other.

use std::path::Path;
use std::time::Duration;

use precis_proto::SessionId;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_proto::source::ContentRef;
use precis_runtime::broker::{Outgoing, RabbitConnection, RabbitSettings, Route, Topology, names};
use precis_runtime::secret_url::SecretUrl;
use precis_tests::fleet::caller::Caller;
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest, WorkerProcess};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::connect;
use precis_tests::program;
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The id both fleets are asked under.
const SESSION: usize = 0;
/// Longest wait for a result.
const WAITING: Duration = Duration::from_secs(90);

/// A fleet of one worker with its caller.
struct Fleet {
    host: String,
    caller: Caller,
    fleet: FleetUnderTest,
    worker: WorkerProcess,
}

fn shipped(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ops").join(file)).expect("it ships")
}

/// Access list of Redis: the line that ships for a worker, once for each fleet, under its own prefix.
fn access_list(fleets: &[&str]) -> String {
    let shipped = shipped("redis/users.template.acl");
    let (worker, others): (Vec<&str>, Vec<&str>) =
        shipped.lines().partition(|line| line.starts_with("user precis-worker"));
    let hash =
        |name: &&str| Sha256::digest(name.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let own = fleets.iter().map(|name| {
        let line = worker.first().expect("a line for workers").replace("user precis-worker", &format!("user {name}"));
        line.replace("@PRECIS_WORKER_SHA256@", &hash(name)).replace("~precis:*", &format!("~{name}:*"))
    });
    own.chain(others.into_iter().map(str::to_owned)).map(|line| line + "\n").collect()
}

async fn control(rabbit: &RabbitServer, arguments: &[&str]) {
    let told = rabbit.control(arguments).await;
    assert!(told.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&told.stderr));
}

/// A virtual host with the topology, a user `worker-HOST` and a user `caller-HOST`, each with the permissions that ship.
async fn host(rabbit: &RabbitServer, host: &str) {
    let definitions: Value = serde_json::from_str(&shipped("rabbitmq/definitions.template.json")).expect("JSON");
    control(rabbit, &["add_vhost", host]).await;
    control(rabbit, &["set_permissions", "-p", host, "guest", ".*", ".*", ".*"]).await;
    let broker = connect(&address(rabbit, "guest", "guest", host)).await;
    broker.declare(&Topology::standard()).await.expect("an empty host");
    broker.close().await;
    for (role, user) in [("precis-worker", format!("worker-{host}")), ("precis-caller", format!("caller-{host}"))] {
        let rows = definitions["permissions"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["user"] == role).expect("permissions of the role");
        let of = |what: &str| row[what].as_str().expect("a pattern").to_owned();
        control(rabbit, &["add_user", &user, &user]).await;
        control(rabbit, &["set_permissions", "-p", host, &user, &of("configure"), &of("write"), &of("read")]).await;
    }
}

fn address(rabbit: &RabbitServer, user: &str, password: &str, host: &str) -> SecretUrl {
    let text = format!("amqp://{user}:{password}@127.0.0.1:{}/{host}", rabbit.port());
    serde_json::from_value(text.into()).expect("an address")
}

async fn fleet(rabbit: &RabbitServer, redis: &RedisServer, name: &str) -> Fleet {
    host(rabbit, name).await;
    let amqp = format!("amqp://worker-{name}:worker-{name}@127.0.0.1:{}/{name}", rabbit.port());
    let store = format!("redis://{name}:{name}@127.0.0.1:{}", redis.port());
    let furnishing = FleetOptions { roles: &[], ..FleetOptions::default() };
    let fleet = FleetUnderTest::for_addresses(program::path(), &amqp, Some(&store), &furnishing).await;
    let worker = fleet.worker("only", &[("PRECIS_REDIS_PREFIX", &format!("{name}:"))]);
    let user = format!("caller-{name}");
    let caller = Caller::new(address(rabbit, &user, &user, name), name).await;
    Fleet { host: name.to_owned(), caller, fleet, worker }
}

/// A request under the same id whoever asks, with a secret of its own.
fn request(secret: &str) -> ResearchRequest {
    let mut request = requests::small(SESSION);
    let text = request.sources[0].content.as_mut().expect("a text");
    text.push_str(&format!(" The word of the {secret} is {secret}-secret."));
    request.query = format!("What is the word of the {secret}?");
    request
}

/// What came back under the id, waited for.
async fn answer(fleet: &Fleet) -> Response {
    assert!(fleet.caller.served(1, WAITING).await, "{}: {:?}", fleet.host, fleet.fleet.log_lines("", 20));
    let replies = fleet.caller.replies();
    serde_json::from_slice(&replies.get(&requests::name(SESSION)).expect("its own id").body).expect("a response")
}

/// Names of the files of a fleet's content store and their bytes, all as one text.
fn kept(fleet: &FleetUnderTest) -> String {
    fn walk(dir: &Path, all: &mut String) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, all);
            } else {
                all.push_str(&path.to_string_lossy());
                all.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()));
            }
        }
    }
    let mut all = String::new();
    walk(&fleet.dir().join("content"), &mut all);
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_fleets_learn_and_change_nothing_of_each_other() {
    let acl = tempfile::tempdir().expect("a directory");
    let list = acl.path().join("users.acl");
    std::fs::write(&list, access_list(&["red", "blue"])).expect("writes");
    let Some(redis) = RedisServer::start_with(&["--aclfile", list.to_str().expect("a path")]).await else { return };
    let Some(rabbit) = RabbitServer::start().await else { return };
    let (mut red, mut blue) = (fleet(&rabbit, &redis, "red").await, fleet(&rabbit, &redis, "blue").await);

    // The same id, other texts: each gets its own.
    red.caller.ask(&request("red")).await;
    blue.caller.ask(&request("blue")).await;
    // Both have ended before either is looked at: one may be later than the other.
    for fleet in [&red, &blue] {
        answer(fleet).await;
    }
    for (own, other, name, foreign) in
        [(&red, &blue, "red-secret", "blue-secret"), (&blue, &red, "blue-secret", "red-secret")]
    {
        let response = answer(own).await;
        let text = serde_json::to_string(&response).expect("JSON");
        assert!(response.success && text.contains(name) && !text.contains(foreign), "{text}");
        assert_eq!(other.caller.replies().len(), 1, "nothing but its own");
        assert!(!kept(&other.fleet).contains(name), "a text of {} lies with {}", own.host, other.host);
    }

    // With one's own name nobody gets into the other's host.
    let settings = RabbitSettings::new(address(&rabbit, "caller-red", "caller-red", "blue"));
    assert!(RabbitConnection::connect(&settings).await.is_err(), "red's caller speaks to blue's broker");

    // A text of the other, known by its hash, is no text here.
    let text = request("blue").sources[0].content.clone().expect("a text");
    let mut stolen = request("red");
    stolen.session_id = SessionId::new("stolen").expect("an id");
    (stolen.sources[0].content, stolen.sources[0].content_ref) = (None, Some(ContentRef::from_bytes(text.as_bytes())));
    red.caller.ask(&stolen).await;
    // Cancelling what has ended elsewhere, and asking for an answer into the other's queue.
    red.caller.publish(cancel(&requests::name(SESSION))).await;
    let mut sent = request("red");
    sent.session_id = SessionId::new("sent").expect("an id");
    red.caller.publish(asking(&sent, blue.caller.reply_queue())).await;
    let own = red.caller.served(2, WAITING).await;
    assert!(own, "red is answered all the same: {:?}", red.caller.replies().keys());
    let refused: Response = serde_json::from_slice(&red.caller.replies()["stolen"].body).expect("a response");
    assert!(!refused.success, "a text was got by its hash: {refused:?}");
    assert_eq!(blue.caller.replies().len(), 1, "{:?}", blue.caller.replies().keys());
    assert_eq!(blue.caller.results().len(), 1, "{:?}", blue.caller.results().keys());

    // What one of them forgets the other still has: a repeat is answered from its own store, with the same bytes.
    let before = blue.caller.results()[&requests::name(SESSION)].body.clone();
    blue.caller.begin();
    blue.caller.ask(&request("blue")).await;
    assert!(blue.caller.served(1, WAITING).await, "blue goes on");
    assert_eq!(blue.caller.results()[&requests::name(SESSION)].body, before);
    for fleet in [&mut red, &mut blue] {
        assert!(fleet.worker.is_alive(), "{}", fleet.host);
        fleet.worker.drain().await.expect("drains");
    }
}

fn cancel(session: &str) -> Outgoing {
    let header = Header {
        message_type: message_type::CONTROL.to_owned(),
        message_id: format!("cancel-{session}"),
        correlation_id: session.to_owned(),
        ..Header::default()
    };
    let body = serde_json::json!({ "control": "cancel", "session_id": session });
    let route = Route { exchange: names::CONTROL.to_owned(), routing_key: String::new(), mandatory: false };
    Outgoing { route, envelope: Envelope::encode(header, &body).expect("small") }
}

fn asking(request: &ResearchRequest, reply_to: &str) -> Outgoing {
    let id = request.session_id.to_string();
    let header = Header {
        message_type: message_type::REQUEST.to_owned(),
        message_id: id.clone(),
        correlation_id: id,
        reply_to: Some(reply_to.to_owned()),
        ..Header::default()
    };
    let route =
        Route { exchange: names::INGRESS.to_owned(), routing_key: names::REQUEST_KEY.to_owned(), mandatory: true };
    Outgoing { route, envelope: Envelope::encode(header, request).expect("small") }
}
