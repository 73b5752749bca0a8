//! Rulesets: a game with its numbers, read from TOML or JSON and checked once.

use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::any::{GameId, Member, each, each_type};
use super::game::{Game, GameRules as _};
use super::library;
use super::map::ReadFile;
use super::opening::MAX_TURNS;
use super::refusal::{Code, Refusal};
use super::seat::Seat;
use super::speech::Speech;
use crate::settings::fields::{BadRuleset, Fields, Place, Reader};
use crate::settings::{did_you_mean, shorten};

pub use super::any::Rules;

/// A game with its numbers. Whoever has one can play it: nothing needs to be checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruleset {
    /// What states, records and people call it.
    pub name: String,
    /// The version of the game's rules, one of [`Game::VERSIONS`].
    pub version: u32,
    /// One sentence in English.
    pub summary_en: String,
    /// The same in Chinese.
    pub summary_zh: String,
    /// How many can play.
    pub players: Players,
    /// What speaking costs.
    pub speech: Speech,
    /// What happens to players who fail, where everybody plays at their own pace.
    pub policy: Policy,
    /// The same in live matches.
    pub live_policy: Policy,
    /// So many random turns are played before a match starts, see [`opening`](super::opening).
    pub opening: u32,
    /// The same in tournaments and experiments, where neither their file nor `opening` says otherwise.
    pub tournament_opening: u32,
    /// The rules of the game itself.
    pub rules: Rules,
}

/// How many can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Players {
    /// The fewest who can play.
    pub min: usize,
    /// The most who can play.
    pub max: usize,
    /// How many play by default.
    pub default: usize,
}

/// What the referee does about players who fail. Not part of the rules: no position depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// So many unreadable or illegal answers a turn make it a lapse.
    pub attempts: u32,
    /// So many unreadable or illegal answers in a match, and from then on the first one in a turn makes it a lapse; 0 is
    /// no limit.
    pub patience: u32,
    /// Seconds to answer; 0 is no limit.
    pub turn_seconds: u32,
    /// Seconds a player may think in the whole match, and from then on every turn is a lapse; 0 is no limit.
    pub total_seconds: u32,
    /// Seconds between turns at the least when watched live.
    pub tick_seconds: u32,
    /// What is done for a player whose turn lapsed.
    pub on_lapse: OnLapse,
    /// So many lapses in a match are a forfeit; 0 is never.
    pub forfeit_after: u32,
}

/// What is done for a player whose turn lapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLapse {
    /// Nothing: the turn is used up.
    Pass,
    /// The game's stand-in, drawn from the match's own dice and marked as the referee's.
    Random,
    /// The player is out.
    Forfeit,
}

impl OnLapse {
    const NAMES: [(&str, OnLapse); 3] =
        [("pass", OnLapse::Pass), ("random", OnLapse::Random), ("forfeit", OnLapse::Forfeit)];

    /// As rulesets write it.
    pub fn name(self) -> &'static str {
        name_of(&OnLapse::NAMES, self)
    }
}

