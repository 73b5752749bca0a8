//! Grid Royale drawn and played by hand: a grid that counts upward, a zone that closes, shots from all sides at once.

use super::{Direction, Event, Position, PowerUpKind, Rules, Source, State, Terms, Tile, Zone};
use crate::games::controls::{Choice, Controls, Group};
use crate::games::grid;
use crate::games::scene::{Area, Board, Effect, End, Ground, Item, Label, Meter, Origin, Piece, Placed, Point};
use crate::games::scene::{Scene, Scenic, Standing, Tone};
use crate::games::seat::Seat;

impl Scenic for Position {
    fn scene(rules: &Rules, state: &State) -> Scene {
        let most = state.bots.iter().map(|bot| bot.hp).max().unwrap_or(1);
        let full = rules.hp.max(most);
        let mut board = board(state);
        // The dead are off the grid.
        let seen = state.bots.iter().filter(|bot| bot.alive);
        board.pieces = seen
            .filter_map(|bot| {
                Some(Piece {
                    seat: bot.id,
                    at: point(state, bot.position?.tile()),
                    alive: true,
                    facing: None,
                    meter: Some(Meter { value: bot.hp.into(), of: full.into() }),
                    to_act: false,
                })
            })
            .collect();
        board.sight = sight(&rules.terms, state);
        board.forecast = closes_in(state, &rules.terms).map(|_| area(state, shrunk(state.zone)));
        Scene {
            ruleset: state.ruleset.clone(),
            turn: state.turn,
            status: status(state, &rules.terms),
            board,
            standings: standings(state, full),
            shares: None,
            outcome: state.outcome.clone(),
        }
    }

    fn trace(state: &State, events: &[&Event], board: &mut Board) {
        let at = |tile: Tile| point(state, tile);
        let place_of = |seat: Seat| Some(at(state.bots.iter().find(|bot| bot.id == seat)?.position?.tile()));
        let mark = |board: &mut Board, seat, effect| {
            if let Some(at) = place_of(seat) {
                board.traces.mark(at, effect);
            }
        };
        for event in events {
            match **event {
                Event::Blocked { bot, .. } | Event::Bounce { bot, .. } => mark(board, bot, Effect::Bounced),
                Event::Move { bot, from: Some(from), to: Some(to) } => board.traces.step(bot, at(from), at(to)),
                Event::Shot { bot: Some(bot), direction, from: Some(from), to: Some(to), hit } => {
                    let end = match hit {
                        Some(_) => End::Face,
                        None if open(state, to, direction) => End::Spent,
                        None => End::Through,
                    };
                    board.traces.beam(bot, at(from), at(to), end);
                }
                // It flies out of sight, through the last square that is seen.
                Event::Shot { bot: Some(bot), direction, from: Some(from), .. } => {
                    let from = at(from);
                    let seen = board.ray(from, direction.into()).into_iter().take_while(|at| !board.is_fog(*at));
                    if let Some(last) = seen.last() {
                        board.traces.beam(bot, from, last, End::Through);
                    }
                }
                Event::Damage { bot, source: Source::Bullet, .. } => mark(board, bot, Effect::Hit),
                Event::Damage { bot, source: Source::Zone, .. } => mark(board, bot, Effect::Scorched),
                Event::Eliminated { bot, .. } => {
                    mark(board, bot, Effect::Killed);
                    // On the picture of the tick in which it fell it is still to be seen.
                    let fallen = Piece {
                        seat: bot,
                        at: Point::default(),
                        alive: false,
                        facing: None,
                        meter: None,
                        to_act: false,
                    };
                    board.pieces.extend(place_of(bot).map(|at| Piece { at, ..fallen }));
                }
                // Half of a way is out of sight; or a shot came from nowhere, and whom it hit is marked.
                Event::Move { .. }
                | Event::Shot { .. }
                | Event::StandIn { .. }
                | Event::Passed { .. }
                | Event::Forfeited { .. }
                | Event::Pickup { .. }
                | Event::Kill { .. }
                | Event::Spawn { .. }
                | Event::Ended { .. } => {}
            }
        }
    }

    fn tone(event: &Event) -> Tone<'_> {
        match event {
            Event::Damage { .. }
            | Event::Kill { .. }
            | Event::Eliminated { .. }
            | Event::Forfeited { .. }
            | Event::Shot { hit: Some(_), .. } => Tone::Hit,
            Event::Blocked { .. }
            | Event::Bounce { .. }
            | Event::Move { .. }
            | Event::Shot { .. }
            | Event::StandIn { .. }
            | Event::Passed { .. }
            | Event::Pickup { .. }
            | Event::Spawn { .. }
            | Event::Ended { .. } => Tone::Plain,
        }
    }

    fn controls(_: &Rules, state: &State, seat: Seat) -> Option<Controls> {
        let board = board(state);
        let here =
            state.bots.iter().find(|bot| bot.id == seat).and_then(|bot| Some(point(state, bot.position?.tile())))?;
        let choice = |verb: &str, way: Direction| {
            let choice = Choice::new(format!("{verb} {way}"), format!("direction.{way}"));
            choice.toward(way, board.ray(here, way.into()))
        };
        let ways = |verb: &'static str| Direction::ALL.map(|way| choice(verb, way));
        let none = |choice: Choice| Choice { cells: vec![here], ..choice };
        let hold = Choice { id: "hold".into(), ..Choice::new("", "label.hold") };
        let moves = Group {
            id: "move",
            label: Label::new("action.move"),
            key: Some('m'),
            default: Some("stay"),
            choices: ways("move").into_iter().chain([none(Choice::new("stay", "action.stay"))]).collect(),
        };
        let shots = Group {
            id: "shot",
            label: Label::new("action.shoot"),
            key: Some('s'),
            default: Some("hold"),
            choices: std::iter::once(none(hold)).chain(ways("shoot")).collect(),
        };
        Some(Controls { groups: vec![moves, shots], separator: ", " })
    }
}

