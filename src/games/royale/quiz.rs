//! What can be asked about Grid Royale: who ends up where, who is shot, what bullets and the zone take.

use serde_json::json;

use super::{Event, Point, Position, Rules, Sighted, Source, State, Step, Tile, Zone};
use crate::games::Dice;
use crate::games::game::Game as _;
use crate::games::quiz::{
    Corner, PlayedTurn, Quiz, QuizRule, Solvable, draw_actor, draw_below, draw_orders, step_aside,
};
use crate::games::view::Viewer;

type Question = Solvable<Position>;

impl Quiz for Position {
    const ASKED: &'static [QuizRule<Position>] = &[
        QuizRule { rule: "moves", ask: ask_moves },
        QuizRule { rule: "shot", ask: ask_shot },
        QuizRule { rule: "hp", ask: ask_hp },
        QuizRule { rule: "zone", ask: ask_zone },
        QuizRule { rule: "sight", ask: ask_sight },
    ];

    /// What is seen is a question only where not everything is.
    fn asks(rules: &Rules, rule: &str) -> bool {
        rule != "sight" || rules.terms.sight > 0
    }

    /// Puts the bots near each other, late enough for a zone that can be left.
    fn gather(&self, state: &mut State, dice: &mut Dice) {
        let corner = Corner::draw(self.size(), dice);
        for bot in &mut state.bots {
            let (x, y) = corner.place(dice);
            bot.position = Some(Point { x, y });
        }
        state.turn = dice.below(60);
        state.tick = state.turn + 1;
        // It follows from the tick.
        state.zone = Zone::default();
    }

    /// Moves a bot one tile, puts up a wall or takes one away.
    fn vary(&self, state: &mut State, dice: &mut Dice) {
        if dice.below(3) == 0 {
            if let Some(at) = &mut state.bots[usize::from(draw_below(self.seats, dice))].position {
                step_aside(if dice.below(2) == 0 { &mut at.x } else { &mut at.y }, dice);
            }
        } else {
            let tile = Tile { x: draw_below(self.width, dice), y: draw_below(self.height, dice) };
            match state.walls.iter().position(|&wall| wall == tile) {
                Some(index) => drop(state.walls.remove(index)),
                None => state.walls.push(tile),
            }
        }
    }
}

/// Does the target stand there afterwards?
fn ask_moves(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| action.step != Step::Stay && action.shoot.is_none(), dice);
    let after = PlayedTurn::from(position, &joint)?.position;
    // Where it is, or where it wants to go: which of the two is the question.
    let at = if dice.below(2) == 0 { position } else { &after }.at(target);
    Some(Question::after(joint, "stands", [("target", json!(target)), ("at", json!(at))], move |after| {
        Some(after.position.at(target) == at)
    }))
}

/// Does the shot reach the target?
fn ask_shot(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| action.shoot.is_some(), dice);
    let seat = draw_actor(position, dice).filter(|&seat| seat != target)?;
    Some(Question::after(joint, "hit", [("seat", json!(seat)), ("target", json!(target))], move |after| {
        let hits =
            |event: &Event| matches!(event, Event::Shot { bot, hit, .. } if *bot == Some(seat) && *hit == Some(target));
        Some(after.events.iter().any(hits))
    }))
}

/// Does the target have so many hit points afterwards?
fn ask_hp(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| action.shoot.is_some(), dice);
    let after = PlayedTurn::from(position, &joint)?.position;
    let hp = if dice.below(2) == 0 { position } else { &after }.hp(target);
    Some(Question::after(joint, "hp", [("target", json!(target)), ("hp", json!(hp))], move |after| {
        Some(after.position.hp(target) == hp)
    }))
}

/// Does the target lose hit points outside the zone?
fn ask_zone(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let joint = draw_orders(position, |action| action.step != Step::Stay && action.shoot.is_none(), dice);
    Some(Question::after(joint, "zone", [("target", json!(target))], move |after| {
        let burns = |event: &Event| matches!(event, Event::Damage { bot, source: Source::Zone, .. } if *bot == target);
        Some(after.events.iter().any(burns))
    }))
}

/// Does the seat see the target afterwards?
fn ask_sight(position: &Position, dice: &mut Dice) -> Option<Question> {
    let target = draw_actor(position, dice)?;
    let seat = draw_actor(position, dice).filter(|&seat| !position.allies(seat, target))?;
    let joint = draw_orders(position, |action| action.shoot.is_none(), dice);
    Some(Question::after(joint, "sight", [("seat", json!(seat)), ("target", json!(target))], move |after| {
        let both_live = after.position.alive(seat) && after.position.alive(target) && !after.position.is_over();
        both_live.then(|| Sighted::new(&after.position, Viewer::Seat(seat)).at(target).is_some())
    }))
}
