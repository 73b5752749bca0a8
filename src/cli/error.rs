//! What goes wrong, as a person meets it: one line of cause, one line of what to do.

use std::fmt;
use std::process::ExitCode;

/// A command that did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: ExitKind,
    cause: String,
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitKind {
    /// The work failed.
    Work,
    /// The call was wrong.
    Call,
    /// The work is done, and its verdict is this exit code.
    Verdict(u8),
    /// The work was stopped, and this exit code says by what.
    Code(u8),
    /// Whoever read the output has gone: nobody is left to tell.
    Pipe,
}

impl Failure {
    /// The work failed: exit code 1.
    pub(crate) fn work(cause: impl fmt::Display) -> Failure {
        Failure { kind: ExitKind::Work, cause: cause.to_string(), hint: None }
    }

    /// The call was wrong: exit code 2.
    pub(crate) fn call(cause: impl fmt::Display) -> Failure {
        Failure { kind: ExitKind::Call, cause: cause.to_string(), hint: None }
    }

    /// The work is done, and its verdict is an exit code other than 0.
    pub(crate) fn verdict(code: u8) -> Failure {
        Failure { kind: ExitKind::Verdict(code), cause: String::new(), hint: None }
    }

    /// With this exit code instead.
    #[must_use]
    pub(crate) fn with_code(mut self, code: u8) -> Failure {
        self.kind = ExitKind::Code(code);
        self
    }

    /// With a word on what to do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// What went wrong, without the word on what to do.
    pub(crate) fn cause(&self) -> &str {
        &self.cause
    }

    /// The exit code that tells a script.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self.kind {
            ExitKind::Work => 1,
            ExitKind::Call => 2,
            ExitKind::Verdict(code) | ExitKind::Code(code) => code,
            ExitKind::Pipe => 0,
        })
    }

    /// Whether there is anybody to tell.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.kind, ExitKind::Pipe | ExitKind::Verdict(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.cause)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Writing the output failed.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe { ExitKind::Pipe } else { ExitKind::Work };
        Failure { kind, cause: format!("cannot write the output: {error}"), hint: None }
    }
}
