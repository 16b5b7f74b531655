//! A SOCKS5 proxy, as `ssh -D` is one, to whose side names of a network inside are known.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The host that only the proxy knows: this machine.
pub const INSIDE: &str = "inside.example";

/// A proxy that runs until the test ends.
pub struct Socks {
    pub port: u16,
    made: Arc<AtomicUsize>,
}

impl Socks {
    /// One that wants this login, if any.
    pub fn start(login: Option<(&'static str, &'static str)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let made = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&made);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                // Who goes away in the middle is no concern of the others.
                thread::spawn(move || serve(client, login, &counted));
            }
        });
        Self { port, made }
    }

    /// How many connections it has made.
    pub fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

fn serve(mut client: TcpStream, login: Option<(&str, &str)>, made: &AtomicUsize) -> io::Result<()> {
    let mut head = [0; 2];
    client.read_exact(&mut head)?;
    let mut methods = vec![0; usize::from(head[1])];
    client.read_exact(&mut methods)?;
    let method = if login.is_some() { 2 } else { 0 };
    if !methods.contains(&method) {
        return client.write_all(&[5, 0xff]);
    }
    client.write_all(&[5, method])?;
    if let Some((user, password)) = login {
        client.read_exact(&mut [0; 1])?;
        let given = [counted(&mut client)?, counted(&mut client)?];
        let is_right = given == [user.as_bytes(), password.as_bytes()];
        client.write_all(&[1, u8::from(!is_right)])?;
        if !is_right {
            return Ok(());
        }
    }
    let mut wish = [0; 4];
    client.read_exact(&mut wish)?;
    let host = match wish[3] {
        1 => {
            let mut ip = [0; 4];
            client.read_exact(&mut ip)?;
            Ipv4Addr::from(ip).to_string()
        }
        _ => String::from_utf8(counted(&mut client)?).unwrap(),
    };
    let mut port = [0; 2];
    client.read_exact(&mut port)?;
    let host = if host == INSIDE { "127.0.0.1" } else { &host };
    let Ok(server) = TcpStream::connect((host, u16::from_be_bytes(port))) else {
        return client.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]);
    };
    made.fetch_add(1, Ordering::SeqCst);
    client.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0])?;
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let back = thread::spawn(move || copied(from_server, client));
    copied(from_client, server);
    let _ = back.join();
    Ok(())
}

fn copied(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// A text behind its length.
fn counted(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 1];
    client.read_exact(&mut length)?;
    let mut text = vec![0; usize::from(length[0])];
    client.read_exact(&mut text)?;
    Ok(text)
}
