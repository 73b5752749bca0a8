//! The viewer on a terminal: as little as possible, for none of it can be tested without one.

use std::io::{self, Write};
use std::time::Instant;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
    EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{execute, queue};

use super::{Key, ReplayViewer, ViewerEffect};
use crate::cli::draw::ansi::AnsiOptions;
use crate::cli::draw::colour::Depth;

/// Shows the viewer on the whole terminal until the reader leaves it.
///
/// # Errors
/// If the terminal cannot be read or written. It is put back in order all the same.
pub fn run(viewer: &mut ReplayViewer, depth: Depth, out: &mut impl Write) -> io::Result<()> {
    let mut screen = Screen::open(out)?;
    screen.draw(viewer, depth)?;
    let mut shown = Instant::now();
    loop {
        let due = viewer.pause().map(|pause| pause.saturating_sub(shown.elapsed()));
        let pressed = match due {
            Some(due) => event::poll(due)?,
            None => true,
        };
        let effect = if pressed {
            match event::read()? {
                Event::Key(key) => read_key(key).map_or(ViewerEffect::Nothing, |key| viewer.on_key(key)),
                Event::Resize(..) => ViewerEffect::Redraw,
                _ => ViewerEffect::Nothing,
            }
        } else {
            shown = Instant::now();
            viewer.on_tick()
        };
        match effect {
            ViewerEffect::Nothing => {}
            ViewerEffect::Redraw => screen.draw(viewer, depth)?,
            ViewerEffect::Quit => return Ok(()),
        }
    }
}

/// The terminal while the viewer has it. Whatever happens, dropping it gives the terminal back.
struct Screen<'a, W: Write> {
    out: &'a mut W,
}

impl<'a, W: Write> Screen<'a, W> {
    fn open(out: &'a mut W) -> io::Result<Screen<'a, W>> {
        terminal::enable_raw_mode()?;
        // From here on there is something to put back, also if the next line fails.
        let screen = Screen { out };
        execute!(screen.out, EnterAlternateScreen, Hide, DisableLineWrap)?;
        Ok(screen)
    }

    fn draw(&mut self, viewer: &ReplayViewer, depth: Depth) -> io::Result<()> {
        let (cols, rows) = terminal::size()?;
        let lines = viewer.lines(cols.into(), rows.into(), AnsiOptions { depth, width: cols.into() });
        queue!(self.out, BeginSynchronizedUpdate)?;
        for (row, line) in (0..rows).zip(&lines) {
            // Cleared first: after a full line the cursor is still on its last character.
            queue!(self.out, MoveTo(0, row), Clear(ClearType::UntilNewLine))?;
            self.out.write_all(line.as_bytes())?;
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Screen<'_, W> {
    fn drop(&mut self) {
        // Nobody is left to tell if this fails.
        let _ = execute!(self.out, EnableLineWrap, Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

fn read_key(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    Some(match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Key::Interrupt,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}
