//! The secret of a generation, and the proof that a process knows it.
//!
//! The secret reaches a worker on its standard input, and never a connection: another process may listen at the address of a process
//! that has ended. Instead, both ends prove that they know it, by codes of random numbers of both.

use core::fmt;
use std::io;

/// Size in bytes of a random number of one end.
pub(crate) const NONCE_BYTES: usize = 32;

/// Size in bytes of a proof.
pub(crate) const PROOF_BYTES: usize = 32;

/// A random number that is used once.
pub(crate) type Nonce = [u8; NONCE_BYTES];

/// The code of one end.
pub(crate) type Proof = [u8; PROOF_BYTES];

/// The secret of a generation. It is not printed.
#[derive(Clone)]
pub(crate) struct Secret([u8; 32]);

/// The end of a connection that a proof is for. The codes of the two ends differ, so none can be sent back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// The end that waits for connections. It proves first.
    Acceptor,
    /// The end that connects.
    Connector,
}

/// The values of one connection that both ends know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// The index of the worker that waits for connections. `None`: the supervisor.
    pub(crate) acceptor: Option<u32>,
    /// The index of the worker that connects.
    pub(crate) connector: u32,
    pub(crate) of_connector: Nonce,
    pub(crate) of_acceptor: Nonce,
}

impl Secret {
    /// Returns random bits of the operating system.
    pub(crate) fn random() -> io::Result<Self> {
        random().map(Self)
    }

    /// Returns the text of the standard input of a worker.
    pub(crate) fn to_text(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// The inverse of [`to_text`](Self::to_text).
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let bytes = blake3::Hash::from_hex(text).ok()?;
        Some(Self(*bytes.as_bytes()))
    }

    /// Returns the code of one end: keyed BLAKE3 of the session.
    pub(crate) fn prove(&self, end: End, session: &Session) -> Proof {
        *self.code(end, session).as_bytes()
    }

    /// Returns whether a code is that of one end. The time does not depend on the bytes.
    pub(crate) fn is_proved(&self, end: End, session: &Session, found: &Proof) -> bool {
        // `Hash` compares in constant time.
        self.code(end, session) == *found
    }

    fn code(&self, end: End, session: &Session) -> blake3::Hash {
        let Session {
            acceptor,
            connector,
            of_connector,
            of_acceptor,
        } = session;
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        // All fields have a fixed size.
        hasher.update(match end {
            End::Acceptor => b"schedule-cluster 1 acceptor ",
            End::Connector => b"schedule-cluster 1 connector",
        });
        let (is_worker, index) = (u8::from(acceptor.is_some()), acceptor.unwrap_or(0));
        hasher.update(&[is_worker]).update(&index.to_le_bytes());
        hasher.update(&connector.to_le_bytes());
        hasher.update(of_connector).update(of_acceptor);
        hasher.finalize()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Returns random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session {
            acceptor: Some(0),
            connector: 1,
            of_connector: [2; NONCE_BYTES],
            of_acceptor: [3; NONCE_BYTES],
        }
    }

    #[test]
    fn code_depends_on_the_secret_the_end_and_each_value_of_the_session() {
        let secret = Secret::random().unwrap();
        let proof = secret.prove(End::Acceptor, &session());
        let is_proved = |session: &Session| secret.is_proved(End::Acceptor, session, &proof);
        assert!(is_proved(&session()));
        assert!(!secret.is_proved(End::Connector, &session(), &proof));
        let other = Secret::random().unwrap();
        assert!(!other.is_proved(End::Acceptor, &session(), &proof));
        let mut others = [session(); 5];
        others[0].acceptor = None;
        others[1].acceptor = Some(1);
        others[2].connector = 0;
        others[3].of_connector[31] ^= 1;
        others[4].of_acceptor[0] ^= 1;
        assert!(!others.iter().any(is_proved));
        for bit in 0..8 * PROOF_BYTES {
            let mut changed = proof;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!secret.is_proved(End::Acceptor, &session(), &changed));
        }
    }

    #[test]
    fn text_restores_the_secret_and_debug_does_not_print_it() {
        let secret = Secret::random().unwrap();
        let restored = Secret::of_text(&secret.to_text()).unwrap();
        assert_eq!(restored.0, secret.0);
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        for wrong in ["", "ab", &"g".repeat(64), &"0".repeat(66)] {
            assert!(Secret::of_text(wrong).is_none(), "{wrong}");
        }
    }
}
