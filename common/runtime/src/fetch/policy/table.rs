//! URLs and their verdicts.

use super::*;

const ALLOWED: &[&str] = &[
    "http://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.COM/Path?query=1#fragment",
    "https://example.com:443/",
    "http://example.com:80/",
    "http://example.com:8080/",
    "https://example.com:8443/",
    "http://example.com:/",
    "http://example.com:443/",
    "https://example.com./",
    "https://sub.domain.example.co.uk/a/b.pdf",
    "https://münchen.de/rathaus",
    "https://xn--mnchen-3ya.de/",
    "https://例え.jp/",
    "https://пример.рф/",
    "https://example.com/a%20b%2fc",
    "https://example.com/a b",
    "https://example.com/@user",
    "https://example.com/?next=http://127.0.0.1/",
    "https://example.com/#@127.0.0.1/",
    "https://example.com/a\\b",
    "https://user.example.com/",
    "https://localhost.example.com/",
    "https://localhost.com/",
    "https://127.0.0.1.example.com/",
    "https://internal.example.com/",
    "https://metadata.example.com/",
    "https://notlocal.org/",
    "https://my_site.example.com/",
    "https://123.com/",
    "https://1e100.net/",
    "https://example.example/",
    "http://8.8.8.8/",
    "http://1.1.1.1:8080/dns",
    "http://134744072/",
    "http://0x8.0x8.0x8.0x8/",
    "http://010.8.8.8/",
    "http://9.255.255.255/",
    "http://11.0.0.1/",
    "http://100.63.255.255/",
    "http://100.128.0.1/",
    "http://172.15.255.255/",
    "http://172.32.0.1/",
    "http://192.167.255.255/",
    "http://192.169.0.1/",
    "http://223.255.255.255/",
    "http://[2606:4700:4700::1111]/",
    "http://[2a00:1450:4001:81b::200e]:8080/",
    "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::808:808]/",
    " https://example.com/ ",
    "https://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ/",
    "https://faß.de/",
    "https://en.wikipedia.org/wiki/SSRF_(security)",
    "https://a--b.example.com/",
];

