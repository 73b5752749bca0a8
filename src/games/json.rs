//! States and events of any game in JSON: which game's they are, written and read.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::any::{Event, GameId, Member, State, each, each_type};
use super::game::Game;

impl GameId {
    /// The game of this name.
    pub fn named(name: &str) -> Option<GameId> {
        GameId::NAMES.iter().find(|(other, _)| *other == name).map(|(_, game)| *game)
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for GameId {
    fn schema_name() -> Cow<'static, str> {
        "Game".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = GameId::NAMES.iter().map(|(name, _)| *name).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

/// A state says its game first.
impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Named<'a, T> {
            game: &'static str,
            #[serde(flatten)]
            state: &'a T,
        }
        let game = self.game().name();
        each!(State: self, state => Named { game, state }.serialize(serializer))
    }
}

impl JsonSchema for State {
    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        fn named<G: Game>(generator: &mut SchemaGenerator) -> Schema {
            let mut schema = G::State::json_schema(generator);
            if let Some(Json::Object(properties)) = schema.get_mut("properties") {
                properties.insert("game".to_owned(), json!({ "type": "string", "const": G::NAME }));
            }
            if let Some(Json::Array(required)) = schema.get_mut("required") {
                required.insert(0, "game".into());
            }
            schema
        }
        let all = GameId::NAMES.iter().map(|(_, game)| each_type!(game, G => named::<G>(generator)));
        json_schema!({ "anyOf": all.collect::<Vec<_>>() })
    }
}

/// A state without its `game`, as records of minor 0 have it.
#[derive(Clone, Copy, Debug)]
pub struct Bare<'a>(pub &'a State);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        each!(State: self.0, state => state.serialize(serializer))
    }
}

impl Event {
    /// Reads an event of a game.
    ///
    /// # Errors
    /// If the game has no such event.
    pub fn read(game: GameId, json: &str) -> Result<Event, serde_json::Error> {
        fn read<G: Member>(json: &str) -> Result<Event, serde_json::Error> {
            serde_json::from_str(json).map(G::wrap_event)
        }
        each_type!(game, G => read::<G>(json))
    }
}
