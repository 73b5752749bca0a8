//! The web page and what belongs to it, out of the program itself. A debug build reads them from the source folder, so
//! that a change is seen without building again.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use super::app::App;
use super::error::ApiError;
use super::extract::NameInPath;

#[derive(RustEmbed)]
#[folder = "src/http/page"]
struct PageFiles;

pub(super) async fn index(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ApiError> {
    file("index.html", app.page.as_deref(), &headers)
}

pub(super) async fn asset(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    NameInPath(name): NameInPath,
) -> Result<Response, ApiError> {
    file(&name, app.page.as_deref(), &headers)
}

/// A file of the page, from another folder where one was named.
fn file(name: &str, folder: Option<&Path>, headers: &HeaderMap) -> Result<Response, ApiError> {
    let kind = name.rsplit_once('.').and_then(|(_, ending)| kind(ending));
    // Only plain names: in a debug build the folder is on the disk.
    let is_plain = !name.starts_with('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
    let read = |name: &str| match folder {
        None => PageFiles::get(name).map(|file| (file.data, file.metadata.sha256_hash())),
        Some(folder) => {
            let data = std::fs::read(folder.join(name)).ok()?;
            let hash = Sha256::digest(&data).into();
            Some((data.into(), hash))
        }
    };
    let found = kind.filter(|_| is_plain).and_then(|kind| Some((kind, read(name)?)));
    let Some((kind, (data, hash))) = found else {
        return Err(ApiError::missing("no_page", "nothing is here; the API is at /api/v1, MCP at /mcp"));
    };
    let mut tag = String::from("\"");
    for byte in &hash[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    let is_known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let is_known = is_known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag));
    // QueryParams again each time, and sent again only when it has changed: no page mixes two versions.
    let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_owned())];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    Ok((caching, [(header::CONTENT_TYPE, kind)], data).into_response())
}

fn kind(ending: &str) -> Option<&'static str> {
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}
