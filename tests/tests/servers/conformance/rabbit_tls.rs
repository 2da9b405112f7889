//! RabbitMQ behind TLS that asks for a certificate: the program gets in with one and says what is wrong without.

use std::path::Path;
use std::process::{Command, Output};

use precis_tests::program;
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::tls;

fn precis(dir: &Path, port: u16, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(program::path());
    command.args(arguments).current_dir(dir).env_clear().env("HOME", dir);
    command.env("PRECIS_AMQP_URL", format!("amqps://guest:guest@127.0.0.1:{port}/%2f"));
    command.envs(files.iter().map(|(key, file)| (format!("PRECIS_{key}"), dir.join(file))));
    command.output().expect("the program runs")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_behind_tls_knows_the_program_by_its_certificate() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(()) = tls::certificates(dir.path()) else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let file = |name: &str| dir.path().join(name).display().to_string();
    let settings = format!(
        "listeners.ssl.1 = 127.0.0.1:{port}\nssl_options.cacertfile = {}\nssl_options.certfile = {}\n\
         ssl_options.keyfile = {}\nssl_options.verify = verify_peer\nssl_options.fail_if_no_peer_cert = true\n",
        file("ca.pem"),
        file("server.pem"),
        file("server.key")
    );
    let Some(_server) = RabbitServer::start_with(&settings).await else { return };
    let all = [("AMQP_CA_FILE", "ca.pem"), ("AMQP_CERT_FILE", "client.pem"), ("AMQP_KEY_FILE", "client.key")];
    let applied = precis(dir.path(), port, &all, &["topology", "apply"]);
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    let checked = precis(dir.path(), port, &all, &["topology", "check"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    for (stranger, files) in [("without a certificate", &all[..1]), ("that trusts nobody", &[])] {
        let refused = precis(dir.path(), port, files, &["topology", "check"]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(4), "a client {stranger}: {said}");
        assert!(!said.contains("guest:guest"), "{said}");
    }
}
