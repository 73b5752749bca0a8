//! What the signs on a board mean: only those that are on it.

use crate::briefs::Language;
use crate::games::scene::{Board, Ground, Item, Point};
use crate::pictures::arrow;

/// The legend of a board, sign by sign.
pub(super) fn entries(board: &Board, language: Language) -> Vec<String> {
    let squares = || {
        let all = (0..board.rows()).flat_map(|row| (0..board.cols()).map(move |col| Point { row, col }));
        all.filter_map(|at| board.square(at))
    };
    let mut entries = Vec::new();
    let mut add = |sign: &str, en: &'static str, zh: &'static str| {
        entries.push(format!("{sign} {}", language.pick(en, zh)));
    };
    let mut living = board.pieces.iter().filter(|piece| piece.alive);
    if let Some(piece) = living.next() {
        match (piece.facing, piece.meter) {
            (Some(direction), _) => {
                add(&format!("{}{}", piece.seat, arrow(direction)), "player with its direction", "玩家及其方向");
            }
            (None, Some(meter)) => {
                add(&format!("{}{}", piece.seat, meter.value), "player and what it has left", "玩家及其余量");
            }
            (None, None) => add(&piece.seat.to_string(), "player", "玩家"),
        }
    }
    if let Some(body) = board.pieces.iter().find(|piece| !piece.alive) {
        add(&format!("{}†", body.seat.to_string().to_lowercase()), "fallen", "已出局");
    }
    let mut owner = None;
    let (mut wall, mut block, mut fog, mut outside) = (false, None, false, false);
    let (mut health, mut boost) = (false, false);
    for square in squares() {
        match square.ground {
            Ground::Wall => wall = true,
            Ground::Block { hp } => block = block.or(Some(hp)),
            Ground::Owned { seat } => owner = owner.or(Some(seat)),
            Ground::Empty => {}
        }
        fog |= square.fog;
        outside |= square.outside;
        health |= square.item == Some(Item::Health);
        boost |= square.item == Some(Item::Boost);
    }
    if let Some(seat) = owner {
        add(&seat.to_string().to_lowercase(), "its colour or trail", "它的颜色或光迹");
    }
    if wall {
        add("█", "wall", "墙");
    }
    if let Some(hp) = block {
        add(&hp.to_string(), "block, with the hits it takes", "砖块及其剩余次数");
    }
    if outside {
        add("░", "outside the safe zone", "安全区之外");
    }
    if fog {
        add("?", "out of sight", "视野之外");
    }
    if health {
        add("+", "health", "补给");
    }
    if boost {
        add("$", "damage boost", "强化");
    }
    entries
}
