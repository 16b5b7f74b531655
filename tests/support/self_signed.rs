//! A server behind TLS that has signed itself.

use crate::support::ports::Ports;
use crate::support::{Server, behind_tls, room};

/// The server; who trusts `cert` reaches it at `url`.
pub struct SelfSigned {
    pub server: Server,
    pub url: String,
    /// The path of its certificate.
    pub cert: String,
    /// Given back when it has ended.
    _held: (tempfile::TempDir, Ports),
}

impl SelfSigned {
    pub fn start() -> Self {
        let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let files = room();
        let file = |name: &str, text: &str| {
            let path = files.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let cert = file("s.pem", &signed.cert.pem());
        let key = file("s.key", &signed.signing_key.serialize_pem());
        let ports = Ports::free();
        let shown = ["--tls-cert-file", &cert, "--tls-key-file", &key];
        let trusted = ["--tls-ca-cert-file", &cert, "--tls-auth-clients", "no"];
        let args = behind_tls(&[shown, trusted].concat(), ports.of_nodes[0]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        Self {
            server: Server::start_with(&args),
            url: format!("rediss://127.0.0.1:{}", ports.of_nodes[0]),
            cert,
            _held: (files, ports),
        }
    }
}
