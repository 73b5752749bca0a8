//! One session on standard input and output.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ServiceExt as _;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use super::{Server, Shared};

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
    let input = UntilEnd { input, ended: server.shared.closing.clone() };
    let running = match server.serve((input, output)).await {
        Ok(running) => running,
        // A client that leaves before it says anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Beginning(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(StdioError::Broken(error.to_string())),
        Ok(_) => Ok(()),
    }
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
