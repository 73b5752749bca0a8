//! The web page and what belongs to it, out of the program itself. A debug build reads them from the source folder, so
//! that a change is seen without building again.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::app::App;
use super::error::ApiError;
use super::extract::{NameInPath, QueryParams};
use crate::briefs::{Language, markup};

#[derive(RustEmbed)]
#[folder = "src/http/page"]
struct PageFiles;

/// What of a page's query matters to its head. Whatever else stands there, as what some sites add to links, is nobody's fault.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct PageQuery {
    #[serde(default)]
    turn: Option<String>,
    #[serde(default)]
    lang: Option<String>,
}

impl PageQuery {
    /// The language of the address, else the one that whoever reads it likes best.
    pub(super) fn language(&self, headers: &HeaderMap) -> Language {
        let named = self.lang.as_ref().and_then(|lang| lang.parse().ok());
        named.or_else(|| preferred(headers)).unwrap_or_default()
    }

    /// The turn of a match.
    pub(super) fn turn(&self) -> Option<usize> {
        self.turn.as_ref()?.parse().ok()
    }
}

/// The language that `Accept-Language` puts first, of those that there are.
fn preferred(headers: &HeaderMap) -> Option<Language> {
    let wanted = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
    let ranked = wanted.split(',').filter_map(|one| {
        let (tag, weight) = one.split_once(';').unwrap_or((one, "q=1"));
        let language = tag.trim().split('-').next()?.parse().ok()?;
        let weight: f64 = weight.trim().strip_prefix("q=")?.parse().ok()?;
        (weight > 0.0).then_some((language, weight))
    });
    // Of those that count the same the first is meant.
    let best = ranked.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(language, _)| language)
}

pub(super) async fn index(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    QueryParams(query): QueryParams<PageQuery>,
) -> Result<Response, ApiError> {
    let language = query.language(&headers);
    let about = language
        .pick("Grid games where people, bots and language models meet.", "人、机器人和语言模型同场对局的网格游戏。");
    index_with(&named("Standoff", about, language), "", app.page.as_deref(), &headers)
}

/// What link previews read of what has no picture.
pub(super) fn named(title: &str, told: &str, language: Language) -> String {
    let whole = if title == "Standoff" { title.to_owned() } else { format!("{title} · Standoff") };
    let (title, told, whole) = (markup(title), markup(told), markup(&whole));
    format!(
        "<meta name=\"description\" content=\"{told}\">\n\
         <meta property=\"og:site_name\" content=\"Standoff\">\n\
         <meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <meta property=\"og:description\" content=\"{told}\">\n\
         <meta property=\"og:locale\" content=\"{}\">\n\
         <title>{whole}</title>\n",
        locale(language)
    )
}

/// A language as link previews name it.
pub(super) fn locale(language: Language) -> &'static str {
    language.pick("en_US", "zh_CN")
}

/// The page with more in its head, for an address from which its files are at `root`.
///
/// # Errors
/// If the page is not there.
pub(super) fn index_with(
    head: &str,
    root: &str,
    folder: Option<&Path>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let page = read("index.html", folder).and_then(|(data, _)| String::from_utf8(data.into_owned()).ok());
    let mut page = page.ok_or_else(nothing)?;
    for (name, quoted) in [("href", "href=\""), ("src", "src=\"")] {
        // Files are named plainly in it; links begin with `./`, `#` or `/`.
        let marked = format!("data-file {quoted}");
        page = page.replace(&marked, &format!("{name}=\"{root}"));
    }
    if !head.is_empty() {
        page = page.replacen("<title>Standoff</title>\n", head, 1);
    }
    let tag = tag(&Sha256::digest(page.as_bytes()));
    let mut page = cached(tag, "text/html; charset=utf-8", page.into_bytes().into(), headers);
    page.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept-Language"));
    Ok(page)
}

pub(super) async fn asset(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    NameInPath(name): NameInPath,
) -> Result<Response, ApiError> {
    let wants_page = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    match file(&name, app.page.as_deref(), &headers) {
        // Whoever follows a wrong link gets the page, which says so.
        Err(_) if wants_page.is_some_and(|kinds| kinds.contains("text/html")) => {
            Ok((StatusCode::NOT_FOUND, index_with("", "", app.page.as_deref(), &headers)?).into_response())
        }
        found => found,
    }
}

/// A file of the page, from another folder where one was named.
fn file(name: &str, folder: Option<&Path>, headers: &HeaderMap) -> Result<Response, ApiError> {
    let kind = name.rsplit_once('.').and_then(|(_, ending)| kind(ending));
    // Only plain names: in a debug build the folder is on the disk.
    let is_plain = !name.starts_with('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
    let found = kind.filter(|_| is_plain).and_then(|kind| Some((kind, read(name, folder)?)));
    let (kind, (data, hash)) = found.ok_or_else(nothing)?;
    Ok(cached(tag(&hash), kind, data, headers))
}

fn nothing() -> ApiError {
    ApiError::missing("no_page", "nothing is here; the API is at /api/v1, MCP at /mcp")
}

fn read(name: &str, folder: Option<&Path>) -> Option<(Cow<'static, [u8]>, [u8; 32])> {
    match folder {
        None => PageFiles::get(name).map(|file| (file.data, file.metadata.sha256_hash())),
        Some(folder) => {
            let data = std::fs::read(folder.join(name)).ok()?;
            let hash = Sha256::digest(&data).into();
            Some((data.into(), hash))
        }
    }
}

fn tag(hash: &[u8]) -> String {
    let mut tag = String::from("\"");
    for byte in &hash[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// The file, or that the caller has it already.
fn cached(tag: String, kind: &'static str, data: Cow<'static, [u8]>, headers: &HeaderMap) -> Response {
    let is_known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let is_known = is_known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag));
    // Asked again each time, and sent again only when it has changed: no page mixes two versions.
    let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_owned())];
    if is_known {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(header::CONTENT_TYPE, kind)], data).into_response()
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
