//! A door whose addresses are below a path.

use serde_json::json;

use super::world::{request, world_below};
use crate::limits::DoorLimits;

#[tokio::test]
async fn every_address_of_a_door_is_below_its_path_and_resolves() {
    let world = world_below("/precis", true, DoorLimits::default()).await;
    let body = request("Why?").to_string();
    assert_eq!(
        world.call("alpha", "POST", "/v1/sessions", &body, &[]).await.code(),
        (404, "unknown_address".to_owned())
    );
    let accepted = world.call("alpha", "POST", "/precis/v1/sessions", &body, &[]).await;
    assert_eq!(accepted.status, 202, "{:?}", accepted.body);
    let location = accepted.headers["location"].to_str().expect("text").to_owned();
    assert!(location.starts_with("/precis/v1/sessions/"), "{location}");
    let shown = world.get(&location).await;
    assert_eq!((shown.status, &shown.json()["links"]["self"]), (200, &json!(location)));
    let listed = world.get("/precis/v1/sessions").await.json();
    assert_eq!(listed["data"][0]["links"]["self"], json!(location));
    for probe in ["/healthz", "/readyz", "/precis/healthz", "/precis/readyz"] {
        assert_eq!(world.get(probe).await.status, 200, "{probe}");
    }
    let document = world.get("/precis/openapi.json").await.json();
    assert_eq!(document["servers"], json!([{ "url": "/precis" }]));
    for nowhere in ["/openapi.json", "/precis", "/precis/", "/precisv1/sessions"] {
        assert_eq!(world.get(nowhere).await.code(), (404, "unknown_address".to_owned()), "{nowhere}");
    }
    let wrong = world.call("alpha", "PATCH", &location, "", &[]).await;
    assert_eq!(wrong.code(), (405, "method_not_allowed".to_owned()));
}
