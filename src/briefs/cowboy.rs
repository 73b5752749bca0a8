//! Cowboy in words: its board, and the examples of its brief, played on the engine.

use std::borrow::Cow;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::book::Book;
use super::language::Language;
use super::refusal::illegal_sentence;
use super::sketch::sketch;
use super::style::{Line, cell, line};
use super::turn::{View, event_sentence};
use crate::games::cowboy::{Action, Beam, Bodies, Cell, Direction, Event, Hit, Player, Position, Rules, State};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::seat::{Seat, Seats};
use crate::games::table;

const A: Seat = Seat::new(0);
const B: Seat = Seat::new(1);
const C: Seat = Seat::new(2);

/// The position, drawn and listed.
pub(super) fn view(position: &Position, you: Option<Seat>, book: &Book) -> View {
    let state = position.state("");
    let players = state.players.iter().map(|player| {
        let mut context = json!(player);
        context["you"] = json!(you == Some(player.seat));
        book.render("board.cowboy.player", context)
    });
    let status = json!({ "round": state.round, "max_rounds": position.max_rounds() });
    View {
        status: book.render("board.cowboy.status", status),
        grid: draw(position, |_| None),
        players: players.collect(),
    }
}

/// The position as a list of what is where.
pub(super) fn listed(position: &Position) -> Vec<Line> {
    let (rows, cols) = position.size();
    let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| Cell { row, col }));
    let (mut walls, mut blocks) = (Vec::new(), Vec::new());
    for at in cells {
        match position.cell(at) {
            0 => {}
            -1 => walls.push(cell(at.row, at.col)),
            hit_points => blocks.push(format!("{}={hit_points}", cell(at.row, at.col))),
        }
    }
    let standing = |alive: bool| -> Vec<String> {
        let seats = Seat::first(position.seats()).filter(move |&seat| position.alive(seat) == alive);
        seats.map(|seat| format!("{seat} {}", cell(position.at(seat).row, position.at(seat).col))).collect()
    };
    let bodies = if position.bodies() == Bodies::BlockMoves { standing(false) } else { Vec::new() };
    let size = json!({ "last_row": rows - 1, "last_col": cols - 1 });
    let things =
        [line("walls", &walls), line("blocks", &blocks), line("players", &standing(true)), line("bodies", &bodies)];
    std::iter::once(("rows", size)).chain(things.into_iter().flatten()).collect()
}

