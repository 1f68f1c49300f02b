//! The structure of a value while schemas are put together.

use super::combine::Said;
use crate::plan::spec::{Contract, Property};

/// A [`Contract`] of which more is known than what is expected in the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Shape {
    /// `open`: other members may stand beside these.
    Object {
        members: Vec<Member>,
        open: bool,
    },
    Array(Box<Shape>),
    #[default]
    Any,
    /// What has a part behind a reference that was not followed: any member may be expected in it, so that none of
    /// it may be taken for drift, whatever its other parts say.
    Open,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub name: String,
    pub said: Said,
    pub required: bool,
}

impl Shape {
    /// The same, but that nothing has to be there.
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

    /// What responses are to have. Calls itself, at most [`super::MAX_DEPTH`] deep.
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
