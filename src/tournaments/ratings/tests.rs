use super::super::chance::unit;
use super::super::schedule::Edition;
use super::super::verdict::expected_score;
use super::*;
use crate::games::Dice;

fn duel(one: u32, other: u32, places: [u32; 2]) -> GameResult {
    GameResult { seats: vec![Entrant(one), Entrant(other)], places: places.to_vec() }
}

fn alone(game: GameResult) -> PlayedBlock {
    PlayedBlock { course: 0, games: vec![game], times: 1 }
}

/// As good as no prior, and seats that do not matter: what textbooks fit.
fn textbook(anchor: u32) -> FitOptions {
    FitOptions {
        anchor: Some(Entrant(anchor)),
        spread: Some(1e6),
        draws: DrawEffects::Common,
        seats: SeatEffects::Ignored,
        replicates: 40,
        ..FitOptions::default()
    }
}

fn strengths(fit: &Fit) -> Vec<f64> {
    fit.players.iter().map(|rated| (rated.rating - ANCHOR) / POINTS).collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (one, other) in found.iter().zip(expected) {
        assert!((one - other).abs() < tolerance, "{found:?}, not {expected:?}");
    }
}

#[test]
fn bradley_and_terry_of_the_american_league() {
    // Eastern Division of the American League, 1987: wins of each row against each column (Agresti, "Categorical Data
    // Analysis", 1990). Fitted strengths relative to Baltimore as the R package BradleyTerry2 gives them, and as scipy
    // recomputes them (1.58136, 1.43641, 1.29449, 1.24762, 1.10770, 0.68385).
    let wins: [[u32; 7]; 7] = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ];
    let mut blocks = Vec::new();
    for (one, row) in (0..).zip(wins) {
        for (other, times) in (0..).zip(row) {
            blocks.extend((0..times).map(|_| alone(duel(one, other, [1, 2]))));
        }
    }
    let fit = fit(7, &blocks, &textbook(6));
    assert_close(&strengths(&fit), &[1.58136, 1.43641, 1.29449, 1.24762, 1.10770, 0.68385, 0.0], 2e-5);
    assert_eq!((fit.players[0].wins, fit.players[0].losses, fit.players[0].rank), (50, 28, 1));
    assert_eq!(fit.log_draw_weights, [0.0; 0]);
}

#[test]
fn davidson_of_chocolate_puddings() {
    // Four of the six brands of chocolate pudding of Davidson (1970), example 2: preferred, not preferred, tied.
    // Strengths relative to the first brand and log ν recomputed with scipy (BFGS).
    let tastings = [
        (0, 1, 19, 22, 16),
        (0, 2, 16, 19, 12),
        (1, 2, 19, 19, 10),
        (0, 3, 18, 23, 13),
        (1, 3, 23, 19, 9),
        (2, 3, 19, 20, 15),
    ];
    let mut blocks = Vec::new();
    for (one, other, won, lost, tied) in tastings {
        for (places, times) in [([1, 2], won), ([2, 1], lost), ([1, 1], tied)] {
            blocks.extend((0..times).map(|_| alone(duel(one, other, places))));
        }
    }
    let fit = fit(4, &blocks, &textbook(0));
    // The weak prior on ν is worth a third of a tie in 81 of 311.
    assert_close(&strengths(&fit), &[0.0, 0.221_789, 0.165_065, 0.160_441], 2e-4);
    assert_close(&[fit.log_draw_weights[0]], &[-0.450_861], 2e-3);
}

#[test]
fn plackett_and_luce_of_fruit() {
    // The six partial rankings of four fruits, with ties of two and three, that the R package PlackettLuce documents
    // itself with. Strengths with a normal prior of variance 1 recomputed with scipy (BFGS), the priors of ties as ours.
    let rankings = [[1, 2, 0, 0], [4, 1, 2, 3], [2, 1, 1, 1], [1, 2, 3, 0], [2, 1, 1, 0], [1, 0, 3, 2]];
    let blocks: Vec<PlayedBlock> = rankings
        .iter()
        .map(|places| {
            let ranked = (0..).zip(places).filter(|&(_, &place)| place > 0);
            let (seats, places) = ranked.map(|(one, &place)| (Entrant(one), place)).unzip();
            alone(GameResult { seats, places })
        })
        .collect();
    let fit = fit(4, &blocks, &FitOptions { spread: Some(POINTS), ..textbook(0) });
    assert_close(&strengths(&fit), &FRUIT, 1e-5);
}

