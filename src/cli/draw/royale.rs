//! Grid Royale: a grid that counts upward, a zone that closes, shots from all sides at once.

use super::picture::{
    Badge, Bar, Board, Effect, End, Ground, Item, Mark, Origin, Picture, Piece, Point, Standing, Step, Trail,
};
use super::words::Language;
use super::{Show, text};
use crate::games::royale::{Direction, Event, Kind, Source, State, Terms, Tile};
use crate::games::ruleset::Rules;
use crate::games::seat::{Seat, Seats};

/// The picture of a position and of the tick that led to it.
pub(super) fn picture(show: &Show, state: &State, events: &[&Event]) -> Picture {
    let language = show.language;
    let rules = if let Rules::Royale(rules) = &show.ruleset.rules { Some(rules) } else { None };
    let most = state.bots.iter().map(|bot| bot.hp).max().unwrap_or(1);
    let full = rules.map_or(most, |rules| rules.hp.max(most));
    let mut board = ground(state);
    // The dead are off the grid, but on the picture of the tick in which they fell they are still to be seen.
    let fallen: Seats = events
        .iter()
        .filter_map(|event| if let Event::Eliminated { bot, .. } = event { Some(*bot) } else { None })
        .collect();
    let seen = state.bots.iter().filter(|bot| bot.alive || fallen.contains(bot.id));
    board.pieces = seen
        .map(|bot| Piece {
            seat: bot.id,
            at: point(state, bot.position.tile()),
            alive: bot.alive,
            badge: if bot.alive { Badge::Pips { hp: bot.hp, of: full } } else { Badge::None },
            to_act: false,
        })
        .collect();
    for event in events {
        draw_event(&mut board, state, event);
    }
    Picture {
        title: text::clean(&state.ruleset),
        status: status(language, state, rules.map(|rules| &rules.terms)),
        board,
        players: players(show, state, full),
        shares: None,
        result: show.result(state.outcome.as_ref()),
        notes: Vec::new(),
        language,
    }
}

fn players(show: &Show, state: &State, full: u16) -> Vec<Standing> {
    let language = show.language;
    state
        .bots
        .iter()
        .map(|bot| {
            let mut facts = vec![language.kills(bot.kills.into())];
            facts.extend(bot.team.map(|team| format!("{} {}", language.pick("team", "队"), u32::from(team) + 1)));
            facts.extend(
                bot.boost.filter(|&boost| boost > 0).map(|boost| format!("{} {boost}", language.pick("boost", "增伤"))),
            );
            facts.extend((bot.timeouts > 0).then(|| format!("{} {}", language.pick("late", "超时"), bot.timeouts)));
            Standing {
                seat: bot.id,
                name: show.name(bot.id),
                to_act: false,
                alive: bot.alive,
                bar: Bar { value: bot.hp.into(), of: full.into() },
                shield: None,
                facts,
                place: bot.place.map(|place| language.place(place)),
            }
        })
        .collect()
}

/// The tick to be played, and what becomes of the zone.
fn status(language: Language, state: &State, terms: Option<&Terms>) -> Vec<String> {
    let tick = terms.map_or(state.tick, |terms| state.tick.min(terms.max_ticks));
    let zone = state.zone;
    let wide = u32::from(zone.max_x.saturating_sub(zone.min_x)) + 1;
    let high = u32::from(zone.max_y.saturating_sub(zone.min_y)) + 1;
    let mut status = vec![
        language.tick(tick, terms.map(|terms| terms.max_ticks)),
        format!("{} {wide} × {high}", language.pick("zone", "安全区")),
    ];
    if let Some(terms) = terms.filter(|_| state.outcome.is_none()) {
        let played = state.tick.saturating_sub(1);
        if played / terms.zone_every < u32::from(terms.zone_shrinks) && wide.min(high) > 2 {
            status.push(language.shrinks_in(terms.zone_every - played % terms.zone_every));
        }
    }
    status
}

fn ground(state: &State) -> Board {
    let mut board = Board::empty(state.height.into(), state.width.into(), Origin::BottomLeft);
    for y in 0..state.height {
        for x in 0..state.width {
            let tile = Tile { x, y };
            let square = board.square_mut(point(state, tile)).expect("on the grid");
            square.outside = !state.zone.contains(tile);
        }
    }
    for &wall in &state.walls {
        if let Some(square) = board.square_mut(point(state, wall)) {
            square.ground = Ground::Wall;
        }
    }
    for powerup in state.powerups.iter().flatten() {
        if let Some(square) = board.square_mut(point(state, powerup.tile())) {
            square.item = Some(match powerup.kind {
                Kind::Health => Item::Health,
                Kind::Damage => Item::Boost,
            });
        }
    }
    board
}

fn draw_event(board: &mut Board, state: &State, event: &Event) {
    let at = |tile: Tile| point(state, tile);
    let place_of = |seat: Seat| state.bots.iter().find(|bot| bot.id == seat).map(|bot| at(bot.position.tile()));
    let mark = |board: &mut Board, seat, effect| board.marks.extend(place_of(seat).map(|at| Mark { at, effect }));
    match *event {
        Event::Blocked { bot, .. } | Event::Bounce { bot, .. } => mark(board, bot, Effect::Bounced),
        Event::Move { bot, from, to } => board.steps.push(Step { seat: bot, from: at(from), to: at(to) }),
        Event::Shot { bot, direction, from, to, hit } => {
            let end = match hit {
                Some(_) => End::Face,
                None if open(state, to, direction) => End::Spent,
                None => End::Through,
            };
            board.trails.push(Trail { seat: bot, from: at(from), to: at(to), end });
        }
        Event::Damage { bot, source: Source::Bullet, .. } => mark(board, bot, Effect::Hit),
        Event::Damage { bot, source: Source::Zone, .. } => mark(board, bot, Effect::Scorched),
        Event::Eliminated { bot, .. } => mark(board, bot, Effect::Killed),
        Event::StandIn { .. }
        | Event::Passed { .. }
        | Event::Forfeited { .. }
        | Event::Pickup { .. }
        | Event::Kill { .. }
        | Event::Spawn { .. }
        | Event::Ended { .. } => {}
    }
}

/// Whether a bullet could have flown on from a tile.
fn open(state: &State, tile: Tile, direction: Direction) -> bool {
    let Tile { x, y } = tile;
    let next = match direction {
        Direction::North => y.checked_add(1).map(|y| Tile { x, y }),
        Direction::South => y.checked_sub(1).map(|y| Tile { x, y }),
        Direction::East => x.checked_add(1).map(|x| Tile { x, y }),
        Direction::West => x.checked_sub(1).map(|x| Tile { x, y }),
    };
    next.is_some_and(|next| next.x < state.width && next.y < state.height && !state.walls.contains(&next))
}

/// The highest row is on top.
fn point(state: &State, tile: Tile) -> Point {
    Point { row: usize::from(state.height.saturating_sub(tile.y.saturating_add(1))), col: tile.x.into() }
}
