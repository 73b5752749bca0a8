//! A model on a seat of one match.

use futures_util::future::BoxFuture;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::Model;
use super::answer::{ReplyVerdict, call, judge};
use super::call::CallContext;
use super::conversation::{Form, MAX_ECHO, Message};
use super::reader;
use super::reply::Reply;
use crate::briefs::{AnswerBy, Language, MAX_NOTES, Offer, Past, TurnContext, Variant, answer_schema};
use crate::games::speech::Speech;
use crate::matches::{Attempt, Call};
use crate::players::player::{Answer, Ask, Player, PlayerError};
use crate::players::turn::TurnLog;

/// How often a model may ask in one answer before it has to act.
const MAX_REQUESTS: usize = 8;

/// A model on a seat. Nothing of a turn is left in the next one but what the prompt says so.
#[derive(Debug)]
pub(super) struct ModelPlayer {
    model: Model,
    language: Language,
    talk: Option<Talk>,
    /// What earlier turns told, as far back as the prompt goes.
    history: Vec<Past>,
    /// What the model noted for itself in its last turn.
    notes: Option<String>,
    /// How many answers of a turn of the past are still to be found in the journal; none where it plays.
    past: Option<usize>,
}

/// What was said in a turn so far.
#[derive(Debug)]
struct Talk {
    turn: u32,
    by: AnswerBy,
    form: Form,
    messages: Vec<Message>,
    /// Requests so far.
    requests: u32,
    /// The tool call that the last action came by.
    acted: Option<String>,
    say: Option<String>,
    /// What was written beside calls, for spectators.
    beside: Vec<String>,
}

impl ModelPlayer {
    pub(super) fn new(model: Model, language: Language) -> ModelPlayer {
        ModelPlayer { model, language, talk: None, history: Vec::new(), notes: None, past: None }
    }

    /// The messages with which a turn begins.
    fn open(&mut self, ask: &Ask, by: AnswerBy) -> Talk {
        let (variant, language, view) = (&self.model.inner.variant, self.language, &ask.view);
        let system = self.model.system(view, ask.seat, by, language);
        let since = ask.events();
        let context = TurnContext {
            view,
            seat: ask.seat,
            since: &since,
            said: &ask.said,
            history: &self.history,
            notes: self.notes.as_deref(),
        };
        let turn = variant.turn(&context, language);
        self.history.push(Past { since, said: ask.said.clone() });
        self.history.drain(..self.history.len().saturating_sub(variant.history()));
        let speech = view.ruleset().speech;
        let form = match by {
            AnswerBy::Tools => {
                let offer =
                    Offer { legal: variant.shows_legal(), talk: speech != Speech::Off, notes: variant.keeps_notes() };
                Form::Tools(variant.tools(offer, language))
            }
            AnswerBy::Json => Form::Json(answer_schema(speech == Speech::Free, variant.keeps_notes())),
            AnswerBy::Text => Form::Text,
        };
        let messages = vec![Message::System(system), Message::User(turn)];
        Talk { turn: view.turn(), by, form, messages, requests: 0, acted: None, say: None, beside: Vec::new() }
    }

    /// The talk of this turn, with the last refusal in it.
    async fn talk(&mut self, ask: &Ask, log: &TurnLog) -> Result<Talk, PlayerError> {
        let attempts = log.attempts();
        let talk = self.talk.take().filter(|talk| talk.turn == ask.view.turn() && !attempts.is_empty());
        let mut talk = if let Some(talk) = talk {
            talk
        } else {
            // To find out what it can do is our business, and must not cost it its clock.
            let waiting = log.waiting();
            let by = self.model.answer_by().await?;
            drop(waiting);
            self.open(ask, by)
        };
        if let Some(attempt) = attempts.last() {
            let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            let variant = &self.model.inner.variant;
            talk.tell(variant.refused(&ask.view, ask.seat, attempt, count, talk.by, self.language));
        }
        Ok(talk)
    }

    /// Goes on until the model acts or fails.
    async fn play(&mut self, talk: &mut Talk, ask: &Ask, log: &TurnLog) -> Result<ReplyVerdict, PlayerError> {
        let tokens = self.model.inner.profile.max_output_tokens;
        for _ in 0..MAX_REQUESTS {
            if self.past == Some(0) {
                return Err(PlayerError::Backend("nothing more was asked".to_owned()));
            }
            let context = CallContext {
                match_id: Some(&ask.match_id),
                seat: ask.seat,
                turn: ask.view.turn(),
                ordinal: talk.requests,
                log,
                known: self.past.is_some(),
            };
            let asked = self.model.ask(context, &talk.messages, &talk.form, tokens).await;
            let (reply, call) = asked?;
            talk.requests += 1;
            self.past = self.past.map(|left| left - 1);
            log.charge(call);
            match talk.hear(reply, ask, &self.model.inner.variant, self.language) {
                ReplyVerdict::GoOn => {}
                end => return Ok(end),
            }
        }
        Ok(ReplyVerdict::Failed(Attempt::nothing()))
    }
}

