//! What a tournament takes, before a cent is spent.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use tiktoken_rs::o200k_base_singleton;

use super::cast::Cast;
use super::start::Draft;
use crate::briefs::{AnswerBy, TurnContext};
use crate::cli::error::Failure;
use crate::cli::leaderboard::GameFilter;
use crate::cli::players::variant;
use crate::cli::seat::PlayerSpec;
use crate::cli::storage::StoreArgs;
use crate::games::seat::Seat;
use crate::games::{Seed, Table, Viewer};
use crate::players::Profile;
use crate::tournaments::graded::{Graded, play_out};
use crate::tournaments::plan::{Amount, USUAL_VARIANCE, smallest_difference};
use crate::tournaments::run::{Course, SeatSummary};
use crate::tournaments::schedule::{Next, Schedule};
use crate::tournaments::verdict;

/// So many games of bots show how long a game is.
const SAMPLE: u64 = 24;

/// How strong a model may be, as the share of a search's moves among random ones, in percent.
pub(crate) const STRENGTHS: [u32; 3] = [20, 50, 80];

/// Playouts of that search: enough to play sensibly, few enough to wait for.
pub(crate) const NODES: u32 = 30;

/// So many earlier calls of a player say more than any guess.
const ENOUGH_CALLS: u64 = 20;

/// Tokens of an answer of which nothing is known, at the least and as a guess; at the most it is what its profile allows.
const SHORT_ANSWER: f64 = 20.0;
const USUAL_ANSWER: f64 = 300.0;

/// Tokens beside the messages: tools, schema, roles.
const ENVELOPE: f64 = 250.0;

/// What is known of players from earlier games; nothing where there is no store.
pub(crate) async fn earlier(store: &StoreArgs) -> BTreeMap<String, SeatSummary> {
    let mut known: BTreeMap<String, SeatSummary> = BTreeMap::new();
    let Ok(store) = store.open_to_read().await else { return known };
    let which = GameFilter { tournament: None, ruleset: None };
    if let Ok((tally, _)) = which.count(&store).await {
        for player in tally.players.values().filter(|player| !player.summary.is_empty()) {
            known.entry(player.name.clone()).or_default().join(&player.summary);
        }
    }
    store.close().await;
    known
}

/// What a tournament takes.
#[derive(Debug, Serialize)]
pub(super) struct TournamentEstimate {
    tournament: String,
    blocks: u64,
    games: u64,
    /// Requests to models.
    calls: Amount,
    /// Money, in US dollars.
    usd: Amount,
    /// Whoever costs anything.
    players: Vec<Cost>,
    /// Agents: what they ask models is between them and their providers, and is in no figure here.
    not_counted: Vec<String>,
    /// What the games of two players with each other can show.
    smallest_difference: Option<Difference>,
}

