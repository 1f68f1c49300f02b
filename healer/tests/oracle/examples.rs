//! The semantics by example: what a plan makes of a body, and how many ops that takes.
//!
//! A plan is written in one line, with its parts separated by `; `:
//!
//! - `a -> b` is a rename and `a.b => c` a move; `2: ` before one of them is its rank.
//! - `[Camel] into Snake` is a convention, and `snake` is the one from all cases into `snake_case`.
//! - `drop` stands for `unmapped: drop`.
//! - An object is the contract. `{..}` expects these members, `[..]` elements like this one, and anything else any
//!   value.
//!
//! A row is one line, so that a case is one line.

use super::compare;
use super::equals;
use super::heal;
use super::tree::{Id, Kind, Tree};
use healer::plan::spec::{
    Contract, ConventionRule, Expects, MoveRule, PlanSpec, Property, RenameRule, RuleSource, Unmapped,
};
use nomos_rules::Case;
use nomos_rules::path::Path;
use serde_json::Value;

/// The case, the plan, the body, the healed body, renames, moves, dropped members.
type Row = (&'static str, &'static str, &'static str, &'static str, u32, u32, u32);

#[rustfmt::skip]
const RENAMES: &[Row] = &[
    ("without a contract, in every object", "a -> b", r#"{"a":{"a":1,"x":[{"a":2},[{"a":3}]]}}"#, r#"{"b":{"b":1,"x":[{"b":2},[{"b":3}]]}}"#, 4, 0, 0),
    ("in a root array", "a -> b", r#"[{"a":1},[{"a":2}],3]"#, r#"[{"b":1},[{"b":2}],3]"#, 2, 0, 0),
    ("keys are compared after decoding", "mail -> b", r#"{"\u006dail":1,"ma\u0069l2":2}"#, r#"{"b":1,"ma\u0069l2":2}"#, 1, 0, 0),
    ("an escaped target stands in the way as well", "a -> b", r#"{"a":1,"\u0062":2}"#, r#"{"a":1,"\u0062":2}"#, 0, 0, 0),
    ("a lone surrogate equals no name", "a -> b", r#"{"\ud800":1,"a\ud800":2,"a":3}"#, r#"{"\ud800":1,"a\ud800":2,"b":3}"#, 1, 0, 0),
    ("a value that looks like a key stays", "a -> b", r#"["a",{"x":"a"}]"#, r#"["a",{"x":"a"}]"#, 0, 0, 0),
    ("an expected member is never overwritten", "a -> b", r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2}"#, 0, 0, 0),
    ("not even one that is renamed itself", "a -> b; b -> c", r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#, 1, 0, 0),
    ("rules never cascade", "a -> b; b -> c", r#"{"a":1}"#, r#"{"b":1}"#, 1, 0, 0),
    ("a target in an other object does not count", "a -> b", r#"{"a":{"b":1}}"#, r#"{"b":{"b":1}}"#, 1, 0, 0),
    ("two names, one target: the lower rank wins", "1: a -> c; 2: b -> c", r#"{"b":1,"a":2}"#, r#"{"b":1,"c":2}"#, 1, 0, 0),
    ("two names, one target, one rank: the first in the body wins", "a -> c; b -> c", r#"{"b":1,"a":2}"#, r#"{"c":1,"a":2}"#, 1, 0, 0),
    ("the loser takes the target where the winner is missing", "1: a -> c; 2: b -> c", r#"[{"b":1},{"a":2}]"#, r#"[{"c":1},{"c":2}]"#, 2, 0, 0),
    ("one name, two rules: the lower rank wins", "2: a -> b; 1: a -> c", r#"{"a":1}"#, r#"{"c":1}"#, 1, 0, 0),
    ("one name, two rules: no second choice", "2: a -> b; 1: a -> c", r#"{"a":1,"c":2}"#, r#"{"a":1,"c":2}"#, 0, 0, 0),
    ("a duplicate member is renamed each time", "a -> b", r#"{"a":1,"x":0,"a":2}"#, r#"{"b":1,"x":0,"b":2}"#, 2, 0, 0),
    ("a duplicate target stands in the way", "a -> b", r#"{"a":1,"b":2,"b":3}"#, r#"{"a":1,"b":2,"b":3}"#, 0, 0, 0),
    ("a duplicate member that ties is placed by its first", "a -> c; b -> c", r#"{"a":1,"b":2,"a":3}"#, r#"{"c":1,"b":2,"c":3}"#, 2, 0, 0),
    ("empty names are names", " -> a", r#"{"":1}"#, r#"{"a":1}"#, 1, 0, 0),
    ("names that need escapes", "a -> x\"\\y", r#"{"a":1}"#, r#"{"x\"\\y":1}"#, 1, 0, 0),
    ("names that are not ASCII", "é -> ü😀", r#"{"\u00e9":1,"x":{"é":2}}"#, r#"{"ü😀":1,"x":{"ü😀":2}}"#, 2, 0, 0),
    ("numbers keep their text", "a -> b", r#"{"a":12345678901234567890123456789,"c":[1E400,-0,1.50]}"#, r#"{"b":12345678901234567890123456789,"c":[1E400,-0,1.50]}"#, 1, 0, 0),
];

#[rustfmt::skip]
const CONTRACTS: &[Row] = &[
    ("only in records", r#"a -> b; {"b":0,"x":{"b":0}}"#, r#"{"a":1,"x":{"a":2},"y":{"a":3}}"#, r#"{"b":1,"x":{"b":2},"y":{"a":3}}"#, 2, 0, 0),
    ("only where the target is expected", r#"a -> b; {"b":0,"x":{"c":0}}"#, r#"{"a":1,"x":{"a":2}}"#, r#"{"b":1,"x":{"a":2}}"#, 1, 0, 0),
    ("not where the source is expected itself", r#"a -> b; {"a":0,"b":0}"#, r#"{"a":1}"#, r#"{"a":1}"#, 0, 0, 0),
    ("in each element", r#"a -> b; {"x":[{"b":0}]}"#, r#"{"x":[{"a":1},{"b":2},3,[{"a":4}]]}"#, r#"{"x":[{"b":1},{"b":2},3,[{"a":4}]]}"#, 1, 0, 0),
    ("in each element of a root array", r#"a -> b; [{"b":0}]"#, r#"[{"a":1},{"a":2}]"#, r#"[{"b":1},{"b":2}]"#, 2, 0, 0),
    ("in arrays of arrays", r#"a -> b; {"x":[[{"b":0}]]}"#, r#"{"x":[[{"a":1}],{"a":2}]}"#, r#"{"x":[[{"b":1}],{"a":2}]}"#, 1, 0, 0),
    ("an object node describes no array", r#"a -> b; {"x":{"b":0}}"#, r#"{"x":[{"a":1}]}"#, r#"{"x":[{"a":1}]}"#, 0, 0, 0),
    ("an array node describes no object", r#"a -> b; [{"b":0}]"#, r#"{"a":1}"#, r#"{"a":1}"#, 0, 0, 0),
    ("a contract of any value describes nothing", "a -> b; 0", r#"{"a":1}"#, r#"{"a":1}"#, 0, 0, 0),
    ("a node without members describes no record", r#"a -> b; {"x":{}}"#, r#"{"x":{"a":1}}"#, r#"{"x":{"a":1}}"#, 0, 0, 0),
    ("a renamed value is judged as its new name says", r#"x -> y; a -> b; {"y":{"b":0}}"#, r#"{"x":{"a":1}}"#, r#"{"y":{"b":1}}"#, 2, 0, 0),
    ("one that is not renamed is not touched inside", r#"x -> y; a -> b; {"y":{"b":0}}"#, r#"{"x":{"a":1},"y":{"a":2}}"#, r#"{"x":{"a":1},"y":{"b":2}}"#, 1, 0, 0),
    ("the one rule of a name is the first that applies there", r#"1: a -> b; 2: a -> c; {"c":0,"x":{"b":0}}"#, r#"{"a":1,"x":{"a":2}}"#, r#"{"c":1,"x":{"b":2}}"#, 2, 0, 0),
    ("each duplicate of a record is one", r#"a -> b; {"x":{"b":0}}"#, r#"{"x":{"a":1},"x":{"a":2}}"#, r#"{"x":{"b":1},"x":{"b":2}}"#, 2, 0, 0),
    ("drop: what is neither expected nor renamed goes", r#"a -> b; drop; {"b":0,"c":0}"#, r#"{"z":0,"a":1,"y":{"b":1},"c":{"z":1}}"#, r#"{"b":1,"c":{"z":1}}"#, 1, 0, 2),
    ("drop: the loser of a conflict goes", r#"a -> b; drop; {"b":0}"#, r#"{"a":1,"b":2}"#, r#"{"b":2}"#, 0, 0, 1),
    ("drop: each duplicate counts", r#"drop; {"b":0}"#, r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2}"#, 0, 0, 2),
    ("drop: nodes without members keep all", r#"drop; {"b":{},"c":0}"#, r#"{"b":{"x":1},"c":[{"y":1}]}"#, r#"{"b":{"x":1},"c":[{"y":1}]}"#, 0, 0, 0),
    ("drop: a record may be left with nothing", r#"drop; {"x":{"b":0}}"#, r#"{"x":{"a":1}}"#, r#"{"x":{}}"#, 0, 0, 1),
    ("drop: in each element", r#"drop; [{"b":0}]"#, r#"[{"b":1,"a":1},{"a":1,"b":1},{"a":1}]"#, r#"[{"b":1},{"b":1},{}]"#, 0, 0, 3),
];

#[rustfmt::skip]
const CONVENTIONS: &[Row] = &[
    ("any name, at any depth", "snake", r#"{"userId":{"FullName":1,"zip-code":2},"x":[{"aB":3}]}"#, r#"{"user_id":{"full_name":1,"zip_code":2},"x":[{"a_b":3}]}"#, 4, 0, 0),
    ("acronyms and digits", "snake", r#"{"userID":1,"HTTPServer":2,"addressLine1":3,"line2Text":4}"#, r#"{"user_id":1,"http_server":2,"address_line1":3,"line2_text":4}"#, 4, 0, 0),
    ("names in the case already, and names in none", "snake", r#"{"user_id":1,"id":2,"_userId":3,"1stName":4,"user name":5,"naïveName":6,"":7}"#, r#"{"user_id":1,"id":2,"_userId":3,"1stName":4,"user name":5,"naïveName":6,"":7}"#, 0, 0, 0),
    ("never over a member", "snake", r#"{"userId":1,"user_id":2}"#, r#"{"userId":1,"user_id":2}"#, 0, 0, 0),
    ("two spellings of one name: the first", "snake", r#"{"userId":1,"UserId":2,"user-id":3}"#, r#"{"user_id":1,"UserId":2,"user-id":3}"#, 1, 0, 0),
    ("rules come first", "userId -> uid; 1: snake", r#"{"userId":1,"userName":2}"#, r#"{"uid":1,"user_name":2}"#, 2, 0, 0),
    ("with a contract, to the expected name of the same words", r#"snake; {"userId":0,"full_name":0,"Zip-Code":0}"#, r#"{"user_id":1,"FullName":2,"zipCode":3,"otherName":4}"#, r#"{"userId":1,"full_name":2,"Zip-Code":3,"otherName":4}"#, 3, 0, 0),
    ("with a contract, an expected name stays", r#"snake; {"userId":0,"user_name":0}"#, r#"{"userId":1,"user_name":2,"user_id":3}"#, r#"{"userId":1,"user_name":2,"user_id":3}"#, 0, 0, 0),
    ("with a contract, to neither of two expected names of the same words", r#"snake; {"userId":0,"user_id":0}"#, r#"{"UserId":1,"user-id":2}"#, r#"{"UserId":1,"user-id":2}"#, 0, 0, 0),
    ("with a contract, judged by the new name", r#"snake; {"user_data":{"full_name":0}}"#, r#"{"userData":{"fullName":1}}"#, r#"{"user_data":{"full_name":1}}"#, 2, 0, 0),
    ("never over a member that another convention names", "[Camel] into Snake; [Snake] into Camel", r#"{"user_id":1,"userId":2}"#, r#"{"user_id":1,"userId":2}"#, 0, 0, 0),
    ("never over a member that a rule knows", "[Camel, Kebab] into Snake; [Pascal] into Kebab; UserId => a", r#"{"userId":1,"user-id":2}"#, r#"{"user_id":1,"user-id":2}"#, 1, 0, 0),
    ("names that may be data stay", "snake", r#"{"USD":1,"en-US":2,"A":3,"a0-9b":4}"#, r#"{"USD":1,"en-US":2,"A":3,"a0-9b":4}"#, 0, 0, 0),
];

#[rustfmt::skip]
const MOVES: &[Row] = &[
    ("flatten", "a.b => c", r#"{"a":{"b":1,"x":2},"z":3}"#, r#"{"a":{"x":2},"z":3,"c":1}"#, 0, 1, 0),
    ("a container that is left empty goes", "a.b => c", r#"{"a":{"b":1},"z":3}"#, r#"{"z":3,"c":1}"#, 0, 1, 0),
    ("and those around it", "a.b.c.d => e", r#"{"a":{"b":{"c":{"d":1}}},"z":3}"#, r#"{"z":3,"e":1}"#, 0, 1, 0),
    ("up to one that holds more", "a.b.c.d => e", r#"{"a":{"b":{"c":{"d":1}},"x":2}}"#, r#"{"a":{"x":2},"e":1}"#, 0, 1, 0),
    ("but not one that was empty as received", "a.b => c", r#"{"a":{"b":1,"x":{}},"y":{}}"#, r#"{"a":{"x":{}},"y":{},"c":1}"#, 0, 1, 0),
    ("several together", "a.b => x; a.c => y", r#"{"a":{"b":1,"c":2}}"#, r#"{"x":1,"y":2}"#, 0, 2, 0),
    ("appended in the order of their sources", "a.b => x; a.c => y; d => z", r#"{"d":0,"a":{"c":1,"b":2},"k":3}"#, r#"{"k":3,"z":0,"y":1,"x":2}"#, 0, 3, 0),
    ("the first, the middle and the last member", "a => x; b => y; c => z", r#"{"a":1,"k":0,"b":2,"l":0,"c":3}"#, r#"{"k":0,"l":0,"x":1,"y":2,"z":3}"#, 0, 3, 0),
    ("the first member alone", "a => x", r#"{"a":1,"k":0}"#, r#"{"k":0,"x":1}"#, 0, 1, 0),
    ("the last member alone", "a => x", r#"{"k":0,"a":1}"#, r#"{"k":0,"x":1}"#, 0, 1, 0),
    ("the only member", "a => x", r#"{"a":1}"#, r#"{"x":1}"#, 0, 1, 0),
    ("nest", "a => b.c", r#"{"a":1,"z":2}"#, r#"{"z":2,"b":{"c":1}}"#, 0, 1, 0),
    ("nest in one container", "a => b.c; d => b.e; f => b.g.h; i => b.g.j", r#"{"a":1,"d":2,"f":3,"z":0,"i":4}"#, r#"{"z":0,"b":{"c":1,"e":2,"g":{"h":3,"j":4}}}"#, 0, 4, 0),
    ("a container stands where its first member does", "a => x.y; b => z; c => x.w", r#"{"a":1,"b":2,"c":3}"#, r#"{"x":{"y":1,"w":3},"z":2}"#, 0, 3, 0),
    ("into an object that is there", "a => b.c", r#"{"a":1,"b":{"x":2},"z":3}"#, r#"{"b":{"x":2,"c":1},"z":3}"#, 0, 1, 0),
    ("into an empty object", "a => b.c", r#"{"a":1,"b":{}}"#, r#"{"b":{"c":1}}"#, 0, 1, 0),
    ("into new containers in an object that is there", "a => b.c.d", r#"{"a":1,"b":{"x":2}}"#, r#"{"b":{"x":2,"c":{"d":1}}}"#, 0, 1, 0),
    ("from one container to its neighbour", "a.b => c.d", r#"{"a":{"b":1},"c":{"x":2}}"#, r#"{"c":{"x":2,"d":1}}"#, 0, 1, 0),
    ("within one container, which stays", "a.b => a.c", r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#, 0, 1, 0),
    ("the target stands", "a.b => c", r#"{"a":{"b":1},"c":2}"#, r#"{"a":{"b":1},"c":2}"#, 0, 0, 0),
    ("the target stands, escaped", "a.b => c", r#"{"a":{"b":1},"\u0063":2}"#, r#"{"a":{"b":1},"\u0063":2}"#, 0, 0, 0),
    ("the target stands in its container", "a => b.c", r#"{"a":1,"b":{"c":2}}"#, r#"{"a":1,"b":{"c":2}}"#, 0, 0, 0),
    ("a prefix of the target is no object", "a => b.c", r#"{"a":1,"b":[{"x":1}]}"#, r#"{"a":1,"b":[{"x":1}]}"#, 0, 0, 0),
    ("a step of the source is missing", "a.b.c => d", r#"{"a":{"c":1}}"#, r#"{"a":{"c":1}}"#, 0, 0, 0),
    ("a step of the source is no object", "a.b => d", r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1}]}"#, 0, 0, 0),
    ("the source is a duplicate", "a.b => d", r#"{"a":{"b":1,"b":2}}"#, r#"{"a":{"b":1,"b":2}}"#, 0, 0, 0),
    ("a step of the source is a duplicate", "a.b => d", r#"{"a":{"b":1},"a":{"b":2}}"#, r#"{"a":{"b":1},"a":{"b":2}}"#, 0, 0, 0),
    ("a container of the target is a duplicate", "a => b.c", r#"{"a":1,"b":{},"b":{}}"#, r#"{"a":1,"b":{},"b":{}}"#, 0, 0, 0),
    ("two sources, one target: the lower rank wins", "2: a.b => c; 1: d.e => c", r#"{"a":{"b":1},"d":{"e":2}}"#, r#"{"a":{"b":1},"c":2}"#, 0, 1, 0),
    ("two sources, one target, one rank: the first in the body wins", "d.e => c; a.b => c", r#"{"a":{"b":1},"d":{"e":2}}"#, r#"{"d":{"e":2},"c":1}"#, 0, 1, 0),
    ("one target within the other: the lower rank wins", "1: a => t.u; 2: b => t", r#"{"b":1,"a":2}"#, r#"{"b":1,"t":{"u":2}}"#, 0, 1, 0),
    ("one target within the other: the lower rank wins, turned", "2: a => t.u; 1: b => t", r#"{"b":1,"a":2}"#, r#"{"a":2,"t":1}"#, 0, 1, 0),
    ("a chain is no cascade", "a => b; b => c", r#"{"a":1}"#, r#"{"b":1}"#, 0, 1, 0),
    ("a chain does not overwrite", "a => b; b => c", r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#, 0, 1, 0),
    ("a moved container takes what is in it", "a.b => c", r#"{"a":{"b":{"x":[1,{"y":2}]}}}"#, r#"{"c":{"x":[1,{"y":2}]}}"#, 0, 1, 0),
    ("a value is moved out of one that moves", "a.b => q; a.b.c => r", r#"{"a":{"b":{"c":1,"d":2}}}"#, r#"{"q":{"d":2},"r":1}"#, 0, 2, 0),
    ("only from the root", "a.b => c", r#"{"x":{"a":{"b":1}}}"#, r#"{"x":{"a":{"b":1}}}"#, 0, 0, 0),
    ("from each element of a root array", "a.b => c", r#"[{"a":{"b":1}},2,{"a":{"b":3}},[{"a":{"b":4}}]]"#, r#"[{"c":1},2,{"c":3},[{"a":{"b":4}}]]"#, 0, 2, 0),
    ("the record itself is never removed", "[].a => [].b.c", r#"[{"a":1}]"#, r#"[{"b":{"c":1}}]"#, 0, 1, 0),
    ("seven levels", "r.d.u.i.p.n.f => name; r.d.u.i.p.a => age; r.d.u.id => id; r.s => status", r#"{"r":{"s":1,"d":{"u":{"id":2,"i":{"p":{"n":{"f":"x"},"a":3}}}}}}"#, r#"{"status":1,"id":2,"name":"x","age":3}"#, 0, 4, 0),
];

#[rustfmt::skip]
const UNWRAPS: &[Row] = &[
    ("unwrap in place", "a.b => a", r#"{"x":0,"a":{"b":1},"z":2}"#, r#"{"x":0,"a":1,"z":2}"#, 0, 1, 0),
    ("unwrap two levels", "a.b.c => a", r#"{"a":{"b":{"c":{"d":1}}}}"#, r#"{"a":{"d":1}}"#, 0, 1, 0),
    ("unwrap an inner container", "a.b.c => a.b", r#"{"a":{"b":{"c":1},"x":2}}"#, r#"{"a":{"b":1,"x":2}}"#, 0, 1, 0),
    ("no unwrap where more is left", "a.b => a", r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":1,"c":2}}"#, 0, 0, 0),
    ("unwrap where an other move takes the rest", "a.b => a; a.c => d", r#"{"a":{"b":1,"c":2}}"#, r#"{"a":1,"d":2}"#, 0, 2, 0),
    ("no unwrap of two into one", "a.b => a; a.c => a", r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":1,"c":2}}"#, 0, 0, 0),
    ("unwrap or bring something: the lower rank", "2: a.b => a; 1: x => a.c", r#"{"a":{"b":1},"x":2}"#, r#"{"a":{"b":1,"c":2}}"#, 0, 1, 0),
    ("unwrap or bring something: the first", "a.b => a; x => a.c", r#"{"a":{"b":1},"x":2}"#, r#"{"a":1,"x":2}"#, 0, 1, 0),
    ("no unwrap of what drop would take", "a.b => a; drop", r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":1,"c":2}}"#, 0, 0, 0),
    ("no unwrap in a value that moves", "a.b => a; a.b.c => a.b", r#"{"a":{"b":{"c":1}}}"#, r#"{"a":{"c":1}}"#, 0, 1, 0),
    ("the key keeps its text", "a.b => a", r#"{"\u0061":{"b":1}}"#, r#"{"\u0061":1}"#, 0, 1, 0),
    ("wrap in place", "a => a.b", r#"{"x":0,"a":1,"z":2}"#, r#"{"x":0,"a":{"b":1},"z":2}"#, 0, 1, 0),
    ("wrap an object", "a => a.b", r#"{"a":{"c":1}}"#, r#"{"a":{"b":{"c":1}}}"#, 0, 1, 0),
    ("wrap an array", "a => a.b", r#"{"a":[{"b":1}]}"#, r#"{"a":{"b":[{"b":1}]}}"#, 0, 1, 0),
    ("no wrap of what is wrapped", "a => a.b", r#"{"a":{"c":1,"b":2}}"#, r#"{"a":{"c":1,"b":2}}"#, 0, 0, 0),
    ("wrap twice", "a => a.b.c", r#"{"a":1}"#, r#"{"a":{"b":{"c":1}}}"#, 0, 1, 0),
    ("no second wrap of what is half wrapped", "a => a.b.c", r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#, 0, 0, 0),
    ("beside what is wrapped", "p => p.a; c => p.c", r#"{"p":1,"x":0,"c":2}"#, r#"{"p":{"a":1,"c":2},"x":0}"#, 0, 2, 0),
    ("beside what is wrapped, from before it", "p => p.a; c => p.c", r#"{"c":2,"p":1}"#, r#"{"p":{"a":1,"c":2}}"#, 0, 2, 0),
    ("beside what is wrapped, the rule before it", "c => p.c; p => p.a", r#"{"c":2,"p":1}"#, r#"{"p":{"a":1,"c":2}}"#, 0, 2, 0),
    ("beside what is wrapped, deeper", "p => p.a.b; c => p.a.c; d => p.d.e", r#"{"c":2,"d":3,"p":1}"#, r#"{"p":{"a":{"b":1,"c":2},"d":{"e":3}}}"#, 0, 3, 0),
    ("beside what is wrapped, out of it", "p => p.a; p.x.c => p.c", r#"{"p":{"x":{"c":1,"z":2}}}"#, r#"{"p":{"a":{"x":{"z":2}},"c":1}}"#, 0, 2, 0),
    ("beside what is wrapped, in each element", "l[].p => l[].p.a; l[].c => l[].p.c", r#"{"l":[{"p":1,"c":2},{"c":3},{"p":4}]}"#, r#"{"l":[{"p":{"a":1,"c":2}},{"p":{"c":3}},{"p":{"a":4}}]}"#, 0, 4, 0),
    ("beside what is wrapped, further in", "o.p => o.p.a; c => o.p.c", r#"{"o":{"p":1},"c":2}"#, r#"{"o":{"p":{"a":1,"c":2}}}"#, 0, 2, 0),
    ("beside what is wrapped: two to one place", "p => p.a; c => p.c; d => p.c", r#"{"d":3,"p":1,"c":2}"#, r#"{"p":{"a":1,"c":3},"c":2}"#, 0, 2, 0),
    ("beside what is wrapped: not to where it goes", "p => p.a; c => p.a; d => p.a.b", r#"{"p":1,"c":2,"d":3}"#, r#"{"p":{"a":1},"c":2,"d":3}"#, 0, 1, 0),
    ("beside what is wrapped: not where that had such a member", "p => p.a; c => p.c", r#"{"p":{"c":1},"c":2}"#, r#"{"p":{"a":{"c":1}},"c":2}"#, 0, 1, 0),
    ("wrap an object, or bring something into it: the first", "p => p.a; c => p.c", r#"{"c":2,"p":{"x":1}}"#, r#"{"p":{"x":1,"c":2}}"#, 0, 1, 0),
    ("wrap an inner member", "a.b => a.b.c", r#"{"a":{"x":0,"b":1}}"#, r#"{"a":{"x":0,"b":{"c":1}}}"#, 0, 1, 0),
];

#[rustfmt::skip]
const SCOPES: &[Row] = &[
    ("each element is a record", "u[].a.b => u[].c", r#"{"u":[{"a":{"b":1}},{"a":{"b":2,"x":0}},3,{"a":4},[{"a":{"b":5}}]]}"#, r#"{"u":[{"c":1},{"a":{"x":0},"c":2},3,{"a":4},[{"a":{"b":5}}]]}"#, 0, 2, 0),
    ("arrays in arrays of objects", "u[].v[].a => u[].v[].b.c", r#"{"u":[{"v":[{"a":1},{"a":2}]},{"v":[]},{"v":{"a":3}}]}"#, r#"{"u":[{"v":[{"b":{"c":1}},{"b":{"c":2}}]},{"v":[]},{"v":{"a":3}}]}"#, 0, 2, 0),
    ("arrays of arrays", "[][].a => [][].b", r#"[[{"a":1}],{"a":2},[[{"a":3}]]]"#, r#"[[{"b":1}],{"a":2},[[{"a":3}]]]"#, 0, 1, 0),
    ("a root array", "[].a.b => [].c", r#"[{"a":{"b":1}},{"a":{"b":2}}]"#, r#"[{"c":1},{"c":2}]"#, 0, 2, 0),
    ("no root array", "[].a.b => [].c", r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#, 0, 0, 0),
    ("below the elements of a root array", "u[].a => u[].b.c", r#"[{"u":[{"a":1}]},{"u":{"a":2}}]"#, r#"[{"u":[{"b":{"c":1}}]},{"u":{"a":2}}]"#, 0, 1, 0),
    ("below names", "x.u[].a => x.u[].b", r#"{"x":{"u":[{"a":1}]},"u":[{"a":2}]}"#, r#"{"x":{"u":[{"b":1}]},"u":[{"a":2}]}"#, 0, 1, 0),
    ("a duplicate on the way", "u[].a => u[].b", r#"{"u":[{"a":1}],"u":[{"a":2}]}"#, r#"{"u":[{"b":1}],"u":[{"b":2}]}"#, 0, 2, 0),
    ("each element decides for itself", "u[].a => u[].b", r#"{"u":[{"a":1},{"a":2,"b":3},{"b":4}]}"#, r#"{"u":[{"b":1},{"a":2,"b":3},{"b":4}]}"#, 0, 1, 0),
    ("with a contract, in every record that expects the target", r#"a.b => c; {"c":0,"x":{"c":0},"y":[{"c":0}],"z":{"d":0}}"#, r#"{"a":{"b":1},"x":{"a":{"b":2}},"y":[{"a":{"b":3}}],"z":{"a":{"b":4}}}"#, r#"{"x":{"c":2},"y":[{"c":3}],"z":{"a":{"b":4}},"c":1}"#, 0, 3, 0),
    ("with a contract, the whole target is expected", r#"a => b.c; {"b":{"d":0}}"#, r#"{"a":1,"b":{}}"#, r#"{"a":1,"b":{}}"#, 0, 0, 0),
    ("with a contract, in its arrays", r#"u[].a.b => u[].c; {"u":[{"c":0}],"x":{"u":[{"c":0}]}}"#, r#"{"u":[{"a":{"b":1}}],"x":{"u":[{"a":{"b":2}}]},"y":{"u":[{"a":{"b":3}}]}}"#, r#"{"u":[{"c":1}],"x":{"u":[{"c":2}]},"y":{"u":[{"a":{"b":3}}]}}"#, 0, 2, 0),
    ("with a contract, what is expected is not taken away", r#"a.b => c; {"a":{"b":0},"c":0}"#, r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#, 0, 0, 0),
    ("with a contract, but it may be wrapped", r#"a => a.b; {"a":{"b":0}}"#, r#"{"a":1}"#, r#"{"a":{"b":1}}"#, 0, 1, 0),
    ("with a contract, a moved value is judged by its target", r#"a.u => u; m -> n; {"u":{"n":0}}"#, r#"{"a":{"u":{"m":1}}}"#, r#"{"u":{"n":1}}"#, 1, 1, 0),
    ("with a contract, a member that needs no wrap is healed inside", r#"m -> n; u => u.d; {"u":{"n":0,"d":0}}"#, r#"{"u":{"m":1,"d":2}}"#, r#"{"u":{"n":1,"d":2}}"#, 1, 0, 0),
    ("with a contract, a wrapped member is not healed inside", r#"m -> n; u => u.d; {"u":{"d":0},"x":{"n":0}}"#, r#"{"u":{"m":1}}"#, r#"{"u":{"d":{"m":1}}}"#, 0, 1, 0),
    ("with a contract, no wrap of what a rule leads from", r#"m -> n; u => u.d; {"u":{"n":0,"d":0}}"#, r#"{"u":{"m":1}}"#, r#"{"u":{"n":1}}"#, 1, 0, 0),
    ("with a contract, no wrap of what has an expected member", r#"u => u.d; {"u":{"n":0,"d":0}}"#, r#"{"u":{"n":1}}"#, r#"{"u":{"n":1}}"#, 0, 0, 0),
    ("with a contract, a wrap of an object with other members", r#"u => u.d; {"u":{"n":0,"d":0}}"#, r#"{"u":{"x":1}}"#, r#"{"u":{"d":{"x":1}}}"#, 0, 1, 0),
    ("with a contract, no wrap of null that may be there", r#"u => u.d; {"u":{"d":0}}"#, r#"{"u":null}"#, r#"{"u":null}"#, 0, 0, 0),
    ("with a contract, a value that does not move is not healed inside", r#"a.u => u; m -> n; {"u":{"n":0}}"#, r#"{"a":{"u":{"m":1}},"u":2}"#, r#"{"a":{"u":{"m":1}},"u":2}"#, 0, 0, 0),
    ("two records, one target: the inner record decides first", r#"a => c.a; b => a; {"c":{"a":0}}"#, r#"{"a":1,"c":{"b":2}}"#, r#"{"a":1,"c":{"a":2}}"#, 0, 1, 0),
    ("an inner move out of a record that an outer one moves", r#"a.u => u; u.b.c => u.d; b.c => d; {"u":{"d":0}}"#, r#"{"a":{"u":{"b":{"c":1}}}}"#, r#"{"u":{"d":1}}"#, 0, 2, 0),
];

#[rustfmt::skip]
const MEETINGS: &[Row] = &[
    ("rename and move meet: the move wins", "a -> b; a => c.d", r#"{"a":1}"#, r#"{"c":{"d":1}}"#, 0, 1, 0),
    ("where the move does not fire, the rename does", "a -> b; a => c", r#"{"a":1,"c":2}"#, r#"{"b":1,"c":2}"#, 1, 0, 0),
    ("one target: the rename stands", "2: a -> c; 1: x.y => c", r#"{"a":1,"x":{"y":2}}"#, r#"{"c":1,"x":{"y":2}}"#, 1, 0, 0),
    ("renames inside a moved value", "m -> n; a.b => c", r#"{"a":{"b":{"m":[{"m":1}]}}}"#, r#"{"c":{"n":[{"n":1}]}}"#, 2, 1, 0),
    ("renames beside a moved value", "m -> n; a.b => c", r#"{"a":{"m":1,"b":2}}"#, r#"{"a":{"n":1},"c":2}"#, 1, 1, 0),
    ("a renamed container takes the value", "x -> y; a => y.b", r#"{"a":1,"x":{"c":2}}"#, r#"{"y":{"c":2,"b":1}}"#, 1, 1, 0),
    ("names of the source are those received", "x -> y; y.a => b", r#"{"x":{"a":1}}"#, r#"{"y":{"a":1}}"#, 1, 0, 0),
    ("out of a renamed container", "x -> y; x.a => b", r#"{"x":{"a":1,"c":2}}"#, r#"{"y":{"c":2},"b":1}"#, 1, 1, 0),
    ("a renamed container that is left empty is no op", "x -> y; x.a => b", r#"{"x":{"a":1}}"#, r#"{"b":1}"#, 0, 1, 0),
    ("drop: what is left in the containers goes", "a.b.c => d; drop", r#"{"a":{"b":{"c":1,"x":2},"y":3},"z":4}"#, r#"{"z":4,"d":1}"#, 0, 1, 0),
    ("drop: containers that moves take nothing from stay", "a.b => d; drop", r#"{"a":{"x":1},"z":{}}"#, r#"{"a":{"x":1},"z":{}}"#, 0, 0, 0),
    ("drop: what moves bring stays", "a.b => a.c; drop", r#"{"a":{"b":1,"x":2}}"#, r#"{"a":{"c":1}}"#, 0, 1, 0),
    ("drop with a contract: what is left of an unexpected container goes", r#"a.b => d; drop; {"d":0,"z":0}"#, r#"{"a":{"b":1,"x":2},"z":4}"#, r#"{"z":4,"d":1}"#, 0, 1, 1),
    ("drop with a contract: an emptied container is no dropped member", r#"a.b => d; drop; {"d":0,"z":0}"#, r#"{"a":{"b":1},"z":4}"#, r#"{"z":4,"d":1}"#, 0, 1, 0),
    ("a wrap is no wrap of what a rename names so", "d -> x; d => d.f", r#"{"d":{"f":1}}"#, r#"{"x":{"f":1}}"#, 1, 0, 0),
    ("a wrap gives way to a rename inside", "x -> b; a => a.b", r#"{"a":{"x":1}}"#, r#"{"a":{"b":1}}"#, 1, 0, 0),
    ("a convention holds its target against a move", "snake; a => user_id.b", r#"{"userId":1,"a":2}"#, r#"{"user_id":1,"a":2}"#, 1, 0, 0),
    ("drop: what is left in a value that moved goes as well", "a.b => q; a.b.c => r; drop", r#"{"a":{"b":{"c":1,"d":2}}}"#, r#"{"q":{},"r":1}"#, 0, 2, 0),
    ("drop with a contract: a moved value is a record of its target", r#"a.b => u; drop; {"u":{"x":0}}"#, r#"{"a":{"b":{"y":1,"x":2}}}"#, r#"{"u":{"x":2}}"#, 0, 1, 1),
    ("drop with a contract: a record left empty by moves and drops stays", r#"a.f.b => b; drop; {"a":{"z":0},"b":0}"#, r#"{"a":{"f":{"b":1,"c":2}}}"#, r#"{"a":{},"b":1}"#, 0, 1, 1),
    ("drop with a contract: what goes with its container counts once", r#"a.f.b => b; drop; {"b":0}"#, r#"{"a":{"f":{"b":1,"c":2,"d":3},"e":4}}"#, r#"{"b":1}"#, 0, 1, 1),
    ("with a contract, an expected container that is left empty stays", r#"a.c => b; {"a":{"z":0},"b":0}"#, r#"{"a":{"c":1}}"#, r#"{"a":{},"b":1}"#, 0, 1, 0),
    ("with a contract, so does one that gets an expected name", r#"x -> a; x.c => b; {"a":{"z":0},"b":0}"#, r#"{"x":{"c":1}}"#, r#"{"a":{},"b":1}"#, 1, 1, 0),
    ("with a contract, a container whose rename lost is not an expected one", r#"d -> f; d.b.a.a => b; a.a => b; {"f":{"b":0},"b":0}"#, r#"{"d":{"b":{"a":{"a":1}}},"f":1}"#, r#"{"f":1,"b":1}"#, 0, 1, 0),
    ("what a later move would make inside its value does not stand yet", r#"d -> f; 2: d.d => c; 1: e => f.f.f; {"c":{"f":0},"f":{"f":{"f":0}}}"#, r#"{"e":1,"d":{"d":{"d":2}}}"#, r#"{"f":{"f":{"d":2,"f":1}}}"#, 2, 1, 0),
    ("what an earlier move makes inside its value is out of reach", r#"d -> f; 1: d.d => c; 2: e => f.f.f; {"c":{"f":0},"f":{"f":{"f":0}}}"#, r#"{"e":1,"d":{"d":{"d":2}}}"#, r#"{"e":1,"f":{},"c":{"f":2}}"#, 2, 1, 0),
    ("what a wrap inside a record makes is not in the record", r#"e => e.b; u.a => e.b; {"e":{"b":0,"e":{"b":0},"c":[0]}}"#, r#"{"u":{"a":1},"e":{"c":1,"f":1,"e":[1,1]}}"#, r#"{"e":{"c":1,"f":1,"e":{"b":[1,1]},"b":1}}"#, 0, 2, 0),
    ("drop with a contract: not in a moved value that a rename would have made a wrapped member", r#"u => u.d; x -> u; x => b; drop; {"b":0,"u":{"d":0}}"#, r#"{"x":{"m":1}}"#, r#"{"b":{"m":1}}"#, 0, 1, 0),
    ("with a contract, beside what is wrapped", r#"p => p.a; c => p.c; drop; {"p":{"a":0,"c":{"d":0}}}"#, r#"{"c":{"d":1,"x":2},"p":7,"y":1}"#, r#"{"p":{"a":7,"c":{"d":1}}}"#, 0, 2, 2),
    ("drop with a contract: not inside a wrapped member", r#"u => u.d; drop; {"u":{"d":0}}"#, r#"{"u":{"m":1},"x":2}"#, r#"{"u":{"d":{"m":1}}}"#, 0, 1, 1),
];

#[test]
fn the_oracle_does_as_the_examples_say() {
    for row in rows() {
        let (says, plan, before, after, renames, moves, dropped) = row;
        let tree = Tree::parse(before).unwrap_or_else(|| panic!("{says}: {before}"));
        let healed = heal::heal(&spec(plan), &tree).unwrap_or_else(|| panic!("{says}: no decision"));
        let shape = compact(after);
        let after = Tree::parse(&shape).unwrap_or_else(|| panic!("{says}: {after}"));
        assert_eq!(compare::difference(&healed.expected, &after), Ok(()), "{says}");
        assert_eq!((healed.renames, healed.moves), (renames, moves), "{says}");
        if plan.contains('{') {
            assert_eq!(healed.dropped, dropped, "{says}");
        }
    }
}

#[test]
fn the_engine_does_as_the_examples_say() {
    let mut failures = Vec::new();
    for (says, plan, before, after, renames, moves, dropped) in rows() {
        match equals::check(&spec(plan), before) {
            Err(difference) => failures.push(format!("{says}: {difference}")),
            Ok((_, text)) if compact(&text) != compact(after) => failures.push(format!("{says}: {text}")),
            Ok((found, _)) if (found.renames, found.moves) != (renames, moves) => {
                failures.push(format!("{says}: {found:?}"));
            }
            Ok((found, _)) if plan.contains('{') && found.dropped != dropped => {
                failures.push(format!("{says}: {found:?}"));
            }
            Ok(_) => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn rows() -> impl Iterator<Item = Row> {
    [RENAMES, CONTRACTS, CONVENTIONS, MOVES, UNWRAPS, SCOPES, MEETINGS].concat().into_iter()
}

/// Returns the text without white space between tokens.
fn compact(text: &str) -> String {
    fn write(tree: &Tree<'_>, id: Id, out: &mut String) {
        match &tree.nodes[id].kind {
            Kind::Scalar => out.push_str(tree.nodes[id].raw),
            Kind::Array(elements) => {
                out.push('[');
                for (i, &element) in elements.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    write(tree, element, out);
                }
                out.push(']');
            }
            Kind::Object(members) => {
                out.push('{');
                for (i, member) in members.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    out.push_str(member.key);
                    out.push(':');
                    write(tree, member.value, out);
                }
                out.push('}');
            }
        }
    }
    let mut out = String::new();
    write(&Tree::parse(text).unwrap_or_else(|| panic!("not JSON: {text}")), 0, &mut out);
    out
}

/// Reads a plan from its line.
pub fn spec(line: &str) -> PlanSpec {
    let mut spec = PlanSpec::default();
    for part in line.split("; ") {
        if let Ok(contract) = serde_json::from_str::<Value>(part) {
            spec.contract = Some(node(&contract));
            continue;
        }
        let (rank, part) = match part.split_once(": ") {
            Some((rank, rest)) => (rank.parse().expect("a rank"), rest),
            None => (0, part),
        };
        let source = RuleSource::Route;
        if part == "drop" {
            spec.unmapped = Unmapped::Drop;
        } else if part == "snake" {
            let from = vec![Case::Camel, Case::Pascal, Case::Kebab];
            spec.conventions.push(ConventionRule { from, to: Case::Snake, rank, source });
        } else if let Some((from, to)) = part.split_once(" into ") {
            let from = Case::ALL.into_iter().filter(|case| from.contains(&format!("{case:?}"))).collect();
            let to = Case::ALL.into_iter().find(|case| to == format!("{case:?}")).expect("a case");
            spec.conventions.push(ConventionRule { from, to, rank, source });
        } else if let Some((from, to)) = part.split_once(" -> ") {
            spec.renames.push(RenameRule { from: from.to_owned(), to: to.to_owned(), rank, source });
        } else {
            let (from, to) = part.split_once(" => ").expect("a move");
            let [from, to] = [from, to].map(|text| Path::parse(text).expect("a path"));
            spec.moves.push(MoveRule { from, to, rank, source });
        }
    }
    spec
}

fn node(value: &Value) -> Contract {
    match value {
        Value::Array(items) => Contract::Array { items: Box::new(node(&items[0])) },
        Value::Object(members) => {
            let property = |(name, value): (&String, &Value)| {
                let node = node(value);
                Property { name: name.clone(), node, required: true, expects: Expects::default() }
            };
            Contract::Object { properties: members.iter().map(property).collect(), open: false }
        }
        _ => Contract::Any,
    }
}
