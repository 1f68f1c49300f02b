#![allow(clippy::unwrap_used)]

use super::super::cursor::{Cursor, Problems};
use super::super::json;
use super::{References, Said, read, read_in};
use crate::plan::spec::{Contract, Expects, Kind, Kinds, Property};

/// Shows the contract of a schema, in the notation of the rows.
fn shown(schema: &str) -> String {
    let node = json::read(schema.as_bytes()).unwrap();
    let mut problems = Problems::new();
    let contract = read(&Cursor::root(&node), &mut problems);
    let refusal = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_agreed(schema, contract.is_none().then_some(&*refusal));
    contract.map_or(refusal, |contract| show(&contract, None))
}

/// Asserts that the JSON Schema for editors accepts what the reader accepts.
fn assert_agreed(schema: &str, refusal: Option<&str>) {
    let configuration = format!(r#"{{"routes":[{{"match":{{"path":"/"}},"contract":{schema}}}]}}"#);
    assert_eq!(healer_oracle::schema::disagreement(&configuration, refusal), None);
}

fn show(node: &Contract, expects: Option<&Expects>) -> String {
    let structure = match node {
        Contract::Any => String::new(),
        Contract::Array { items } => {
            let kinds = expects.map_or(Kinds::ANY, |expects| expects.items);
            let expects = Expects { kinds, ..Expects::default() };
            format!("[{}]", show(items, Some(&expects)))
        }
        Contract::Object { properties, open } => {
            let others = (*open && !properties.is_empty()).then(|| "..".to_owned());
            let parts: Vec<String> = properties.iter().map(show_property).chain(others).collect();
            format!("{{{}}}", parts.join(" "))
        }
    };
    structure + &expects.map(show_expects).unwrap_or_default()
}

fn show_property(property: &Property) -> String {
    let required = if property.required { "!" } else { "" };
    format!("{}{required}:{}", property.name, show(&property.node, Some(&property.expects)))
}

fn show_expects(expects: &Expects) -> String {
    let letter = |kind: Kind| match kind {
        Kind::Null => '0',
        Kind::Boolean => 'b',
        Kind::Integer => 'i',
        Kind::Number => 'n',
        Kind::String => 's',
        Kind::Object => 'o',
        Kind::Array => 'a',
    };
    let mut text: String =
        if expects.kinds == Kinds::ANY { "any".into() } else { expects.kinds.iter().map(letter).collect() };
    text.extend(expects.format.map(|format| format!("({})", format.name())));
    if !expects.values.is_empty() {
        text.extend(["=", &expects.values.join("|")]);
    }
    text.extend(expects.description.iter().map(|description| format!("<{description}>")));
    text
}

fn assert_rows(rows: &[(&str, &str)]) {
    for (schema, expected) in rows {
        assert_eq!(shown(schema), *expected, "{schema}");
    }
}

#[test]
fn structure_is_read_as_written() {
    assert_rows(&[
        ("true", ""),
        ("{}", ""),
        (r#"{"type":"object"}"#, "{}"),
        (r#"{"type":["object","null"],"additionalProperties":{"$ref":"x"}}"#, "{}"),
        (r#"{"type":["object","array"]}"#, ""),
        (r#"{"type":"array"}"#, "[any]"),
        (r#"{"items":true}"#, "[any]"),
        (
            r#"{"properties":{"b":{"type":"array","items":{}},"a":{"type":"integer"}},"required":["c","a"]}"#,
            "{b:[any]a a!:i c!:any}",
        ),
        (r#"{"required":["b","a","b"]}"#, "{b!:any a!:any}"),
        (r#"{"required":["","a"],"properties":{"":{}}}"#, "{:any a!:any}"),
        (r#"{"type":["array","object"],"properties":{"a":{"type":"object"}}}"#, "{a:{}o}"),
        (r#"{"items":{"properties":{"a":{"items":{"items":{"type":"null"}}}}}}"#, "[{a:[[any]a]a}any]"),
        (r#"{"required":["a","b"],"properties":{"a":{"writeOnly":true},"c":{"readOnly":true}}}"#, "{c:any b!:any}"),
        (r#"{"prefixItems":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"items":false}"#, "[{a:any b:any}any]"),
        (r#"{"type":"array","items":{"type":"string"},"additionalItems":false}"#, "[any]"),
    ]);
}

#[test]
fn objects_tell_whether_others_may_stand_there() {
    assert_rows(&[
        (r#"{"properties":{"a":{}},"additionalProperties":true}"#, "{a:any ..}"),
        (r#"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#, "{a:any ..}"),
        (r#"{"properties":{"a":{}},"additionalProperties":false}"#, "{a:any}"),
        (r#"{"properties":{"a":{}},"additionalProperties":false,"patternProperties":{"^x":{}}}"#, "{a:any ..}"),
        (r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#, "{a:any}"),
        (r#"{"properties":{"a":{}},"unevaluatedProperties":{}}"#, "{a:any ..}"),
        (r#"{"allOf":[{"properties":{"a":{}}},{"type":"object","additionalProperties":{}}]}"#, "{a:any ..}"),
        (
            r#"{"anyOf":[{"properties":{"a":{}},"additionalProperties":true},{"properties":{"b":{}}}]}"#,
            "{a:any b:any ..}",
        ),
        (r#"{"properties":{"a":{"properties":{"b":{}}}},"additionalProperties":true}"#, "{a:{b:any}o ..}"),
    ]);
}

#[test]
fn values_are_told_by_kind_and_format() {
    let rows = [
        (r#""type":"string""#, "s"),
        (r#""type":"number""#, "in"),
        (r#""type":["integer","null"]"#, "0i"),
        (r#""type":"boolean","nullable":true"#, "0b"),
        (r#""nullable":false"#, "any"),
        (r#""properties":{}"#, "{}o"),
        (r#""properties":{},"nullable":true"#, "{}0o"),
        (r#""items":{"type":["string","null"]}"#, "[0s]a"),
        (r#""type":"string","format":"date-time""#, "s(date-time)"),
        (r#""format":"idn-email""#, "any(email)"),
        (r#""type":"string","format":"ipv6""#, "s(ip)"),
        (r#""type":"string","format":"password""#, "s"),
        (r#""type":"integer","format":"date-time""#, "i"),
        (r#""type":"string","example":"2026-01-02T03:04:05Z""#, "s(date-time)"),
        (r#""type":"string","examples":["https://a.example/b","c"]"#, "s(uri)"),
        (r#""type":"string","format":"email","example":"2026-01-02""#, "s(email)"),
        (r#""type":"string","format":"phone","example":"a@b.example""#, "s(email)"),
        (r#""type":"string","example":"12""#, "s"),
        (r#""type":"string","example":"OPEN""#, "s"),
        (r#""type":"string","example":7,"examples":{"a":{"value":"2026-01-02"}}"#, "s"),
        (r#""type":"integer","example":"2026-01-02""#, "i"),
        (r#""enum":["a","b"]"#, "s=a|b"),
        (r#""type":"string","enum":["a",null],"nullable":true"#, "0s=a"),
        (r#""enum":["a",1]"#, "is=a"),
        (r#""type":"string","enum":["v1",2]"#, "s=v1|2"),
        (r#""enum":[1,2.5]"#, "in"),
        (r#""const":"user""#, "s=user"),
        (r#""const":true"#, "b"),
        (r#""type":"string","enum":[true,false]"#, "s"),
        (r#""description":" of a user ","title":"x""#, "any<of a user>"),
        (r#""description":"","title":"x""#, "any"),
        (r#""title":"x""#, "any<x>"),
    ];
    for (keywords, expected) in rows {
        let schema = format!(r#"{{"properties":{{"a":{{{keywords}}}}}}}"#);
        assert_eq!(shown(&schema), format!("{{a:{expected}}}"), "{keywords}");
    }
}

#[test]
fn schemas_are_put_together() {
    assert_rows(&[
        (
            r#"{"allOf":[{"properties":{"a":{}},"required":["b"]},{"properties":{"b":{"type":"string"}}}]}"#,
            "{a:any b!:s}",
        ),
        (r#"{"properties":{"a":{}},"allOf":[{"required":["a"]},{"type":"object"}]}"#, "{a!:any}"),
        (
            r#"{"properties":{"a":{"properties":{"x":{}}}},"allOf":[{"properties":{"a":{"properties":{"y":{}}}}}]}"#,
            "{a:{x:any y:any}o}",
        ),
        (
            r#"{"properties":{"a":{"type":["number","null"],"allOf":[{"type":["integer","string"],"title":"t"}]}}}"#,
            "{a:i<t>}",
        ),
        (r#"{"properties":{"a":{"type":"string","allOf":[{"type":"integer"}]}}}"#, "{a:is}"),
        (r#"{"properties":{"a":{"nullable":true,"allOf":[{"type":"string"}]}}}"#, "{a:0s}"),
        (r#"{"properties":{"a":{"allOf":[{"enum":["x","y"]},{"enum":["y","z"]}]}}}"#, "{a:s=y}"),
        (
            r#"{"oneOf":[{"properties":{"a":{},"b":{}},"required":["a","b"]},{"properties":{"c":{}},"required":["b"]}]}"#,
            "{a:any b!:any c:any}",
        ),
        (
            r#"{"properties":{"a":{}},"required":["a"],"anyOf":[{"required":["b"]},{"required":["c"]}]}"#,
            "{a!:any b:any c:any}",
        ),
        (r#"{"properties":{"a":{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}}}"#, "{a:0s(date)}"),
        (r#"{"properties":{"a":{"oneOf":[{"type":"null"},{"required":["x"],"title":"t"}]}}}"#, "{a:{x!:any}0o<t>}"),
        (r#"{"properties":{"a":{"oneOf":[{"type":"integer"},{"type":"string","format":"uuid"}]}}}"#, "{a:is(uuid)}"),
        (r#"{"properties":{"a":{"oneOf":[{"format":"email"},{"type":"string","format":"uri"}]}}}"#, "{a:any}"),
        (r#"{"properties":{"a":{"oneOf":[{"enum":["x"]},{"enum":["y"]}]}}}"#, "{a:s=x|y}"),
        (r#"{"properties":{"a":{"oneOf":[{"enum":["x"]},{"type":"string"}]}}}"#, "{a:s}"),
        (r#"{"anyOf":[{"type":"string"},{"required":["x"]}]}"#, "{x!:any}"),
        (r#"{"anyOf":[{},{"required":["x"]}]}"#, "{x:any}"),
        (r#"{"anyOf":[{"type":"object"},{"required":["x"]}]}"#, "{x:any}"),
        (r#"{"anyOf":[{"items":{"required":["y"]}},{"required":["x"]}]}"#, "{x!:any}"),
        (r#"{"anyOf":[{"items":{"required":["y"]}},{"type":"array"}]}"#, "[{y:any}any]"),
        (
            r#"{"oneOf":[{"items":{"required":["y"],"properties":{"x":{}}}},{"items":{"required":["x","y"]}}]}"#,
            "[{x:any y!:any}any]",
        ),
        (
            r#"{"properties":{"a":{}},"if":{},"then":{"required":["b"]},"else":{"properties":{"c":{"type":"null"}}}}"#,
            "{a:any b:any c:0}",
        ),
        (r#"{"properties":{"a":{}},"dependentSchemas":{"a":{"required":["a","b"]}}}"#, "{a:any b:any}"),
        (r#"{"allOf":[],"not":{"required":["x"]}}"#, ""),
    ]);
}

#[test]
fn what_is_only_written_is_not_expected() {
    assert_rows(&[
        (
            r##"{"properties":{"id":{},"pin":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string","writeOnly":true}}}"##,
            "{id:any}",
        ),
        (
            r#"{"properties":{"a":{"allOf":[{"writeOnly":true}]},"b":{"oneOf":[{"type":"null"},{"writeOnly":true}]}}}"#,
            "{}",
        ),
        (r#"{"properties":{"a":{"anyOf":[{"type":"string"},{"writeOnly":true}]}}}"#, "{a:any}"),
        // `writeOnly` wins over a second mention.
        (r#"{"allOf":[{"properties":{"a":{},"b":{"writeOnly":true}}},{"required":["a","b"]}]}"#, "{a!:any}"),
        (r#"{"required":["b"],"allOf":[{"properties":{"b":{"writeOnly":true}}},{"properties":{"b":{}}}]}"#, "{}"),
        // One kind of response has it.
        (r#"{"oneOf":[{"properties":{"b":{"writeOnly":true}}},{"properties":{"b":{"type":"string"}}}]}"#, "{b:any}"),
        (r#"{"oneOf":[{"properties":{"b":{"writeOnly":true}}},{"required":["a"]}]}"#, "{a:any}"),
        // The same holds for a member that must not be there.
        (r#"{"properties":{"a":{},"b":false},"required":["b"]}"#, "{a:any}"),
        // An array is no member, so it cannot be left out.
        (r#"{"writeOnly":true,"items":{"writeOnly":true,"required":["a"]}}"#, "[{a!:any}any]"),
    ]);
}

#[test]
fn references_are_written_out() {
    assert_rows(&[
        (r##"{"$ref":"#/$defs/a","$defs":{"a":{"required":["x"]}}}"##, "{x!:any}"),
        (
            r##"{"$ref":"#/definitions/a~1b","definitions":{"a/b":{"items":{"$ref":"#/definitions/c%20d"}},"c d":{"type":"string"}}}"##,
            "[any]",
        ),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/t","description":"of a"},"b":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"string","format":"time","description":"of t"}}}"##,
            "{a:s(time)<of a> b:s(time)<of t>}",
        ),
        (
            r##"{"properties":{"a":{"oneOf":[{"type":"null"},{"$ref":"#/properties/b"}]},"b":{"type":"integer"}}}"##,
            "{a:0i b:i}",
        ),
        (r##"{"$ref":"#/allOf/1","allOf":[{"required":["a"]},{"required":["b"]}]}"##, "{b!:any a!:any}"),
    ]);
}

#[test]
fn a_schema_that_contains_itself_is_unrolled_five_times() {
    let list = r##"{"properties":{"id":{"type":"integer"},"next":{"$ref":"#"}}}"##;
    let levels = "{id:i next:".repeat(6) + "{}o" + &"}o".repeat(5) + "}";
    // Behind the last level, the kind is still known if the schema says one.
    let levels = levels.replace("next:{}o", "next:any");
    assert_eq!(shown(list), levels);
    let typed = list.replace(r#"{"properties"#, r#"{"type":["object","null"],"properties"#);
    assert!(shown(&typed).contains("next:0o}0o}0o"), "{}", shown(&typed));
}

#[test]
fn schemas_that_contain_each_other_are_unrolled_as_far_as_there_is_room() {
    let schema = |kinds: usize| {
        let properties = |this: usize| {
            let member = |other| format!(r##""to_{other}":{{"$ref":"#/$defs/k{other}"}}"##);
            let members: Vec<String> = (0..kinds).map(member).collect();
            format!(r#""k{this}":{{"type":"object","properties":{{{}}}}}"#, members.join(","))
        };
        let definitions: Vec<String> = (0..kinds).map(properties).collect();
        format!(r##"{{"$ref":"#/$defs/k0","$defs":{{{}}}}}"##, definitions.join(","))
    };
    let depth = |kinds| {
        let text = shown(&schema(kinds));
        text.split("to_0:").count().min(text.find("to_0:o").map_or(0, |at| text[..at].matches('{').count()))
    };
    let rows = [(2, 5), (4, 5), (6, 4), (12, 3), (44, 2), (120, 2), (200, 1)];
    for (kinds, expected) in rows {
        assert_eq!(depth(kinds), expected, "{kinds}");
    }
}

#[test]
fn what_has_a_part_that_is_not_followed_is_left_open() {
    let innermost = |member: &str| {
        let schema =
            format!(r##"{{"$ref":"#/$defs/a","$defs":{{"a":{{"type":"object","properties":{{"m":{member}}}}}}}}}"##);
        let text = shown(&schema);
        let (_, innermost) = text.rsplit_once("m:").unwrap();
        innermost.split([' ', '}']).next().unwrap().to_owned()
    };
    let rows = [
        (r##"{"$ref":"#/$defs/a"}"##, "o"),
        (r##"{"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"gone":{}},"required":["gone"]}]}"##, "o"),
        (r##"{"oneOf":[{"type":"string"},{"properties":{"gone":{}}},{"$ref":"#/$defs/a"}]}"##, "so"),
        (r##"{"allOf":[{"properties":{"x":{}}},{"$ref":"#/$defs/a"}],"properties":{"y":{}},"required":["y"]}"##, "o"),
        (r##"{"properties":{"y":{}},"then":{"$ref":"#/$defs/a"}}"##, "o"),
        (r##"{"items":{"anyOf":[{"properties":{"gone":{}}},{"$ref":"#/$defs/a"}]}}"##, "[o]a"),
        (r##"{"anyOf":[{"items":{"properties":{"x":{}}}},{"items":{"$ref":"#/$defs/a"}}]}"##, "[o]a"),
        (r##"{"oneOf":[{"type":"object","properties":{"n":{"$ref":"#/$defs/a"}}},{"type":"null"}]}"##, "{n:o"),
    ];
    for (member, expected) in rows {
        assert_eq!(innermost(member), expected, "{member}");
    }
    // A value that can have no members has no expected ones, wherever it refers to.
    let text = r##"{"anyOf":[{"properties":{"x":{"$ref":"#/$defs/a"}}},{"$ref":"#/$defs/s"}]}"##;
    let schema = format!(
        r##"{{"$ref":"#/$defs/a","$defs":{{"a":{text},"s":{{"type":"string","not":{{"$ref":"#/$defs/a"}}}}}}}}"##
    );
    assert!(shown(&schema).contains("{x:{x:"), "{}", shown(&schema));
}

/// Parts of an object are on one level, however many references they are behind.
#[test]
fn parts_count_as_the_whole() {
    let document = r##"{"$ref":"#/$defs/a","$defs":{
        "a":{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"name":{}}}]},
        "base":{"properties":{"id":{},"up":{"$ref":"#/$defs/a"}}}}}"##;
    let levels = "{id:any up:".repeat(5) + "any" + &" name:any}o".repeat(5);
    assert_eq!(shown(document), levels.strip_suffix('o').unwrap());
}

#[test]
fn what_grows_without_end_is_refused() {
    let level = |level: usize| {
        let below = format!(r##"{{"$ref":"#/$defs/a{}"}}"##, level + 1);
        let members: Vec<String> = (0..10).map(|member| format!(r#""m{member}":{below}"#)).collect();
        format!(r#""a{level}":{{"properties":{{{}}}}}"#, members.join(","))
    };
    let levels: Vec<String> = (0..8).map(level).collect();
    let laughs = format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a8":{{}}}}}}"##, levels.join(","));
    let expected = "configuration: found a contract of more than 16384 schemas, references written out; expected \
                    fewer: leave out what clients do not rely on";
    assert_eq!(shown(&laughs), expected);

    let link = |link: usize| format!(r##""a{link}":{{"$ref":"#/$defs/a{}"}}"##, link + 1);
    let chain = |links: usize| {
        let links: Vec<String> = (0..links).map(link).collect();
        format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a{}":{{"type":"array"}}}}}}"##, links.join(","), links.len())
    };
    assert_eq!(shown(&chain(190)), "[any]");
    assert!(shown(&chain(5000)).ends_with("expected at most 192 schemas and references inside each other"));
}

/// Reading half of a level would do harm; reading nothing of it does none.
#[test]
fn of_a_large_foreign_schema_those_levels_are_read_that_there_is_room_for() {
    let level = |level: usize| {
        let below = format!(r##"{{"type":"object","allOf":[{{"$ref":"#/a{}"}}]}}"##, level + 1);
        let members: Vec<String> = (0..10).map(|member| format!(r#""m{member}":{below}"#)).collect();
        format!(r#""a{level}":{{"properties":{{{}}}}}"#, members.join(","))
    };
    let levels: Vec<String> = (0..8).map(level).collect();
    let node = json::read(format!(r#"{{{},"a8":{{}}}}"#, levels.join(",")).as_bytes()).unwrap();
    let root = Cursor::root(&node);
    let mut problems = Problems::new();
    let reading = read_in(&mut References::new(root.place()), &root.field("a0").unwrap(), &mut problems).unwrap();
    assert_eq!(problems, []);
    assert_eq!(reading.open, 1000);
    let text = show(&reading.contract, None);
    assert!(text.starts_with("{m0:{m0:{m0:o m1:o "), "{text}");
    assert!(text.ends_with(" m9:o}o}o}"), "{text}");
}

#[test]
fn subtypes_that_a_discriminator_names_are_read_for_their_members() {
    let document = r##"{"pet":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}},
        "discriminator":{"propertyName":"kind","mapping":{"dog":"#/dog","hound":"#/dog","cat":"#/cat","lion":"lion"}}},
        "components":{"schemas":{"lion":{"type":"object","properties":{"mane":{}}}}},
        "dog":{"allOf":[{"$ref":"#/pet"},{"required":["breed"],"properties":{"breed":{"type":"string"},
            "friends":{"type":"array","items":{"$ref":"#/pet"}},"owner":{"$ref":"#/owner"}}}]},
        "cat":{"allOf":[{"$ref":"#/pet"}],"properties":{"claws":{"type":"integer"}}},
        "owner":{"type":"object","properties":{"pet":{"$ref":"#/pet"}}},
        "vehicle":{"allOf":[{"$ref":"#/owner"},{"properties":{"id":{}},"discriminator":{"mapping":{"a":"#/cat"}}}]},
        "owners":{"type":"array","items":{"properties":{"pet":{"allOf":[{"$ref":"#/pet"}]}}}},
        "strange":{"type":"object","discriminator":{"mapping":{"a":"a.json"}},"properties":{"a":{}}},
        "beside":{"properties":{"a":{}},"oneOf":[{"properties":{"b":{}}}],"discriminator":{"mapping":{"a":"#/cat"}}}}"##;
    let node = json::read(document.as_bytes()).unwrap();
    let root = Cursor::root(&node);
    let pet = "{kind!:s breed:s friends:[o]a owner:o claws:i mane:any}";
    let rows = [
        ("pet", pet.to_owned()),
        ("cat", "{claws:i kind!:s}".to_owned()),
        ("dog", format!("{{kind!:s breed!:s friends:[{pet}o]a owner:{{pet:{pet}o}}o}}")),
        ("owners", format!("[{{pet:{pet}o}}any]")),
        ("vehicle", format!("{{pet:{pet}o id:any claws:i kind:s}}")),
        ("strange", String::new()),
        ("beside", "{a:any b:any}".to_owned()),
    ];
    for (name, expected) in rows {
        let mut problems = Problems::new();
        let reading = read_in(&mut References::new(root.place()), &root.field(name).unwrap(), &mut problems);
        assert_eq!(problems, []);
        assert_eq!(show(&reading.unwrap().contract, None), expected, "{name}");
    }
}

#[test]
fn a_subtype_that_is_not_there_is_told_and_leaves_the_object_open() {
    let document = r##"{"components":{"schemas":{"Pet":{"type":"object","properties":{"a":{}},
        "discriminator":{"mapping":{"cat":"Cat","dog":"Dogs","fish":"./fish.json"}}},
        "Cat":{"properties":{"b":{}}},"Dog":{"properties":{"c":{}}}}},
        "pets":{"properties":{"one":{"$ref":"#/components/schemas/Pet"},"two":{"$ref":"#/components/schemas/Pet"},
        "id":{}}}}"##;
    let node = json::read(document.as_bytes()).unwrap();
    let root = Cursor::root(&node);
    let mut problems = Problems::new();
    let reading = read_in(&mut References::new(root.place()), &root.field("pets").unwrap(), &mut problems).unwrap();
    assert_eq!((problems, reading.open), (Problems::new(), 4));
    assert_eq!(show(&reading.contract, None), "{one:o two:o id:any}");
    let lost: Vec<String> = reading.lost.iter().map(ToString::to_string).collect();
    let place = "components.schemas.Pet.discriminator.mapping";
    let expected = [
        "dog: found \"#/components/schemas/Dogs\", which is not in this document; expected a reference to what is there \
         (did you mean \"Dog\"?)",
        "fish: found \"./fish.json\"; expected a reference into this document, in quotes, such as '#/$defs/user'",
    ];
    assert_eq!(lost, expected.map(|text| format!("{place}.{text}")));
}

#[test]
fn foreign_documents_are_read_with_forbearance() {
    let document = r##"{"schemas":{"user":{"type":"object","propertys":{},"properties":{
        "id":{"type":"integer","required":true},"at":{"type":"timestamp"},"loop":{"$ref":"#/schemas/loop"},"e":{"enum":"a"},
        "both":{"properties":{"a":{}},"items":{},"required":["",1]},"x":{"type":"string","items":{}},
        "list":{"type":"array","properties":{"a":{}},"items":{"$ref":"#/schemas/user/properties/id"}}}},
        "loop":{"anyOf":[{"type":"string"},{"$ref":"#/schemas/loop"}]}}}"##;
    let node = json::read(document.as_bytes()).unwrap();
    let root = Cursor::root(&node);
    let schemas = root.field("schemas").unwrap();
    let mut problems = Problems::new();
    let contract = read_in(&mut References::new(root.place()), &schemas.field("user").unwrap(), &mut problems);
    assert_eq!(problems, []);
    assert_eq!(show(&contract.unwrap().contract, None), "{id:i at:any loop:any e:any both:{a:any}o x:s list:[i]a}");
}

#[test]
fn kinds_alone_give_a_structure_too() {
    let kinds = |kinds: &[Kind]| kinds.iter().fold(Kinds::NONE, |all, kind| all.with(Kinds::of(*kind)));
    let rows: [(&[Kind], &str); 4] = [
        (&[Kind::Object], "{}o"),
        (&[Kind::Array, Kind::Null], "[any]0a"),
        (&[Kind::Object, Kind::Array], "oa"),
        (&[], ""),
    ];
    for (list, expected) in rows {
        let said = Said::of_kinds(kinds(list));
        assert_eq!(show(&said.shape.into_contract(), Some(&said.expects)), expected, "{list:?}");
    }
}
