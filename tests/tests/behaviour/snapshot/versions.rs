//! Versions of saved types.

use schedule::snapshot::{
    ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError, SnapshotReader,
};
use serde::{Deserialize, Serialize};

use super::{restored, saved};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account")]
struct AccountV1(u32);

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 2)]
struct AccountV2(u64);

/// Versions 1 and 2 are migrated, version 3 is not known.
#[derive(Snapshot, Serialize, Deserialize, Debug, PartialEq)]
#[snapshot(name = "account", version = 4, migrate = Self::from_older)]
struct Account {
    balance: u64,
    is_open: bool,
}

impl Account {
    fn from_older(version: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let balance = match version {
            1 => from.read::<AccountV1>()?.0.into(),
            2 => from.read::<AccountV2>()?.0,
            _ => return Err(from.unsupported::<Self>(version)),
        };
        let is_open = true;
        Ok(Self { balance, is_open })
    }
}

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 3)]
struct AccountV3(u64);

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(name = "account", version = 5)]
struct AccountV5(u64);

#[test]
fn older_versions_are_migrated() {
    let is_open = true;
    let account = |balance| Account { balance, is_open };
    assert_eq!(restored(&saved(&AccountV1(3))), Ok(account(3)));
    assert_eq!(restored(&saved(&AccountV2(1 << 40))), Ok(account(1 << 40)));
    assert_eq!(restored(&saved(&account(5))), Ok(account(5)));
    let bytes = saved(&AccountV1(3));
    let mut replaced = account(9);
    let reader = SnapshotReader::new(&bytes).unwrap();
    reader.restore_into(&mut replaced).unwrap();
    assert_eq!(replaced, account(3));
}

#[test]
fn version_without_migration_is_an_error() {
    let expected = "`account` was saved in version 1, but this program has version 2: read version 1 in a function, and \
                    name it with `#[snapshot(migrate = …)]`";
    let error = restored::<AccountV2>(&saved(&AccountV1(3))).err().unwrap();
    assert_eq!(error.to_string(), expected);
    let error = restored::<Account>(&saved(&AccountV3(3))).unwrap_err();
    let (found, expected) = (3, 4);
    let name = "account";
    assert_eq!(
        error,
        SnapshotError::Version {
            name,
            found,
            expected
        }
    );
}

#[test]
fn newer_version_is_an_error() {
    let expected = "`account` was saved in version 5, but this program has version 4: use a newer version of the program";
    let bytes = saved(&AccountV5(3));
    let error = restored::<Account>(&bytes).unwrap_err();
    assert_eq!(error.to_string(), expected);
    let is_open = false;
    let mut unchanged = Account {
        balance: 1,
        is_open,
    };
    let reader = SnapshotReader::new(&bytes).unwrap();
    let error = reader.restore_into(&mut unchanged).unwrap_err();
    assert_eq!(error.to_string(), expected);
    assert_eq!(
        unchanged,
        Account {
            balance: 1,
            is_open
        }
    );
}

#[test]
fn migration_gets_only_older_versions() {
    /// Its migration accepts every version.
    #[derive(Snapshot, Serialize, Deserialize, Debug)]
    #[snapshot(name = "account", version = 2, migrate = from_any)]
    struct Trusting(u64);

    fn from_any(_: u32, from: &mut Decoder<'_>) -> Result<Trusting, SnapshotError> {
        from.read().map(Trusting)
    }

    let restore = |version| Decoder::new(&[7]).restore::<Trusting>(version);
    assert!(restore(1).is_ok() && restore(2).is_ok());
    let name = "account";
    let (found, expected) = (3, 2);
    assert_eq!(
        restore(3).unwrap_err(),
        SnapshotError::Version {
            name,
            found,
            expected
        }
    );
}

#[test]
fn version_0_is_an_error() {
    let error = Decoder::new(&[7]).restore::<Account>(0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`account` cannot be restored: version 0 does not exist, at byte 0 of its section"
    );
}

/// A generic type, saved by hand.
#[derive(Debug, PartialEq)]
pub(super) struct Pair<T>(pub(super) T, pub(super) T);

impl<T: Snapshot> Snapshot for Pair<T> {
    const NAME: &'static str = const { ComposedName::new("pair", T::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&T::VERSION)?;
        to.save(&self.0)?;
        to.save(&self.1)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let version = from.read()?;
        Ok(Self(from.restore(version)?, from.restore(version)?))
    }

    fn schema() -> Schema {
        Schema::of_saved::<T>()
    }
}

#[test]
fn parts_of_a_generic_type_have_their_own_version() {
    let bytes = saved(&Pair(
        Pair(AccountV1(1), AccountV1(2)),
        Pair(AccountV1(3), AccountV1(4)),
    ));
    let restored: Pair<Pair<Account>> = restored(&bytes).unwrap();
    let balances = [restored.0.0, restored.0.1, restored.1.0, restored.1.1];
    assert_eq!(balances.map(|account| account.balance), [1, 2, 3, 4]);
    let reader = SnapshotReader::new(&bytes).unwrap();
    assert_eq!(
        reader.sections().next().unwrap().name,
        "pair<pair<account>>"
    );
    // The message names the part.
    let error = reader.restore::<Pair<Pair<AccountV2>>>().err().unwrap();
    let (found, expected) = (1, 2);
    let name = "account";
    assert_eq!(
        error,
        SnapshotError::Version {
            name,
            found,
            expected
        }
    );
}