const FRUIT: [f64; 4] = [0.0, 0.186_534_09, -0.439_675_52, -0.043_883_63];

/// Players as the model knows them.
struct Truth<'a> {
    strengths: &'a [f64],
    /// What each adds to ln ν of a pair; 0 beyond the end.
    draws: &'a [f64],
    /// ln ν of a pair that adds nothing.
    tau: f64,
}

impl Truth<'_> {
    /// A game that ends as the model says.
    fn play(&self, seats: &[u32], worth: &[f64], dice: &mut Dice) -> GameResult {
        let at = |seat: usize| self.strengths[seats[seat] as usize] + worth[seat];
        let draws = |seat: usize| self.draws.get(seats[seat] as usize).copied().unwrap_or(0.0);
        let mut places = vec![0; seats.len()];
        let mut left: Vec<usize> = (0..seats.len()).collect();
        let mut place = 1;
        while !left.is_empty() {
            let mut sets: Vec<(Vec<usize>, f64)> = left.iter().map(|&seat| (vec![seat], at(seat).exp())).collect();
            for (index, &one) in left.iter().enumerate() {
                for &other in &left[..index] {
                    let weight = self.tau + draws(one) + draws(other) + f64::midpoint(at(one), at(other));
                    sets.push((vec![one, other], weight.exp()));
                }
            }
            let mut throw = unit(dice) * sets.iter().map(|(_, weight)| weight).sum::<f64>();
            let chosen = sets.iter().find(|(_, weight)| {
                throw -= weight;
                throw < 0.0
            });
            let chosen = chosen.unwrap_or(&sets[0]).0.clone();
            for &seat in &chosen {
                places[seat] = place;
            }
            place += u32::try_from(chosen.len()).expect("few");
            left.retain(|seat| !chosen.contains(seat));
        }
        GameResult { seats: seats.iter().map(|&one| Entrant(one)).collect(), places }
    }

    /// Everybody against everybody, in blocks of two games.
    fn round_robin(&self, blocks: u32, worth: f64, dice: &mut Dice) -> Vec<PlayedBlock> {
        let players = u32::try_from(self.strengths.len()).expect("few");
        let mut played = Vec::new();
        for one in 0..players {
            for other in 0..one {
                for _ in 0..blocks {
                    // Who sits better is settled by the seed, once for both games: their results go against each other.
                    let worth = if unit(dice) < 0.5 { [worth, -worth] } else { [-worth, worth] };
                    let games = [[one, other], [other, one]].map(|seats| self.play(&seats, &worth, dice));
                    played.push(PlayedBlock { course: 0, games: games.to_vec(), times: 1 });
                }
            }
        }
        played
    }
}

/// A draw propensity with which nothing is drawn.
const NEVER: f64 = -50.0;

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    // The short form; `cargo run --release --example coverage` is the long one.
    let points = |points: f64| points / POINTS;
    let near = [0.0, 0.3, -0.4, 0.9, 0.2];
    let wide = [0.0, 200.0, 400.0, 600.0, 800.0].map(points);
    let options = FitOptions { anchor: Some(Entrant(0)), replicates: 240, ..FitOptions::default() };
    for (name, strengths, tau) in [("near", near, NEVER), ("wide", wide, 0.0), ("nine of ten drawn", near, 2.95)] {
        let truth = Truth { strengths: &strengths, draws: &[], tau };
        let (mut held, mut all, mut drawn, mut games) = (0.0, 0.0, 0.0, 0.0);
        for number in 0..60 {
            let mut dice = Seed(number).child(name, 0).dice();
            let fit = fit(strengths.len(), &truth.round_robin(15, 0.0, &mut dice), &options);
            for (rated, strength) in fit.players.iter().zip(strengths).skip(1) {
                let truth = ANCHOR + POINTS * strength;
                held += f64::from(u8::from(rated.low <= truth && truth <= rated.high));
                all += 1.0;
                (drawn, games) = (drawn + f64::from(rated.draws), games + f64::from(rated.games));
            }
        }
        // 240 intervals that are not independent: two standard errors are some 4 points.
        let coverage: f64 = held / all;
        assert!((0.91..=0.99).contains(&coverage), "{name}: {coverage}");
        assert!(name != "nine of ten drawn" || (0.88..0.92).contains(&(drawn / games)), "{}", drawn / games);
    }
}

