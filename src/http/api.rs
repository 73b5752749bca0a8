//! The endpoints and their description, side by side: what is served is what `openapi.json` says, from the same types.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, post};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value as Json, json};

use super::app::App;
use super::error::{PROBLEM_TYPE, ProblemBody};
use super::matches::as_json;
use super::{catalogue, history, live, lobby, matches, players, review, seat, standings};

/// Where the API is.
pub(super) const BASE: &str = "/api/v1";

/// Endpoints as they are collected.
struct Api {
    router: Router<Arc<App>>,
    paths: Map<String, Json>,
    answers: SchemaGenerator,
    requests: SchemaGenerator,
}

/// Writes the `OpenAPI` description of one endpoint.
struct EndpointDocs<'a> {
    api: &'a mut Api,
    method: Method,
    path: &'static str,
    operation: Map<String, Json>,
    parameters: Vec<Json>,
    responses: Map<String, Json>,
}

impl Api {
    fn new() -> Api {
        let settings = |inline: bool| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
                settings.inline_subschemas = inline;
            })
        };
        Api {
            router: Router::new(),
            paths: Map::new(),
            answers: settings(false).for_serialize().into_generator(),
            // What is asked for is small, and may be left out where an answer always has it: two kinds of schema.
            requests: settings(true).for_deserialize().into_generator(),
        }
    }

    fn endpoint(&mut self, method: Method, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        let mut operation = Map::new();
        let name = |part: &str| part.trim_matches(['{', '}']).replace(['-', '.'], "_");
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(name).collect();
        let id = format!("{}_{}", method.as_str().to_lowercase(), parts.join("_"));
        operation.insert("operationId".to_owned(), json!(id));
        operation.insert("summary".to_owned(), json!(summary));
        let named = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameter =
            |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
        let parameters = named.map(parameter).collect();
        EndpointDocs { api: self, method, path, operation, parameters, responses: Map::new() }
    }

    fn get(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(Method::GET, path, summary)
    }

    fn post(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(Method::POST, path, summary)
    }

    fn delete(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(Method::DELETE, path, summary)
    }

    fn document(&mut self) -> Json {
        let problem = self.answers.subschema_for::<ProblemBody>();
        let problem = json!({
            "description": "a problem; `code` says which",
            "content": { PROBLEM_TYPE: { "schema": problem } },
        });
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Standoff",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Grid games that language models, bots and people play against each other.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "servers": [{ "url": BASE }],
            "paths": self.paths,
            "components": {
                "schemas": self.answers.take_definitions(true),
                "responses": { "Problem": problem },
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
            "security": [{}, { "token": [] }],
        })
    }
}

impl EndpointDocs<'_> {
    /// With fields behind the question mark.
    fn asks<T: JsonSchema>(mut self) -> Self {
        let schema = self.api.requests.subschema_for::<T>();
        let required: Vec<Json> = schema.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
        let properties = schema.get("properties").and_then(Json::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let mut schema = schema.clone();
            // Whatever may be left out is left out; nobody writes null into an address.
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            without_null(&mut schema);
            self.parameters.push(json!({
                "name": name, "in": "query", "required": required.contains(&json!(name)),
                "description": description.unwrap_or(json!("")), "schema": schema,
            }));
        }
        self
    }

    /// With a body.
    fn takes<T: JsonSchema>(mut self) -> Self {
        let schema = self.api.requests.subschema_for::<T>();
        let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        self.operation.insert("requestBody".to_owned(), body);
        self
    }

    /// With an answer of this status.
    fn gives<T: JsonSchema>(mut self, status: u16, description: &str) -> Self {
        let schema = self.api.answers.subschema_for::<T>();
        let answer = json!({ "description": description, "content": { "application/json": { "schema": schema } } });
        self.responses.insert(status.to_string(), answer);
        self
    }

    /// With an answer that is no JSON.
    fn gives_text(mut self, kind: &str, description: &str) -> Self {
        let answer = json!({ "description": description, "content": { kind: { "schema": { "type": "string" } } } });
        self.responses.insert("200".to_owned(), answer);
        self
    }

    /// Served by this.
    fn by<H, T>(mut self, handler: H)
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        self.responses.insert("default".to_owned(), json!({ "$ref": "#/components/responses/Problem" }));
        if !self.parameters.is_empty() {
            self.operation.insert("parameters".to_owned(), json!(self.parameters));
        }
        self.operation.insert("responses".to_owned(), Json::Object(self.responses));
        let path = self.api.paths.entry(self.path).or_insert_with(|| json!({}));
        path[self.method.as_str().to_lowercase()] = Json::Object(self.operation);
        let served: MethodRouter<Arc<App>> = match self.method {
            Method::POST => post(handler),
            Method::DELETE => delete(handler),
            _ => get(handler),
        };
        let router = std::mem::take(&mut self.api.router);
        self.api.router = router.route(&format!("{BASE}{}", self.path), served);
    }
}

