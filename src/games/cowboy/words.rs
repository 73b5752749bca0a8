//! Cowboy for the words that players read: its board, and the examples of its brief, played on the engine.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::{Action, Beam, Bodies, Cell, Direction, Event, Hit, Illegal, Player, Position, Rules, State};
use crate::games::dice::Seed;
use crate::games::game::Game;
use crate::games::joint::{Joint, Order};
use crate::games::seat::{Seat, Seats};
use crate::games::sketch::sketch;
use crate::games::view::Seen;
use crate::games::words::{Example, Examples, PlayerTerms, PromptFiles, Term, Words, broken_rule, cell, prompt_files};

const A: Seat = Seat::new(0);
const B: Seat = Seat::new(1);
const C: Seat = Seat::new(2);

impl Words for Position {
    const PROMPTS: PromptFiles = prompt_files!("cowboy");

    fn status(seen: &Seen<Position>) -> Json {
        let position = seen.whole();
        json!({ "round": position.state("").round.min(position.max_rounds()), "max_rounds": position.max_rounds() })
    }

    fn sketch(seen: &Seen<Position>) -> String {
        draw(seen.whole(), |_| None)
    }

    fn players(seen: &Seen<Position>) -> Vec<PlayerTerms> {
        let players = seen.whole().state("").players.into_iter();
        players.map(|player| PlayerTerms { seat: player.seat, context: json!(player) }).collect()
    }

    fn listed(seen: &Seen<Position>) -> Option<Vec<Term>> {
        let position = seen.whole();
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
        let size = Term::line("rows", json!({ "last_row": rows - 1, "last_col": cols - 1 }));
        let things = [
            Term::things("walls", &walls),
            Term::things("blocks", &blocks),
            Term::things("players", &standing(true)),
            Term::things("bodies", &bodies),
        ];
        Some(std::iter::once(size).chain(things.into_iter().flatten()).collect())
    }

    fn examples(rules: &Rules, _seats: usize) -> Examples<Position> {
        let range = Range::new(rules);
        vec![
            ("shots", Example::Plain(Direction::ALL.map(|direction| range.shot(direction)).into_iter().collect())),
            ("shields", Example::Plain(Direction::ALL.map(|travels| range.shields(travels)).into_iter().collect())),
            ("reach", Example::Plain(json!(range.reach()))),
            ("diagonal", Example::Plain(json!(range.against_the_diagonal()))),
            ("shot", Example::Group(shot(&range))),
            ("adjacent", Example::Group(adjacent(&range))),
        ]
    }

    fn broken(illegal: &Illegal) -> Term {
        match illegal {
            Illegal::Message(bad) => Term::from(bad),
            rule => broken_rule(rule),
        }
    }

    fn is_own_doing(event: &Event, _seat: Seat) -> bool {
        !matches!(event, Event::Passed { .. })
    }
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

/// One shot among three: who is hit, who is not, and what a shield would have done.
fn shot(range: &Range) -> Examples<Position> {
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
    let untouched: Vec<Seat> = [B, C].into_iter().filter(|&seat| hit(seat).is_none()).collect();
    vec![
        ("board", Example::Plain(json!(draw(&before, |at| light(&beams, entry, at))))),
        ("action", Example::Plain(json!(Action::Shoot { direction: Direction::Right }.to_string()))),
        ("events", Example::Events(events)),
        ("target", Example::Plain(json!(target))),
        ("untouched", Example::Plain(json!(untouched))),
        ("shield", Example::Plain(json!(holds))),
        ("blocked", Example::Events(blocked)),
    ]
}

/// What comes of shooting at a neighbour.
fn adjacent(range: &Range) -> Examples<Position> {
    let players = [(Cell { row: 2, col: 2 }, Direction::Left), (Cell { row: 2, col: 3 }, Direction::Up)];
    let position = range.place(5, &[], &players);
    let action = Action::Shoot { direction: Direction::Right };
    let refused = position.check(A, &action).err();
    vec![("action", Example::Plain(json!(action.to_string()))), ("refused", Example::Broken(refused))]
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