/// The board, with marks on empty cells.
fn draw(position: &Position, mark: impl Fn(Cell) -> Option<char>) -> String {
    let (rows, cols) = position.size();
    let here = |at: Cell, alive: bool| {
        Seat::first(position.seats()).find(|&seat| position.at(seat) == at && position.alive(seat) == alive)
    };
    let symbol = |at: Cell| match position.cell(at) {
        -1 => Cow::from("#"),
        0 => match (here(at, true), here(at, false)) {
            (Some(seat), _) => seat.to_string().into(),
            (None, Some(body)) if position.bodies() == Bodies::BlockMoves => body.to_string().to_lowercase().into(),
            _ => mark(at).map_or(".".into(), |mark| mark.to_string().into()),
        },
        hit_points => hit_points.to_string().into(),
    };
    let lines = (0..rows).map(|row| (usize::from(row), (0..cols).map(|col| symbol(Cell { row, col })).collect()));
    sketch(&lines.collect::<Vec<(usize, Vec<Cow<'_, str>>)>>())
}

/// What the brief shows beside the fields of the ruleset.
pub(super) fn examples(rules: &Rules, language: Language) -> JsonMap<String, Json> {
    let range = Range::new(rules);
    let mut examples = JsonMap::new();
    examples.insert("shots".into(), Direction::ALL.map(|direction| range.shot(direction)).into_iter().collect());
    examples.insert("shields".into(), Direction::ALL.map(|travels| range.shields(travels)).into_iter().collect());
    examples.insert("reach".into(), json!(range.reach()));
    examples.insert("diagonal".into(), json!(range.against_the_diagonal()));
    examples.insert("shot".into(), shot(&range, language));
    examples.insert("adjacent".into(), adjacent(&range, language));
    examples
}

/// One shot among three: who is hit, who is not, and what a shield would have done.
fn shot(range: &Range, language: Language) -> Json {
    let blocks = [(Cell { row: 4, col: 3 }, 2)];
    let shooter = (Cell { row: 2, col: 2 }, Direction::Left);
    let above = (Cell { row: 0, col: 3 }, Direction::Up);
    let ahead = (Cell { row: 2, col: 5 }, Direction::Right);
    let before = range.place(5, &blocks, &[shooter, above, ahead]);
    let (events, beams) = fire(&before, Direction::Right);
    let hit = |seat: Seat| beams.iter().find(|beam| matches!(beam.hit, Hit::Player { seat: who, .. } if who == seat));
    let (target, beam) =
        [B, C].into_iter().find_map(|seat| Some((seat, hit(seat)?))).expect("one of them is in the way");
    let holds = range.holding(beam.direction);
    let shielded = |seat: Seat, (at, shield): (Cell, Direction)| (at, if seat == target { holds } else { shield });
    let with_shield = range.place(5, &blocks, &[shooter, shielded(B, above), shielded(C, ahead)]);
    let (blocked, _) = fire(&with_shield, Direction::Right);
    let entry = events.iter().find_map(|event| match event {
        Event::Shot { entry, .. } => *entry,
        _ => None,
    });
    let tell = |events: &[Event]| -> Vec<String> {
        events.iter().map(|event| event_sentence(&table::Event::Cowboy(event.clone()), language)).collect()
    };
    let untouched: Vec<Seat> = [B, C].into_iter().filter(|&seat| hit(seat).is_none()).collect();
    json!({
        "board": draw(&before, |at| light(&beams, entry, at)),
        "action": Action::Shoot { direction: Direction::Right }.to_string(),
        "events": tell(&events),
        "target": target,
        "untouched": untouched,
        "shield": holds,
        "blocked": tell(&blocked),
    })
}

/// What comes of shooting at a neighbour.
fn adjacent(range: &Range, language: Language) -> Json {
    let players = [(Cell { row: 2, col: 2 }, Direction::Left), (Cell { row: 2, col: 3 }, Direction::Up)];
    let position = range.place(5, &[], &players);
    let action = Action::Shoot { direction: Direction::Right };
    let refused = position.check(A, &action).err();
    json!({
        "action": action.to_string(),
        "refused": refused.map(|illegal| illegal_sentence(&table::Illegal::Cowboy(illegal), language)),
    })
}

/// An open board where this ruleset's laser was tried from every cell on B in the centre.
struct Range {
    rules: Rules,
    reached: Vec<Reached>,
}

/// A shot on the range that reaches B.
struct Reached {
    shooter: Cell,
    shield: Direction,
    travels: Direction,
    blocked: bool,
}

impl Range {
    const SIZE: u8 = 7;
    const CENTRE: Cell = Cell { row: 3, col: 3 };

    fn new(rules: &Rules) -> Range {
        // The same rules with seats enough for every example.
        let mut range = Range { rules: Rules { sides: Direction::ALL.to_vec(), ..rules.clone() }, reached: Vec::new() };
        for shooter in cells().filter(|&at| at != Range::CENTRE) {
            for (direction, shield) in
                Direction::ALL.into_iter().flat_map(|way| Direction::ALL.map(|other| (way, other)))
            {
                let reached = range.reached_from(shooter, direction, shield);
                range.reached.extend(reached);
            }
        }
        range
    }

    fn reached_from(&self, shooter: Cell, direction: Direction, shield: Direction) -> Option<Reached> {
        let players = [(shooter, direction.opposite()), (Range::CENTRE, shield)];
        let position = self.place(Range::SIZE, &[], &players);
        position.check(A, &Action::Shoot { direction }).ok()?;
        position.preview(A, direction).into_iter().find_map(|beam| match beam.hit {
            Hit::Player { seat: B, blocked, .. } => Some(Reached { shooter, shield, travels: beam.direction, blocked }),
            _ => None,
        })
    }

    /// A position with so many rows, A to act.
    fn place(&self, rows: u8, blocks: &[(Cell, i16)], players: &[(Cell, Direction)]) -> Position {
        let mut grid = vec![vec![0; usize::from(Range::SIZE)]; usize::from(rows)];
        for &(at, hit_points) in blocks {
            grid[usize::from(at.row)][usize::from(at.col)] = hit_points;
        }
        let player = |(index, &(at, shield)): (usize, &(Cell, Direction))| Player {
            seat: Seat::new(index),
            row: at.row,
            col: at.col,
            hp: self.rules.hp,
            shield,
            alive: true,
            kills: 0,
            place: None,
        };
        let state = State {
            ruleset: String::new(),
            turn: 0,
            to_act: Seats::one(A),
            outcome: None,
            round: 1,
            grid,
            players: players.iter().enumerate().map(player).collect(),
        };
        Position::from_state(&self.rules, &state).expect("an example is a sound position")
    }

    /// The shield that stops all that travels this way.
    fn holding(&self, travels: Direction) -> Direction {
        let these = |shield| self.reached.iter().filter(move |it| it.travels == travels && it.shield == shield);
        let holds = |&shield: &Direction| these(shield).all(|reached| reached.blocked);
        Direction::ALL.into_iter().find(holds).expect("every beam can be stopped")
    }

    fn shields(&self, travels: Direction) -> Json {
        json!({ "travels": travels, "comes_from": travels.opposite(), "shield": self.holding(travels) })
    }

    /// Where a shot from the middle of nowhere goes.
    fn shot(&self, direction: Direction) -> Json {
        let far = (Cell { row: 0, col: 0 }, Direction::Up);
        let position = self.place(Range::SIZE, &[], &[(Range::CENTRE, direction.opposite()), far]);
        let beams = position.preview(A, direction);
        json!({ "direction": direction, "beams": beams.iter().map(|beam| beam.direction).collect::<Vec<_>>() })
    }

    /// The range, with a mark on each cell from which some shot reaches B.
    fn reach(&self) -> String {
        let marked = |at: Cell| self.reached.iter().any(|reached| reached.shooter == at);
        let rows = (0..Range::SIZE).map(|row| {
            let symbol = |at: Cell| match at {
                Range::CENTRE => "B",
                _ if marked(at) => "x",
                _ => ".",
            };
            (usize::from(row), (0..Range::SIZE).map(|col| symbol(Cell { row, col })).collect())
        });
        sketch(&rows.collect::<Vec<(usize, Vec<&str>)>>())
    }

    /// The shields that B would need, all at once, against a neighbour on the diagonal.
    fn against_the_diagonal(&self) -> Vec<Direction> {
        let neighbour = Cell { row: Range::CENTRE.row - 1, col: Range::CENTRE.col - 1 };
        let from_there = |travels: &Direction| {
            self.reached.iter().any(|reached| reached.shooter == neighbour && reached.travels == *travels)
        };
        Direction::ALL.into_iter().filter(from_there).map(|travels| self.holding(travels)).collect()
    }
}

fn cells() -> impl Iterator<Item = Cell> {
    (0..Range::SIZE).flat_map(|row| (0..Range::SIZE).map(move |col| Cell { row, col }))
}

/// A's shot, played: all that happens, and the beams.
fn fire(position: &Position, direction: Direction) -> (Vec<Event>, Vec<Beam>) {
    let joint = Joint::one(A, Order::Play(Action::Shoot { direction }));
    let events = position.clone().play(&joint, &mut Seed(0).turn(0)).expect("an example shot is legal");
    let beams = events.iter().find_map(|event| match event {
        Event::Shot { beams, .. } => Some(beams.clone()),
        _ => None,
    });
    (events, beams.expect("a shot tells of its beams"))
}

/// How a cell looks that the light passes.
fn light(beams: &[Beam], entry: Option<Cell>, at: Cell) -> Option<char> {
    if entry == Some(at) {
        return Some('+');
    }
    beams.iter().find_map(|beam| {
        let between = |a: u8, b: u8, x: u8| (a.min(b)..=a.max(b)).contains(&x);
        let passes = between(beam.from.row, beam.to.row, at.row) && between(beam.from.col, beam.to.col, at.col);
        passes.then_some(match beam.direction {
            Direction::Up | Direction::Down => '|',
            Direction::Left | Direction::Right => '-',
        })
    })
}