impl Ruleset {
    /// A built-in ruleset.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn named(name: &str) -> Result<Ruleset, BadRuleset> {
        Ruleset::load(name, Fields::none(name), &no_files)
    }

    /// A ruleset from JSON: a name, or an object with fields and, mostly, a `base` whose other fields it takes.
    ///
    /// # Errors
    /// With every problem.
    pub fn from_json(json: &Json) -> Result<Ruleset, BadRuleset> {
        match json {
            Json::String(name) => Ruleset::named(name),
            _ => Ruleset::resolve(Fields::from_json("ruleset", json)?, &no_files),
        }
    }

    /// A built-in ruleset or a file, with fields put on top of it.
    ///
    /// # Errors
    /// With every problem.
    pub fn load(name: &str, over: Fields, read_file: ReadFile<'_>) -> Result<Ruleset, BadRuleset> {
        let mut fields = source(name, Place::whole(name), read_file)?;
        if !over.is_empty() {
            lay(&mut fields, over);
        }
        Ruleset::resolve(fields, read_file)
    }

    fn resolve(mut fields: Fields, read_file: ReadFile<'_>) -> Result<Ruleset, BadRuleset> {
        // Each base may have a base in turn; a few are plenty, and a ring of them must end.
        let mut bases = 0;
        while let Some((base, place)) = fields.take_text("base")? {
            bases += 1;
            if bases > 8 {
                return Err(BadRuleset::new(place, "too many rulesets stand on each other; is there a ring?"));
            }
            let mut below = source(&base, place, read_file)?;
            lay(&mut below, fields);
            fields = below;
        }
        Ruleset::read(fields, read_file)
    }

    fn read(fields: Fields, read_file: ReadFile<'_>) -> Result<Ruleset, BadRuleset> {
        let mut reader = Reader::new(fields);
        let game = reader.choice("game", GameId::NAMES);
        let name = reader.text("name");
        let version_place = reader.place("version");
        let version = reader.int("version", 1..=i64::from(u32::MAX));
        let versions = each_type!(game, G => <G as Game>::VERSIONS);
        if !versions.contains(&version) && reader.problems.is_empty() {
            let (first, last) = versions.into_inner();
            let known = if first == last { format!("{last}") } else { format!("{first} to {last}") };
            let message = format!(
                "`version` is {version}, but this program has the rules of `{}` in version {known}; it is the version of \
                 the game's rules, not of your ruleset",
                game.name()
            );
            reader.problem(&version_place, message);
        }
        let mut summary = reader.table("summary");
        let summary_en = summary.text("en");
        let summary_zh = summary.text("zh");
        reader.close(summary);
        let speech_place = reader.place("speech");
        let speech = reader.choice("speech", &Speech::NAMES);
        if speech == Speech::Turn && !each_type!(game, G => <G as Game>::Rules::SPEECH_AS_ACTION) {
            reader.problem(&speech_place, "`speech` must be \"free\" or \"off\": speaking is no action of this game");
        }
        let (policy, live_policy) = Policy::read(&mut reader);
        let [opening, tournament_opening] = ["opening", "tournament_opening"].map(|key| opening(&mut reader, key));
        let before = reader.problems.len();
        let rules = each_type!(game, G => {
            <G as Game>::Rules::read(&mut reader, speech, read_file).map(<G as Member>::wrap_rules)
        });
        // Rules with problems do not tell how many there are places for.
        let sound = rules.as_ref().filter(|_| reader.problems.len() == before);
        let fewest = each_type!(game, G => <G as Game>::Rules::FEWEST_PLAYERS);
        let capacity = sound.map(|rules| each!(Rules: rules, rules => rules.capacity()));
        let players = Players::read(&mut reader, fewest, capacity);
        reader.finish()?;
        let rules = rules.expect("without problems there are rules");
        Ok(Ruleset {
            name,
            version,
            summary_en,
            summary_zh,
            players,
            speech,
            policy,
            live_policy,
            opening,
            tournament_opening,
            rules,
        })
    }

    /// The ruleset as tournaments and experiments play it: with the opening that their file names, or else with its own,
    /// or else with the usual one.
    #[must_use]
    pub fn for_tournament(self, opening: Option<u32>) -> Ruleset {
        let own = if self.opening > 0 { self.opening } else { self.tournament_opening };
        Ruleset { opening: opening.unwrap_or(own), ..self }
    }

    /// The ruleset as live matches are played: its clocks are the live ones.
    #[must_use]
    pub fn live(self) -> Ruleset {
        Ruleset { policy: self.live_policy, ..self }
    }

    /// The ruleset as tournaments and experiments played it before there were openings, which was by the live clocks.
    #[must_use]
    pub fn before_openings(&self) -> Ruleset {
        Ruleset { opening: 0, ..self.clone() }.live()
    }

    /// The fields by which matches of two rulesets can differ, for fingerprints. A field that has the value which all
    /// rulesets had before there was such a field is left out, so that the fingerprint is still the one from then.
    pub fn identity(&self) -> Json {
        let played = Ruleset { tournament_opening: 0, live_policy: self.policy, ..self.clone() };
        let Ok(Json::Object(mut fields)) = serde_json::to_value(&played) else { return Json::Null };
        for key in fields.keys().cloned().collect::<Vec<_>>() {
            let Some(value) = fields.remove(&key) else { continue };
            if !Ruleset::from_json(&Json::Object(fields.clone())).is_ok_and(|same| same == played) {
                fields.insert(key, value);
            }
        }
        Json::Object(fields)
    }

    /// Whether both have the same positions, played by the same rules.
    pub fn has_positions_of(&self, other: &Ruleset) -> bool {
        let rules = |of: &Ruleset| (of.name.clone(), of.version, of.speech, of.rules.clone());
        rules(self) == rules(other)
    }

    /// Whether so many can play.
    ///
    /// # Errors
    /// With how many can.
    pub fn check_players(&self, count: usize) -> Result<(), Refusal> {
        let Players { min, max, .. } = self.players;
        if (min..=max).contains(&count) {
            return Ok(());
        }
        Err(Refusal::new(Code::BadRequest, format!("{} takes {min} to {max} players, not {count}", self.name)))
    }
}

