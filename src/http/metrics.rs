//! What the server tells whoever watches over it, in the text form of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::app::App;
use crate::arena::{Stage, Ticks};

/// The bounds of the histogram of how long requests take, in seconds.
const BOUNDS: [f64; 11] = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];

/// Counters that go up while the server runs.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    /// By path and method; grows by what there are routes for, and no further.
    routes: RwLock<BTreeMap<(String, String), Arc<Route>>>,
    /// Streams that were dropped because their reader was too slow.
    pub(super) slow_readers: AtomicU64,
    /// Connections that are open.
    pub(super) connections: AtomicU64,
}

#[derive(Debug, Default)]
struct Route {
    /// By hundreds: 1xx to 5xx.
    by_class: [AtomicU64; 5],
    buckets: [AtomicU64; BOUNDS.len()],
    micros: AtomicU64,
}

impl Metrics {
    /// Counts an answer.
    pub(super) fn answered(&self, method: &Method, path: &str, status: StatusCode, took: Duration) {
        let route = self.route(method, path);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        route.by_class[class].fetch_add(1, Ordering::Relaxed);
        let seconds = took.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            route.buckets[at].fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        route.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn route(&self, method: &Method, path: &str) -> Arc<Route> {
        // What nothing is at must not become a name of its own: there is no end of such.
        let path = if path.is_empty() { "unmatched" } else { path };
        let method = match *method {
            Method::GET | Method::POST | Method::DELETE | Method::HEAD | Method::OPTIONS => method.as_str(),
            _ => "other",
        };
        {
            let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
            // A borrowed pair cannot be looked up among owned ones; the few routes of a path are walked instead.
            let known = routes.range((path.to_owned(), String::new())..).take_while(|((at, _), _)| at == path);
            for ((_, of), route) in known {
                if of == method {
                    return route.clone();
                }
            }
        }
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        routes.entry((path.to_owned(), method.to_owned())).or_default().clone()
    }
}

/// Answers with all metrics in the text format of Prometheus.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text(&app)).into_response()
}

fn text(app: &App) -> String {
    let mut out = String::with_capacity(8 * 1024);
    let head = |out: &mut String, name: &str, kind: &str, help: &str| {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    };
    head(&mut out, "standoff_matches", "gauge", "Matches in the arena, by status.");
    let mut by_stage = [("open", 0), ("playing", 0), ("suspended", 0), ("over", 0)];
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
        let _ = writeln!(out, "standoff_matches{{status=\"{status}\"}} {count}");
    }
    let simple = [
        ("standoff_open_streams", "gauge", "Open event streams and waiting requests.", app.toll.streams() as u64),
        ("standoff_watched_matches", "gauge", "Matches that somebody follows.", app.stands.count() as u64),
        ("standoff_store_waiting", "gauge", "Writes that wait for the store.", app.store.waiting() as u64),
        ("standoff_connections", "gauge", "Open connections.", app.metrics.connections.load(Ordering::Relaxed)),
        (
            "standoff_slow_readers_total",
            "counter",
            "Streams dropped because they were read too slowly.",
            app.metrics.slow_readers.load(Ordering::Relaxed),
        ),
    ];
    for (name, kind, help, value) in simple {
        head(&mut out, name, kind, help);
        let _ = writeln!(out, "{name} {value}");
    }
    ticks(app.arena.ticks(), &mut out);
    requests(&app.metrics, &mut out);
    out
}

fn ticks(ticks: &Ticks, out: &mut String) {
    let name = "standoff_tick_late_seconds";
    let _ = writeln!(out, "# HELP {name} From when a turn was due to when it could be seen.\n# TYPE {name} histogram");
    let within = ticks.within();
    for (bound, count) in Ticks::BOUNDS.iter().zip(within) {
        let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {count}", bound.as_secs_f64());
    }
    // As below: the last is never less than those before.
    let count = ticks.count().max(within[within.len() - 1]);
    let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}");
    let _ = writeln!(out, "{name}_sum {}\n{name}_count {count}", ticks.total().as_secs_f64());
}

fn requests(metrics: &Metrics, out: &mut String) {
    let routes = metrics.routes.read().unwrap_or_else(PoisonError::into_inner);
    let _ = writeln!(out, "# HELP standoff_requests_total Answers, by route and class of status.");
    let _ = writeln!(out, "# TYPE standoff_requests_total counter");
    for ((path, method), route) in routes.iter() {
        for (class, count) in (1..).zip(&route.by_class) {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                let labels = format!("route=\"{path}\",method=\"{method}\",status=\"{class}xx\"");
                let _ = writeln!(out, "standoff_requests_total{{{labels}}} {count}");
            }
        }
    }
    let name = "standoff_request_seconds";
    let _ = writeln!(out, "# HELP {name} From a request's head to its answer's head.\n# TYPE {name} histogram");
    for ((path, method), route) in routes.iter() {
        let labels = format!("route=\"{path}\",method=\"{method}\"");
        let mut sum = 0;
        for (bound, count) in BOUNDS.iter().zip(&route.buckets) {
            sum += count.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {sum}");
        }
        let count: u64 = route.by_class.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        // Counters are read one by one while others count on: the last is never less than those before.
        let count = count.max(sum);
        let seconds = Duration::from_micros(route.micros.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
        let _ = writeln!(out, "{name}_sum{{{labels}}} {seconds}\n{name}_count{{{labels}}} {count}");
    }
}
