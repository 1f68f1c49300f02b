//! The roles of one word.

use nomos_rules::dictionary::Role;

/// A set of roles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Roles(u32);

const _: () = assert!(Role::ALL.len() <= u32::BITS as usize);

impl Roles {
    pub const NONE: Roles = Roles(0);

    pub fn with(self, role: Role) -> Roles {
        Roles(self.0 | Roles::bit(role))
    }

    pub fn has(self, role: Role) -> bool {
        self.0 & Roles::bit(role) != 0
    }

    fn bit(role: Role) -> u32 {
        1 << role as u32
    }
}
