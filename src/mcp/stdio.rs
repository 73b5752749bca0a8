//! One session on standard input and output.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ServiceExt as _;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt, BufReader, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::order::InOrder;
use super::{Server, Shared};

const LONGEST_NOTIFICATION: u64 = 1 << 20;

/// Why a session on standard input and output broke off.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The client did not begin as the protocol says.
    #[error("the client did not begin as the protocol says: {0}")]
    Beginning(String),
    /// The session's task failed.
    #[error("the session broke off: {0}")]
    Broken(String),
}

/// Serves one session until the input ends.
///
/// # Errors
/// If the client speaks another language from the start, or the session breaks off.
pub async fn serve_stdio(shared: &Shared) -> Result<(), StdioError> {
    let (input, output) = stdio_pipes();
    let server: Server = shared.session();
    let mut input = BufReader::new(UntilEnd { input, ended: server.shared.closing.clone() });
    let first = first_request(&mut input).await.map_err(|error| StdioError::Broken(error.to_string()))?;
    let input = AsyncReadExt::chain(io::Cursor::new(first), input);
    let session = server.clone();
    let running = match server.serve((input, InOrder::new(output))).await {
        Ok(running) => running,
        // A client that leaves before it says anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Beginning(error.to_string())),
    };
    let ended = running.waiting().await;
    // Whoever comes next is not to be brought together with somebody who has left.
    session.leave_queue().await;
    match ended {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(StdioError::Broken(error.to_string())),
        Ok(_) => Ok(()),
    }
}

/// The first line that asks for something. A notification before it is nothing to answer, and would end the session.
async fn first_request(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    loop {
        let mut line = Vec::new();
        // What is longer is no notification.
        input.take(LONGEST_NOTIFICATION).read_until(b'\n', &mut line).await?;
        let is_nothing = line.last() == Some(&b'\n') && (line.trim_ascii().is_empty() || is_notification(&line));
        if !is_nothing {
            return Ok(line);
        }
    }
}

fn is_notification(line: &[u8]) -> bool {
    let message: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_slice(line).ok();
    message.is_some_and(|message| message.contains_key("method") && !message.contains_key("id"))
}

/// Input that ends all waiting when it ends: nobody is there any more to hear the answer.
struct UntilEnd<R> {
    input: R,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for UntilEnd<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(cx, buf);
        if matches!(polled, Poll::Ready(Ok(()))) && buf.filled().len() == before && buf.capacity() > before {
            self.ended.cancel();
        }
        polled
    }
}
