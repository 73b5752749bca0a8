//! What the server tells whoever watches over it, in the text form of Prometheus.
//!
//! Counters and histograms are of the process; what is known at a glance (matches, streams, limits) is looked up when
//! somebody asks.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::app::App;
use crate::arena::{Stage, TICK_LATE};

/// The bounds of the histogram of how long requests take, in seconds.
const REQUEST_BOUNDS: [f64; 11] = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];

/// The same of how late turns are.
const TICK_BOUNDS: [f64; 7] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 1.0];

const REQUESTS: &str = "standoff_requests_total";
const REQUEST_SECONDS: &str = "standoff_request_seconds";
const REFUSED: &str = "standoff_refused_total";
const SLOW_READERS: &str = "standoff_slow_readers_total";
const CONNECTIONS: &str = "standoff_connections";

/// So often what was measured is put into its buckets, asked for or not.
pub(super) const UPKEEP: Duration = Duration::from_secs(5);

/// Where this process counts, once it serves.
static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Begins to count, unless this process does already.
pub(super) fn recorder() -> Option<&'static PrometheusHandle> {
    let install = || {
        let builder = PrometheusBuilder::new();
        let builder =
            builder.set_buckets_for_metric(Matcher::Full(REQUEST_SECONDS.to_owned()), &REQUEST_BOUNDS).ok()?;
        let builder = builder.set_buckets_for_metric(Matcher::Full(TICK_LATE.to_owned()), &TICK_BOUNDS).ok()?;
        let recorder = builder.install_recorder().ok()?;
        describe();
        Some(recorder)
    };
    RECORDER.get_or_init(install).as_ref()
}

fn describe() {
    describe_counter!(REQUESTS, "Answers, by route and class of status.");
    describe_histogram!(REQUEST_SECONDS, "From a request's head to its answer's head.");
    describe_histogram!(TICK_LATE, "From when a turn was due to when it could be seen.");
    describe_counter!(REFUSED, "What was refused because of a limit, by limit.");
    describe_counter!(SLOW_READERS, "Streams dropped because they were read too slowly.");
    describe_gauge!(CONNECTIONS, "Open connections.");
    describe_gauge!("standoff_matches", "Matches in the arena, by status.");
    describe_gauge!("standoff_open_streams", "Open event streams and waiting requests.");
    describe_gauge!("standoff_watched_matches", "Matches that somebody follows.");
    describe_gauge!("standoff_store_waiting", "Writes that wait for the store.");
    describe_gauge!("standoff_mcp_sessions", "Open MCP sessions.");
    describe_gauge!("standoff_analyses_waiting", "Analyses that are worked out or wait to be.");
    describe_gauge!(
        "standoff_limit",
        "How much of something there may be, by limit; 0 requests or registrations is no limit."
    );
}

/// Counts an answer.
pub(super) fn answered(method: &Method, path: &str, status: StatusCode, took: Duration) {
    // What nothing is at must not become a name of its own: there is no end of such.
    let path = if path.is_empty() { "unmatched" } else { path }.to_owned();
    let method = match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    };
    let class = match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    };
    counter!(REQUESTS, "route" => path.clone(), "method" => method, "status" => class).increment(1);
    histogram!(REQUEST_SECONDS, "route" => path, "method" => method).record(took);
}

/// Counts what was refused because of a limit.
pub(super) fn refused(limit: &'static str) {
    counter!(REFUSED, "limit" => limit).increment(1);
}

/// Counts a stream that was dropped because its reader was too slow.
pub(super) fn slow_reader() {
    counter!(SLOW_READERS).increment(1);
}

/// An open connection; it is counted as long as this lives.
#[derive(Debug)]
pub(super) struct OpenConnection(());

impl OpenConnection {
    pub(super) fn begun() -> OpenConnection {
        gauge!(CONNECTIONS).increment(1);
        OpenConnection(())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        gauge!(CONNECTIONS).decrement(1);
    }
}

/// Answers with all metrics in the text format of Prometheus.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let Some(recorder) = recorder() else { return StatusCode::SERVICE_UNAVAILABLE.into_response() };
    look(&app);
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], recorder.render()).into_response()
}

/// Looks up what is known at a glance.
#[expect(clippy::cast_precision_loss, reason = "counts of what fits into memory")]
fn look(app: &App) {
    let mut by_stage = [("open", 0_usize), ("playing", 0), ("suspended", 0), ("over", 0)];
    for live in app.arena.list() {
        by_stage[match live.stage() {
            Stage::Gathering => 0,
            Stage::Playing => 1,
            Stage::Suspended(_) => 2,
            Stage::Over => 3,
        }]
        .1 += 1;
    }
    for (status, count) in by_stage {
        gauge!("standoff_matches", "status" => status).set(count as f64);
    }
    gauge!("standoff_open_streams").set(app.toll.streams() as f64);
    gauge!("standoff_watched_matches").set(app.stands.count() as f64);
    gauge!("standoff_store_waiting").set(app.store.waiting() as f64);
    gauge!("standoff_mcp_sessions").set(app.toll.sessions() as f64);
    gauge!("standoff_analyses_waiting").set(app.reviews.waiting() as f64);
    let own = app.toll.limits().by_name().map(|(limit, most)| (limit, most as f64));
    for (limit, most) in own.into_iter().chain(app.limits.iter().copied()) {
        gauge!("standoff_limit", "limit" => limit).set(most);
    }
}
