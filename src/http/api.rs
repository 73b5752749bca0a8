//! The endpoints and their description, side by side: what is served is what `openapi.json` says, from the same types.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{MethodRouter, delete, get, post};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Value as Json, json};
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, InfoBuilder, License, OpenApi, OpenApiBuilder, OpenApiVersion, PathItem, Ref, RefOr,
    Required, Response, ResponseBuilder, Schema, Server,
};
use utoipa_axum::router::OpenApiRouter;

use super::app::App;
use super::error::{PROBLEM_TYPE, ProblemBody};
use super::matches::as_json;
use super::schema::{described, without_null};
use super::{catalogue, history, live, lobby, matches, player_page, players, review, seat, standings, typed, work};

/// Where the API is.
pub(super) const BASE: &str = "/api/v1";

/// Endpoints as they are collected, with what is said of them.
struct Api {
    router: OpenApiRouter<Arc<App>>,
    answers: SchemaGenerator,
    requests: SchemaGenerator,
}

/// Describes one endpoint.
struct EndpointDocs<'a> {
    api: &'a mut Api,
    method: HttpMethod,
    path: &'static str,
    operation: OperationBuilder,
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
        let mut license = License::new("MIT OR Apache-2.0");
        license.identifier = Some("MIT OR Apache-2.0".to_owned());
        let info = InfoBuilder::new()
            .title("Standoff")
            .version(env!("CARGO_PKG_VERSION"))
            .description(Some("Grid games that language models, bots and people play against each other."))
            .license(Some(license));
        let document = OpenApiBuilder::new()
            .openapi(OpenApiVersion::Version31)
            .info(info)
            .servers(Some([Server::new(BASE)]))
            .security(Some([SecurityRequirement::default(), SecurityRequirement::new("token", [""; 0])]));
        Api {
            router: OpenApiRouter::with_openapi(document.build()),
            answers: settings(false).for_serialize().into_generator(),
            // What is asked for is small, and may be left out where an answer always has it: two kinds of schema.
            requests: settings(true).for_deserialize().into_generator(),
        }
    }

    fn endpoint(&mut self, method: HttpMethod, verb: &str, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        let name = |part: &str| part.trim_matches(['{', '}']).replace(['-', '.'], "_");
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(name).collect();
        let id = format!("{verb}_{}", parts.join("_"));
        let named = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let operation = named
            .map(|name| parameter(name, ParameterIn::Path, None, json!({ "type": "string" })))
            .fold(OperationBuilder::new(), OperationBuilder::parameter)
            .operation_id(Some(id))
            .summary(Some(summary));
        EndpointDocs { api: self, method, path, operation }
    }

    fn get(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(HttpMethod::Get, "get", path, summary)
    }

    fn post(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(HttpMethod::Post, "post", path, summary)
    }

    fn delete(&mut self, path: &'static str, summary: &str) -> EndpointDocs<'_> {
        self.endpoint(HttpMethod::Delete, "delete", path, summary)
    }

    /// The endpoints, and the document that describes them.
    fn finish(mut self) -> (Router<Arc<App>>, OpenApi) {
        let problem = self.answers.subschema_for::<ProblemBody>();
        let problem = answer(PROBLEM_TYPE, "a problem; `code` says which", described(problem.into()));
        let mut schemas = self.answers.take_definitions(true);
        typed::fill_in(&mut schemas);
        let (router, mut document) = self.router.split_for_parts();
        let components = ComponentsBuilder::new()
            .schemas_from_iter(schemas.into_iter().map(|(name, schema)| (name, described(schema))))
            .response("Problem", problem)
            .security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        document.components = Some(components.build());
        (router, document)
    }
}

/// A parameter. Those of the path are always there.
fn parameter(name: &str, place: ParameterIn, said: Option<String>, schema: Json) -> Parameter {
    let required = if place == ParameterIn::Path { Required::True } else { Required::False };
    let parameter = ParameterBuilder::new().name(name).parameter_in(place).required(required);
    parameter.description(said).schema(Some(described(schema))).build()
}

/// An answer with a body of this media type.
fn answer(media_type: &str, description: &str, schema: RefOr<Schema>) -> Response {
    ResponseBuilder::new().description(description).content(media_type, Content::new(Some(schema))).build()
}