/// Six bots as they were measured: the better they are, the more they draw.
fn bots_that_draw() -> Vec<PlayedBlock> {
    // Wins, draws and losses of the first of each pair in thirty games; the last loses everything it does not draw.
    let met =
        [(0, 1, 4, 26, 0), (0, 2, 15, 15, 0), (0, 3, 30, 0, 0), (1, 2, 9, 20, 1), (1, 3, 29, 1, 0), (2, 3, 27, 2, 1)];
    let mut blocks = Vec::new();
    for (one, other, won, drawn, lost) in met {
        for (places, times) in [([1, 2], won), ([1, 1], drawn), ([2, 1], lost)] {
            blocks.extend((0..times).map(|at| {
                let (seats, places) =
                    if at % 2 == 0 { ([one, other], places) } else { ([other, one], [places[1], places[0]]) };
                alone(duel(seats[0], seats[1], places))
            }));
        }
    }
    blocks
}

#[test]
fn good_players_draw_and_bad_ones_do_not() {
    let options = FitOptions { anchor: Some(Entrant(3)), ..FitOptions::default() };
    let blocks = bots_that_draw();
    let own = fit(4, &blocks, &options);
    assert!(own.quality.holds && own.quality.largest_z < 2.0, "{:?}", own.quality);
    // Four wins and 26 draws of thirty are 0.567, and the fit says so too; a common ν cannot.
    let pair = own.pairings.iter().find(|pair| (pair.one, pair.other) == (0, 1)).expect("they met");
    assert!((pair.observed.score() - 17.0 / 30.0).abs() < 1e-9);
    assert!((pair.fitted.score() - pair.observed.score()).abs() < 0.06, "{pair:?}");
    let chances = own.chances(Entrant(1), Entrant(0)).expect("both are there");
    assert!(chances.draw > 0.7 && chances.score() > 0.35, "{chances:?}");
    let common = fit(4, &blocks, &FitOptions { draws: DrawEffects::Common, ..options });
    assert!(common.quality.deviance > 3.0 * own.quality.deviance, "{:?} {:?}", common.quality, own.quality);
    assert_eq!((own.quality.degrees, common.quality.degrees), (12 - 3 - 4, 12 - 3 - 1));
}

#[test]
fn a_fit_that_does_not_hold_says_so() {
    // Three who beat each other in turn, always: no rating can tell that.
    let circle = [(0, 1), (1, 2), (2, 0)].map(|(one, other)| PlayedBlock {
        course: 0,
        games: vec![duel(one, other, [1, 2]), duel(other, one, [2, 1])],
        times: 20,
    });
    let circle = fit(3, &circle, &FitOptions::default());
    assert!(!circle.quality.holds && circle.quality.largest_z > 4.0, "{:?}", circle.quality);
    assert_eq!(circle.quality.degrees, 1);
    // Games that end as the model says fit.
    let mut dice = Seed(2).dice();
    let truth = Truth { strengths: &[0.0, 0.5, 1.0, 2.0, -1.0], draws: &[0.5, 1.0, -1.0, 0.0, -0.5], tau: 0.3 };
    let fit = fit(5, &truth.round_robin(30, 0.0, &mut dice), &FitOptions::default());
    assert!(fit.quality.holds && fit.quality.deviance < 30.0, "{:?}", fit.quality);
}