const DENIED: &[(&str, &[&str])] = &[
    (
        "scheme",
        &[
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com:70/",
            "data:text/html,hello",
            "javascript:alert(1)",
            "ws://example.com/",
            "dict://127.0.0.1:11211/",
            "ldap://example.com/",
            "jar:http://example.com!/",
            "view-source:http://example.com/",
            "httpx://example.com/",
            "blob:https://example.com/1",
            "://example.com/",
            "localhost:80",
        ],
    ),
    ("invalid_url", &["", "example.com", "//example.com/", "/etc/passwd", "http://", "http://?", "http:// /"]),
    (
        "invalid_url",
        &[
            "http://[::1/",
            "http://[gggg::1]/",
            "http://[1.2.3.4]/",
            "http://a b.com/",
            "http://256.256.256.256/",
            "http://1.2.3.4.5/",
            "http://0x100000000/",
            "http://example.com:99999/",
            "http://example.com:80:80/",
            "http://exa<mple.com/",
            "http://425.510.425.510/",
            "http://7147006462/",
            "http://0b1111111.1/",
            "http://127.1.1.1:80:/",
            "http://xn--a/",
        ],
    ),
    (
        "odd_url",
        &[
            "http:example.com/",
            "http:/example.com/",
            "http:///example.com/",
            "http:\\\\example.com/",
            "http://\\example.com/",
            "http://example.com\\@127.0.0.1/",
            "http://exa\tmple.com/",
            "http://example.com/\r\nHost: x",
            "http://example.com/\0",
        ],
    ),
    (
        "userinfo",
        &[
            "http://user@example.com/",
            "http://user:secret@example.com/",
            "http://:secret@example.com/",
            "http://@example.com/",
            "http://example.com@127.0.0.1/",
            "http://127.0.0.1:80@example.com/",
            "http://example.com%2f@127.0.0.1/",
        ],
    ),
    (
        "odd_host",
        &[
            "http://%6c%6f%63alhost/",
            "http://127%2e0%2e0%2e1/",
            "http://ex%61mple.com/",
            "http://example.com%00.evil.com/",
            "http://[fe80::1%25eth0]/",
            "http://a..b.com/",
            "http://.example.com/",
            "http://example.com../",
            "http://-example.com/",
            "http://example-.com/",
            "http://example.com\u{200b}/",
            "http://local\u{ad}host.example.com/",
            "http://[::1%25lo]/",
            "http://[fe80::1%eth0]/",
            "http://localhost%00.example.com/",
        ],
    ),
    (
        "port",
        &[
            "http://example.com:22/",
            "http://example.com:0/",
            "http://example.com:25/",
            "http://example.com:6379/",
            "http://example.com:5672/",
            "http://example.com:11211/",
            "http://example.com:8081/",
            "https://example.com:65535/",
        ],
    ),
    (
        "internal_host",
        &[
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://localhost:8080/",
            "http://ｌｏｃａｌｈｏｓｔ/",
            "http://ⓛocalhost/",
            "http://a.localhost/",
            "http://localhost.localdomain/",
            "http://intranet/",
            "http://metadata/",
            "http://printer.local/",
            "http://kubernetes.default.svc/",
            "http://kubernetes.default.svc.cluster.local/",
            "http://host.docker.internal/",
            "http://router.lan/",
            "http://nas.home.arpa/",
            "http://wiki.intranet/",
            "http://wiki.corp/",
            "http://site.test/",
            "http://site.invalid/",
            "http://abc.onion/",
            "http://fritz.box/",
            "http://db/",
            "http://rancher-metadata/",
            "http://ip6-localhost/",
            "http://consul.service.consul/",
            "http://abc.i2p/",
            "http://metadata.azure.internal/",
            "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
        ],
    ),
    (
        "metadata_host",
        &[
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://METADATA.google.internal./",
            "http://metadata.goog/",
            "http://instance-data.ec2.internal/latest/",
            "http://metadata.tencentyun.com/",
        ],
    ),
    (
        "rebinding_host",
        &[
            "http://127.0.0.1.nip.io/",
            "http://10-0-0-1.sslip.io/",
            "http://localtest.me/",
            "http://a.lvh.me/",
            "http://7f000001.c0a80001.rbndr.us/",
            "http://make-1.2.3.4-rebind-127.0.0.1-rr.1u.ms/",
            "http://a.127.0.0.1.xip.io/",
        ],
    ),
    (
        "special_address",
        &[
            "http://127.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1:8080/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http://0/",
            "http://0.0.0.0/",
            "http://0x0/",
            "http://10.0.0.1/",
            "http://10.255.255.255/",
            "http://167772161/",
            "http://100.64.0.1/",
            "http://100.100.100.200/latest/",
            "http://168.63.129.16/machine",
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.170.2/v2/credentials",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://172.16.0.1/",
            "http://172.31.255.255/",
            "http://192.0.0.192/",
            "http://192.0.2.1/",
            "http://192.88.99.1/",
            "http://192.168.1.1/",
            "http://192.168.257/",
            "http://198.18.0.1/",
            "http://198.51.100.7/",
            "http://203.0.113.9/",
            "http://224.0.0.1/",
            "http://240.0.0.1/",
            "http://255.255.255.255/",
            "http://[::]/",
            "http://[::1]/",
            "http://[0:0:0:0:0:0:0:1]:8080/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[::127.0.0.1]/",
            "http://[::a00:1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[64:ff9b:1::808:808]/",
            "http://[100::1]/",
            "http://[2001::1]/",
            "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
            "http://[2001:10::1]/",
            "http://[2001:db8::1]/",
            "http://[2002:7f00:1::]/",
            "http://[2002:a9fe:a9fe::1]/",
            "http://[2606:4700::5efe:10.0.0.1]/",
            "http://[3fff::1]/",
            "http://[5f00::1]/",
            "http://[fc00::1]/",
            "http://[fd00:ec2::254]/latest/",
            "http://[fe80::1]/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://①②⑦.⓪.⓪.①/",
            "http://１６９。２５４。１６９。２５４/",
            "http://127.127.127.127/",
            "http://127.0.1/",
            "http://00000000177.1/",
            "http://0x7f.0.0.0x1/",
            "http://0x00000000007f000001/",
            "http://0251.254.169.254/",
            "http://[0000::1]:80/",
            "http://[::ffff:0:127.0.0.1]/",
            "http://[64:ff9b::169.254.169.254]/",
            "http://[2001:0:7f00:1::]/",
            "http://[2001:20::1]/",
            "http://[100:0:0:1::1]/",
            "http://192.31.196.1/",
            "http://192.52.193.1/",
            "http://192.175.48.1/",
            "http://[2620:4f:8000::1]/",
            "http://192.0.0.8/",
        ],
    ),
];

fn code(url: &str, policy: &FetchPolicy) -> Option<&'static str> {
    match verdict(url, policy) {
        UrlVerdict::Allow => None,
        UrlVerdict::Deny { reason } => Some(reason.code),
    }
}

#[test]
fn public_pages_are_allowed() {
    for url in ALLOWED {
        assert_eq!(code(url, &FetchPolicy::default()), None, "{url}");
    }
}

