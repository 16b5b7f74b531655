//! TLS to a server: what is trusted, what we show, and why a handshake failed, in words that name
//! the flag that helps.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustls::client::ResolvesClientCert;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use super::dial::words;
use super::socket::LinkStream;
use crate::queue::{Tls, Verify, text};

/// The server wants to know who we are, and we have nothing to show.
pub(super) const NO_CERTIFICATE: &str =
    "the server wants a client certificate: give one with --cert FILE and --key FILE";

/// TLS to one server: its handshakes go on with the sessions of earlier ones.
pub(super) struct TlsClient {
    connector: TlsConnector,
    name: ServerName<'static>,
    identity: Arc<Introduction>,
}

impl TlsClient {
    /// Reads the certificates and the key that `tls` names; `host` is where we connect to. An
    /// error says which file is at fault, and what to do.
    pub(super) fn read(tls: &Tls, host: &str) -> Result<Self, String> {
        let name = tls.name.as_deref().unwrap_or(host);
        let name = ServerName::try_from(name.to_owned()).map_err(|_| {
            let name = text::printable(name);
            format!("{name:?} is no name that a certificate can bear: give one with --sni NAME")
        })?;
        let provider = Arc::new(ring::default_provider());
        let identity = Arc::new(Introduction::read(tls, &provider)?);
        let trust = Arc::new(Trust::read(tls, &provider)?);
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|why| why.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(trust)
            .with_client_cert_resolver(Arc::clone(&identity) as Arc<dyn ResolvesClientCert>);
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            name,
            identity,
        })
    }

    /// Shakes hands over a connection; an error is in words.
    pub(super) async fn greet(&self, stream: LinkStream) -> Result<LinkStream, HandshakeFailure> {
        match self.connector.connect(self.name.clone(), stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(why) => Err(HandshakeFailure {
                words: self.refusal(&why),
                is_closed: is_closed(&why),
                is_other_name: is_other_name(&why),
            }),
        }
    }

    /// Shakes hands and listens: in TLS 1.3 a server says only afterwards what it thinks of our
    /// certificate. None when it says nothing about that.
    pub(super) async fn verdict(&self, stream: LinkStream) -> Option<String> {
        let mut stream = match self.greet(stream).await {
            Ok(stream) => stream,
            Err(why) => return Some(why.words).filter(|_| !why.is_closed),
        };
        let closed = stream.read_u8().await.err()?;
        let error = closed.get_ref()?.downcast_ref::<Error>()?;
        match error {
            Error::AlertReceived(alert) => Some(self.alert(*alert)),
            _ => None,
        }
    }

    /// Tells whether the server has asked for a certificate, and there is none.
    pub(super) fn wants_certificate(&self) -> bool {
        self.identity.key.is_none() && self.identity.was_asked.load(Ordering::Relaxed)
    }

    /// Says why a handshake failed.
    fn refusal(&self, why: &io::Error) -> String {
        let error = why
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Error>());
        match error {
            Some(Error::InvalidCertificate(why)) => untrusted(why, &self.name.to_str()),
            Some(Error::AlertReceived(alert)) => self.alert(*alert),
            Some(Error::InvalidMessage(_)) => {
                "what answers there does not speak TLS: use redis://, or leave --tls out".to_owned()
            }
            Some(Error::PeerIncompatible(why)) => {
                format!("the server speaks neither TLS 1.2 nor 1.3 as it is spoken here ({why:?})")
            }
            Some(other) => format!("the TLS handshake failed: {other}"),
            None if is_closed(why) => format!(
                "the connection was closed amid the TLS handshake ({}): does this port speak TLS?",
                words(why)
            ),
            None => words(why),
        }
    }

    /// Says why the server refuses us.
    fn alert(&self, alert: AlertDescription) -> String {
        match alert {
            AlertDescription::CertificateRequired | AlertDescription::HandshakeFailure
                if self.wants_certificate() =>
            {
                NO_CERTIFICATE.to_owned()
            }
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::AccessDenied
                if self.identity.key.is_some() =>
            {
                format!(
                    "the server does not accept our certificate ({alert:?}): is --cert signed by \
                     a CA that it trusts?"
                )
            }
            AlertDescription::UnrecognisedName => {
                "the server knows no such name: give the right one with --sni NAME".to_owned()
            }
            other => format!("the server refused the TLS handshake ({other:?})"),
        }
    }
}

