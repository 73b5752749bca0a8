//! Matches at addresses to share: the page with what link previews read, pictures, and a replay for other people's pages.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use super::app::App;
use super::caller::Caller;
use super::error::ApiError;
use super::extract::QueryParams;
use super::forward::ASKED_HOST;
use super::found::{self, FoundMatch};
use super::matches::known;
use super::page::PageQuery;
use super::{page, standings};
use crate::briefs::{Language, markup};
use crate::games::library;
use crate::matches::Replay;
use crate::pictures::{self, Frame, Show, Surroundings};
use crate::store::Filter;

/// So many pictures are drawn at once; drawing takes a core each.
static DRAWING: Semaphore = Semaphore::const_new(2);

/// What others may do with a page in a frame: run its own scripts and ask its own server. Nothing is said of who frames it:
/// `frame-ancestors *` would leave out pages from files.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";
/// A drawing may have its own colours for dark pages.
const DRAWING_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// Which picture.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PictureQuery {
    /// Which position, by turns played; by default the last.
    #[serde(default)]
    turn: Option<usize>,
    /// The first turn of an animation.
    #[serde(default)]
    from: Option<usize>,
    /// Its last turn.
    #[serde(default)]
    to: Option<usize>,
    /// Whether a drawing has the form of a card.
    #[serde(default)]
    card: bool,
    /// The language of the words; English by default.
    #[serde(default)]
    lang: Language,
}

/// What can be made of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Svg,
    Png,
    Gif,
}

impl Form {
    fn media_type(self) -> &'static str {
        match self {
            Form::Svg => "image/svg+xml",
            Form::Png => "image/png",
            Form::Gif => "image/gif",
        }
    }
}

/// A match that may be shown to whoever asks.
struct ShownMatch {
    replay: Replay,
    is_over: bool,
}

impl ShownMatch {
    /// The match, if the caller may watch it and nothing of it is hidden.
    async fn find(app: &App, caller: &Caller, id: &str) -> Result<ShownMatch, ApiError> {
        if app.wants_token && caller.is_anybody() {
            return Err(ApiError::token_needed("this server wants a token: `Authorization: Bearer …`"));
        }
        let found = found::find(app, id).await?;
        let record = found::record(app, &found).await?;
        if record.is_empty() {
            return Err(ApiError::conflict("gathering", "the match has not begun: there is nothing to see yet"));
        }
        let replay = found::replay(record).await?.map_err(|error| found::unreadable(&error))?;
        if !replay.is_open() {
            let detail = "this match hides something: it can be seen when it is over";
            return Err(ApiError::conflict("hidden", detail));
        }
        let is_over = match &found {
            FoundMatch::Live(live) => live.is_over(),
            FoundMatch::Stored(info) => info.result.is_some(),
        };
        Ok(ShownMatch { replay, is_over })
    }

    fn show(&self, language: Language) -> Show {
        Show::of(&self.replay, language)
    }
}

/// The page of a match, with what link previews read in its head; of one of its turns, or a picture of it.
pub(super) async fn shared_match(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let form = [(".svg", Form::Svg), (".png", Form::Png), (".gif", Form::Gif)];
    let form = form.into_iter().find_map(|(ending, form)| Some((name.strip_suffix(ending)?.to_owned(), form)));
    let Some((id, form)) = form else {
        let QueryParams(query) = QueryParams::<PageQuery>::of(&uri)?;
        return match_page(&app, &caller, &headers, &name, query.turn(), query.language(&headers), "../").await;
    };
    let QueryParams(query) = QueryParams::of(&uri)?;
    let shown = ShownMatch::find(&app, &caller, &id).await?;
    picture(shown, form, query, &headers).await
}

/// The page of a match at one of its turns.
pub(super) async fn shared_turn(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Path((id, turn)): Path<(String, String)>,
    QueryParams(query): QueryParams<PageQuery>,
) -> Result<Response, ApiError> {
    let root = "../../../";
    match turn.parse::<usize>() {
        Ok(turn) => match_page(&app, &caller, &headers, &id, Some(turn), query.language(&headers), root).await,
        Err(_) => nothing_here(&app, root),
    }
}

/// The page of a tournament.
pub(super) async fn shared_tournament(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<PageQuery>,
) -> Result<Response, ApiError> {
    let root = "../";
    if is_closed(&app, &caller) {
        return page::index_with("", root, app.page.as_deref(), &headers);
    }
    let head = standings::find(&app, &id).await;
    let language = query.language(&headers);
    let told = language.pick("Standings, games and the report.", "积分榜、对局和报告。");
    let head = head.map(|info| page::named(&info.name, told, language));
    named_page(&app, &headers, head, root)
}

