//! A variant's own prompt files: read, checked against the built-in ones, and tried out before anybody is told anything.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Variant;
use crate::briefs::book::{BadPrompt, Book, Replaced, files};
use crate::briefs::turn::tell_event;
use crate::briefs::{AnswerBy, Language, Offer, Past, ToolNote, TurnContext};
use crate::games::{Joint, Order, Ruleset, Seat, Seed, Table, Viewer, library};
use crate::matches::{Attempt, BadForm, Problem};
use crate::settings::files::Files;

/// How many turns of each ruleset are tried out.
const TURNS: u32 = 60;

/// The words of both languages, some files replaced by a variant's own.
#[derive(Debug)]
pub(super) struct Prompts {
    pub(super) replaced: Replaced,
    books: [Book; 2],
}

impl Prompts {
    /// Reads the files of a folder.
    ///
    /// # Errors
    /// With every file that replaces none, or does not fit in the place of the one that it replaces.
    pub(super) fn read(folder: &str, disk: &dyn Files) -> Result<Prompts, Vec<BadPrompt>> {
        let bad = |file: &str, why: String| BadPrompt { file: file.to_owned(), why };
        let found = disk.below(folder).map_err(|why| vec![bad("", format!("cannot be listed: {why}"))])?;
        let known: BTreeSet<&str> = files().map(|(path, _)| path).collect();
        let (mut replaced, mut problems) = (Replaced::new(), Vec::new());
        for file in found {
            if !known.contains(file.as_str()) {
                let names = known.iter().copied().collect::<Vec<_>>().join(", ");
                problems.push(bad(&file, format!("replaces no prompt file; there are {names}")));
                continue;
            }
            match disk.read(&format!("{folder}/{file}")) {
                Ok(text) => drop(replaced.insert(file, text)),
                Err(why) => problems.push(bad(&file, format!("cannot be read: {why}"))),
            }
        }
        let books = Language::ALL.map(|language| Book::new(language, &replaced));
        problems.extend(books.iter().filter_map(|book| book.as_ref().err().cloned()));
        let [Ok(en), Ok(zh)] = books else { return Err(problems) };
        let prompts = Prompts { replaced, books: [en, zh] };
        problems.extend(prompts.books.iter().flat_map(unknown_variables));
        if problems.is_empty() { Ok(prompts) } else { Err(problems) }
    }

    pub(super) fn book(&self, language: Language) -> &Book {
        match language {
            Language::En => &self.books[0],
            Language::Zh => &self.books[1],
        }
    }
}

/// Variables that a template uses and the built-in one of its name does not have.
fn unknown_variables(book: &Book) -> Vec<BadPrompt> {
    let built_in = Book::of(book.language);
    let mut problems = Vec::new();
    for (name, template) in book.templates.templates() {
        let Ok(known) = built_in.templates.get_template(name) else { continue };
        if known.source() == template.source() {
            continue;
        }
        let known = known.undeclared_variables(false);
        let mut unknown: Vec<String> = template.undeclared_variables(false).difference(&known).cloned().collect();
        unknown.sort();
        if !unknown.is_empty() {
            let why = format!("there is no `{}` here", unknown.join("`, `"));
            problems.push(BadPrompt { file: format!("{}: `{name}`", book.language), why });
        }
    }
    problems
}

/// Says everything that the variant has to say in a match of every built-in ruleset, and returns what could not be said.
pub(super) fn rehearse(variant: &Variant, prompts: &Prompts) -> Vec<BadPrompt> {
    let replaces = |language: &Language| prompts.replaced.keys().any(|path| path.starts_with(&language.to_string()));
    for language in Language::ALL.into_iter().filter(replaces) {
        for name in library::rulesets() {
            act(variant, &Arc::new(Ruleset::named(name).expect("it is built in")), language);
        }
    }
    prompts.books.iter().flat_map(Book::problems).collect()
}

/// A match with random actions, told to whoever is to act.
fn act(variant: &Variant, ruleset: &Arc<Ruleset>, language: Language) {
    let (seats, seed) = (ruleset.players.default, Seed(1));
    let Ok(mut table) = Table::open(ruleset.clone(), seats, seed) else { return };
    for by in AnswerBy::ALL {
        variant.system(ruleset, seats, Seat::new(0), by, language);
    }
    variant.tools(Offer { legal: true, talk: true, notes: true }, language);
    for note in
        [ToolNote::Unknown("dance"), ToolNote::NotSaid, ToolNote::Said, ToolNote::SaidAlready, ToolNote::ActedAlready]
    {
        variant.tool_note(note, language);
    }
    let mut dice = seed.dice();
    let mut tried: BTreeSet<String> = ["dance", "speak ", "{}"].map(ToOwned::to_owned).into();
    let mut refused = BTreeSet::new();
    let said = [(Seat::new(seats - 1), "Howdy".to_owned())];
    let mut past = Past { since: Vec::new(), said: said.to_vec() };
    for turn in 0..TURNS {
        let to_act = table.to_act();
        let you = to_act.iter().next().unwrap_or(Seat::new(0));
        let view = table.view(Viewer::Seat(you));
        if turn % 10 == 0 || to_act.is_empty() {
            let history = std::slice::from_ref(&past);
            let notes = Some("Beware.");
            let context = TurnContext { view: &view, seat: you, since: &past.since, said: &said, history, notes };
            variant.turn(&context, language);
        }
        if to_act.is_empty() {
            return;
        }
        if turn == 0 {
            let tries = [Problem::Truncated, Problem::Declined, Problem::Nothing].into_iter();
            let tries = tries.chain(BadForm::ALL.map(Problem::Form)).chain([Problem::Rejected("no".to_owned())]);
            for (problem, by) in tries.flat_map(|problem| AnswerBy::ALL.map(|by| (problem.clone(), by))) {
                let attempt = Attempt { text: String::new(), problem };
                variant.refused(&view, you, &attempt, 1, by, language);
                variant.refused(&view, you, &attempt, ruleset.policy.attempts, by, language);
            }
        }
        tried.extend(to_act.iter().flat_map(|seat| table.legal(seat)));
        for text in &tried {
            // Every rule once, in each of its shades: cells aside.
            let Err(refusal) = table.accept(you, text) else { continue };
            let rule: String = refusal.message.chars().filter(|c| !c.is_ascii_digit()).collect();
            if refused.insert(rule) {
                let attempt = Attempt::refused(text, refusal);
                variant.refused(&view, you, &attempt, 1, AnswerBy::Tools, language);
            }
        }
        let mut order = |seat: Seat| match dice.below(100) {
            0..5 => Order::Pass,
            5..8 => Order::StandIn(table.random_legal(seat, &mut dice)),
            8 => Order::Forfeit,
            _ => Order::Play(table.random_legal(seat, &mut dice)),
        };
        let joint: Joint<_> = to_act.iter().map(|seat| (seat, order(seat))).collect();
        let before = table.clone();
        let events = table.play(&joint, &mut seed.turn(before.turn().into())).unwrap_or_default();
        // As it is told to whoever saw part of it, and as it was.
        past.since = table.told(&before, &events.as_slice().into(), Viewer::Seat(you)).to_vec();
        for event in past.since.iter().chain(&events) {
            tell_event(event, variant.book(language));
        }
    }
}