/// A schema of a value that is there, where it may be left out.
fn without_null(schema: &mut Json) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.remove("default");
    if let Some(Json::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Json::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Json::Object(only)] = choices.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            fields.extend(only);
        }
    }
    if let Some(Json::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// All endpoints, and the document that describes them.
pub(super) fn router() -> Router<Arc<App>> {
    let mut api = Api::new();
    describe(&mut api);
    let document = Bytes::from(api.document().to_string());
    let give = async move || as_json(document.clone());
    api.router.route(&format!("{BASE}/openapi.json"), get(give))
}

fn describe(api: &mut Api) {
    describe_lists(api);
    describe_players(api);
    describe_matches(api);
    describe_history(api);
}

/// What there is to play, and who plays it well.
fn describe_lists(api: &mut Api) {
    api.get("/rulesets", "What can be played")
        .gives::<catalogue::RulesetsBody>(200, "all rulesets")
        .by(catalogue::rulesets);
    api.get("/rulesets/{name}", "A ruleset with its brief and every field")
        .asks::<catalogue::RulesQuery>()
        .gives::<catalogue::RulesetBody>(200, "the ruleset")
        .by(catalogue::ruleset);
    api.get("/guests", "Whom the house can seat")
        .gives::<catalogue::GuestList>(200, "all guests")
        .by(catalogue::guests);
    api.get("/ladder", "Live Elo, the best first")
        .asks::<players::LadderQuery>()
        .gives::<players::LadderBody>(200, "the ladder")
        .by(players::ladder);
    api.get("/leaderboard", "The batch fit of record, with 95 % intervals")
        .asks::<standings::GamesQuery>()
        .gives::<standings::LeaderboardBody>(200, "the leaderboard")
        .by(standings::leaderboard);
    api.get("/tournaments", "Tournaments and experiments, the newest first")
        .gives::<standings::Tournaments>(200, "all of them")
        .by(standings::tournaments);
    api.get("/tournaments/{id}", "A tournament: standings, bracket, blocks and faults")
        .gives::<standings::TournamentBody>(200, "the tournament")
        .by(standings::tournament);
    api.get("/tournaments/{id}/report", "A tournament's report")
        .asks::<standings::ReportQuery>()
        .gives_text("text/html", "a page of its own")
        .by(standings::report_page);
}

/// Who plays, and how they find each other.
fn describe_players(api: &mut Api) {
    api.post("/players", "Register a player")
        .takes::<players::NewPlayer>()
        .gives::<players::WithToken>(201, "the player and its token, shown this once")
        .by(players::register);
    api.get("/players/me", "Who you are").gives::<players::Me>(200, "the player whose token it is").by(players::me);
    api.post("/players/me/token", "Have a new token; the old one is worth nothing from then on")
        .gives::<players::WithToken>(200, "the new token, shown this once")
        .by(players::renew);
    api.post("/matches/queue", "Wait for a match with others of about your strength")
        .takes::<players::Queueing>()
        .gives::<players::QueueBody>(200, "you wait, or have a match")
        .by(players::queue);
    api.delete("/matches/queue", "Wait no longer")
        .gives::<players::QueueBody>(200, "you do not wait")
        .by(players::leave_queue);
    api.get("/matches/queue/status", "Whether there is a match")
        .gives::<players::QueueBody>(200, "you wait, have a match, or neither")
        .by(players::queue_status);
}

/// The endpoints of matches: open, join, watch, act.
fn describe_matches(api: &mut Api) {
    api.get("/matches", "Matches, the newest first, live and stored together")
        .asks::<matches::MatchesQuery>()
        .gives::<matches::MatchesBody>(200, "a page of matches")
        .by(matches::list);
    api.post("/matches", "Open a match")
        .takes::<matches::NewMatchBody>()
        .gives::<matches::OpenedMatch>(201, "the match is open")
        .by(matches::open);
    api.get("/matches/{id}", "Look at a match, or wait for its next turn")
        .asks::<matches::Look>()
        .gives::<super::wire::ViewBody>(200, "the match as you may see it")
        .by(matches::show);
    api.post("/matches/{id}/join", "Take an open seat")
        .takes::<matches::JoinBody>()
        .gives::<matches::Joined>(201, "the seat is yours")
        .by(matches::join);
    api.post("/matches/{id}/action", "Act for your seat")
        .asks::<seat::LangQuery>()
        .takes::<seat::ActionBody>()
        .gives::<seat::AcceptedBody>(200, "the action is sealed, or was before")
        .by(seat::act);
    api.post("/matches/{id}/speak", "Say something")
        .asks::<seat::LangQuery>()
        .takes::<seat::MessageBody>()
        .gives::<seat::Done>(200, "it is said, with your next action where talk is free")
        .by(seat::speak);
    api.post("/matches/{id}/resign", "Give up")
        .asks::<seat::LangQuery>()
        .gives::<seat::Done>(200, "you have resigned")
        .by(seat::resign);
    api.get("/matches/{id}/preview", "What each action of your seat would do now")
        .asks::<seat::LangQuery>()
        .gives::<seat::Foresight>(200, "every action, allowed or not; none when it is not your turn")
        .by(seat::preview);
}

/// What is played, and what was.
fn describe_history(api: &mut Api) {
    api.get("/matches/{id}/events", "Follow a match: server-sent events")
        .asks::<live::Since>()
        .gives_text("text/event-stream", "`match`, then `turn` and `status` as it goes on, `end` at last")
        .by(live::events);
    api.get("/events", "Follow all matches: server-sent events")
        .asks::<lobby::NoQuery>()
        .gives_text("text/event-stream", "`matches`, at most once a second")
        .by(lobby::events);
    api.get("/matches/{id}/turns", "What was played, with every position")
        .asks::<history::TurnRange>()
        .gives::<history::History<'static>>(200, "the turns")
        .by(history::turns);
    api.get("/matches/{id}/record", "The match record")
        .gives_text("application/jsonl", "hash-chained lines of JSON")
        .by(history::record);
    api.get("/matches/{id}/verify", "Whether the record holds")
        .gives::<history::Verification>(200, "whether it does")
        .by(history::verify);
    api.get("/matches/{id}/analysis", "What each move was worth")
        .gives::<review::ReviewBody>(200, "the match, move by move")
        .gives::<review::Computing>(202, "it takes a while; ask again")
        .by(review::analysis);
}