/// The reason why there is no TLS on a connection.
pub(super) struct HandshakeFailure {
    /// The reason, with the flag that helps.
    pub(super) words: String,
    /// The connection was closed without a word of TLS.
    pub(super) is_closed: bool,
    /// Its certificate is trusted, but bears other names.
    pub(super) is_other_name: bool,
}

fn is_closed(why: &io::Error) -> bool {
    let kinds = [
        io::ErrorKind::UnexpectedEof,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::BrokenPipe,
    ];
    why.get_ref().is_none_or(|inner| !inner.is::<Error>()) && kinds.contains(&why.kind())
}

/// Tells whether nothing but the name in a certificate is wrong.
fn is_other_name(why: &io::Error) -> bool {
    let error = why
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    matches!(
        error,
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
        ))
    )
}

/// Tells whether a stream answers PING as Redis does, whatever it says then.
pub(super) async fn says_pong(mut stream: LinkStream) -> bool {
    let mut first = [0];
    let asked = stream.write_all(b"PING\r\n").await.is_ok();
    asked && stream.read_exact(&mut first).await.is_ok() && matches!(first[0], b'+' | b'-')
}

/// Tells whether a stream answers a TLS handshake, whatever it says then.
pub(super) async fn says_hello(stream: LinkStream) -> bool {
    let anybody = Tls {
        verify: Verify::None,
        ..Tls::default()
    };
    let Ok(client) = TlsClient::read(&anybody, "localhost") else {
        return false;
    };
    match client.connector.connect(client.name.clone(), stream).await {
        Ok(_) => true,
        Err(why) => {
            let error = why
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<Error>());
            matches!(
                error,
                Some(Error::AlertReceived(_) | Error::PeerIncompatible(_))
            )
        }
    }
}

/// Says why the server's certificate is not trusted.
fn untrusted(why: &CertificateError, name: &str) -> String {
    match why {
        CertificateError::UnknownIssuer => "the server's certificate is signed by nobody who is \
             trusted here: give its CA with --cacert FILE (--insecure trusts anybody)"
            .to_owned(),
        CertificateError::NotValidForName => {
            format!(
                "the server's certificate does not bear the name {name}: give the right one with \
                 --sni NAME, or look at who signed it only, with --tls-verify ca"
            )
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let names = match &presented[..] {
                [] => "no name".to_owned(),
                some => text::printable(&some.join(", ")).into_owned(),
            };
            format!(
                "the server's certificate bears {names}, not {name}: give the right one with \
                 --sni NAME, or look at who signed it only, with --tls-verify ca"
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired: it must be renewed there (--insecure looks at \
             no certificate)"
                .to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet: is the clock of this machine right?"
                .to_owned()
        }
        other if is(other, "CaUsedAsEndEntity") => "the server shows the certificate of a CA: \
             give that very certificate with --cacert FILE (--insecure trusts anybody)"
            .to_owned(),
        other if is(other, "UnsupportedCertVersion") => "the server's certificate is X.509 \
             version 1, which nobody can check any more: renew it (--insecure looks at no \
             certificate)"
            .to_owned(),
        other => format!("the server's certificate cannot be trusted ({other})"),
    }
}

/// Tells whether the checker of certificates has found what it calls `name`. Its own type is not
/// one that rustls shows.
fn is(why: &CertificateError, name: &str) -> bool {
    matches!(why, CertificateError::Other(other) if format!("{other:?}").contains(name))
}

/// The certificates in a file; at least one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(all) if all.is_empty() => Err(format!(
            "{} holds no certificate: a PEM file is needed, with BEGIN CERTIFICATE in it",
            file.display()
        )),
        Ok(all) => Ok(all),
        Err(why) => Err(unreadable(file, &why)),
    }
}

fn unreadable(file: &Path, why: &pem::Error) -> String {
    let why = match why {
        pem::Error::Io(why) => words(why),
        other => other.to_string(),
    };
    format!("{} could not be read: {why}", file.display())
}

/// The answer to a server that asks who we are.
#[derive(Debug)]
struct Introduction {
    key: Option<Arc<CertifiedKey>>,
    was_asked: AtomicBool,
}

