//! The table of routes. One handler, or two that belong together, per file.
//!
//! | route | file |
//! | --- | --- |
//! | `POST /v1/sessions` | `submit`; the body in `request_body`, or with files in `form` and `file_name`; the id in `session_key`; what all that make something share in `submission`; proofs of what it refers to in `proofs`; `?dry_run` in `dry_run` |
//! | `GET /v1/sessions` | `list`; its cursor in `cursor`, its filters in `list_filter` |
//! | `GET /v1/sessions/{id}` | `show`; waiting in `prefer` |
//! | `GET /v1/sessions/{id}/events` | `events` |
//! | `GET /v1/sessions/{id}/result` | `result` |
//! | `GET /v1/sessions/{id}/report.md`, `/report.html`, `/archive/{sha256}`, `/archive.zip`, `POST …/verify` | `report` |
//! | `PUT /v1/content/{sha256}` | `content` |
//! | `POST /v1/sessions/{id}/stop`, `/cancel` | `control` |
//! | `DELETE /v1/sessions/{id}` | `remove` |
//! | `POST /v1/batches` | `batch_submit`; its bound in `crate::shares` |
//! | `GET /v1/batches` | `batch_list` |
//! | `GET /v1/batches/{id}` | `batch_show` |
//! | `POST /v1/collections` | `collection_create` |
//! | `GET /v1/collections`, `GET /v1/collections/{id}` | `collection_list` |
//! | `POST /v1/collections/{id}/files`, `DELETE …/files/{name}` | `collection_files`; the body in `collection_form` |
//! | `DELETE /v1/collections/{id}` | `collection_remove` |
//! | `GET`, `POST /v1/sessions/{id}/webhook` | `webhook` |
//! | `GET /v1/workers` | `workers` |
//! | `/healthz`, `/readyz`, `/openapi.json` | `health` |

mod batch_list;
mod batch_show;
mod batch_submit;
mod collection_create;
mod collection_files;
mod collection_form;
mod collection_list;
mod collection_remove;
mod content;
mod control;
mod cursor;
mod dry_run;
mod events;
mod file_name;
mod form;
mod health;
mod json_body;
mod list;
mod list_filter;
mod parameters;
mod prefer;
mod proofs;
mod remove;
mod report;
mod request_body;
mod result;
mod session_key;
mod show;
mod submission;
mod submit;
#[cfg(test)]
mod tests;
mod webhook;
mod workers;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, delete, get, post, put};
use serde::Serialize;

use crate::door::Door;
use crate::problem::Problem;

pub use batch_list::BatchPage;
pub use batch_show::BatchDocument;
pub use batch_submit::NewBatch;
pub use collection_create::NewCollection;
pub use collection_form::{NewFile, NewFiles};
pub use collection_list::CollectionPage;
pub use content::StoredContent;
pub use list::SessionPage;
pub use webhook::WebhookDocument;
pub use workers::WorkerList;

/// The routes of `door`, below its base path. Probes are answered without it too: they come from beside the door, not through a proxy.
pub fn router(door: Arc<Door>) -> Router {
    let routes = match door.parts.base_path.as_str() {
        "" => routes(),
        base => Router::new()
            .nest(base, routes())
            .route("/healthz", only(get(health::alive), "GET"))
            .route("/readyz", only(get(health::ready), "GET")),
    };
    routes.fallback(async || Problem::unknown_address()).with_state(door)
}

fn routes() -> Router<Arc<Door>> {
    Router::new()
        .route("/v1/sessions", only(post(submit::submit).get(list::list), "GET, POST"))
        .route("/v1/sessions/{id}", only(get(show::show).delete(remove::remove), "DELETE, GET"))
        .route("/v1/sessions/{id}/events", only(get(events::events), "GET"))
        .route("/v1/sessions/{id}/result", only(get(result::result), "GET"))
        .route("/v1/sessions/{id}/report.md", only(get(report::markdown), "GET"))
        .route("/v1/sessions/{id}/report.html", only(get(report::html), "GET"))
        .route("/v1/sessions/{id}/archive/{sha256}", only(get(report::text), "GET"))
        .route("/v1/sessions/{id}/archive.zip", only(get(report::zip), "GET"))
        .route("/v1/sessions/{id}/verify", only(post(report::verify), "POST"))
        .route("/v1/content/{sha256}", only(put(content::put), "PUT"))
        .route("/v1/sessions/{id}/stop", only(post(control::stop), "POST"))
        .route("/v1/sessions/{id}/cancel", only(post(control::cancel), "POST"))
        .route("/v1/batches", only(post(batch_submit::submit).get(batch_list::list), "GET, POST"))
        .route("/v1/batches/{id}", only(get(batch_show::show), "GET"))
        .route("/v1/collections", only(post(collection_create::create).get(collection_list::list), "GET, POST"))
        .route(
            "/v1/collections/{id}",
            only(get(collection_list::show).delete(collection_remove::remove), "DELETE, GET"),
        )
        .route("/v1/collections/{id}/files", only(post(collection_files::add), "POST"))
        .route("/v1/collections/{id}/files/{name}", only(delete(collection_files::remove), "DELETE"))
        .route("/v1/sessions/{id}/webhook", only(get(webhook::show).post(webhook::again), "GET, POST"))
        .route("/v1/workers", only(get(workers::list), "GET"))
        .route("/healthz", only(get(health::alive), "GET"))
        .route("/readyz", only(get(health::ready), "GET"))
        .route("/openapi.json", only(get(health::openapi), "GET"))
}

/// A route that answers other methods with a problem.
fn only(route: MethodRouter<Arc<Door>>, methods: &'static str) -> MethodRouter<Arc<Door>> {
    route.fallback(async move || {
        let detail = format!("this address has the methods {methods} only");
        let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail);
        Problem { allow: Some(methods), ..problem }
    })
}

/// A response of JSON that nobody may keep.
fn json(status: StatusCode, body: &impl Serialize) -> axum::response::Response {
    use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
    use axum::response::IntoResponse;
    let bytes = serde_json::to_vec(body).expect("a document is plain data");
    (status, [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], bytes).into_response()
}
