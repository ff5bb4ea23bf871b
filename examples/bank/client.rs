//! An HTTP client with one connection that is kept.

use std::net::SocketAddr;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use schedule::BoxError;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::api::IDEMPOTENCY_KEY;

/// A connection to a bank. If it is dropped, the connection is closed.
#[derive(Debug)]
pub(crate) struct Client {
    host: String,
    requests: SendRequest<Full<Bytes>>,
    connection: JoinHandle<()>,
}

impl Client {
    /// # Errors
    ///
    /// Fails if the bank cannot be reached.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self, BoxError> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (requests, connection) = handshake(TokioIo::new(stream)).await?;
        // Its error is that of the request that waits.
        let connection = tokio::spawn(async move { drop(connection.await) });
        Ok(Self {
            host: address.to_string(),
            requests,
            connection,
        })
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<Reply, BoxError> {
        let request = Request::get(path).header(HOST, &self.host);
        self.send(request.body(Full::default())?).await
    }

    /// Sends a body of JSON, perhaps with an idempotency key.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        json: Vec<u8>,
        key: Option<&str>,
    ) -> Result<Reply, BoxError> {
        let mut request = Request::post(path)
            .header(HOST, &self.host)
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        self.send(request.body(Full::from(json))?).await
    }

    /// # Errors
    ///
    /// Fails if the connection is closed before the whole answer has arrived.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Reply, BoxError> {
        self.requests.ready().await?;
        let response = self.requests.send_request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        Ok(Reply { status, body })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

/// The answer to an HTTP request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    body: Bytes,
}

impl Reply {
    /// # Errors
    ///
    /// Fails if the body has another form.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, BoxError> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}