impl From<Direction> for grid::Direction {
    fn from(direction: Direction) -> grid::Direction {
        match direction {
            Direction::North => grid::Direction::North,
            Direction::South => grid::Direction::South,
            Direction::East => grid::Direction::East,
            Direction::West => grid::Direction::West,
        }
    }
}

fn standings(state: &State, full: u16) -> Vec<Standing> {
    let standing = |bot: &super::BotState| {
        let mut facts = vec![Label::of("label.kills", [bot.kills.into()])];
        facts.extend(bot.team.map(|team| Label::of("label.team", [u32::from(team) + 1])));
        facts.extend((bot.alive && bot.position.is_none()).then(|| Label::new("label.unseen")));
        let boost = bot.boost.flatten().filter(|&boost| boost > 0);
        facts.extend(boost.map(|boost| Label::of("label.boost", [boost.into()])));
        facts.extend((bot.timeouts > 0).then(|| Label::of("label.late", [bot.timeouts.into()])));
        Standing {
            seat: bot.id,
            to_act: false,
            alive: bot.alive,
            meter: Meter { value: bot.hp.into(), of: full.into() },
            amount: Some(Label::of("label.hp", [bot.hp.into()])),
            facing: None,
            facts,
            place: bot.place,
        }
    };
    state.bots.iter().map(standing).collect()
}

/// The tick to be played, and what becomes of the zone.
fn status(state: &State, terms: &Terms) -> Vec<Label> {
    let zone = state.zone;
    let wide = u32::from(zone.max_x.saturating_sub(zone.min_x)) + 1;
    let high = u32::from(zone.max_y.saturating_sub(zone.min_y)) + 1;
    let mut status = vec![
        Label::of("label.tick", [state.tick.min(terms.max_ticks), terms.max_ticks]),
        Label::of("label.zone", [wide, high]),
    ];
    status.extend(closes_in(state, terms).map(|ticks| Label::of("label.shrinks_in", [ticks])));
    status
}

/// In how many ticks the zone closes further, if it does.
fn closes_in(state: &State, terms: &Terms) -> Option<u32> {
    let played = state.tick.saturating_sub(1);
    let narrow =
        state.zone.max_x.saturating_sub(state.zone.min_x).min(state.zone.max_y.saturating_sub(state.zone.min_y));
    let shrinks = played / terms.zone_every < u32::from(terms.zone_shrinks) && narrow > 1;
    (shrinks && state.outcome.is_none()).then(|| terms.zone_every - played % terms.zone_every)
}

/// The zone less a tile on every side.
fn shrunk(zone: Zone) -> Zone {
    let Zone { min_x, max_x, min_y, max_y } = zone;
    Zone { min_x: min_x + 1, max_x: max_x.saturating_sub(1), min_y: min_y + 1, max_y: max_y.saturating_sub(1) }
}

fn area(state: &State, zone: Zone) -> Area {
    Area {
        first: point(state, Tile { x: zone.min_x, y: zone.max_y }),
        last: point(state, Tile { x: zone.max_x, y: zone.min_y }),
    }
}

/// The ground, without anybody on it.
fn board(state: &State) -> Board {
    let mut board = Board::empty(state.height.into(), state.width.into(), Origin::BottomLeft);
    for &wall in &state.walls {
        if let Some(ground) = board.ground_mut(point(state, wall)) {
            *ground = Ground::Wall;
        }
    }
    let item = |kind: PowerUpKind| match kind {
        PowerUpKind::Health => Item::Health,
        PowerUpKind::Damage => Item::Boost,
    };
    let powerups = state.powerups.iter().flatten();
    board.items =
        powerups.map(|powerup| Placed { at: point(state, powerup.tile()), item: item(powerup.kind) }).collect();
    board.safe = Some(area(state, state.zone));
    board
}

/// The squares in sight of a side's living bots; none where everything is seen.
fn sight(terms: &Terms, state: &State) -> Option<Vec<Area>> {
    let viewer = state.viewer.filter(|_| state.outcome.is_none())?;
    let own = |bot: &&super::BotState| {
        let teams = usize::from(terms.teams);
        let mate = |viewer: Seat| teams > 0 && viewer.index() % teams == bot.id.index() % teams;
        bot.alive && viewer.is_some_and(|viewer| viewer == bot.id || mate(viewer))
    };
    let eyes = state.bots.iter().filter(own).filter_map(|bot| bot.position);
    let area = |eye: super::Point| {
        let (west, south) = (eye.x.saturating_sub(terms.sight), eye.y.saturating_sub(terms.sight));
        let (east, north) = (eye.x.saturating_add(terms.sight), eye.y.saturating_add(terms.sight));
        let (east, north) = (east.min(state.width.saturating_sub(1)), north.min(state.height.saturating_sub(1)));
        Area { first: point(state, Tile { x: west, y: north }), last: point(state, Tile { x: east, y: south }) }
    };
    Some(eyes.map(area).collect())
}

/// Whether a bullet could have flown on from a tile.
fn open(state: &State, tile: Tile, direction: Direction) -> bool {
    let (right, up) = direction.delta();
    let next = tile.x.checked_add_signed(right).zip(tile.y.checked_add_signed(up));
    let next = next.map(|(x, y)| Tile { x, y });
    next.is_some_and(|next| next.x < state.width && next.y < state.height && !state.walls.contains(&next))
}

/// The highest row is on top.
fn point(state: &State, tile: Tile) -> Point {
    Point { row: usize::from(state.height.saturating_sub(tile.y.saturating_add(1))), col: tile.x.into() }
}
