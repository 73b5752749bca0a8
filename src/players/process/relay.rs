//! What a player's program complains about, passed on to whoever runs the match.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// So many lines are passed on in a match.
const MAX_LINES: u32 = 200;

/// So many bytes of a line are passed on.
const MAX_WIDTH: usize = 500;

/// Where the complaints of a program go: each line with the seat in front, not more than anybody wants to read.
pub(in crate::players) struct Relay {
    name: String,
    inner: Mutex<Inner>,
}

struct Inner {
    lines_left: u32,
    out: Box<dyn Write + Send>,
}

impl Relay {
    pub(in crate::players) fn new(name: String, out: Box<dyn Write + Send>) -> Arc<Relay> {
        Arc::new(Relay { name, inner: Mutex::new(Inner { lines_left: MAX_LINES, out }) })
    }

    /// Passes one line on. What a terminal would take for an order is made harmless.
    pub(super) fn line(&self, text: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = inner.lines_left.checked_sub(1) else { return };
        inner.lines_left = left;
        let text: String = text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect();
        // Nobody may be listening; the match goes on.
        let _ = writeln!(inner.out, "{}: {text}", self.name);
        if left == 0 {
            let _ = writeln!(inner.out, "{}: … and more, which is not shown", self.name);
        }
    }

    /// Passes on everything that comes until there is no more.
    pub(super) async fn pass_on(self: Arc<Relay>, from: impl AsyncRead + Unpin) {
        let mut from = BufReader::new(from);
        let mut line = Vec::new();
        while let Ok(chunk) = from.fill_buf().await
            && !chunk.is_empty()
        {
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            line.extend_from_slice(&part[..part.len().min(MAX_WIDTH - line.len())]);
            let used = end.map_or(chunk.len(), |end| end + 1);
            from.consume(used);
            if end.is_some() {
                self.line(String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
        }
        if !line.is_empty() {
            self.line(String::from_utf8_lossy(&line).trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("not poisoned").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn passed_on(bytes: &[u8]) -> Vec<String> {
        let page = Page::default();
        Relay::new("B".to_owned(), Box::new(page.clone())).pass_on(bytes).await;
        let text = String::from_utf8(page.0.lock().expect("not poisoned").clone()).expect("UTF-8");
        text.lines().map(ToOwned::to_owned).collect()
    }

    #[tokio::test]
    async fn every_line_has_the_seat_in_front_and_gives_no_orders_to_the_terminal() {
        assert_eq!(
            passed_on("Fehler: \x1b[2J\r\n\n牛仔".as_bytes()).await,
            ["B: Fehler: \u{fffd}[2J", "B: ", "B: 牛仔"]
        );
        assert_eq!(passed_on(b"\xff\n").await, ["B: \u{fffd}"]);
    }

    #[tokio::test]
    async fn no_more_is_passed_on_than_anybody_wants_to_read() {
        let long = passed_on(&vec![b'x'; 100_000]).await;
        assert_eq!(long, [format!("B: {}", "x".repeat(MAX_WIDTH))]);
        let many = passed_on("x\n".repeat(10_000).as_bytes()).await;
        assert_eq!(many.len(), MAX_LINES as usize + 1);
        assert_eq!(many.last().expect("lines"), "B: … and more, which is not shown");
    }
}
