//! What can be read: rules, matches, the leaderboard, the board's page.

use rmcp::RoleServer;
use rmcp::model::{
    CacheScope, ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ResourceUpdatedNotificationParam, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use serde_json::json;

use super::app::{APP_TYPE, BOARD_URI, board_page};
use super::{LISTS_LAST, Server, elsewhere};
use crate::arena::{Arena, ArenaError};
use crate::briefs::{self, Language};
use crate::games::{Ruleset, library};

const LEADERBOARD: &str = "standoff://leaderboard";
const RULES: &str = "standoff://rules/{ruleset}/{language}";
const STATE: &str = "standoff://match/{match_id}/state";
const RECORD: &str = "standoff://match/{match_id}/record";

/// How many live matches a list shows.
const MOST_MATCHES: usize = 50;

/// What an address names.
enum ResourceName {
    Rules(Box<Ruleset>, Language),
    State(String),
    Record(String),
    Leaderboard,
    Board,
}

impl ResourceName {
    fn by(uri: &str) -> Option<ResourceName> {
        match uri {
            LEADERBOARD => return Some(ResourceName::Leaderboard),
            BOARD_URI => return Some(ResourceName::Board),
            _ => {}
        }
        let parts: Vec<&str> = uri.strip_prefix("standoff://")?.split('/').collect();
        match parts.as_slice() {
            ["rules", ruleset, language] => {
                // Only what is built in: an address must never name a file.
                library::ruleset(ruleset)?;
                Some(ResourceName::Rules(Box::new(Ruleset::named(ruleset).ok()?), language.parse().ok()?))
            }
            ["match", id, "state"] => Some(ResourceName::State((*id).to_owned())),
            ["match", id, "record"] => Some(ResourceName::Record((*id).to_owned())),
            _ => None,
        }
    }
}

/// What a resource is called.
fn say(what: &str, name: &str, language: Language) -> String {
    briefs::tool_text(&format!("resource.{what}"), json!({ "name": name }), language)
}

fn titled(what: &str) -> String {
    say(what, "", Language::En)
}

pub(super) fn list(arena: &Arena) -> ListResourcesResult {
    let mut resources = Vec::new();
    for name in library::rulesets() {
        for language in Language::ALL {
            let title = say("rules", name, language);
            let uri = format!("standoff://rules/{name}/{language}");
            resources.push(
                Resource::new(uri, format!("rules-{name}-{language}"))
                    .with_title(title)
                    .with_mime_type("text/markdown"),
            );
        }
    }
    let leaderboard =
        Resource::new(LEADERBOARD, "leaderboard").with_title(titled("leaderboard")).with_mime_type("application/json");
    let board = Resource::new(BOARD_URI, "board").with_title(titled("board")).with_mime_type(APP_TYPE);
    resources.extend([leaderboard, board]);
    for live in arena.list().into_iter().take(MOST_MATCHES) {
        let id = live.id();
        let title = format!("{} {id}", live.ruleset().name);
        resources.push(
            Resource::new(format!("standoff://match/{id}/state"), format!("{id}-state"))
                .with_title(say("state", &title, Language::En))
                .with_mime_type("application/json"),
        );
        resources.push(
            Resource::new(format!("standoff://match/{id}/record"), format!("{id}-record"))
                .with_title(say("record", &title, Language::En))
                .with_mime_type("application/jsonl"),
        );
    }
    let list = ListResourcesResult { resources, ..ListResourcesResult::default() };
    // Matches come and go.
    list.with_ttl_ms(5_000).with_cache_scope(CacheScope::Private)
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let resource_templates = vec![
        ResourceTemplate::new(RULES, "rules").with_title(titled("any_rules")).with_mime_type("text/markdown"),
        ResourceTemplate::new(STATE, "match-state").with_title(titled("any_state")).with_mime_type("application/json"),
        ResourceTemplate::new(RECORD, "match-record")
            .with_title(titled("any_record"))
            .with_mime_type("application/jsonl"),
    ];
    let list = ListResourceTemplatesResult { resource_templates, ..ListResourceTemplatesResult::default() };
    list.with_ttl_ms(LISTS_LAST).with_cache_scope(CacheScope::Public)
}

pub(super) async fn read(server: &Server, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = |why: String| ErrorData::resource_not_found(why, None);
    let named = ResourceName::by(uri).ok_or_else(|| {
        missing(format!(
            "nothing is at `{}`; available: {RULES}, {STATE}, {RECORD}, {LEADERBOARD} and {BOARD_URI}",
            crate::settings::shorten(uri)
        ))
    })?;
    if let Some(id) = match_of(uri)
        && let Some(answer) = elsewhere::read(server, &id, uri).await
    {
        return Ok(answer);
    }
    let (text, kind, ttl) = match named {
        ResourceName::Rules(ruleset, language) => {
            (briefs::brief(&ruleset, ruleset.players.default, language), "text/markdown", LISTS_LAST)
        }
        ResourceName::State(id) => {
            let live = server.shared.arena.watch(&id).await.map_err(|error| missing(error.to_string()))?;
            let state = serde_json::to_string(&live.view(None).seen.state());
            (state.map_err(|error| ErrorData::internal_error(error.to_string(), None))?, "application/json", 0)
        }
        ResourceName::Record(id) => {
            let live = server.shared.arena.watch(&id).await.map_err(|error| missing(error.to_string()))?;
            let hidden = || missing(format!("the record of {id} can be read when the match is over"));
            (live.shown_record().ok_or_else(hidden)?, "application/jsonl", 0)
        }
        ResourceName::Leaderboard => {
            let text = (server.shared.leaderboard)().await.map_err(|error| ErrorData::internal_error(error, None))?;
            (text, "application/json", 5_000)
        }
        ResourceName::Board => (board_page().to_owned(), APP_TYPE, LISTS_LAST),
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(kind);
    let scope = if ttl == LISTS_LAST { CacheScope::Public } else { CacheScope::Private };
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(ttl).with_cache_scope(scope))
}

/// The match that an address is about.
fn match_of(uri: &str) -> Option<String> {
    match ResourceName::by(uri)? {
        ResourceName::State(id) | ResourceName::Record(id) => Some(id),
        ResourceName::Rules(..) | ResourceName::Leaderboard | ResourceName::Board => None,
    }
}

/// Only matches change.
pub(super) fn watchable(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::default();
    filter.resource_subscriptions = requested
        .resource_subscriptions
        .as_ref()
        .map(|uris| uris.iter().filter(|uri| match_of(uri).is_some()).cloned().collect());
    filter
}

/// Tells of every change until the subscription ends.
pub(super) async fn listen(server: &Server, context: SubscriptionContext) {
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let told = uris.into_iter().map(|uri| {
        let sink = context.sink().clone();
        follow(&server.shared.arena, uri, move |uri| {
            let sink = sink.clone();
            async move { sink.notify_resource_updated(uri).await.is_ok() }
        })
    });
    tokio::select! {
        _ = futures_util::future::join_all(told) => {}
        () = context.cancelled() => {}
        () = server.shared.closing.cancelled() => {}
    }
}

/// The same in the older era.
pub(super) async fn subscribe(
    server: &Server,
    uri: String,
    context: RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let id = match_of(&uri)
        .ok_or_else(|| ErrorData::resource_not_found("only states and records of matches change", None))?;
    match server.shared.arena.watch(&id).await {
        Ok(_) | Err(ArenaError::Elsewhere { .. }) => {}
        Err(error) => return Err(ErrorData::resource_not_found(error.to_string(), None)),
    }
    let ended = server.shared.closing.child_token();
    if let Some(before) = server.session().subscriptions.insert(uri.clone(), ended.clone()) {
        before.cancel();
    }
    let (arena, peer) = (server.shared.arena.clone(), context.peer);
    tokio::spawn(async move {
        let told = follow(&arena, uri, move |uri| {
            let peer = peer.clone();
            async move { peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok() }
        });
        tokio::select! {
            () = told => {}
            () = ended.cancelled() => {}
        }
    });
    Ok(())
}

/// Tells of every change of a match until nobody listens.
async fn follow<F: Future<Output = bool>>(arena: &Arena, uri: String, tell: impl Fn(String) -> F) {
    let Some(id) = match_of(&uri) else { return };
    // As long as another process plays it, every turn is told; here, everything.
    let mut turn = elsewhere::turns_after(arena, &id, None).await;
    while let Some(played) = turn {
        turn = elsewhere::turns_after(arena, &id, Some(played)).await;
        if turn.is_some_and(|turn| turn > played) && !tell(uri.clone()).await {
            return;
        }
    }
    let Ok(live) = arena.watch(&id).await else { return };
    let mut changes = live.listen();
    while changes.changed().await.is_ok() {
        if !tell(uri.clone()).await {
            return;
        }
    }
}
