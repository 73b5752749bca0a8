//! A position as it leaves the house, and what is wrong with one that comes in.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::board::{Tile, Zone};
use super::powerup::{MAX_POWERUPS, PowerUpKind};
use super::rules::{Rules, Terms};
use super::{MAX_SEATS, Position};
use crate::games::game::Game;
use crate::games::map::MAX_SIDE;
use crate::games::outcome::Outcome;
use crate::games::refusal::BadState;
use crate::games::seat::{Seat, Seats};
use crate::games::setup::{SeatEntry, check_counters, check_over, check_places, check_seats};

/// A position as the contract writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The name of the ruleset.
    #[serde(default)]
    pub ruleset: String,
    /// Turns applied so far.
    pub turn: u32,
    /// Who must act now: all who live; empty when the match is over.
    pub to_act: Seats,
    /// How it ended, once it has.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// The tick that is about to be played, from 1.
    pub tick: u32,
    /// Where it is safe to stand in that tick. Follows from the rest, so that it may be left out.
    #[serde(default)]
    pub zone: Zone,
    /// How many tiles from west to east.
    pub width: u8,
    /// How many tiles from south to north.
    pub height: u8,
    /// The tiles that are walls.
    pub walls: Vec<Tile>,
    /// All bots in seat order, the dead included.
    pub bots: Vec<BotState>,
    /// How many teams there are, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teams: Option<u8>,
    /// What lies about, where the ruleset has power-ups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub powerups: Option<Vec<PowerUpState>>,
    /// Whose view it is, null for everybody's; only where the ruleset hides something and this is somebody's view.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub viewer: Option<Option<Seat>>,
}

/// A field that may be null, and says something then.
#[expect(clippy::option_option, reason = "absent and null say different things")]
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A bot in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BotState {
    /// The seat that plays it.
    pub id: Seat,
    /// Where it stands, or fell; null where that is not seen.
    pub position: Option<Point>,
    /// Hit points left.
    pub hp: u16,
    /// How many it has brought to 0 hit points.
    #[serde(default)]
    pub kills: u16,
    /// Whether it still plays.
    pub alive: bool,
    /// How often the referee drew its action.
    #[serde(default)]
    pub timeouts: u16,
    /// Settled at its elimination, with teams at its team's, or at the end.
    #[serde(default)]
    pub place: Option<u32>,
    /// Its team, counted from 0, where there are teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<u8>,
    /// So many of its next shots do more damage, where the ruleset has power-ups; null where that is not seen.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub boost: Option<Option<u8>>,
}

/// Where a bot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Point {
    /// 0 is the west edge.
    pub x: u8,
    /// 0 is the south edge.
    pub y: u8,
}

impl Point {
    /// The same as a tile.
    pub fn tile(self) -> Tile {
        Tile { x: self.x, y: self.y }
    }
}

/// A power-up in a [`State`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PowerUpState {
    /// 0 is the west edge.
    pub x: u8,
    /// 0 is the south edge.
    pub y: u8,
    /// What it does.
    pub kind: PowerUpKind,
}

impl PowerUpState {
    /// Where it lies.
    pub fn tile(self) -> Tile {
        Tile { x: self.x, y: self.y }
    }
}

/// The position as the contract writes it.
pub(super) fn write(position: &Position, ruleset: &str) -> State {
    let Terms { teams, powerups, .. } = position.terms;
    let whole = Zone { min_x: 0, max_x: position.width - 1, min_y: 0, max_y: position.height - 1 };
    State {
        ruleset: ruleset.to_owned(),
        turn: position.turn,
        to_act: position.to_act(),
        outcome: position.outcome(),
        tick: position.tick,
        zone: position.zone(),
        width: position.width,
        height: position.height,
        walls: whole.tiles().filter(|&tile| position.wall(tile)).collect(),
        bots: position
            .present()
            .map(|(id, bot)| BotState {
                id,
                position: Some(Point { x: bot.at.x, y: bot.at.y }),
                hp: bot.hp,
                kills: bot.kills,
                alive: bot.alive,
                timeouts: bot.timeouts,
                place: (bot.place > 0).then_some(u32::from(bot.place)),
                team: (teams > 0).then(|| super::narrow(position.side(id))),
                boost: powerups.on().then_some(Some(bot.boost)),
            })
            .collect(),
        teams: (teams > 0).then_some(teams),
        powerups: powerups.on().then(|| {
            let lying = position.powerups.iter();
            lying.map(|powerup| PowerUpState { x: powerup.at.x, y: powerup.at.y, kind: powerup.kind }).collect()
        }),
        viewer: None,
    }
}