impl EndpointDocs<'_> {
    /// With fields behind the question mark.
    fn asks<T: JsonSchema>(mut self) -> Self {
        let schema = self.api.requests.subschema_for::<T>();
        let required = schema.get("required").and_then(Json::as_array);
        let properties = schema.get("properties").and_then(Json::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let mut schema = schema.clone();
            // Whatever may be left out is left out; nobody writes null into an address.
            let said = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            without_null(&mut schema);
            let said = said.as_ref().and_then(Json::as_str).unwrap_or_default().to_owned();
            let mut parameter = parameter(name, ParameterIn::Query, Some(said), schema);
            if required.is_some_and(|required| required.contains(&json!(name))) {
                parameter.required = Required::True;
            }
            self.operation = self.operation.parameter(parameter);
        }
        self
    }

    /// With a body.
    fn takes<T: JsonSchema>(mut self) -> Self {
        let schema = described(self.api.requests.subschema_for::<T>().into());
        let content = Content::new(Some(schema));
        let body = RequestBodyBuilder::new().required(Some(Required::True)).content("application/json", content);
        self.operation = self.operation.request_body(Some(body.build()));
        self
    }

    /// With a key, where the same request sent again gets the same answer and changes nothing.
    fn once(mut self) -> Self {
        let said = "sent again with the same key, the request gets the same answer and changes nothing; at least 16 \
                    characters of whoever shows no token"
            .to_owned();
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 200 });
        let key = parameter("Idempotency-Key", ParameterIn::Header, Some(said), schema);
        self.operation = self.operation.parameter(key);
        self
    }

    /// With an answer of this status.
    fn gives<T: JsonSchema>(mut self, status: u16, description: &str) -> Self {
        let schema = described(self.api.answers.subschema_for::<T>().into());
        self.operation = self.operation.response(status.to_string(), answer("application/json", description, schema));
        self
    }

    /// With an answer that is no JSON.
    fn gives_text(mut self, media_type: &str, description: &str) -> Self {
        let schema = described(json!({ "type": "string" }));
        self.operation = self.operation.response("200", answer(media_type, description, schema));
        self
    }

    /// Served by this.
    fn by<H, T>(self, handler: H)
    where
        H: axum::handler::Handler<T, Arc<App>>,
        T: 'static,
    {
        let served: MethodRouter<Arc<App>> = match self.method {
            HttpMethod::Post => post(handler),
            HttpMethod::Delete => delete(handler),
            _ => get(handler),
        };
        let operation = self.operation.response("default", Ref::from_response_name("Problem"));
        let paths = PathsBuilder::new().path(self.path, PathItem::new(self.method, operation)).build();
        let router = std::mem::take(&mut self.api.router);
        self.api.router = router.routes((Vec::new(), paths, served));
    }
}

/// All endpoints, and the document that describes them.
pub(super) fn router() -> Router<Arc<App>> {
    let mut api = Api::new();
    describe(&mut api);
    let (endpoints, document) = api.finish();
    let document = Bytes::from(document.to_json().expect("schemas and names are JSON"));
    let give = async move || as_json(document.clone());
    Router::new().nest(BASE, endpoints.route("/openapi.json", get(give)))
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
    api.get("/work", "Who works on the store's runs, on many machines, and what waits for which limit")
        .gives::<work::WorkBody>(200, "workers, jobs and limits")
        .by(work::work);
}

/// Who plays, and how they find each other.
fn describe_players(api: &mut Api) {
    api.post("/players", "Register a player")
        .takes::<players::NewPlayer>()
        .once()
        .gives::<players::WithToken>(201, "the player and its token, shown this once")
        .by(players::register);
    api.get("/players/me", "Who you are").gives::<players::Me>(200, "the player whose token it is").by(players::me);
    api.get("/players/{id}", "A player: a registered one by its id, or `house:BOT`, `profile:NAME`")
        .gives::<player_page::PlayerBody>(200, "the player")
        .by(player_page::player);
    api.get("/players/{id}/rating", "How a player's live Elo came about, match by match")
        .gives::<player_page::CurveBody>(200, "the rating curve")
        .by(player_page::rating);
    api.get("/players/{id}/history", "What a player played, the newest first")
        .asks::<player_page::HistoryQuery>()
        .gives::<player_page::HistoryBody>(200, "a page of matches")
        .by(player_page::history);
    api.get("/players/{id}/head-to-head", "How a player does against whom")
        .gives::<player_page::HeadToHeadBody>(200, "everybody whom it met")
        .by(player_page::head_to_head);
    api.post("/players/me/token", "Have a new token; the old one is worth nothing from then on")
        .once()
        .gives::<players::WithToken>(200, "the new token, shown this once")
        .by(players::renew);
    api.post("/matches/queue", "Wait for a match with others of about your strength")
        .takes::<players::Queueing>()
        .once()
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
        .once()
        .gives::<matches::OpenedMatch>(201, "the match is open")
        .by(matches::open);
    api.get("/matches/{id}", "Look at a match, or wait for its next turn")
        .asks::<matches::Look>()
        .gives::<super::wire::ViewBody>(200, "the match as you may see it")
        .by(matches::show);
    api.post("/matches/{id}/join", "Take an open seat")
        .takes::<matches::JoinBody>()
        .once()
        .gives::<matches::Joined>(201, "the seat is yours")
        .by(matches::join);
    api.post("/matches/{id}/action", "Act for your seat")
        .asks::<seat::LangQuery>()
        .takes::<seat::ActionBody>()
        .once()
        .gives::<seat::AcceptedBody>(200, "the action is sealed, or was before")
        .by(seat::act);
    api.post("/matches/{id}/speak", "Say something")
        .asks::<seat::LangQuery>()
        .takes::<seat::MessageBody>()
        .once()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_known_of_a_type_is_lost_in_the_document() {
        let mut api = Api::new();
        describe(&mut api);
        let mut schemas = api.answers.take_definitions(true);
        typed::fill_in(&mut schemas);
        assert!(schemas.len() > 50, "{}", schemas.len());
        for (name, schema) in schemas {
            super::super::schema::assert_kept(&name, schema);
        }
    }
}