impl Players {
    fn read(reader: &mut Reader, fewest: i64, capacity: Option<usize>) -> Players {
        let most = i64::try_from(Seat::MAX).expect("a small number");
        let mut table = reader.table("players");
        let (min_place, max_place) = (table.place("min"), table.place("max"));
        let min = table.int("min", fewest..=most);
        // 0 stands for «as many as there are places».
        let max: usize = table.int("max", 0..=most);
        let default_place = table.place("default");
        let default = table.int("default", 1..=most);
        let capacity = capacity.unwrap_or(Seat::MAX);
        if max > capacity {
            table.problem(&max_place, format!("`players.max` is {max}, but there are places for {capacity} only"));
        }
        let max = if max == 0 { capacity } else { max };
        if min > max {
            table.problem(&min_place, format!("`players.min` is {min}, more than the {max} that can play"));
        } else if !(min..=max).contains(&default) {
            table.problem(&default_place, format!("`players.default` must be from {min} to {max}, not {default}"));
        }
        reader.close(table);
        Players { min, max, default }
    }
}

impl Policy {
    /// The policy, and the one for live matches: `policy.live` has what differs in it. Rulesets of earlier records have no
    /// such table.
    fn read(reader: &mut Reader) -> (Policy, Policy) {
        let mut table = reader.table("policy");
        let policy = Policy::read_fields(&mut table, None);
        let live = table.optional("live", |table, key| {
            let mut live = table.table(key);
            let policy = Policy::read_fields(&mut live, Some(policy));
            table.close(live);
            policy
        });
        reader.close(table);
        (policy, live.unwrap_or(policy))
    }

    /// The fields. One that is left out is as in another policy, where there is one.
    fn read_fields(table: &mut Reader, usual: Option<Policy>) -> Policy {
        let int = |table: &mut Reader, key, range: RangeInclusive<i64>, usual: Option<u32>| match usual {
            Some(usual) => table.optional(key, |table, key| table.int(key, range)).unwrap_or(usual),
            None => table.int(key, range),
        };
        let choice = |table: &mut Reader, key| table.choice(key, &OnLapse::NAMES);
        Policy {
            attempts: int(table, "attempts", 1..=20, usual.map(|usual| usual.attempts)),
            patience: int(table, "patience", 0..=100_000, usual.map(|usual| usual.patience)),
            turn_seconds: int(table, "turn_seconds", 0..=86_400, usual.map(|usual| usual.turn_seconds)),
            total_seconds: int(table, "total_seconds", 0..=10_000_000, usual.map(|usual| usual.total_seconds)),
            tick_seconds: int(table, "tick_seconds", 0..=3_600, usual.map(|usual| usual.tick_seconds)),
            on_lapse: match usual {
                Some(usual) => table.optional("on_lapse", choice).unwrap_or(usual.on_lapse),
                None => choice(table, "on_lapse"),
            },
            forfeit_after: int(table, "forfeit_after", 0..=100_000, usual.map(|usual| usual.forfeit_after)),
        }
    }

