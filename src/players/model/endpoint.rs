//! One HTTP exchange with an endpoint.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Once;
use std::time::{Duration, Instant, SystemTime};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Url};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::failure::{Failure, FailureKind, retry_after};
use super::fault::Reported;
use super::formats::{self, Format};
use super::secrets::Secrets;
use super::stream::{self as streamed, Streamed};
use crate::players::profile::Profile;

/// No model says more than this.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// How long a connection is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(4);

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Where requests go, with the key that they carry.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: reqwest::Client,
    base: Url,
    account: String,
    format: &'static dyn Format,
    /// Where requests go, behind the base.
    path: String,
    secrets: Secrets,
    timeout: Duration,
}

/// A success as it was received, without keys.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    /// The body as text, for the journal; what was streamed is put together.
    pub(super) body: String,
    /// The body, read.
    pub(super) json: Json,
    /// From request to the first token, where the answer was streamed.
    pub(super) first_token: Option<Duration>,
}

/// Providers by the end of their host's name, called as the conventions of OpenTelemetry call them.
const PROVIDERS: [(&str, &str); 12] = [
    ("api.openai.com", "openai"),
    (".openai.azure.com", "azure.ai.openai"),
    (".services.ai.azure.com", "azure.ai.inference"),
    ("openrouter.ai", "openrouter"),
    ("api.anthropic.com", "anthropic"),
    ("generativelanguage.googleapis.com", "gcp.gemini"),
    ("api.mistral.ai", "mistral_ai"),
    ("api.groq.com", "groq"),
    ("api.deepseek.com", "deepseek"),
    ("api.x.ai", "x_ai"),
    ("api.cohere.ai", "cohere"),
    ("api.perplexity.ai", "perplexity"),
];

/// Makes encrypted connections possible, for whoever needs one.
pub fn prepare_tls() {
    static PROVIDER: Once = Once::new();
    // Whoever was first is as good.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

/// Why an endpoint cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum BadEndpoint {
    /// The address is none.
    #[error("`base_url` is `{0}`: write an address like `https://api.openai.com/v1`")]
    Address(String),
    /// The address has a password in it.
    #[error(
        "`base_url` has a name or password in it: put the key into an environment variable and name it in `api_key_env`"
    )]
    Password,
    /// The key cannot be sent in a header.
    #[error("the key has a line break or another character in it that no key has: set its variable again")]
    Key,
    /// A header cannot be sent.
    #[error("the header `{0}` cannot be sent: a name or a value has a character in it that no header has")]
    Header(String),
    /// The HTTP client cannot be built.
    #[error("cannot set up the HTTP client: {0}")]
    Client(#[source] reqwest::Error),
    /// A budget without a price.
    #[error(
        "it has no `price`, so that nobody knows what it costs: add one to its profile, like \
         price = {{ input = 0.25, cached_input = 0.025, output = 2.0 }}, or leave out the limit of money"
    )]
    NoPrice,
}

/// What shares limits with everything of the same name.
fn account(base: &Url, profile: &Profile) -> String {
    let mut address = base.clone();
    address.set_query(None);
    let mut name = address.as_str().trim_end_matches('/').to_owned();
    if let Some(query) = base.query() {
        name.push('?');
        for byte in &Sha256::digest(query.as_bytes())[..8] {
            let _ = write!(name, "{byte:02x}");
        }
    }
    let mut keys: Vec<&str> = profile.variables().collect();
    keys.sort_unstable();
    keys.dedup();
    keys.iter().fold(name, |name, key| format!("{name} ${key}"))
}

