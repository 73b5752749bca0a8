//! Tokens of an external issuer: this server as a resource server of OAuth 2.1.
//!
//! Clients learn from [`Issuer::metadata`] (RFC 9728) where they get a token. One that comes with a request is believed if
//! the issuer's published keys signed it for this server, and its subject is a registered player from then on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderValue;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Value as JsonValue, json};
use tokio::time::Instant;
use url::Url;

use super::app::App;
use super::error::ApiError;

/// Where the metadata of the resource stands, for the resource at the path that follows.
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";

/// Only the resource that assistants use is protected so.
const RESOURCE: &str = "/mcp";

/// So long keys are believed before they are fetched again.
const KEYS_LAST: Duration = Duration::from_mins(10);

/// Keys are fetched at most so often for the sake of a token that none of them signed.
const KEYS_REST: Duration = Duration::from_secs(10);

/// So long a request to the issuer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// No answer of an issuer is longer.
const MOST_BYTES: usize = 1 << 20;

/// No token is longer.
const LONGEST_TOKEN: usize = 16 * 1024;

/// What an issuer may sign with. Secrets that both sides know are none of it.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// Whose tokens are believed, and for which server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthOptions {
    /// The issuer, as its tokens name it.
    pub issuer: Url,
    /// Where clients reach this server, without a path.
    pub public: Url,
}

