//! What of `envoy.service.ext_proc.v3` is spoken here. A field that is not named is skipped.

use bytes::Bytes;
use prost::Message;

/// From Envoy: a piece of the exchange.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessingRequest {
    #[prost(message, optional, tag = "5")]
    pub response_body: Option<HttpBody>,
}

#[derive(Clone, PartialEq, Message)]
pub struct HttpBody {
    #[prost(bytes = "bytes", tag = "1")]
    pub body: Bytes,
}

/// To Envoy: what to do with it.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessingResponse {
    #[prost(message, optional, tag = "4")]
    pub response_body: Option<BodyResponse>,
}

#[derive(Clone, PartialEq, Message)]
pub struct BodyResponse {
    #[prost(message, optional, tag = "1")]
    pub response: Option<CommonResponse>,
}

#[derive(Clone, PartialEq, Message)]
pub struct CommonResponse {
    #[prost(message, optional, tag = "3")]
    pub body_mutation: Option<BodyMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub struct BodyMutation {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub body: Option<Bytes>,
}

impl ProcessingResponse {
    /// Another body, or the same.
    pub fn body(healed: Option<Bytes>) -> Self {
        let body_mutation = healed.map(|body| BodyMutation { body: Some(body) });
        let response = Some(CommonResponse { body_mutation });
        ProcessingResponse { response_body: Some(BodyResponse { response }) }
    }
}