impl Endpoint {
    pub(super) fn new(profile: &Profile, secrets: Secrets) -> Result<Endpoint, BadEndpoint> {
        prepare_tls();
        let Profile { base_url, timeout, .. } = profile;
        let format = formats::of(profile.api);
        let base = Url::parse(base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| BadEndpoint::Address(base_url.clone()))?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(BadEndpoint::Password);
        }
        let client = reqwest::Client::builder()
            .default_headers(headers(profile, format, &secrets)?)
            .connect_timeout(CONNECT.min(*timeout))
            // Many servers let go of a connection after five idle seconds: a request that meets that would be sent again.
            .pool_idle_timeout(IDLE)
            // A key is for the address that was written, not for wherever that points.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("standoff/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(BadEndpoint::Client)?;
        let account = account(&base, profile);
        Ok(Endpoint { client, base, account, format, path: format.path(profile), secrets, timeout: *timeout })
    }

    /// The address, for people.
    pub(super) fn name(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// What shares the limits of an account: the address, with a query only as its hash, and the names of the variables that
    /// hold keys.
    pub(super) fn account(&self) -> &str {
        &self.account
    }

    /// Whose it is, as far as its address tells: a provider by its usual name, or else the host.
    pub(super) fn provider(&self) -> &str {
        let host = self.host();
        PROVIDERS.iter().find(|(end, _)| host.ends_with(end)).map_or(host, |(_, name)| name)
    }

    /// The host's name.
    pub(super) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The host's port.
    pub(super) fn port(&self) -> Option<u16> {
        self.base.port_or_known_default()
    }

    /// Sends JSON and gives a success; nothing else is one. The key is not in it, whoever echoes it. An answer may come as
    /// a stream where one was asked for.
    pub(super) async fn post(&self, body: String, stream: bool) -> Result<Received, Failure> {
        self.exchange(Method::POST, &self.path, Some(body), stream).await
    }

    /// Asks which models there are.
    pub(super) async fn models(&self) -> Result<Received, Failure> {
        self.exchange(Method::GET, self.format.models_path(), None, false).await
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        may_stream: bool,
    ) -> Result<Received, Failure> {
        let begun = Instant::now();
        let mut url = self.base.clone();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query.split('&').filter_map(|pair| pair.split_once('=')));
        }
        let mut request = self.client.request(method, url).timeout(self.timeout);
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        // llama.cpp lets go of a connection behind every stream while it promises to keep it: the next request on it would
        // be lost. Without encryption a new connection costs next to nothing.
        if may_stream && self.base.scheme() == "http" {
            request = request.header(CONNECTION, "close");
        }
        let response = request.send().await.map_err(|error| self.failed(error))?;
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let wait = header(RETRY_AFTER).and_then(|value| retry_after(&value, SystemTime::now()));
        let content_type = header(CONTENT_TYPE).unwrap_or_default();
        let headers = self.telling(response.headers());
        let pieces = stream::try_unfold((response, 0), |(mut response, length)| async move {
            let Some(piece) = response.chunk().await.map_err(|error| self.failed(error))? else { return Ok(None) };
            let length = length + piece.len();
            if length > MAX_BODY {
                return Err(Failure::new(FailureKind::TooBig, "too large, more than 10 MB"));
            }
            Ok(Some((piece, (response, length))))
        });
        let (mut pieces, mut bytes) = (pieces.boxed(), Vec::new());
        let read = |text: &str| serde_json::from_str(text).map_err(|error| Failure::body(error, text));
        let received = |body, json, first_token| Received { status: status.as_u16(), headers, body, json, first_token };
        while let Some(piece) = pieces.try_next().await? {
            bytes.extend_from_slice(&piece);
            // Some label JSON as text: what it is decides, not what it is called.
            if may_stream && status.is_success() && streamed::begins(&bytes) == Some(true) {
                let whole = stream::iter([Ok(bytes.into())]).chain(pieces).boxed();
                let read_whole = streamed::read(whole, self.format.pieces()).await;
                let Streamed { json, first } =
                    read_whole.map_err(|failure| Failure { detail: self.redact(failure.detail.clone()), ..failure })?;
                let (body, redacted) = self.secrets.redact(json.to_string());
                // Its pieces were read as they came; only a server that echoes the key has them read again.
                let json = if redacted { read(&body)? } else { json };
                return Ok(received(body, json, first.map(|first| first - begun)));
            }
        }
        if !status.is_success() {
            let text = self.redact(String::from_utf8_lossy(&bytes).into_owned());
            let json: Json = serde_json::from_str(&text).unwrap_or_default();
            // What the model wrote, and its server could not read or would not let pass, is an answer all the same.
            let is_the_players = Reported::in_body(&json).is_some_and(|error| error.is_the_players());
            return if is_the_players {
                Ok(received(text, json, None))
            } else {
                Err(Failure::status(status.as_u16(), &text, wait))
            };
        }
        match String::from_utf8(bytes) {
            Ok(text) if text.trim_start().starts_with('{') => {
                let body = self.redact(text);
                let json = read(&body)?;
                Ok(received(body, json, None))
            }
            text => {
                let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                Err(Failure::body(format!("no JSON object, called `{content_type}`"), &self.redact(text)))
            }
        }
    }

    /// The headers that are worth keeping: by which the provider finds a request again, and its limits.
    fn telling(&self, headers: &HeaderMap) -> BTreeMap<String, String> {
        let worth = |name: &str| {
            matches!(name, "x-request-id" | "request-id" | "apim-request-id" | "openai-processing-ms" | "cf-ray")
                || name.starts_with("x-ratelimit-")
        };
        let text = |value: &HeaderValue| value.to_str().ok().map(|text| self.redact(text.chars().take(200).collect()));
        let kept = headers.iter().filter(|(name, _)| worth(name.as_str()));
        kept.filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?))).collect()
    }

    fn failed(&self, error: reqwest::Error) -> Failure {
        let kind = if error.is_connect() {
            FailureKind::Connect
        } else if error.is_timeout() {
            FailureKind::Timeout
        } else {
            FailureKind::Dropped
        };
        if kind == FailureKind::Timeout {
            return Failure::new(kind, format!("{} s", self.timeout.as_secs_f64()));
        }
        // The innermost cause says what happened; the outer ones repeat where.
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        Failure::new(kind, self.redact(cause.to_string()))
    }

    fn redact(&self, text: String) -> String {
        self.secrets.redact(text).0
    }
}