#[derive(Debug, Serialize)]
struct Cost {
    name: String,
    calls: Amount,
    /// None where the profile has no price.
    usd: Option<Amount>,
    /// How many earlier calls the estimate rests on.
    earlier_calls: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Difference {
    score: f64,
    elo: f64,
}

impl TournamentEstimate {
    /// What a draft takes, by what is known of its players from earlier games.
    pub(super) fn of(draft: &Draft, earlier: &BTreeMap<String, SeatSummary>) -> Result<TournamentEstimate, Failure> {
        let (blocks, games, parts) = walk(draft)?;
        let turns = turns_a_game(&draft.courses, draft.setup.seats)?;
        let mut players = Vec::new();
        for (one, &parts) in draft.cast.iter().zip(&parts) {
            if let PlayerSpec::Model(profile) = &one.seated {
                let known = earlier.get(&one.name).filter(|known| known.calls >= ENOUGH_CALLS);
                let calls = turns.times(Amount::exactly(number(parts)));
                let usd = match profile.price {
                    None => None,
                    Some(_) => Some(calls.times(price_of_a_call(profile, draft, known)?)),
                };
                let earlier_calls = known.map_or(0, |known| known.calls);
                players.push(Cost { name: one.name.clone(), calls, usd, earlier_calls });
            }
        }
        let is_agent = |one: &&Cast| matches!(one.seated, PlayerSpec::Agent(_));
        let not_counted = draft.cast.iter().filter(is_agent).map(|one| one.name.clone()).collect();
        let setup = draft.setup.clone();
        let meetings = u64::from(setup.blocks) * draft.courses.len() as u64;
        // More blocks see finer differences than anybody cares about.
        let settings = smallest_difference(meetings.min(5000), 0.05, 0.05, USUAL_VARIANCE);
        Ok(TournamentEstimate {
            tournament: draft.id.clone(),
            blocks,
            games,
            calls: players.iter().map(|cost| cost.calls).sum(),
            usd: players.iter().filter_map(|cost| cost.usd).sum(),
            players,
            not_counted,
            smallest_difference: settings
                .map(|found| Difference { score: found.delta(), elo: verdict::elo(0.5 + found.delta()) }),
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.tournament)?;
        writeln!(out, "games   {} in {} blocks", self.games, self.blocks)?;
        if self.players.is_empty() && self.not_counted.is_empty() {
            writeln!(out, "money   none: no player here costs anything")?;
        } else if !self.players.is_empty() {
            writeln!(out, "calls   {}", whole(self.calls))?;
            writeln!(out, "money   {}", dollars(self.usd))?;
        }
        for cost in &self.players {
            let usd = cost.usd.map_or_else(|| "no price in its profile".to_owned(), dollars);
            let by = match cost.earlier_calls {
                0 => "by its prompt and a guess at its answers".to_owned(),
                calls => format!("by its {calls} earlier calls"),
            };
            writeln!(out, "        {}: {} calls, {usd}, {by}", cost.name, whole(cost.calls))?;
        }
        if !self.not_counted.is_empty() {
            writeln!(out, "agents  what these ask of models is not counted here: {}", self.not_counted.join(", "))?;
        }
        match self.smallest_difference {
            Some(Difference { score, elo }) => writeln!(
                out,
                "detects a score difference of {score:.2} ({elo:.0} Elo) between two players, at 5 % error"
            ),
            None => writeln!(out, "detects no difference between two players: too few blocks"),
        }
    }
}

/// Blocks, games, and how many games each player has.
fn walk(draft: &Draft) -> Result<(u64, u64, Vec<u64>), Failure> {
    let mut schedule = Schedule::new(draft.setup.clone()).map_err(Failure::call)?;
    let mut parts = vec![0; draft.cast.len()];
    let (mut blocks, mut games) = (0, 0);
    let mut open = Vec::new();
    loop {
        match schedule.next() {
            Next::Play(block) => {
                blocks += 1;
                games += block.games.len() as u64;
                for one in &block.group {
                    parts[one.index()] += block.games.len() as u64;
                }
                open.push(block);
            }
            Next::Wait => {
                // Where it matters who wins, those named first do: no tie needs more blocks.
                for block in open.drain(..) {
                    let best = block.group.iter().min().copied();
                    let scores = block.group.iter().map(|one| f64::from(u8::from(Some(*one) == best))).collect();
                    schedule.finish(block.number, scores);
                }
            }
            Next::Over => return Ok((blocks, games, parts)),
        }
    }
}

/// Turns that one player has in a game, as players of several strengths play it: the move of a search in some of their
/// turns, any legal action in the others.
pub(crate) fn turns_a_game(courses: &[Course], seats: usize) -> Result<Amount, Failure> {
    let mut turns = Vec::new();
    for course in courses {
        for (game, percent) in (0..SAMPLE).zip(STRENGTHS.into_iter().cycle()) {
            let players = vec![Graded::Mixture { nodes: NODES, percent }; seats];
            let played = play_out(&course.ruleset, &players, Seed(0).child("plan", game)).map_err(Failure::call)?;
            turns.push(number(played.turns.iter().sum()) / number(seats as u64));
        }
    }
    turns.sort_by(f64::total_cmp);
    let end = turns.len() / 20;
    let (Some(&low), Some(&high)) = (turns.get(end), turns.get(turns.len() - 1 - end)) else {
        return Ok(Amount::exactly(0.0));
    };
    Ok(Amount { low, expected: turns.iter().sum::<f64>() / number(turns.len() as u64), high })
}

pub(crate) fn price_of_a_call(
    profile: &Profile,
    draft: &Draft,
    known: Option<&SeatSummary>,
) -> Result<Amount, Failure> {
    let Some(price) = profile.price else { return Ok(Amount::exactly(0.0)) };
    let dollars = |input: f64, output: f64| (input * price.input + output * price.output) / 1e6;
    if let Some(known) = known {
        let calls = number(known.calls);
        let mean = dollars(number(known.input_tokens) / calls, number(known.output_tokens) / calls);
        return Ok(Amount { low: 0.8 * mean, expected: mean, high: 1.3 * mean });
    }
    let most = f64::from(profile.max_output_tokens);
    let input = prompt_tokens(profile, draft)? + ENVELOPE;
    Ok(Amount {
        low: dollars(input, SHORT_ANSWER.min(most)),
        expected: dollars(input, USUAL_ANSWER.min(most)),
        high: dollars(1.5 * input, most),
    })
}

/// Tokens of a first turn, the mean over the courses.
fn prompt_tokens(profile: &Profile, draft: &Draft) -> Result<f64, Failure> {
    let variant = variant(profile)?;
    let language = variant.language(profile.language.unwrap_or(draft.language));
    let seat = Seat::new(0);
    let mut tokens = 0;
    for course in &draft.courses {
        let table = Table::open(course.ruleset.clone(), draft.setup.seats, Seed(0)).map_err(Failure::call)?;
        let view = table.view(Viewer::Seat(seat));
        let context = TurnContext { view: &view, seat, since: &[], said: &[], history: &[], notes: None };
        let system = variant.system(&course.ruleset, draft.setup.seats, seat, AnswerBy::Tools, language);
        let vocabulary = o200k_base_singleton();
        tokens += vocabulary.count_ordinary(&system) + vocabulary.count_ordinary(&variant.turn(&context, language));
    }
    Ok(number(tokens as u64) / number(draft.courses.len().max(1) as u64))
}

pub(crate) fn whole(amount: Amount) -> String {
    if amount.low.to_bits() == amount.high.to_bits() {
        return format!("{:.0}", amount.expected);
    }
    format!("{:.0} ({:.0} to {:.0})", amount.expected, amount.low, amount.high)
}

pub(crate) fn dollars(amount: Amount) -> String {
    format!("${:.2} (${:.2} to ${:.2})", amount.expected, amount.low, amount.high)
}

#[expect(clippy::cast_precision_loss, reason = "counts of games and tokens are far below 2^52")]
pub(crate) fn number(count: u64) -> f64 {
    count as f64
}