#[test]
fn whoever_sits_twice_counts_with_its_seats_averaged() {
    // Two seats of 0, two of 1: in each game the seats of 0 come first and third.
    let game = |seats: [u32; 4]| {
        let mut zeros = [1, 3].into_iter();
        let mut ones = [2, 4].into_iter();
        let places = seats.iter().map(|&one| if one == 0 { zeros.next() } else { ones.next() });
        GameResult { seats: seats.map(Entrant).to_vec(), places: places.flatten().collect() }
    };
    let blocks: Vec<_> = (0..40).map(|at| alone(game(if at % 2 == 0 { [0, 1, 0, 1] } else { [1, 0, 1, 0] }))).collect();
    let fit = fit(2, &blocks, &FitOptions::default());
    let [first, second] = [fit.players[0], fit.players[1]];
    assert_eq!((fit.unusable, first.games, second.games, first.wins, second.losses), (0, 40, 40, 40, 40));
    // Places 1 and 3 of 4 are worth 1 and 1/3.
    assert!((first.score - 2.0 / 3.0).abs() < 1e-9 && (second.score - 1.0 / 3.0).abs() < 1e-9);
    assert!(first.rating > second.rating);
    assert_eq!(fit.pairings.len(), 1);
    assert!((fit.pairings[0].observed.win - 0.75).abs() < 1e-9, "{:?}", fit.pairings);
    let alone = super::fit(1, &[alone(duel(0, 0, [1, 2]))], &FitOptions::default());
    assert_eq!((alone.players[0].games, alone.players[0].draws), (1, 1));
}

#[test]
fn blocks_that_are_counted_are_blocks_that_are_listed() {
    let mut dice = Seed(4).dice();
    let truth = Truth { strengths: &[0.0, 0.5, 1.0], draws: &[0.0, 1.0, -1.0], tau: 0.0 };
    let listed: Vec<PlayedBlock> = truth.round_robin(60, 0.3, &mut dice);
    let mut counted: Vec<PlayedBlock> = Vec::new();
    for block in &listed {
        match counted.iter_mut().find(|other| other.games == block.games) {
            Some(known) => known.times += 1,
            None => counted.push(block.clone()),
        }
    }
    assert!(counted.len() < listed.len() / 3);
    assert_eq!(fit(3, &counted, &FitOptions::default()), fit(3, &listed, &FitOptions::default()));
}

#[test]
fn the_order_of_games_does_not_matter() {
    let mut dice = Seed(1).dice();
    let mut blocks =
        Truth { strengths: &[0.0, 0.5, 1.0, -0.2], draws: &[0.0, 1.0], tau: -0.7 }.round_robin(6, 0.4, &mut dice);
    let options = FitOptions { anchor: Some(Entrant(1)), ..FitOptions::default() };
    let first = fit(4, &blocks, &options);
    blocks.reverse();
    for block in &mut blocks {
        block.games.reverse();
    }
    blocks.rotate_left(7);
    assert_eq!(fit(4, &blocks, &options), first);
}

#[test]
fn a_seat_that_wins_is_told_from_a_player_that_wins() {
    // The first seat is worth 1.2; the tournament is lopsided: player 0 sat there three times of four.
    let mut dice = Seed(5).dice();
    let truth = Truth { strengths: &[0.0, 0.5], draws: &[], tau: NEVER };
    let mut blocks = Vec::new();
    for round in 0..1200 {
        let seats = if round % 4 == 0 { [1, 0] } else { [0, 1] };
        blocks.push(alone(truth.play(&seats, &[0.6, -0.6], &mut dice)));
    }
    let fit = fit(2, &blocks, &FitOptions { anchor: Some(Entrant(0)), ..FitOptions::default() });
    assert_close(&[strengths(&fit)[1]], &[0.5], 0.2);
    assert_close(&[fit.seats[0][0] / POINTS], &[0.6], 0.1);
}