/// The headers of every request: those of the format, the key, and those of the profile, which come last and replace what
/// is there.
fn headers(profile: &Profile, format: &dyn Format, secrets: &Secrets) -> Result<HeaderMap, BadEndpoint> {
    let mut headers = HeaderMap::new();
    for (name, value) in format.headers() {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if let Some(key) = secrets.key() {
        let (name, prefix) = format.key_header();
        let mut value = HeaderValue::from_str(&format!("{prefix}{key}")).map_err(|_| BadEndpoint::Key)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, value) in &profile.headers {
        let bad = || BadEndpoint::Header(name.clone());
        let (value, secret) = secrets.fill(value);
        let mut value = HeaderValue::from_str(&value).map_err(|_| bad())?;
        value.set_sensitive(secret);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_provider_is_called_by_its_usual_name_or_by_its_host() {
        for (url, name) in [
            ("https://api.openai.com/v1", "openai"),
            ("https://mine.openai.azure.com/openai/v1", "azure.ai.openai"),
            ("https://openrouter.ai/api/v1", "openrouter"),
            ("http://localhost:8080/v1", "localhost"),
            ("https://llm.example.org/v1", "llm.example.org"),
        ] {
            let endpoint = Endpoint::new(&Profile::at(url, "m"), Secrets::default()).expect("an address");
            assert_eq!(endpoint.provider(), name);
        }
    }

    #[test]
    fn two_accounts_at_one_provider_have_limits_of_their_own_and_no_query_is_shown() {
        let account = |url: &str, key: Option<&str>| {
            let profile = Profile { api_key_env: key.map(str::to_owned), ..Profile::at(url, "m") };
            Endpoint::new(&profile, Secrets::default()).expect("an address").account().to_owned()
        };
        let url = "https://api.openai.com/v1";
        assert_eq!(account(url, Some("FIRST")), account(&format!("{url}/"), Some("FIRST")));
        assert_ne!(account(url, Some("FIRST")), account(url, Some("SECOND")));
        assert_ne!(account(url, None), account(url, Some("SECOND")));
        let (one, other) = (account(&format!("{url}?token=one"), None), account(&format!("{url}?token=other"), None));
        assert!(one != other && !one.contains("token") && !other.contains("token"), "{one} {other}");
    }

    #[tokio::test]
    async fn a_connection_that_is_let_go_of_behind_a_stream_costs_no_request() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("it listens"));
        tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.expect("somebody connects");
                tokio::spawn(async move {
                    let event = r#"data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;
                    let body = format!("{event}\n\ndata: [DONE]\n\n");
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nkeep-alive: timeout=5, max=100";
                    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    let mut bytes = [0; 4096];
                    assert_ne!(connection.read(&mut bytes).await.expect("a request"), 0);
                    connection.write_all(answer.as_bytes()).await.expect("somebody reads");
                    // A second request on it is read, and nobody answers.
                    assert_eq!(connection.read(&mut bytes).await.expect("the end"), 0);
                });
            }
        });
        let endpoint = Endpoint::new(&Profile::at(&url, "m"), Secrets::default()).expect("an address");
        for _ in 0..3 {
            endpoint.post("{}".to_owned(), true).await.expect("an answer");
        }
    }

    #[test]
    fn an_address_is_checked_before_anything_is_sent() {
        let refused = |url: &str| Endpoint::new(&Profile::at(url, "m"), Secrets::default()).expect_err(url).to_string();
        for url in ["", "localhost:8080", "ftp://host/v1", "/v1"] {
            assert!(refused(url).contains("https://api.openai.com/v1"), "{url}");
        }
        assert!(refused("http://me:secret@host/v1").contains("api_key_env"));
        let key = Some(SecretString::from("sk\nx"));
        let error = Endpoint::new(&Profile::at("http://host", "m"), key.into()).expect_err("no such key");
        assert!(matches!(error, BadEndpoint::Key));
    }
}
