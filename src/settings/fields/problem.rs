//! What is wrong with a file, and where.

use std::fmt;
use std::sync::Arc;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A file, or what stands for one.
    pub source: Arc<str>,
    /// Line and column, from 1, where the source has lines.
    pub at: Option<(usize, usize)>,
}

impl Place {
    /// A source as a whole.
    pub fn whole(source: impl Into<Arc<str>>) -> Place {
        Place { source: source.into(), at: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some((line, column)) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        Ok(())
    }
}

/// One thing that is wrong with a ruleset, a map or another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// Where it is written.
    pub place: Place,
    /// What, and what is allowed.
    pub message: String,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// A ruleset that cannot be played.
pub type BadRuleset = BadFile;

/// A file that cannot be used. Every problem is named, a line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(problems))]
pub struct BadFile {
    /// All of them, in the order of the file; never empty.
    pub problems: Vec<FileProblem>,
}

impl BadFile {
    /// One problem alone.
    pub fn new(place: Place, message: impl Into<String>) -> BadFile {
        BadFile { problems: vec![FileProblem { place, message: message.into() }] }
    }
}

fn lines(problems: &[FileProblem]) -> String {
    problems.iter().map(FileProblem::to_string).collect::<Vec<_>>().join("\n")
}