impl Introduction {
    fn read(tls: &Tls, provider: &CryptoProvider) -> Result<Self, String> {
        let key = match &tls.identity {
            Some(of) => Some(Arc::new(certified(&of.cert, &of.key, provider)?)),
            None => None,
        };
        Ok(Self {
            key,
            was_asked: AtomicBool::new(false),
        })
    }
}

fn certified(cert: &Path, key: &Path, provider: &CryptoProvider) -> Result<CertifiedKey, String> {
    let chain = certificates(cert)?;
    let der = PrivateKeyDer::from_pem_file(key).map_err(|why| match why {
        pem::Error::NoItemsFound => format!(
            "{} holds no private key that can be read: is it encrypted? openssl pkey -in FILE \
             -out PLAIN decrypts it",
            key.display()
        ),
        other => unreadable(key, &other),
    })?;
    CertifiedKey::from_der(chain, der, provider).map_err(|why| {
        format!(
            "{} and {} do not go together: {why}",
            cert.display(),
            key.display()
        )
    })
}

impl ResolvesClientCert for Introduction {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.was_asked.store(true, Ordering::Relaxed);
        self.key.clone()
    }

    // Also without one: else nobody asks, and nobody can tell that it was wanted.
    fn has_certs(&self) -> bool {
        true
    }
}

/// The check of a server's certificate.
#[derive(Debug)]
struct Trust {
    verify: Verify,
    /// The check of who has signed a certificate; none where anybody is trusted.
    checker: Option<Arc<WebPkiServerVerifier>>,
    /// The certificates that the user named. One of them may be the server's own.
    named: Vec<CertificateDer<'static>>,
    /// The ways of signing that we can check.
    algorithms: WebPkiSupportedAlgorithms,
}

impl Trust {
    fn read(tls: &Tls, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let named = named(tls)?;
        let checker = match tls.verify {
            Verify::None => None,
            Verify::Full | Verify::Ca => Some(checker(tls, &named, provider)?),
        };
        Ok(Self {
            verify: tls.verify,
            checker,
            named,
            algorithms: provider.signature_verification_algorithms,
        })
    }

    /// Tells whether that is one of the certificates that the user named, for this server's name.
    fn is_named(&self, cert: &CertificateDer<'_>, name: &ServerName<'_>) -> bool {
        let fits = || {
            let parsed = ParsedCertificate::try_from(cert);
            parsed.is_ok_and(|cert| rustls::client::verify_server_name(&cert, name).is_ok())
        };
        self.named.iter().any(|named| named == cert) && (self.verify == Verify::Ca || fits())
    }
}

fn named(tls: &Tls) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut named = match &tls.ca_file {
        Some(file) => certificates(file)?,
        None => Vec::new(),
    };
    if let Some(dir) = &tls.ca_dir {
        let unlisted =
            |why: io::Error| format!("{} could not be read: {}", dir.display(), words(&why));
        let before = named.len();
        for file in fs::read_dir(dir).map_err(unlisted)? {
            // What holds none may stand there too.
            named.extend(certificates(&file.map_err(unlisted)?.path()).unwrap_or_default());
        }
        if named.len() == before {
            return Err(format!("no file in {} holds a certificate", dir.display()));
        }
    }
    Ok(named)
}

fn checker(
    tls: &Tls,
    named: &[CertificateDer<'static>],
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore::empty();
    if tls.ca_file.is_some() || tls.ca_dir.is_some() {
        let (_, bad) = roots.add_parsable_certificates(named.iter().cloned());
        if roots.is_empty() {
            return Err(format!(
                "none of the {bad} certificates given can be trusted: they are damaged, or of \
                 X.509 version 1"
            ));
        }
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(
                "this machine has no list of trusted CAs: give the server's with --cacert FILE"
                    .to_owned(),
            );
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|why| why.to_string())
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        cert: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(checker) = &self.checker else {
            return Ok(ServerCertVerified::assertion());
        };
        match checker.verify_server_cert(cert, intermediates, name, ocsp, now) {
            // The name is looked at last.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.verify == Verify::Ca => Ok(ServerCertVerified::assertion()),
            // One that signed itself, made by `openssl req -x509`, calls itself a CA. Its dates
            // were looked at before that.
            Err(Error::InvalidCertificate(why))
                if is(&why, "CaUsedAsEndEntity") && self.is_named(cert, name) =>
            {
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, cert, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, cert, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
