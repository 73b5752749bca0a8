//! What the program tells of itself while it works: spans to an OpenTelemetry collector, and a log to standard error.
//!
//! Both are made of the same `tracing` spans: run, match, turn, model call and tool call. Where nobody asks for them they
//! cost nothing.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, SpanData, SpanExporter};
use tokio::runtime::{Handle, Runtime};
use tracing::Span;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, Targets};
use tracing_subscriber::fmt::format;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, fmt};
use url::Url;

use super::error::Failure;
use super::messages;
use crate::config::Environment;
use crate::players::model::{CONTENT_FIELDS, capture_content, prepare_tls};

/// How long the last spans may take to get away.
const FLUSH: Duration = Duration::from_secs(5);

/// Where traces go.
const PATH: &str = "/v1/traces";

/// How the program is watched.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct TelemetryArgs {
    /// Export spans of the run, its matches, turns, model calls and tool calls to this OpenTelemetry collector over
    /// OTLP/HTTP, like `http://localhost:4318`
    #[arg(long, value_name = "URL", value_parser = collector)]
    otlp: Option<Url>,
    /// Export also what models are told and answer; so does `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`
    #[arg(long, requires = "otlp")]
    otlp_content: bool,
    /// Log to standard error: `info`, `debug`, or directives like `standoff=debug,reqwest=info`
    #[arg(long, value_name = "FILTER")]
    log: Option<String>,
    /// Log as JSON, one object per line, for programs that collect logs
    #[arg(long, requires = "log")]
    log_json: bool,
}

/// Listens until it is told to finish.
#[must_use = "spans are lost that were not flushed"]
pub(crate) struct Telemetry {
    export: Option<SpanExport>,
}

struct SpanExport {
    collector: Url,
    provider: SdkTracerProvider,
    /// The exporter's own, so that spans get away whatever the matches do.
    runtime: Runtime,
    failed: Arc<OnceLock<String>>,
}

impl TelemetryArgs {
    /// Begins to listen, if anybody asked for it. To be called once, by a command that then runs.
    ///
    /// # Errors
    /// If a filter cannot be read, or the exporter cannot be set up.
    pub(crate) fn start(&self) -> Result<Telemetry, Failure> {
        self.start_with(self.log.as_deref())
    }

    /// Begins to listen as `start` does. What fails is logged even where nobody asked for a log.
    pub(crate) fn start_server(&self) -> Result<Telemetry, Failure> {
        self.start_with(Some(self.log.as_deref().unwrap_or("standoff=warn")))
    }

    fn start_with(&self, log: Option<&str>) -> Result<Telemetry, Failure> {
        let wants_content = self.otlp_content || Environment::of_process().wants_message_content();
        if self.log_json && self.otlp.is_some() && wants_content {
            return Err(Failure::call("what models are told belongs into no log")
                .hint("leave out --log-json, or what exports it: --otlp-content and its variable"));
        }
        let filter = log.map(filter).transpose()?;
        let (lines, objects) = if self.log_json { (None, filter) } else { (filter, None) };
        let lines = lines.map(log_lines);
        let objects =
            objects.map(|filter| fmt::layer().json().flatten_event(true).with_writer(io::stderr).with_filter(filter));
        let export = self.otlp.as_ref().map(SpanExport::start).transpose()?;
        if lines.is_none() && objects.is_none() && export.is_none() {
            return Ok(Telemetry { export: None });
        }
        if export.is_some() && wants_content {
            capture_content();
        }
        let layer = export.as_ref().map(SpanExport::layer);
        tracing_subscriber::registry()
            .with(layer)
            .with(lines)
            .with(objects)
            .try_init()
            .map_err(|error| Failure::work(format!("cannot listen to spans: {error}")))?;
        Ok(Telemetry { export })
    }
}

impl Telemetry {
    /// The span of a whole command.
    pub(crate) fn run(command: &'static str) -> Span {
        tracing::info_span!("run", "otel.name" = format!("run {command}"), "standoff.command" = command)
    }

    /// Sends what is left. A collector that cannot be reached is worth a note and no more.
    pub(crate) fn finish(self) {
        let Some(SpanExport { collector, provider, runtime, failed }) = self.export else { return };
        let shut = provider.shutdown_with_timeout(FLUSH);
        runtime.shutdown_background();
        let why = failed.get().cloned().or_else(|| shut.err().map(|error| error.to_string()));
        if let Some(why) = why {
            messages::tell(&format!("note: not all spans got to {collector}: {why}"));
        }
    }
}