/// Finds all that is wrong with a position that somebody set up.
pub(super) fn check(rules: &Rules, state: &State) -> Result<(), BadState> {
    let mut problems = Vec::new();
    if let Some(viewer) = state.viewer {
        let who = viewer.map_or_else(|| "everybody".to_owned(), |seat| seat.to_string());
        problems.push(format!("this is what {who} sees of a position (`viewer`); a whole position is needed"));
    }
    let sides = 1..=MAX_SIDE;
    if !sides.contains(&usize::from(state.width)) || !sides.contains(&usize::from(state.height)) {
        problems.push(format!("`width` and `height` must each be from 1 to {MAX_SIDE}"));
    }
    check_seats("bots", state.bots.iter().map(|bot| bot.id), 2..=MAX_SEATS, &mut problems);
    BadState::check(problems)?;

    let mut problems = Vec::new();
    for wall in state.walls.iter().filter(|wall| !on_grid(state, **wall)) {
        problems.push(format!("the wall on {wall} is off the grid"));
    }
    check_teams(&rules.terms, state.bots.len(), &mut problems);
    if state.teams.is_some_and(|teams| teams != rules.terms.teams) {
        problems.push(format!("`teams` must be {}, as the ruleset has it, or left out", rules.terms.teams));
    }
    for index in 0..state.bots.len() {
        check_bot(&rules.terms, state, index, &mut problems);
    }
    let bots = state.bots.iter();
    let entries: Vec<SeatEntry> =
        bots.map(|bot| SeatEntry { seat: bot.id, alive: bot.alive, place: bot.place }).collect();
    check_places(&entries, &mut problems);
    check_powerups(&rules.terms, state, &mut problems);
    if state.tick == 0 {
        problems.push("`tick` counts from 1".to_owned());
    }
    check_counters(&[("turn", state.turn), ("tick", state.tick)], &mut problems);
    match &state.outcome {
        Some(outcome) => check_over(outcome, &state.to_act, "bots", &entries, &mut problems),
        None => check_tick(&rules.terms, state, &mut problems),
    }
    BadState::check(problems)
}

/// Teams are of one size.
pub(super) fn check_teams(terms: &Terms, seats: usize, problems: &mut Vec<String>) {
    let teams = usize::from(terms.teams);
    if teams > 0 && !seats.is_multiple_of(teams) {
        problems.push(format!("{seats} bots do not make {teams} teams of one size"));
    }
}

fn on_grid(state: &State, tile: Tile) -> bool {
    tile.x < state.width && tile.y < state.height
}

fn check_bot(terms: &Terms, state: &State, index: usize, problems: &mut Vec<String>) {
    let bot = &state.bots[index];
    let id = bot.id;
    let Some(at) = bot.position.map(Point::tile) else {
        problems.push(format!("the `position` of {id} is missing"));
        return;
    };
    if !on_grid(state, at) {
        problems.push(format!("{id} is at {at}, off the grid"));
    }
    if bot.alive && state.walls.contains(&at) {
        problems.push(format!("{id} stands on {at}, where a wall is"));
    }
    if bot.alive && bot.hp == 0 {
        problems.push(format!("{id} is alive with 0 hit points"));
    }
    for other in state.bots[..index].iter().filter(|other| bot.alive && other.alive) {
        if other.position == bot.position {
            problems.push(format!("{} and {id} stand on the same tile {at}", other.id));
        }
    }
    let mates = state.bots.iter().filter(|other| side(terms, other) == side(terms, bot));
    if mates.clone().any(|mate| mate.alive) && state.outcome.is_none() && bot.place.is_some() {
        problems.push(format!("{id} has a place, but {} still plays", if bot.alive { "it" } else { "its team" }));
    }
    if mates.clone().any(|mate| mate.id < id && mate.place != bot.place) {
        problems.push(format!("{id} has another place than its team"));
    }
    let team = (terms.teams > 0).then(|| side(terms, bot));
    if bot.team.is_some_and(|given| team != Some(usize::from(given))) {
        problems.push(match team {
            Some(team) => format!("{id} is in team {team}: the seats go round the teams"),
            None => format!("{id} has a team, but this ruleset has none"),
        });
    }
    if bot.boost.flatten().is_some_and(|boost| boost > 0) && !terms.powerups.on() {
        problems.push(format!("{id} has a boost, but this ruleset has no power-ups"));
    }
}

/// What shares a place: a team, or a bot alone.
fn side(terms: &Terms, bot: &BotState) -> usize {
    if terms.teams > 0 { bot.id.index() % usize::from(terms.teams) } else { bot.id.index() }
}

fn check_powerups(terms: &Terms, state: &State, problems: &mut Vec<String>) {
    let powerups = state.powerups.as_deref().unwrap_or_default();
    if !powerups.is_empty() && !terms.powerups.on() {
        problems.push("this ruleset has no power-ups: `powerups` must be empty or left out".to_owned());
    }
    if powerups.len() > MAX_POWERUPS {
        problems.push(format!("`powerups` has {} entries, at most {MAX_POWERUPS} can be", powerups.len()));
        return;
    }
    for (index, powerup) in powerups.iter().enumerate() {
        let at = powerup.tile();
        if !on_grid(state, at) || state.walls.contains(&at) {
            problems.push(format!("the power-up on {at} is off the grid or in a wall"));
        }
        if powerups[..index].iter().any(|other| other.tile() == at) {
            problems.push(format!("there are two power-ups on {at}"));
        }
    }
}

/// While it is played all who live must act.
fn check_tick(terms: &Terms, state: &State, problems: &mut Vec<String>) {
    let living = || state.bots.iter().filter(|bot| bot.alive);
    if state.to_act != living().map(|bot| bot.id).collect() {
        problems.push("`to_act` must name exactly the living bots".to_owned());
    }
    let mut sides = living().map(|bot| side(terms, bot));
    let first = sides.next();
    if !sides.any(|side| Some(side) != first) {
        let who = if terms.teams > 0 { "teams" } else { "bots" };
        problems.push(format!("with fewer than two {who} alive the match is over: there must be an outcome"));
    }
    if state.tick > terms.max_ticks {
        problems.push(format!("after tick {} the match is over: there must be an outcome", terms.max_ticks));
    }
}
