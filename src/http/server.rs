//! Connections: accepted, served and ended. Who sends its request too slowly, or does not read its answer, is let go.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::{Request, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::app::App;
use super::caller::Peer;
use super::error::ApiError;
use super::fits;
use super::limit::{Counted, limits};
use super::metrics::{self, OpenConnection, UPKEEP};
use super::proxies;

/// So long the head of a request may take to come, from its first byte or from the answer before.
const HEAD: Duration = Duration::from_secs(30);

/// So long a connection may not take a single byte that is meant for it.
const STALLED: Duration = Duration::from_secs(30);

/// So long open answers may take to end when the server closes.
const GRACE: Duration = Duration::from_secs(5);

/// So long, and so much, is taken in of what a peer still sends after its answer.
const PARTING: Duration = Duration::from_secs(1);
const MOST_TAKEN: usize = 8 << 20;

/// After a failure to accept, such as too many open files, so long is waited.
const BREATH: Duration = Duration::from_millis(100);

/// Serves until it is told to close, then lets every answer end.
pub(super) async fn serve(listener: TcpListener, router: Router, app: Arc<App>, closing: CancellationToken) {
    let room = Arc::new(Semaphore::new(app.toll.limits().connections));
    let each = Arc::default();
    let upkeep = tokio::spawn(async {
        while let Some(recorder) = metrics::recorder() {
            sleep(UPKEEP).await;
            recorder.run_upkeep();
        }
    });
    let refits = tokio::spawn(fits::keep_up(Arc::downgrade(&app)));
    let graceful = GracefulShutdown::new();
    loop {
        let room = room.clone();
        let accepted = tokio::select! {
            accepted = async {
                let place = room.acquire_owned().await;
                (listener.accept().await, place)
            } => accepted,
            () = closing.cancelled() => break,
        };
        let ((stream, from), place) = match accepted {
            (Ok(accepted), Ok(place)) => (accepted, place),
            (Err(error), _) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(BREATH).await;
                continue;
            }
            (Ok(_), Err(_)) => break,
        };
        // The connections of a proxy are those of everybody behind it.
        let own = if proxies::is_proxy(&app.trusted_proxies, from.ip()) {
            None
        } else {
            let most = app.toll.limits().connections_each;
            let own = Own::one_more(&each, Counted::address(from.ip()), most);
            if own.is_none() {
                turn_away(&stream, most);
                continue;
            }
            own
        };
        // Without this every streamed answer waits for the kernel's timer.
        let _ = stream.set_nodelay(true);
        let connection = connection(stream, from, router.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _open = OpenConnection::begun();
            // Whoever hangs up in the middle of something has only themselves to tell.
            let _ = connection.await;
            drop((place, own));
        });
    }
    drop(listener);
    upkeep.abort();
    refits.abort();
    tokio::select! {
        () = graceful.shutdown() => {}
        () = sleep(GRACE) => tracing::warn!("some answers did not end in time"),
    }
}

/// The connections of each address.
type Each = Arc<Mutex<HashMap<Counted, usize>>>;

/// One connection of an address; it is counted as long as this lives.
struct Own {
    each: Each,
    whose: Counted,
}

impl Own {
    fn one_more(each: &Each, whose: Counted, most: usize) -> Option<Own> {
        let mut counts = each.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(whose).or_insert(0);
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Own { each: each.clone(), whose })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let mut counts = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.whose) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.whose);
            }
        }
    }
}

/// Tells somebody that they have too many connections, if it can be said at once.
fn turn_away(stream: &TcpStream, most: usize) {
    let detail = format!("{most} connections come from your address, which is as many as there may be");
    let problem = ApiError::limited(limits::CONNECTIONS_EACH, most, "too_many_connections", detail, 5);
    let _ = stream.try_write(&problem.raw());
}

fn connection(
    stream: TcpStream,
    from: SocketAddr,
    router: Router,
) -> http1::Connection<
    TokioIo<StallTimeout>,
    impl hyper::service::Service<
        Request<Incoming>,
        Response = axum::response::Response,
        Error = std::convert::Infallible,
        Future: Send,
    >,
> {
    let service = service_fn(move |request: Request<Incoming>| {
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(Peer(from.ip()));
        router.clone().call(Request::from_parts(parts, Body::new(body)))
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(StallTimeout::new(stream)), service)
}

/// A stream that gives up on a peer who takes nothing.
#[derive(Debug)]
struct StallTimeout {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
    /// Once nothing more is sent: how long what is still on its way is taken in.
    parting: Option<Pin<Box<Sleep>>>,
    taken: usize,
}

impl StallTimeout {
    fn new(stream: TcpStream) -> StallTimeout {
        StallTimeout { stream, stalled: None, parting: None, taken: 0 }
    }

    /// Counts how long nothing could be written.
    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + STALLED)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer takes nothing")))
    }
}

impl AsyncRead for StallTimeout {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for StallTimeout {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.watch(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(context);
        this.watch(context, flushed)
    }

    /// Says that nothing more comes, and takes in what is still on its way for a moment: who hangs up on a peer that is
    /// still sending takes the answer away from it.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.parting.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
        }
        let parting = this.parting.get_or_insert_with(|| Box::pin(sleep(PARTING)));
        let mut scratch = [0; 16 * 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut this.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() && this.taken < MOST_TAKEN => {
                    this.taken += buffer.filled().len();
                }
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    ready!(parting.as_mut().poll(context));
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}
