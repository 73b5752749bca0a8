mod cowboy;
mod paint;
mod royale;
mod text;
mod viewer;

use std::sync::Arc;

use serde_json::Value as Json;

use super::*;
use crate::games::Action;
use crate::games::dice::Seed;
use crate::games::joint::{Joint, Order};
use crate::games::ruleset::Ruleset;
use crate::games::seat::Seat;
use crate::games::table::{Event, State};
use crate::games::table::{Table, order};
use crate::pictures::text::columns;
use crate::pictures::{Frame, Language, Picture, PictureNote, Show, render_svg};

/// A turn that is played from a position that is set up.
struct DrawnTurn {
    show: Show,
    before: State,
    after: State,
    events: Vec<Event>,
}

/// Plays one turn, given as `A: shoot up; B: stay`, from a state of the ruleset.
fn play(ruleset: &Json, state: &Json, names: &[&str], actions: &str) -> DrawnTurn {
    let ruleset = Arc::new(Ruleset::from_json(ruleset).expect("a good ruleset"));
    let mut table = Table::from_state(ruleset.clone(), state).expect("a good state");
    let before = table.state();
    let joint: Joint<Action> = actions
        .split(';')
        .map(|action| {
            let (seat, action) = action.split_once(':').expect("a seat and its action");
            (seat.trim().parse().expect("a seat"), order(&table, action).expect("an action"))
        })
        .collect();
    let events = table.play(&joint, &mut Seed(1).dice()).expect("legal actions");
    let names = names.iter().map(ToString::to_string).collect();
    DrawnTurn { show: Show { ruleset, names, language: Language::En }, before, after: table.state(), events }
}

impl DrawnTurn {
    fn picture(&self) -> Picture {
        self.show.picture(&self.after, &self.events)
    }

    /// The picture without colour, less the spaces at the ends of its lines.
    fn plain(&self) -> String {
        let text = render_ansi(&self.picture(), &AnsiOptions::default());
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    fn frame(&self) -> Frame {
        Frame { state: self.after.clone(), events: self.events.clone(), notes: Vec::new() }
    }
}

#[test]
fn every_turn_of_every_ruleset_can_be_drawn() {
    for name in crate::games::library::rulesets() {
        let ruleset = Arc::new(Ruleset::named(name).expect("built in"));
        let seats = ruleset.players.max.min(9);
        let show = Show { ruleset: ruleset.clone(), names: vec!["牛仔".to_owned()], language: Language::Zh };
        let mut table = Table::open(ruleset, seats, Seed(5)).expect("as many as can play");
        let mut dice = Seed(6).dice();
        let mut events = Vec::new();
        for _ in 0..60 {
            let picture = show.picture(&table.state(), &events);
            check_even(&render_ansi(&picture, &AnsiOptions { depth: Depth::Indexed, width: 70 }));
            check_nested(&render_svg(&picture));
            if table.outcome().is_some() {
                break;
            }
            let joint: Joint<Action> =
                table.to_act().iter().map(|seat| (seat, Order::Play(table.random_legal(seat, &mut dice)))).collect();
            events = table.play(&joint, &mut dice).expect("legal actions");
        }
    }
}

/// Compares text drawn in a test, with a line break before and after it, with text that was rendered.
#[track_caller]
fn check(rendered: &str, drawn: &str) {
    assert_eq!(rendered, drawn.trim_matches('\n'), "\n{rendered}\n");
}

/// Whether all lines take as many columns as the first, escape sequences left aside.
#[track_caller]
fn check_even(rendered: &str) {
    let widths: Vec<usize> = rendered.lines().map(|line| columns(&without_escapes(line))).collect();
    assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{widths:?}\n{rendered}");
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, after)| after))
}

/// Whether every element that is opened is closed in its turn.
#[track_caller]
fn check_nested(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1).map(|part| part.split('>').next().unwrap_or_default()) {
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{svg}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