/// The page of whoever has a name.
pub(super) async fn shared_player(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Path(name): Path<String>,
    QueryParams(query): QueryParams<PageQuery>,
) -> Result<Response, ApiError> {
    let root = "../";
    if is_closed(&app, &caller) {
        return page::index_with("", root, app.page.as_deref(), &headers);
    }
    // One of the house has a page before it has played.
    let is_here = app.arena.guests().contains(&name);
    let filter = Filter { player: Some(name.clone()), limit: Some(1), ..Filter::default() };
    if !is_here && app.store.matches(&filter).await?.is_empty() {
        return nothing_here(&app, root);
    }
    let language = query.language(&headers);
    let head = page::named(&name, language.pick("Record, ratings and matches.", "战绩、等级分和对局。"), language);
    page::index_with(&head, root, app.page.as_deref(), &headers)
}

/// The rules of a game.
pub(super) async fn shared_rules(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let root = "../";
    if library::ruleset(&known(&name)).is_none() {
        return nothing_here(&app, root);
    }
    page::index_with("", root, app.page.as_deref(), &headers)
}

/// An invitation to a match.
pub(super) async fn shared_invitation(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
    Path(parts): Path<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let root = "../".repeat(uri.path().trim_start_matches('/').matches('/').count());
    let id = parts.first().map_or("", |(_, id)| id.as_str());
    if is_closed(&app, &caller) {
        return page::index_with("", &root, app.page.as_deref(), &headers);
    }
    let head = found::find(&app, id).await.map(|_| String::new());
    named_page(&app, &headers, head, &root)
}

/// Whether nothing may be told to the caller, not even what there is.
fn is_closed(app: &App, caller: &Caller) -> bool {
    app.wants_token && caller.is_anybody()
}

/// The page with this in its head; where there is nothing of that name the page says so, and so does its status.
fn named_page(
    app: &App,
    headers: &HeaderMap,
    head: Result<String, ApiError>,
    root: &str,
) -> Result<Response, ApiError> {
    match head {
        Err(problem) if problem.is_missing() => nothing_here(app, root),
        head => page::index_with(&head.unwrap_or_default(), root, app.page.as_deref(), headers),
    }
}

/// The page at an address at which nothing is.
fn nothing_here(app: &App, root: &str) -> Result<Response, ApiError> {
    // It is sent whole: that the caller has it already would be another status.
    let page = page::index_with("", root, app.page.as_deref(), &HeaderMap::new())?;
    Ok((StatusCode::NOT_FOUND, page).into_response())
}

/// The page at any other of its addresses.
pub(super) async fn shared_page(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let depth = uri.path().trim_start_matches('/').matches('/').count();
    page::index_with("", &"../".repeat(depth), app.page.as_deref(), &headers)
}

/// A match that replays by itself, to be put into other pages.
pub(super) async fn embedded(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<PictureQuery>,
) -> Result<Response, ApiError> {
    let shown = ShownMatch::find(&app, &caller, &id).await?;
    let html = drawn(move || {
        let show = shown.show(query.lang);
        let more = format!("../../api/v1/matches/{}/turns", shown.replay.id);
        let more = (!shown.is_over).then_some(more.as_str());
        let link = format!("../{}", shown.replay.id);
        let frames = pictures::frames(&shown.replay, query.lang);
        pictures::render_html(&show, &frames, Surroundings::Framed { root: "../../", link: &link, more })
    })
    .await?;
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, FRAME_POLICY)];
    Ok((headers, html).into_response())
}

/// Does what takes a core for a while, no more than a few at once.
async fn drawn<T: Send + 'static>(draw: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    let _turn = DRAWING.acquire().await.map_err(|error| ApiError::internal(&error))?;
    tokio::task::spawn_blocking(draw).await.map_err(|error| ApiError::internal(&error))
}

