//! Moves and shields.

use super::{STRAIGHT, TEE, check};

#[test]
fn a_move_goes_one_cell_each_way() {
    for (action, expected) in [
        ("move up", "A goes to (0, 1)"),
        ("move down", "A goes to (2, 1)"),
        ("move left", "A goes to (1, 0)"),
        ("move right", "A goes to (1, 2)"),
    ] {
        let board = format!(
            "
            . . .
            . A .   A: {action}
            . . B"
        );
        check(TEE, &board, expected);
        check(STRAIGHT, &board, expected);
    }
}

#[test]
fn a_move_off_the_board_is_refused() {
    for action in ["move up", "move down", "move left", "move right"] {
        check(TEE, &format!("A   A: {action}"), "move_out_of_bounds");
        check(STRAIGHT, &format!("A   A: {action}"), "move_out_of_bounds");
    }
}

#[test]
fn a_move_into_a_wall_or_a_block_is_refused() {
    for action in ["move up", "move down", "move left", "move right"] {
        let board = format!(
            "
            B # .
            1 A #    A: {action}
            . 9 ."
        );
        check(TEE, &board, "move_into_block");
        check(STRAIGHT, &board, "move_into_block");
    }
}

#[test]
fn a_move_into_a_player_is_refused() {
    for action in ["move up", "move down", "move left"] {
        let board = format!(
            "
            . B .
            C A .    A: {action}
            . D ."
        );
        check(TEE, &board, "move_into_player");
        check(STRAIGHT, &board, "move_into_player");
    }
}

#[test]
fn a_body_blocks_moves_where_bodies_stay() {
    check(TEE, "A b C   A: move right", "move_into_player");
}

#[test]
fn where_the_dead_vanish_their_cell_is_free() {
    check(STRAIGHT, "A b C   A: move right", "A goes to (0, 1)");
}

#[test]
fn a_cell_that_was_shot_free_can_be_entered() {
    check(
        STRAIGHT,
        "
        A 1 B    A: shoot right
        . . .    B: pass
        . . .    A: move right",
        "right block (0, 1) 0 left; B passes; A goes to (0, 1)",
    );
}

#[test]
fn a_shield_turns_any_way_also_to_where_it_faces() {
    for direction in ["up", "down", "left", "right"] {
        let board = format!(
            "
            # # .
            # A B    A: shield {direction}
            # 1 ."
        );
        check(TEE, &board, &format!("A shields {direction}"));
        check(STRAIGHT, &board, &format!("A shields {direction}"));
    }
}

#[test]
fn a_turned_shield_stays_for_defence_and_for_ones_own_shots() {
    check(
        TEE,
        "
        . . . B    A<   B^
        A . . .    B: shield left
        . . . .    A: shoot up
        . . . .    B: pass
        . . . .    A: shield up
        . . . .    B: pass
        . . . .    A: shoot up",
        "B shields left; left off at (0, 0), right B blocks; B passes; A shields up; B passes; shoot_own_shield",
    );
}