impl SpanExport {
    fn start(collector: &Url) -> Result<SpanExport, Failure> {
        let cannot =
            |error: &dyn std::fmt::Display| Failure::work(format!("cannot export spans to {collector}: {error}"));
        prepare_tls();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("otlp")
            .enable_all()
            .build()
            .map_err(|error| cannot(&error))?;
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_endpoint(collector.as_str())
            .with_timeout(FLUSH)
            // A collector that is gone must not hold up the end.
            .with_retry_policy(opentelemetry_otlp::RetryPolicy::disabled())
            .build()
            .map_err(|error| cannot(&error))?;
        let failed = Arc::default();
        let courier =
            Courier { exporter: Arc::new(exporter), runtime: runtime.handle().clone(), failed: Arc::clone(&failed) };
        let batches = BatchConfigBuilder::default().with_max_queue_size(1 << 16).build();
        let resource = Resource::builder()
            .with_service_name("standoff")
            .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(BatchSpanProcessor::builder(courier).with_batch_config(batches).build())
            .with_resource(resource)
            .build();
        Ok(SpanExport { collector: collector.clone(), provider, runtime, failed })
    }

    fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    {
        let targets = Targets::new().with_target("standoff", LevelFilter::INFO);
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("standoff"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_filter(targets)
    }
}

/// Sends batches on the exporter's own runtime: the processor's thread has none.
#[derive(Debug)]
struct Courier {
    exporter: Arc<opentelemetry_otlp::SpanExporter>,
    runtime: Handle,
    /// The first failure.
    failed: Arc<OnceLock<String>>,
}

impl SpanExporter for Courier {
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        let exporter = Arc::clone(&self.exporter);
        let failed = Arc::clone(&self.failed);
        let sent = self.runtime.spawn(async move { exporter.export(batch).await });
        async move {
            let sent = sent.await.unwrap_or_else(|error| Err(OTelSdkError::InternalFailure(error.to_string())));
            if let Err(error) = &sent {
                let _ = failed.set(error.to_string());
            }
            sent
        }
    }

    fn set_resource(&mut self, resource: &Resource) {
        if let Some(exporter) = Arc::get_mut(&mut self.exporter) {
            exporter.set_resource(resource);
        }
    }
}

fn filter(filter: &str) -> Result<EnvFilter, Failure> {
    let bad = |error: &dyn std::fmt::Display| {
        Failure::call(format!("`--log {filter}`: {error}")).hint("write a level like `info`, or `standoff=debug`")
    };
    let filter = EnvFilter::builder().parse(filter).map_err(|error| bad(&error))?;
    // Below this it logs whole messages, with the keys of seats and whatever else clients send.
    Ok(filter.add_directive("rmcp=info".parse().expect("a directive")))
}

/// A log for people: a line an event.
fn log_lines<S>(filter: EnvFilter) -> impl Layer<S> + use<S>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    // What models are told and answer belongs into no log, and what is for exporters neither.
    let fields = format::debug_fn(|out, field, value| match field.name() {
        "message" => write!(out, "{value:?}"),
        name if name.starts_with("otel.") || CONTENT_FIELDS.contains(&name) => Ok(()),
        name => write!(out, " {name}={value:?}"),
    });
    fmt::layer().with_writer(io::stderr).with_ansi(false).fmt_fields(fields).with_filter(filter)
}

/// The address of a collector, down to the path for traces.
fn collector(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|error| format!("{error}; write one like http://localhost:4318"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("a collector is at http:// or https://, like http://localhost:4318".to_owned());
    }
    if !url.path().ends_with(PATH) {
        let path = format!("{}{PATH}", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_named_with_or_without_the_path_for_traces() {
        for (text, url) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://example.org/otlp", "https://example.org/otlp/v1/traces"),
            ("https://example.org/otlp/v1/traces", "https://example.org/otlp/v1/traces"),
        ] {
            assert_eq!(collector(text).expect(text).as_str(), url);
        }
        for text in ["", "localhost:4318", "ftp://localhost", "/v1/traces"] {
            assert!(collector(text).expect_err(text).contains("http://localhost:4318"), "{text}");
        }
    }
}
