//! The structure of a value while schemas are combined.

use super::combine::Said;
use crate::plan::spec::{Contract, Kind, Kinds, Property};

/// Like a [`Contract`], with facts that the contract does not keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Shape {
    /// An object. If `open`, other members may stand beside these.
    Object {
        members: Vec<Member>,
        open: bool,
    },
    Array(Box<Shape>),
    #[default]
    Any,
    /// A value with a part behind a reference that was not followed. Any member may be expected in it, so that nothing
    /// in it counts as drift, whatever its other parts say.
    Open,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub name: String,
    pub said: Said,
    pub required: bool,
}

impl Shape {
    /// Returns the kind of values with this structure; none if it has no parts.
    pub fn kind(&self) -> Kinds {
        match self {
            Shape::Object { .. } => Kinds::of(Kind::Object),
            Shape::Array(_) => Kinds::of(Kind::Array),
            Shape::Any | Shape::Open => Kinds::NONE,
        }
    }

    /// Returns the same structure with nothing required.
    pub fn loosened(mut self) -> Shape {
        match &mut self {
            Shape::Object { members, .. } => {
                for member in members {
                    member.required = false;
                }
            }
            Shape::Array(items) => **items = std::mem::take(&mut **items).loosened(),
            Shape::Any | Shape::Open => (),
        }
        self
    }

    /// Returns the contract for responses. Calls itself, at most [`super::MAX_DEPTH`] deep.
    pub fn into_contract(self) -> Contract {
        match self {
            Shape::Object { members, open } => {
                let members = members.into_iter().filter(|member| !member.said.is_only_written);
                Contract::Object { properties: members.map(Member::into_property).collect(), open }
            }
            Shape::Array(items) => Contract::Array { items: Box::new(items.into_contract()) },
            Shape::Any | Shape::Open => Contract::Any,
        }
    }
}

impl Member {
    fn into_property(self) -> Property {
        let Member { name, said, required } = self;
        Property { name, node: said.shape.into_contract(), expects: said.expects, required }
    }
}
