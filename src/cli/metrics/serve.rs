//! Metrics over HTTP. One task reads the server, at most once a second and only when somebody asks;
//! all who ask meanwhile get the same reading.

use std::collections::HashSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::super::doctor::{Arrival, Arrivals, Doctor};
use super::super::session::Session;
use super::super::stop::StopSignal;
use super::super::{CommandOutcome, say};
use super::reading::{self, MetricsReading};
use crate::args;
use crate::clock::instant;
use crate::config::Config;
use crate::queue::Queue;

/// A reading is told again for so long.
const FRESH: Duration = Duration::from_secs(1);
/// The longest that a reading may take: who asks waits no longer than about a second.
const LIMIT: Duration = Duration::from_millis(900);
/// No queue is found for so long: those that are there have come, or finding them takes its time.
const QUIET: Duration = Duration::from_millis(50);
/// The longest that queues are waited for before the first reading.
const FOUND: Duration = Duration::from_millis(300);
/// The longest that a connection may take to say what it wants.
const HEADER: Duration = Duration::from_secs(5);
/// Requests that wait for the same reading at most; more are told to come back.
const WAITING: usize = 64;

type Text = Arc<str>;
type TextRequest = oneshot::Sender<Text>;

/// Serves until we are asked to end.
pub(super) async fn run(
    address: SocketAddr,
    asked: &args::Metrics,
    config: &Config,
) -> anyhow::Result<CommandOutcome> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("could not listen at {address}"))?;
    let address = listener.local_addr()?;
    // Whoever reads that it runs until Ctrl-C may press it at once.
    let mut stop = StopSignal::listen();
    say::note(&format!(
        "metrics at http://{address}/metrics, until Ctrl-C"
    ));
    let (asks, questions) = mpsc::channel(WAITING);
    tokio::select! {
        () = stop.asked() => {}
        () = accept(&listener, &asks) => {}
        () = answer(asked, config, questions) => {}
    }
    Ok(CommandOutcome::Done)
}

async fn accept(listener: &TcpListener, asks: &mpsc::Sender<TextRequest>) {
    loop {
        // One that breaks off before it is there concerns nobody else; without a free descriptor
        // the next one comes no sooner.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let asks = asks.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| reply(request, asks.clone()));
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER)
                .serve_connection(TokioIo::new(stream), service);
            // Who goes away amid an answer wants no more of it.
            let _ = served.await;
        });
    }
}

async fn reply(
    request: Request<Incoming>,
    asks: mpsc::Sender<TextRequest>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let (status, text) = match request.uri().path() {
        _ if !reads => (StatusCode::METHOD_NOT_ALLOWED, Bytes::from("only GET\n")),
        "/metrics" => match ask(&asks).await {
            Some(text) => (StatusCode::OK, Bytes::copy_from_slice(text.as_bytes())),
            None => (
                StatusCode::SERVICE_UNAVAILABLE,
                Bytes::from("too many ask\n"),
            ),
        },
        "/healthz" => (StatusCode::OK, Bytes::from("ok\n")),
        _ => (
            StatusCode::NOT_FOUND,
            Bytes::from("/metrics and /healthz are here\n"),
        ),
    };
    let mut response = Response::new(Full::new(text));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    Ok(response)
}

/// A reading; none when too many wait for one.
async fn ask(asks: &mpsc::Sender<TextRequest>) -> Option<Text> {
    let (asked, told) = oneshot::channel();
    asks.try_send(asked).ok()?;
    told.await.ok()
}

/// Answers each question with a reading that is at most [`FRESH`] old.
async fn answer(
    asked: &args::Metrics,
    config: &Config,
    mut questions: mpsc::Receiver<TextRequest>,
) {
    // A login of a command that leads to the server may take longer than anybody waits here: the
    // next question finds it made.
    let mut opening = Box::pin(Session::open(config));
    while let Some(question) = questions.recv().await {
        let opened = timeout(LIMIT, &mut opening).await;
        if matches!(opened, Ok(Err(_))) {
            opening = Box::pin(Session::open(config));
        }
        let text = match opened {
            Ok(Ok(session)) => {
                let mut source = Source::new(&session, asked, config);
                // What comes later is read with the next question.
                let _ = timeout(FOUND, source.arrived()).await;
                return source.answer(question, questions).await;
            }
            Ok(Err(_)) | Err(_) => reading::away().into(),
        };
        // Who went away meanwhile does not want it.
        let _ = question.send(text);
    }
}

/// A server that has answered once.
struct Source<'a> {
    session: &'a Session,
    doctor: Doctor<'a>,
    arrivals: Arrivals,
    /// Queues come and go: they were not named. One of which nothing is left for so long has gone.
    discover: Option<Duration>,
    limit: usize,
    /// Queues that were found beyond the limit.
    beyond: HashSet<Queue>,
    last: Option<(Instant, Text)>,
}

impl<'a> Source<'a> {
    fn new(session: &'a Session, asked: &args::Metrics, config: &Config) -> Self {
        let each = Duration::from_millis(asked.discover.ms());
        let discover = config.queues.is_empty().then_some(each);
        let mut doctor = Doctor::new(session, config.queues.clone());
        doctor.quiet();
        let arrivals = discover.map_or_else(Arrivals::none, |each| {
            Arrivals::from_now(&session.store, each)
        });
        Self {
            session,
            doctor,
            arrivals,
            discover,
            limit: asked.limit as usize,
            beyond: HashSet::new(),
            last: None,
        }
    }

    /// Takes up the queues that are there, as far as they are found at once.
    async fn arrived(&mut self) {
        while let Ok(arrival) = timeout(QUIET, self.arrivals.next()).await {
            self.take_up(arrival);
        }
    }

    fn take_up(&mut self, arrival: Arrival) {
        let queue = match arrival {
            Arrival::Queue(queue) => queue,
            Arrival::Looked(away) => {
                self.doctor.away = away;
                return;
            }
        };
        if self.doctor.queues.len() < self.limit {
            self.doctor.add(&queue);
        } else if !self.doctor.has(&queue) {
            self.beyond.insert(queue);
        }
    }

    /// Answers for as long as there are questions; queues that come are read with the next.
    async fn answer(&mut self, first: TextRequest, mut questions: mpsc::Receiver<TextRequest>) {
        let mut question = Some(first);
        loop {
            if let Some(question) = question.take() {
                // Who went away meanwhile does not want it.
                let _ = question.send(self.reading().await);
            }
            tokio::select! {
                asked = questions.recv() => match asked {
                    Some(asked) => question = Some(asked),
                    None => return,
                },
                arrival = self.arrivals.next() => self.take_up(arrival),
            }
        }
    }

    async fn reading(&mut self) -> Text {
        let now = instant();
        if let Some((at, text)) = &self.last
            && now.saturating_duration_since(*at) < FRESH
        {
            return Arc::clone(text);
        }
        let round = async {
            if let Some(after) = self.discover {
                self.doctor.gone(after).await;
            }
            self.doctor.round().await
        };
        let text: Text = if let Ok(Ok(said)) = timeout(LIMIT, round).await {
            let reading = MetricsReading {
                link: self.session.store.link().borrow().clone(),
                server: &self.doctor.server,
                queues: self.doctor.read(&said),
                found: self.doctor.queues.len() + self.beyond.len(),
                away: &self.doctor.away,
                took: instant().saturating_duration_since(now),
            };
            let text = reading.text().into();
            self.doctor.forget_unread();
            text
        } else {
            for queue in &mut self.doctor.queues {
                queue.watch().interrupted();
            }
            reading::away().into()
        };
        self.last = Some((instant(), Arc::clone(&text)));
        text
    }
}
