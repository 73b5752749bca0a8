//! What can differ from one royale ruleset to another.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::MAX_SEATS;
use super::board::Tile;
use super::powerup::{MAX_POWERUPS, PowerUpKind, PowerUps};
use crate::games::game::GameRules;
use crate::games::library::{self, BuiltinFile};
use crate::games::map::{self, Drawing, Drawn, ReadFile};
use crate::games::seat::Seat;
use crate::games::speech::Speech;
use crate::settings::fields::{Place, Reader};

/// The checked rules of a royale ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The walls, drawn as people see them: the first row is the top, the highest y.
    pub map: Drawing<bool>,
    /// Where each seat starts. As many as can play.
    pub spawns: Vec<Tile>,
    /// Hit points at the start.
    pub hp: u16,
    /// What a tick is played by.
    pub terms: Terms,
}

/// What a tick is played by: the part of the rules that goes with every position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The match ends after so many ticks.
    pub max_ticks: u32,
    /// The zone loses a tile on every side each time after so many ticks …
    pub zone_every: u32,
    /// … so many times at most, and never so often that nothing is left of it.
    pub zone_shrinks: u8,
    /// A bullet flies so many tiles at most.
    pub range: u8,
    /// A bot sees so many tiles far along either axis; 0 where everybody sees everything.
    pub sight: u8,
    /// Seat `i` is in team `i` mod `teams`; 0 where everybody plays alone.
    pub teams: u8,
    /// What lies about to be picked up.
    pub powerups: PowerUps,
}

impl Rules {
    /// The legend of the maps.
    pub(in crate::games) const LEGEND: &str = "`.` is empty, `#` a wall";
}

impl GameRules for Rules {
    const RULESETS: &'static [BuiltinFile] = &[
        ("grid-royale", include_str!("../../../rulesets/grid-royale.toml")),
        ("grid-royale-fog", include_str!("../../../rulesets/grid-royale-fog.toml")),
    ];
    const MAPS: &'static [BuiltinFile] = &[
        ("pillars", include_str!("../../../rulesets/maps/pillars.txt")),
        ("crossroads", include_str!("../../../rulesets/maps/crossroads.txt")),
    ];

    fn read(reader: &mut Reader, _: Speech, read_file: ReadFile<'_>) -> Option<Rules> {
        let hp = reader.int("hp", 1..=10_000);
        let teams_place = reader.place("teams");
        let terms = Terms {
            max_ticks: reader.int("max_ticks", 1..=100_000),
            zone_every: reader.int("zone_every", 1..=100_000),
            zone_shrinks: reader.int("zone_shrinks", 0..=64),
            range: reader.int("range", 1..=64),
            sight: reader.optional("sight", |reader, key| reader.int(key, 0..=64)).unwrap_or(0),
            teams: reader.int("teams", 0..=8),
            powerups: read_powerups(reader),
        };
        check_teams(reader, &teams_place, usize::from(terms.teams));
        let map_place = reader.place("map");
        let drawn = map::read(reader, ["height", "width"], false, legend, Rules::LEGEND, library::map, read_file)?;
        // Who cannot be seated needs no spawn.
        let most = reader.ahead("players", "max").and_then(|most| usize::try_from(most).ok()).filter(|&most| most > 0);
        let spawns = read_spawns(reader, &drawn, &map_place, most.map_or(MAX_SEATS, |most| most.min(MAX_SEATS)));
        Some(Rules { map: drawn.drawing, spawns, hp, terms })
    }

    fn write(&self, fields: &mut JsonMap<String, Json>) {
        let Terms { max_ticks, zone_every, zone_shrinks, range, sight, teams, powerups } = self.terms;
        fields.insert("hp".into(), json!(self.hp));
        fields.insert("range".into(), json!(range));
        fields.insert("sight".into(), json!(sight));
        fields.insert("max_ticks".into(), json!(max_ticks));
        fields.insert("zone_every".into(), json!(zone_every));
        fields.insert("zone_shrinks".into(), json!(zone_shrinks));
        fields.insert("teams".into(), json!(teams));
        fields.insert("width".into(), json!(self.map.cols));
        fields.insert("height".into(), json!(self.map.rows));
        fields.insert("map".into(), json!(self.map.lines(|&wall| if wall { "#" } else { "." }.into())));
        let powerups = json!({
            "every": powerups.every,
            "most": powerups.most,
            "kinds": powerups.kinds().collect::<Vec<_>>(),
            "health": powerups.health,
            "damage": powerups.damage,
            "damage_shots": powerups.damage_shots,
        });
        fields.insert("powerups".into(), powerups);
    }

    fn capacity(&self) -> usize {
        self.spawns.len()
    }
}