impl ModelPlayer {
    /// Answers a question of the past from the journal, as far as the record says that it was answered.
    async fn recall(&mut self, ask: &Ask) {
        let log = TurnLog::default();
        loop {
            match self.act(ask, &log).await {
                Err(PlayerError::NoAction(attempt)) => log.attempt(attempt),
                _ => return,
            }
        }
    }
}

impl Talk {
    /// Tells the model what became of its answer.
    fn tell(&mut self, text: String) {
        match (self.acted.take(), self.messages.last_mut()) {
            (Some(id), _) => self.messages.push(Message::Tool { id, text }),
            // Two messages of ours in a row break some templates.
            (None, Some(Message::User(last))) => {
                last.push('\n');
                last.push_str(&text);
            }
            (None, _) => self.messages.push(Message::User(text)),
        }
    }

    /// Takes a reply into the talk and says what it amounts to.
    fn hear(&mut self, reply: Reply, ask: &Ask, variant: &Variant, language: Language) -> ReplyVerdict {
        if reply.paused && reply.calls.is_empty() {
            let Reply { content, calls, received, .. } = reply;
            self.messages.push(Message::Assistant { content, calls, received: Some(received) });
            return ReplyVerdict::GoOn;
        }
        let whole = reply.is_whole();
        if self.by != AnswerBy::Tools || !whole || reply.calls.is_empty() {
            let verdict = judge(&reply, self.by, ask);
            if !reply.content.trim().is_empty() {
                // What stands beside a text that is cut, or beside calls that nobody answers, belongs to them.
                let as_it_came = whole && reply.calls.is_empty() && reply.content.len() <= MAX_ECHO;
                let received = as_it_came.then_some(reply.received);
                self.messages.push(Message::Assistant { content: reply.content, calls: Vec::new(), received });
            }
            return verdict;
        }
        let called = call(&reply.calls, ask, &mut self.say, variant, language);
        let beside = reader::spoken(&reply.content);
        self.beside.extend(Some(beside.trim().to_owned()).filter(|beside| !beside.is_empty()));
        let Reply { content, calls, received, .. } = reply;
        self.messages.push(Message::Assistant { content, calls, received: Some(received) });
        self.messages.extend(called.results.into_iter().map(|(id, text)| Message::Tool { id, text }));
        match called.acted {
            Some((id, mut verdict)) => {
                self.acted = Some(id);
                if let ReplyVerdict::Act { answer: Ok(answer), .. } = &mut verdict {
                    answer.think(&std::mem::take(&mut self.beside));
                }
                verdict
            }
            None => ReplyVerdict::GoOn,
        }
    }
}

impl Player for ModelPlayer {
    /// The record has the time of every call; what is ours beside it would make two records of one match differ.
    fn is_timed(&self) -> bool {
        false
    }

    /// What it noted for itself is in its answers, and what it was told before in the questions.
    fn remember<'a>(&'a mut self, ask: Ask, calls: &'a [Call]) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.past = Some(calls.len());
            self.recall(&ask).with_subscriber(NoSubscriber::default()).await;
            self.past = None;
            self.talk = None;
        })
    }

    fn act<'a>(&'a mut self, ask: &'a Ask, log: &'a TurnLog) -> BoxFuture<'a, Result<Answer, PlayerError>> {
        Box::pin(async move {
            let mut talk = self.talk(ask, log).await?;
            let verdict = self.play(&mut talk, ask, log).await?;
            let said = talk.say.clone();
            self.talk = Some(talk);
            match verdict {
                ReplyVerdict::Act { answer, notes } => {
                    if let Some(notes) = notes {
                        self.notes = Some(notes.chars().take(MAX_NOTES).collect());
                    }
                    let Answer { action, say } = answer?;
                    let say = said.or(say).filter(|_| ask.view.ruleset().speech == Speech::Free);
                    Ok(Answer { action, say })
                }
                ReplyVerdict::Failed(attempt) => Err(PlayerError::NoAction(attempt)),
                ReplyVerdict::GoOn => Err(PlayerError::NoAction(Attempt::nothing())),
            }
        })
    }
}