#[test]
fn everything_else_is_denied_with_its_reason() {
    for (expected, urls) in DENIED {
        for url in *urls {
            assert_eq!(code(url, &FetchPolicy::default()), Some(*expected), "{url:?}");
        }
    }
    let long = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
    assert_eq!(code(&long, &FetchPolicy::default()), Some("too_long"));
    assert_eq!(code(&long[..MAX_URL_BYTES], &FetchPolicy::default()), None);
}

#[test]
fn a_dialled_address_has_no_fragment_and_no_final_host_dot() {
    let url = examine("HTTP://Example.COM./a#b", &FetchPolicy::default()).expect("allowed");
    assert_eq!(url.as_str(), "http://example.com/a");
}

fn lists(allow: &[&str], deny: &[&str]) -> FetchPolicy {
    let hosts = |list: &[&str]| list.iter().map(|h| h.parse().expect("a host")).collect();
    FetchPolicy { allow_hosts: hosts(allow), deny_hosts: hosts(deny), ..FetchPolicy::default() }
}

#[test]
fn lists_of_hosts_narrow_what_is_fetched_and_name_what_is_internal() {
    for (allow, deny, url, expected) in [
        (&[][..], &["example.com"][..], "http://example.com/", Some("denied_host")),
        (&[], &["example.com"], "http://a.example.com/", None),
        (&[], &[".example.com"], "http://a.example.com./", Some("denied_host")),
        (&["example.com"], &[], "http://example.com/", None),
        (&["example.com"], &[], "http://other.com/", Some("not_allowed")),
        (&["example.com"], &[], "http://8.8.8.8/", Some("not_allowed")),
        (&["wiki.corp"], &[], "http://wiki.corp/", None),
        (&[".example.com"], &["a.example.com"], "http://a.example.com/", Some("denied_host")),
        (&["example.com"], &[], "http://example.com:22/", Some("port")),
    ] {
        assert_eq!(code(url, &lists(allow, deny)), expected, "{allow:?} {deny:?} {url}");
    }
}

#[test]
fn lists_of_networks_decide_about_addresses_and_denial_wins() {
    let networks = |list: &[&str]| list.iter().map(|n| n.parse().expect("a network")).collect::<Vec<Network>>();
    for (allow, deny, url, expected) in [
        (&["10.0.0.0/8"][..], &[][..], "http://10.1.2.3/", None),
        (&["10.0.0.0/8"], &[], "http://[::ffff:10.1.2.3]/", None),
        (&["10.0.0.0/8"], &[], "http://192.168.0.1/", Some("special_address")),
        (&["10.0.0.0/8"], &["10.1.0.0/16"], "http://10.1.2.3/", Some("denied_address")),
        (&[], &["8.8.8.0/24"], "http://8.8.8.8/", Some("denied_address")),
        (&[], &["8.8.8.0/24"], "http://[64:ff9b::808:808]/", Some("denied_address")),
        (&["fd00::/8"], &[], "http://[fd12::1]/", None),
    ] {
        let policy =
            FetchPolicy { allow_networks: networks(allow), deny_networks: networks(deny), ..FetchPolicy::default() };
        assert_eq!(code(url, &policy), expected, "{allow:?} {deny:?} {url}");
    }
}

#[test]
fn tests_may_reach_loopback_and_nothing_more() {
    let policy = FetchPolicy::default().allow_loopback_for_tests();
    for (url, expected) in [
        ("http://127.0.0.1:49152/", None),
        ("http://[::1]:49152/", None),
        ("http://10.0.0.1/", Some("special_address")),
        ("http://localhost:49152/", Some("internal_host")),
        ("http://169.254.169.254/", Some("special_address")),
    ] {
        assert_eq!(code(url, &policy), expected, "{url}");
    }
}

#[test]
fn a_wide_network_excludes_metadata_services_without_their_own_switch() {
    let everything = ["0.0.0.0/0", "::/0"].map(|n| n.parse().expect("a network")).to_vec();
    let wide = FetchPolicy { allow_networks: everything, ..FetchPolicy::default() };
    let switched = FetchPolicy { allow_metadata: true, ..wide.clone() };
    for address in
        ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"]
    {
        let address = address.parse().expect("an address");
        assert_eq!(wide.check(address).expect_err("metadata").code, "metadata_address", "{address}");
        assert_eq!(switched.check(address), Ok(()), "{address}");
        let narrow = FetchPolicy { allow_metadata: true, ..FetchPolicy::default() };
        assert!(narrow.check(address).is_err(), "{address}: the switch alone allows nothing");
    }
    assert_eq!(wide.check("169.254.169.253".parse().expect("an address")), Ok(()));
}