    fn write(self, live: Policy) -> Json {
        let mut fields = self.fields();
        let mut differs = live.fields();
        differs.retain(|key, value| fields.get(key) != Some(value));
        if !differs.is_empty() {
            fields.insert("live".into(), Json::Object(differs));
        }
        Json::Object(fields)
    }

    fn fields(self) -> JsonMap<String, Json> {
        let fields = [
            ("attempts", json!(self.attempts)),
            ("patience", json!(self.patience)),
            ("turn_seconds", json!(self.turn_seconds)),
            ("total_seconds", json!(self.total_seconds)),
            ("tick_seconds", json!(self.tick_seconds)),
            ("on_lapse", json!(self.on_lapse.name())),
            ("forfeit_after", json!(self.forfeit_after)),
        ];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

/// How many turns an opening has. Rulesets of earlier records have no such field, and their matches no opening.
pub(crate) fn opening(reader: &mut Reader, key: &'static str) -> u32 {
    reader.optional(key, |reader, key| reader.int(key, 0..=MAX_TURNS.into())).unwrap_or(0)
}

/// Every field, resolved: what a record keeps and [`Ruleset::from_json`] reads back.
impl Serialize for Ruleset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = JsonMap::new();
        fields.insert("game".into(), json!(self.rules.game().name()));
        fields.insert("name".into(), json!(self.name));
        fields.insert("version".into(), json!(self.version));
        fields.insert("summary".into(), json!({ "en": self.summary_en, "zh": self.summary_zh }));
        fields.insert("players".into(), json!(self.players));
        fields.insert("speech".into(), json!(name_of(&Speech::NAMES, self.speech)));
        fields.insert("policy".into(), self.policy.write(self.live_policy));
        fields.insert("opening".into(), json!(self.opening));
        fields.insert("tournament_opening".into(), json!(self.tournament_opening));
        each!(Rules: &self.rules, rules => rules.write(&mut fields));
        fields.serialize(serializer)
    }
}

/// The name of a choice, as rulesets write it.
pub(crate) fn name_of<T: PartialEq + Copy>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, other)| *other == value).map(|(name, _)| *name).expect("every choice has a name")
}

/// Puts fields on top of others. A drawn map brings its own size along.
fn lay(below: &mut Fields, above: Fields) {
    if above.has("map") && !above.is_text("map", "none") {
        for size in ["rows", "cols", "width", "height"] {
            below.zero(size);
        }
    }
    below.overlay(above);
}

/// The fields of a built-in ruleset or of a file.
fn source(name: &str, place: Place, read_file: ReadFile<'_>) -> Result<Fields, BadRuleset> {
    if let Some(text) = library::ruleset(name) {
        return Fields::from_toml(&format!("rulesets/{name}.toml"), text);
    }
    let text = read_file(name).map_err(|why| {
        let names: Vec<_> = library::rulesets().collect();
        let message = format!(
            "no ruleset `{}`: {why}; built in: {}{}",
            shorten(name),
            names.join(", "),
            did_you_mean(name, names.iter().copied())
        );
        BadRuleset::new(place, message)
    })?;
    Fields::from_toml(name, &text)
}

fn no_files(name: &str) -> Result<String, String> {
    Err(format!("nothing of the name `{}` is built in", shorten(name)))
}

#[cfg(test)]
mod tests;