/// Where seats start, in seat order: one tile in from the corners, then from the middles of the sides. None where the
/// grid is too small to have such a tile.
fn spawn(width: usize, height: usize, seat: usize) -> Option<Tile> {
    let (west, south) = (Some(1), Some(1));
    let (east, north) = (width.checked_sub(2), height.checked_sub(2));
    let (middle_x, middle_y) = (Some(width / 2), Some(height / 2));
    let (x, y) = match seat {
        0 => (west, south),
        1 => (east, north),
        2 => (west, north),
        3 => (east, south),
        4 => (middle_x, south),
        5 => (middle_x, north),
        6 => (west, middle_y),
        _ => (east, middle_y),
    };
    let (x, y) = (x.filter(|&x| x < width)?, y.filter(|&y| y < height)?);
    Some(Tile { x: u8::try_from(x).ok()?, y: u8::try_from(y).ok()? })
}

fn read_spawns(reader: &mut Reader, drawn: &Drawn<bool>, map_place: &Place, seats: usize) -> Vec<Tile> {
    let Drawing { rows: height, cols: width, .. } = drawn.drawing;
    let mut spawns: Vec<Tile> = Vec::new();
    for seat in 0..seats {
        let name = Seat::new(seat);
        let Some(tile) = spawn(width, height, seat) else {
            reader.problem(map_place, format!("a grid of {width} × {height} is too small to have a spawn for {name}"));
            continue;
        };
        // The first line of a drawing is the top, the highest y.
        let (row, col) = (height - 1 - usize::from(tile.y), usize::from(tile.x));
        let place = &drawn.places[row * width + col];
        if *drawn.drawing.at(row, col) {
            reader.problem(place, format!("a wall on {tile}, where {name} spawns"));
        }
        if let Some(other) = spawns.iter().position(|other| *other == tile) {
            let other = Seat::new(other);
            reader.problem(place, format!("{other} and {name} would both spawn on {tile}; the grid is too small"));
        }
        spawns.push(tile);
    }
    spawns
}

fn read_powerups(reader: &mut Reader) -> PowerUps {
    let mut table = reader.table("powerups");
    let most = i64::try_from(MAX_POWERUPS).expect("a small number");
    let kinds_place = table.place("kinds");
    let mut powerups = PowerUps {
        every: table.int("every", 0..=100_000),
        most: table.int("most", 1..=most),
        has: [false; 2],
        health: table.int("health", 1..=1_000),
        damage: table.int("damage", 1..=1_000),
        damage_shots: table.int("damage_shots", 1..=255),
    };
    for kind in table.choices("kinds", &PowerUpKind::NAMES) {
        powerups.has[kind as usize] = true;
    }
    if powerups.every > 0 && powerups.kinds().next().is_none() {
        table.problem(&kinds_place, "`powerups.kinds` names no kind; set `powerups.every` to 0 for no power-ups");
    }
    reader.close(table);
    powerups
}

fn check_teams(reader: &mut Reader, place: &Place, teams: usize) {
    if teams == 1 {
        reader.problem(place, "`teams` is 1, but a match is between two at least; 0 is everybody alone");
    }
    let default = reader.ahead("players", "default").and_then(|default| usize::try_from(default).ok());
    if let Some(default) = default.filter(|default| teams > 1 && default % teams != 0) {
        reader.problem(place, format!("`players.default` is {default}, which does not make {teams} teams of one size"));
    }
}

fn legend(word: &str) -> Option<bool> {
    match word {
        "." | "_" | "0" => Some(false),
        "#" => Some(true),
        _ => None,
    }
}
