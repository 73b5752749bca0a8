//! When two names are one: what people could take for the same name is the same name.

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::skeleton;

use super::error::StoreError;
use super::link::{Link, Statement, all};

/// What a name looks like, whatever it is written with: under NFKC, without regard to case and spaces, and with every
/// character replaced by the one that it could be taken for (Unicode Technical Standard 39).
///
/// A name has two looks, since a letter may resemble another one in one case only: `I` is like `l`, and `i` is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameLooks([String; 2]);

impl NameLooks {
    /// The looks of a name.
    pub fn of(name: &str) -> NameLooks {
        let plain: String = name.nfkc().filter(|c| !c.is_whitespace()).collect();
        let folded = plain.to_lowercase();
        NameLooks([look(&folded), look(&plain)])
    }

    /// Whether people could take one name for the other.
    pub fn resemble(&self, other: &NameLooks) -> bool {
        self.0.iter().any(|look| other.0.contains(look))
    }

    /// Each look once.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let [folded, plain] = &self.0;
        std::iter::once(folded.as_str()).chain((plain != folded).then_some(plain.as_str()))
    }
}

/// What a text looks like. Prototypes have upper-case letters among them, and replacing those shows others.
fn look(text: &str) -> String {
    let once: String = skeleton(text).collect::<String>().to_lowercase();
    skeleton(&once).collect::<String>().to_lowercase()
}

/// Notes anew what the names of all players look like: earlier versions compared their letters only. Of two that look
/// the same, the one who came first has the look; both stay.
pub(super) async fn note_all(db: &mut dyn Link) -> Result<(), sqlx::Error> {
    let select = Statement::new("SELECT id, name FROM players ORDER BY created, id");
    let players = all(db, select, |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))).await?;
    db.run(Statement::new("DELETE FROM names")).await?;
    for (id, name) in players {
        for key in NameLooks::of(&name).keys() {
            let insert = Statement::new("INSERT INTO names (folded, player) VALUES ($1, $2) ON CONFLICT DO NOTHING");
            db.run(insert.bind(key).bind(&id)).await?;
        }
    }
    Ok(())
}

/// The registered player whose name looks like this, if there is one.
pub(super) async fn holder(db: &mut dyn Link, name: &str) -> Result<Option<String>, sqlx::Error> {
    for key in NameLooks::of(name).keys() {
        let select = Statement::new("SELECT player FROM names WHERE folded = $1").bind(key);
        if let Some(player) = all(db, select, |row| Ok(row.text(0)?.to_owned())).await?.pop() {
            return Ok(Some(player));
        }
    }
    Ok(None)
}

impl super::connections::Connections {
    pub(super) async fn name_holder(&self, name: String) -> Result<Option<String>, StoreError> {
        if self.is_before(super::schema::WITH_ARENA) {
            return Ok(None);
        }
        self.read(async move |mut db| holder(&mut *db, &name).await).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_are_one() {
        for (one, other) in [
            ("random", "Random"),
            ("random", "ｒａｎｄｏｍ"),
            ("random", "rаndоm"), // Cyrillic а and о
            ("random", "rand0m"),
            ("random", "ran dom"),
            ("random", "𝓇𝒶𝓃𝒹ℴ𝓂"),
            ("modern", "rnodern"),
            ("Ivan", "lvan"),
            ("Ann", "ΑΝΝ"), // Greek capitals
            ("paypal", "paypa1"),
        ] {
            assert!(NameLooks::of(one).resemble(&NameLooks::of(other)), "{one} {other}");
        }
        for (one, other) in [("random", "randy"), ("Ann", "Anna"), ("爱达", "爱丽"), ("Ann", "Bob")] {
            assert!(!NameLooks::of(one).resemble(&NameLooks::of(other)), "{one} {other}");
        }
    }
}
