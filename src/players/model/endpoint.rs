//! One HTTP exchange with an endpoint.

use std::sync::Once;
use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, Url};
use secrecy::{ExposeSecret as _, SecretString};

use super::failure::{Failure, Kind, retry_after};

/// No model says more than this.
const MAX_BODY: usize = 10 * 1024 * 1024;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Where requests go, with the key that they carry.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: reqwest::Client,
    base: Url,
    key: Option<SecretString>,
    timeout: Duration,
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
    /// The HTTP client cannot be built.
    #[error("cannot set up the HTTP client: {0}")]
    Client(#[source] reqwest::Error),
    /// A budget without a price.
    #[error("`max_usd_match` needs the player's `price`: without one nobody knows what a match costs")]
    NoPrice,
}

impl Endpoint {
    pub(super) fn new(base_url: &str, key: Option<SecretString>, timeout: Duration) -> Result<Endpoint, BadEndpoint> {
        static PROVIDER: Once = Once::new();
        // Whoever was first is as good.
        PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
        let base = Url::parse(base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| BadEndpoint::Address(base_url.to_owned()))?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(BadEndpoint::Password);
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &key {
            let bearer = format!("Bearer {}", key.expose_secret().trim());
            let mut value = HeaderValue::from_str(&bearer).map_err(|_| BadEndpoint::Key)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = reqwest::Client::builder()
            .default_headers(headers)
            .connect_timeout(CONNECT.min(timeout))
            // A key is for the address that was written, not for wherever that points.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("standoff/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(BadEndpoint::Client)?;
        Ok(Endpoint { client, base, key, timeout })
    }

    /// The address, for people.
    pub(super) fn name(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Whether it is that of `OpenAI`, which has left names behind that others still use.
    pub(super) fn is_openai(&self) -> bool {
        self.base.host_str().is_some_and(|host| host == "api.openai.com" || host.ends_with(".openai.azure.com"))
    }

    /// Sends JSON and gives the body of a success; nothing else is one. The key is not in it, whoever echoes it.
    pub(super) async fn post(&self, path: &str, body: String) -> Result<String, Failure> {
        self.exchange(Method::POST, path, Some(body)).await
    }

    /// Asks for JSON.
    pub(super) async fn get(&self, path: &str) -> Result<String, Failure> {
        self.exchange(Method::GET, path, None).await
    }

    async fn exchange(&self, method: Method, path: &str, body: Option<String>) -> Result<String, Failure> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        let mut request = self.client.request(method, url).timeout(self.timeout);
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let mut response = request.send().await.map_err(|error| self.failed(error))?;
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let wait = header(RETRY_AFTER).and_then(|value| retry_after(&value, SystemTime::now()));
        let content_type = header(CONTENT_TYPE).unwrap_or_default();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failed(error))? {
            if bytes.len() + chunk.len() > MAX_BODY {
                return Err(Failure::new(Kind::TooBig, "too large, more than 10 MB"));
            }
            bytes.extend_from_slice(&chunk);
        }
        if !status.is_success() {
            let text = self.redact(String::from_utf8_lossy(&bytes).into_owned());
            return Err(Failure::status(status.as_u16(), &text, wait));
        }
        // Some label JSON as text: what it is decides, not what it is called.
        match String::from_utf8(bytes) {
            Ok(text) if text.trim_start().starts_with('{') => Ok(self.redact(text)),
            _ => Err(Failure::new(Kind::Body, format!("no JSON object, called `{content_type}`"))),
        }
    }

    fn failed(&self, error: reqwest::Error) -> Failure {
        let kind = if error.is_connect() {
            Kind::Connect
        } else if error.is_timeout() {
            Kind::Timeout
        } else {
            Kind::Dropped
        };
        if kind == Kind::Timeout {
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
        match self.key.as_ref().map(|key| key.expose_secret().trim()) {
            Some(key) if !key.is_empty() && text.contains(key) => text.replace(key, "[key]"),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_before_anything_is_sent() {
        let refused = |url: &str| Endpoint::new(url, None, Duration::from_secs(1)).expect_err(url).to_string();
        for url in ["", "localhost:8080", "ftp://host/v1", "/v1"] {
            assert!(refused(url).contains("https://api.openai.com/v1"), "{url}");
        }
        assert!(refused("http://me:secret@host/v1").contains("api_key_env"));
        let key = SecretString::from("sk\nx");
        let error = Endpoint::new("http://host", Some(key), Duration::from_secs(1)).expect_err("no such key");
        assert!(matches!(error, BadEndpoint::Key));
    }
}