#[test]
fn tables_of_many_rank_their_players() {
    let strong = [0.8, 0.0, -0.6, 0.3, -1.2, 1.5];
    let truth = Truth { strengths: &strong, draws: &[], tau: -2.3 };
    let mut dice = Seed(8).dice();
    let mut blocks = Vec::new();
    for _ in 0..150 {
        let rotations = super::super::schedule::rotations(&(0..6).map(Entrant).collect::<Vec<_>>(), 0, Edition::Second);
        let games = rotations.iter().map(|seats| {
            let seats: Vec<u32> = seats.iter().map(|one| one.0).collect();
            truth.play(&seats, &[0.0; 6], &mut dice)
        });
        blocks.push(PlayedBlock { course: 0, games: games.collect(), times: 1 });
    }
    let fit = fit(6, &blocks, &FitOptions { anchor: Some(Entrant(1)), ..FitOptions::default() });
    assert_close(&strengths(&fit), &strong, 0.2);
    assert_eq!(fit.players.iter().map(|rated| rated.rank).collect::<Vec<_>>(), [2, 4, 5, 3, 6, 1]);
    assert!(fit.players[5].best > 0.99);
}

#[test]
fn whoever_wins_everything_has_a_wide_interval_and_a_finite_rating() {
    for games in [1, 5, 50] {
        let blocks: Vec<_> = (0..games).map(|_| alone(duel(0, 1, [1, 2]))).collect();
        let fit = fit(3, &blocks, &FitOptions { anchor: Some(Entrant(1)), ..FitOptions::default() });
        let winner = fit.players[0];
        assert!(winner.rating > ANCHOR && winner.high.is_finite(), "{winner:?}");
        assert!(winner.high - winner.low > 200.0, "{games} games: {winner:?}");
        let stranger = fit.players[2];
        assert!(stranger.low < 500.0 && stranger.high > 1500.0, "{stranger:?}");
    }
}

#[test]
fn chances_add_up_and_follow_the_ratings() {
    let blocks = [alone(duel(0, 1, [1, 2])), alone(duel(0, 1, [1, 1])), alone(duel(1, 0, [2, 1]))];
    let fit = fit(2, &blocks, &FitOptions { seats: SeatEffects::Ignored, ..FitOptions::default() });
    let chances = fit.chances(Entrant(0), Entrant(1)).expect("both are there");
    assert!((chances.win + chances.draw + chances.loss - 1.0).abs() < 1e-12);
    assert!(chances.win > chances.loss && chances.draw > 0.0);
    assert_eq!(fit.chances(Entrant(0), Entrant(2)), None);
    let lead = fit.players[0].rating - fit.players[1].rating;
    assert!((chances.win / (chances.win + chances.loss) - expected_score(lead)).abs() < 1e-9);
}

#[test]
fn no_input_breaks_a_fit() {
    let empty = fit(3, &[], &FitOptions::default());
    assert!(empty.players.iter().all(|rated| (rated.rating - ANCHOR).abs() < 1e-9 && rated.games == 0));
    assert_eq!(fit(0, &[], &FitOptions::default()).players, []);
    let stranger = duel(0, 7, [1, 2]);
    let short = GameResult { seats: vec![Entrant(0), Entrant(1)], places: vec![1] };
    let alone_at_table = GameResult { seats: vec![Entrant(0)], places: vec![1] };
    let nine = GameResult { seats: (0..9).map(Entrant).collect(), places: (1..10).collect() };
    let bad = PlayedBlock { course: u32::MAX, games: vec![stranger, short, alone_at_table, nine], times: 1 };
    let fine = PlayedBlock { course: u32::MAX, games: vec![duel(0, 1, [1, 2])], times: 1 };
    for spread in [0.0, f64::NAN, f64::INFINITY, -3.0] {
        let fit = fit(
            3,
            &[bad.clone(), fine.clone()],
            &FitOptions { spread: Some(spread), anchor: Some(Entrant(9)), ..FitOptions::default() },
        );
        assert_eq!(fit.unusable, 4);
        assert!(fit.players.iter().all(|rated| rated.rating.is_finite() && rated.low.is_finite()));
    }
}