/// An issuer and its keys.
#[derive(Debug)]
pub(super) struct Issuer {
    /// As its tokens name it.
    name: String,
    address: Url,
    /// What its tokens must be for.
    resource: String,
    metadata: String,
    client: reqwest::Client,
    keys: Mutex<Option<Keys>>,
    /// Keys are fetched by one at a time.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Clone, Debug)]
struct Keys {
    set: Arc<JwkSet>,
    fetched: Instant,
}

/// Somebody whom the issuer knows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Subject {
    pub(super) iss: String,
    pub(super) sub: String,
    #[serde(default)]
    preferred_username: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

impl Subject {
    /// What people may call it.
    pub(super) fn shown_name(&self) -> &str {
        self.preferred_username.as_deref().or(self.name.as_deref()).unwrap_or("player")
    }
}

/// Why a token is not believed.
#[derive(Debug, thiserror::Error)]
pub(super) enum OAuthError {
    #[error("the token cannot be read: {0}")]
    Unreadable(jsonwebtoken::errors::Error),
    #[error("the token is signed with {0:?}, which is not taken here")]
    Algorithm(Algorithm),
    #[error("none of the issuer's keys signed the token")]
    UnknownKey,
    #[error("the token is not for this server, has expired, or was changed: {0}")]
    Invalid(jsonwebtoken::errors::Error),
    #[error("the issuer cannot be asked for its keys: {0}")]
    Unreachable(String),
}

impl OAuthError {
    pub(super) fn problem(&self) -> ApiError {
        match self {
            OAuthError::Unreachable(_) => ApiError::internal(self),
            _ => ApiError::token_needed(self.to_string()),
        }
    }
}

/// Whether a token looks like one of an issuer: three parts, the first of which is JSON.
pub(super) fn is_signed(token: &str) -> bool {
    token.starts_with("eyJ") && token.matches('.').count() == 2 && token.len() <= LONGEST_TOKEN
}

impl Issuer {
    pub(super) fn new(options: &OAuthOptions) -> Result<Issuer, reqwest::Error> {
        let public = options.public.as_str().trim_end_matches('/');
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("standoff/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Issuer {
            name: options.issuer.as_str().trim_end_matches('/').to_owned(),
            address: options.issuer.clone(),
            resource: format!("{public}{RESOURCE}"),
            metadata: format!("{public}{METADATA}{RESOURCE}"),
            client,
            keys: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// What clients are told of this resource (RFC 9728).
    fn metadata(&self) -> JsonValue {
        json!({
            "resource": self.resource,
            "authorization_servers": [self.name],
            "bearer_methods_supported": ["header"],
            "resource_name": "Standoff",
        })
    }

    /// The header that tells a client without a token where that is.
    pub(super) fn challenge(&self) -> HeaderValue {
        let value = format!("Bearer realm=\"standoff\", resource_metadata=\"{}\"", self.metadata);
        HeaderValue::from_str(&value).unwrap_or_else(|_| HeaderValue::from_static("Bearer"))
    }

    /// Who a token is, if it is to be believed.
    ///
    /// # Errors
    /// If the issuer did not sign it, or not for this server, or it has expired.
    pub(super) async fn verify(&self, token: &str) -> Result<Subject, OAuthError> {
        let header = decode_header(token).map_err(OAuthError::Unreadable)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(OAuthError::Algorithm(header.alg));
        }
        let key = self.key(header.kid.as_deref()).await?;
        let key = DecodingKey::from_jwk(&key).map_err(OAuthError::Unreadable)?;
        let mut validation = Validation::new(header.alg);
        validation.set_audience(&[&self.resource]);
        // With and without the stroke at its end it is the same issuer.
        validation.set_issuer(&[&self.name, &format!("{}/", self.name)]);
        validation.set_required_spec_claims(&["exp", "aud", "iss", "sub"]);
        validation.validate_nbf = true;
        let token = decode::<Subject>(token, &key, &validation).map_err(OAuthError::Invalid)?;
        Ok(token.claims)
    }

    /// The issuer's key of this name; its only one where no name is given.
    async fn key(&self, id: Option<&str>) -> Result<Jwk, OAuthError> {
        let of = |set: &JwkSet| match id {
            Some(id) => set.find(id).cloned(),
            None => set.keys.first().filter(|_| set.keys.len() == 1).cloned(),
        };
        let known = self.known();
        if let Some(keys) = known.as_ref().filter(|keys| keys.fetched.elapsed() < KEYS_LAST)
            && let Some(key) = of(&keys.set)
        {
            return Ok(key);
        }
        let fetching = self.fetching.lock().await;
        // Perhaps somebody else has fetched them meanwhile; and nobody makes the issuer's keys be fetched all the time.
        let known = self.known().filter(|keys| keys.fetched.elapsed() < KEYS_REST);
        let set = if let Some(keys) = known {
            keys.set
        } else {
            let set = Arc::new(self.fetch().await?);
            let keys = Keys { set: set.clone(), fetched: Instant::now() };
            *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = Some(keys);
            set
        };
        drop(fetching);
        of(&set).ok_or(OAuthError::UnknownKey)
    }

    fn known(&self) -> Option<Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the issuer's metadata (RFC 8414, or that of `OpenID` Connect), and from where that says, its keys.
    async fn fetch(&self) -> Result<JwkSet, OAuthError> {
        let path = self.address.path().trim_end_matches('/');
        let candidates = [
            format!("/.well-known/oauth-authorization-server{path}"),
            format!("{path}/.well-known/openid-configuration"),
        ];
        let mut why = String::new();
        for candidate in candidates {
            let mut address = self.address.clone();
            address.set_path(&candidate);
            let metadata: JsonValue = match self.get(address).await {
                Ok(metadata) => metadata,
                Err(error) => {
                    why = error;
                    continue;
                }
            };
            let keys = metadata["jwks_uri"].as_str().and_then(|keys| Url::parse(keys).ok());
            let keys = keys.ok_or_else(|| OAuthError::Unreachable("its metadata has no jwks_uri".to_owned()))?;
            return self.get(keys).await.map_err(OAuthError::Unreachable);
        }
        Err(OAuthError::Unreachable(why))
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, address: Url) -> Result<T, String> {
        let told = |error: &dyn std::fmt::Display| format!("{address}: {error}");
        let mut answer = self.client.get(address.clone()).send().await.map_err(|error| told(&error))?;
        if !answer.status().is_success() {
            return Err(told(&answer.status()));
        }
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| told(&error))? {
            body.extend_from_slice(&piece);
            if body.len() > MOST_BYTES {
                return Err(told(&"the answer is too long"));
            }
        }
        serde_json::from_slice(&body).map_err(|error| told(&error))
    }
}

/// The metadata of the protected resource, where there is an issuer.
pub(super) async fn metadata(State(app): State<Arc<App>>) -> Result<Json<JsonValue>, ApiError> {
    let issuer = app.issuer.as_ref();
    let issuer = issuer.ok_or_else(|| ApiError::missing("no_issuer", "this server takes no tokens of an issuer"))?;
    Ok(Json(issuer.metadata()))
}