async fn picture(
    shown: ShownMatch,
    form: Form,
    query: PictureQuery,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let last = shown.replay.turns.len();
    let turn = query.turn.unwrap_or(last);
    let (from, to) = (query.from.unwrap_or(0), query.to.unwrap_or(last));
    if turn > last || from > to || from > last {
        return Err(ApiError::bad_request(format!("the match has turns 0 to {last}")));
    }
    // The same match, turns and words give the same picture; a match in play gives nothing else away.
    let key = format!(
        "{} {} {last} {form:?} {turn} {from} {to} {} {:?}",
        env!("CARGO_PKG_VERSION"),
        shown.replay.id,
        query.card,
        query.lang
    );
    let mut tag = String::from("\"");
    for byte in &Sha256::digest(key.as_bytes())[..12] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    let caching = if shown.is_over { "public, max-age=86400" } else { "no-cache" };
    let text = |value: &str| HeaderValue::from_str(value).expect("plain letters");
    let mut answer = HeaderMap::new();
    answer.insert(header::ETAG, text(&tag));
    answer.insert(header::CACHE_CONTROL, text(caching));
    answer.insert(header::CONTENT_SECURITY_POLICY, text(DRAWING_POLICY));
    // Other pages may show it, and it is meant for them.
    answer.insert(HeaderName::from_static("cross-origin-resource-policy"), text("cross-origin"));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        return Ok((StatusCode::NOT_MODIFIED, answer).into_response());
    }
    answer.insert(header::CONTENT_TYPE, text(form.media_type()));
    let drawn = drawn(move || {
        let show = shown.show(query.lang);
        let frames = pictures::frames(&shown.replay, query.lang);
        let picture = |frame: &Frame| {
            let mut picture = show.picture(&frame.state, &frame.events);
            picture.notes.clone_from(&frame.notes);
            picture
        };
        match form {
            Form::Gif => pictures::render_gif(&show, &frames, &(from..=to)),
            Form::Png => pictures::render_png(&picture(&frames[turn])),
            Form::Svg if query.card => Ok(pictures::render_card(&picture(&frames[turn])).into_bytes()),
            Form::Svg => Ok(pictures::render_svg(&picture(&frames[turn])).into_bytes()),
        }
    });
    let drawn = drawn.await?.map_err(|error| ApiError::internal(&error))?;
    Ok((answer, drawn).into_response())
}

async fn match_page(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    id: &str,
    turn: Option<usize>,
    language: Language,
    root: &str,
) -> Result<Response, ApiError> {
    // A page is shown whatever is known of the match: it says itself what is missing.
    let head = match ShownMatch::find(app, caller, id).await {
        Ok(shown) => preview(&shown, turn, language, &origin(headers)),
        Err(problem) if problem.is_elsewhere() => return Err(problem),
        Err(problem) if problem.is_missing() => return nothing_here(app, root),
        Err(_) => String::new(),
    };
    page::index_with(&head, root, app.page.as_deref(), headers)
}

/// By which address the caller came here.
fn origin(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = if text("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    let host = text(ASKED_HOST.as_str()).or_else(|| text("host"));
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}

/// What link previews read: title, description, picture, animation.
fn preview(shown: &ShownMatch, turn: Option<usize>, language: Language, origin: &str) -> String {
    let replay = &shown.replay;
    let show = shown.show(language);
    let last = replay.turns.len();
    let turn = turn.map(|turn| turn.min(last));
    let table = turn.unwrap_or(last).checked_sub(1).map_or(&replay.start, |at| &replay.turns[at].table);
    let title = markup(&pictures::title(&show));
    let told = markup(&show.picture(&table.state(), &[]).summary());
    let at = |path: &str| markup(&format!("{origin}/m/{}{path}", replay.id));
    let address = at(&turn.map(|turn| format!("/turn/{turn}")).unwrap_or_default());
    // The picture's words are those of the page.
    let asked = [turn.map(|turn| format!("turn={turn}")), (language == Language::Zh).then(|| "lang=zh".to_owned())];
    let asked = asked.into_iter().flatten().collect::<Vec<_>>().join("&");
    let image = at(&if asked.is_empty() { ".png".to_owned() } else { format!(".png?{asked}") });
    let mut head = String::new();
    let mut meta = |kind: &str, name: &str, content: &str| {
        let _ = writeln!(head, "<meta {kind}=\"{name}\" content=\"{content}\">");
    };
    meta("name", "description", &told);
    for (name, content) in [
        ("og:site_name", "Standoff"),
        ("og:type", "website"),
        ("og:title", &title),
        ("og:description", &told),
        ("og:url", &address),
        ("og:image", &image),
        ("og:image:type", "image/png"),
        ("og:image:width", "1200"),
        ("og:image:height", "630"),
        ("og:image:alt", &told),
        ("og:locale", page::locale(language)),
    ] {
        meta("property", name, content);
    }
    meta("name", "twitter:card", "summary_large_image");
    format!("{head}<link rel=\"canonical\" href=\"{address}\">\n<title>{title} · Standoff</title>\n")
}
