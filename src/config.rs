//! What the surroundings say: flags before the environment, the environment before a file, a file before defaults.
//!
//! Nothing else reads the environment.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use secrecy::SecretString;

/// The configuration's name, in the working folder and in the user's own.
const FILE: &str = "standoff.toml";

/// The environment, asked variable by variable.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    lookup: fn(&str) -> Option<OsString>,
}

/// The configuration as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Where it was found.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// A configuration that was asked for by name but cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the configuration {}: {source}", path.display())]
pub struct UnreadableConfig {
    /// The file that was asked for.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// A key that is not where it should be. What the variable holds is never said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Nothing is there.
    #[error("the environment variable {0} is not set; it must hold the key: export {0}=…")]
    Missing(String),
    /// It holds something else.
    #[error("the environment variable {0} holds no key: a key is one line of plain characters")]
    NoKey(String),
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Environment {
        Environment { lookup: |name| std::env::var_os(name) }
    }

    /// One that answers as it is told.
    pub fn new(lookup: fn(&str) -> Option<OsString>) -> Environment {
        Environment { lookup }
    }

    /// The configuration: the file of `--config`, else that of `STANDOFF_CONFIG`, else `standoff.toml` in the working
    /// folder, else in the user's folder for settings. None if nobody named one and none is there.
    ///
    /// # Errors
    /// If a file that was named, or is there, cannot be read.
    pub fn config_file(self, flag: Option<&Path>) -> Result<Option<ConfigFile>, UnreadableConfig> {
        let named = flag.map(Path::to_owned).or_else(|| self.path("STANDOFF_CONFIG"));
        let path = named.or_else(|| {
            let usual = [Some(PathBuf::from(FILE)), self.settings_folder().map(|folder| folder.join(FILE))];
            usual.into_iter().flatten().find(|path| path.is_file())
        });
        let Some(path) = path else { return Ok(None) };
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(ConfigFile { path, text })),
            Err(source) => Err(UnreadableConfig { path, source }),
        }
    }

    /// The key that a variable holds.
    ///
    /// # Errors
    /// If it holds none.
    pub fn key(self, name: &str) -> Result<SecretString, KeyError> {
        let value = self.get(name).ok_or_else(|| KeyError::Missing(name.to_owned()))?;
        let value = value.into_string().map_err(|_| KeyError::NoKey(name.to_owned()))?;
        let key = value.trim();
        if key.is_empty() {
            return Err(KeyError::Missing(name.to_owned()));
        }
        if !key.chars().all(|c| c.is_ascii_graphic()) {
            return Err(KeyError::NoKey(name.to_owned()));
        }
        Ok(SecretString::from(key))
    }

    /// Where this program is.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn program(self) -> io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// What a variable says.
    pub fn text(self, name: &str) -> Option<String> {
        self.get(name)?.into_string().ok()
    }

    /// Where matches are kept if nobody says where. None on a system without a home.
    pub fn data_folder(self) -> Option<PathBuf> {
        self.user_folder("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")
    }

    /// Where the user's settings are. None on a system without a home.
    pub fn settings_folder(self) -> Option<PathBuf> {
        self.user_folder("XDG_CONFIG_HOME", ".config", "APPDATA")
    }

    /// Whether what models are told and answer may leave with the spans: the variable is that of OpenTelemetry.
    pub fn wants_message_content(self) -> bool {
        let value = self.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").unwrap_or_default();
        let value = value.to_string_lossy().to_ascii_lowercase();
        matches!(value.as_str(), "true" | "1" | "span_only" | "span_and_event")
    }

    /// Whether the user reads Chinese: the first of the usual variables that is set decides.
    pub fn speaks_chinese(self) -> bool {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| self.text(name));
        set.is_some_and(|locale| locale.to_ascii_lowercase().starts_with("zh"))
    }

    /// Whether the user, or the terminal, wants no colours.
    pub fn wants_no_colour(self) -> bool {
        self.get("NO_COLOR").is_some() || self.says("TERM", "dumb")
    }

    /// Whether the terminal has all colours.
    pub fn has_true_colour(self) -> bool {
        self.says("COLORTERM", "truecolor") || self.says("COLORTERM", "24bit")
    }

    fn user_folder(self, variable: &str, below_home: &str, on_windows: &str) -> Option<PathBuf> {
        let folder = if cfg!(windows) {
            self.path(on_windows)
        } else {
            // A relative path there is to be ignored: so the standard says.
            let named = self.path(variable).filter(|path| path.is_absolute());
            named.or_else(|| self.path("HOME").map(|home| home.join(below_home)))
        };
        folder.map(|folder| folder.join("standoff"))
    }

    /// A variable that is set to nothing is not set.
    fn get(self, name: &str) -> Option<OsString> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }

    fn path(self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    fn says(self, name: &str, word: &str) -> bool {
        self.get(name).is_some_and(|value| value.to_string_lossy().contains(word))
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn environment() -> Environment {
        Environment::new(|name| {
            let value = match name {
                "GOOD" => " sk-123\n",
                "BLANK" => "  ",
                "TWO_LINES" => "sk-1\nsk-2",
                "HOME" => "/home/ada",
                "XDG_DATA_HOME" => "relative",
                "XDG_CONFIG_HOME" => "/etc/ada",
                "STANDOFF_CONFIG" => "/nowhere/at/all.toml",
                "TERM" => "dumb",
                "NO_COLOR" => "",
                _ => return None,
            };
            Some(value.into())
        })
    }

    #[test]
    fn a_key_is_read_by_the_name_of_its_variable_and_never_shown() {
        let key = environment().key("GOOD").expect("it is set");
        assert_eq!(key.expose_secret(), "sk-123");
        assert!(!format!("{key:?}").contains("123"));
    }

    #[test]
    fn a_variable_without_a_key_is_named() {
        for (name, wanted) in [
            ("BLANK", KeyError::Missing("BLANK".to_owned())),
            ("NOT_THERE", KeyError::Missing("NOT_THERE".to_owned())),
            ("TWO_LINES", KeyError::NoKey("TWO_LINES".to_owned())),
        ] {
            assert_eq!(environment().key(name).expect_err("no key"), wanted);
        }
    }

    #[test]
    fn a_file_that_was_named_must_be_there_and_the_flag_comes_first() {
        for (flag, path) in [(None, "/nowhere/at/all.toml"), (Some("/nor/here.toml"), "/nor/here.toml")] {
            let error = environment().config_file(flag.map(Path::new)).expect_err("no such file");
            assert_eq!(error.path, Path::new(path));
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_users_folders_are_where_the_standard_has_them() {
        assert_eq!(environment().settings_folder(), Some(PathBuf::from("/etc/ada/standoff")));
        assert_eq!(environment().data_folder(), Some(PathBuf::from("/home/ada/.local/share/standoff")));
        assert_eq!(Environment::new(|_| None).data_folder(), None);
    }

    #[test]
    fn the_first_variable_that_is_set_decides_the_language() {
        assert!(!environment().speaks_chinese());
        assert!(Environment::new(|name| (name == "LANG").then(|| "zh_CN.UTF-8".into())).speaks_chinese());
        let both = |name: &str| match name {
            "LC_ALL" => Some("en_GB.UTF-8".into()),
            "LANG" => Some("zh_TW".into()),
            _ => None,
        };
        assert!(!Environment::new(both).speaks_chinese());
    }

    #[test]
    fn a_dumb_terminal_wants_no_colours_and_an_empty_wish_is_none() {
        assert!(environment().wants_no_colour());
        let empty = Environment::new(|name| (name == "NO_COLOR").then(OsString::new));
        assert!(!empty.wants_no_colour());
    }
}
