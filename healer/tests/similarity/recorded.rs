//! Bodies that similarity leaves as they came: recorded responses of real APIs, cut down, and what is like them.

use super::*;

/// A contract, in the notation of [`schema`], and a body.
const ROWS: &[(&str, &str)] = &[
    // A union: one of several objects is there, the others are not.
    (
        r"{nftables:[{table:{family:S,name:S,handle:I},rule:{handle:I,comment:S}}]}",
        r#"{"nftables":[{"counter":{"family":"inet","name":"n","table":"example","handle":2,"comment":"c"}}]}"#,
    ),
    (
        "{action:S,issue:{id:I,title:S,body:S,comments:I,locked:B},organization:{login:S,events_url:S,avatar_url:S}}",
        r#"{"action":"created","discussion":{"id":1,"title":"t","body":"b","comments":0,"locked":false,
            "user":{"login":"bob","avatar_url":"a","events_url":"e"}}}"#,
    ),
    (
        "{action:S,team:{name:S,url:S,description:S},
            organization:{login:S,id:I,url:S,hooks_url:S,issues_url:S,description:S}}",
        r#"{"action":"deleted","repository":{"id":1,"name":"r","url":"u","hooks_url":"h","issues_url":"i",
            "description":null}}"#,
    ),
    (
        "{note:{description:S,url:S},merge_request:{id:I,iid:I,title:S}}",
        r#"{"issue":{"id":123,"iid":1,"description":"d","title":"Test Issue","url":"https://e"}}"#,
    ),
    (
        "{metrics:{disk:{reads:I,writes:I,errors:I},cache:{hits:I,misses:I}}}",
        r#"{"metrics":{"network":{"reads":1,"writes":2,"errors":0,"hits":3,"misses":4}}}"#,
    ),
    (
        "{coverage:{book:{abstracts:I,funders:I,licenses:I},monograph:{references:I,orcids:I}}}",
        r#"{"coverage":{"journal-article":{"abstracts":1,"funders":1,"licenses":1,"references":1,"orcids":1}}}"#,
    ),
    (
        "{id:S,type:S,card:{brand:S,country:S,fingerprint:S},
            us_bank_account:{bank_name:S,routing_number:S,account_type:S}}",
        r#"{"id":"pm_1","type":"sepa_debit","sepa_debit":{"bank_name":"B","routing_number":"1","country":"DE",
            "fingerprint":"f","brand":"x"}}"#,
    ),
    // Two identifiers that differ in one letter.
    ("{type:S,mcc_name:S,area:S}", r#"{"type":"cell","mnc_name":"Vodafone","area":"x"}"#),
    ("{id:I,name:S,ssh_port:I}", r#"{"id":1,"name":"n","ssl_port":443}"#),
    ("{id:S,level:I,lte_rsrp:I}", r#"{"id":"a","level":3,"lte_rsrq":-11}"#),
    ("{id:S,title:S,sku_name:S}", r#"{"id":"a","title":"t","spu_name":"Shirt"}"#),
    ("{id:S,hit_count:I}", r#"{"id":"a","hot_count":1}"#),
    ("{id:S,title:S,file_count:I}", r#"{"id":"a","title":"t","fire_count":1}"#),
    ("{name:S,link_karma:I,awarder_karma:I}", r#"{"name":"a","link_karma":1,"awardee_karma":5}"#),
    ("{id:I,role:S,invitee:{login:S,id:I}}", r#"{"id":1,"role":"member","inviter":{"login":"boss","id":9}}"#),
    (
        "{id:I,body:S,noteable_type:S,noteable_iid:I}",
        r#"{"id":1,"body":"x","noteable_type":"Issue","noteable_id":377}"#,
    ),
    ("{id:S,expired:B,votes_count:I}", r#"{"id":"1","expired":false,"voters_count":3}"#),
    ("[{name:S,http_directives:S}]", r#"[{"name":"a","https_directives":"SSLEngine on"}]"#),
    ("{id:S,title:S,pmcid:S}", r#"{"id":"1","title":"t","pmid":"7"}"#),
    ("{id:I,name:S,vxlan:I}", r#"{"id":1,"name":"t","vlan":7}"#),
    // The identifier of another record, by whose name the name of this one begins.
    ("{order_items:[{id:S,quantity:I,sku:S}]}", r#"{"order_items":[{"order_id":"s1","quantity":1,"sku":"h"}]}"#),
    ("{share_replicas:[{status:S,host:S,share_id:S}]}", r#"{"share_replicas":[{"id":"r1","status":"a","host":"h"}]}"#),
    (
        "{security_group_rule:{id:S,direction:S,protocol:S}}",
        r#"{"security_group_rule":{"security_group_id":"g","direction":"in","protocol":"tcp"}}"#,
    ),
    (
        "{workflow_job:{id:I,status:S,workflow_name:S}}",
        r#"{"workflow_job":{"id":1,"status":"queued","name":"build (ubuntu)"}}"#,
    ),
    ("{subnet:{id:S,name:S,cidr:S}}", r#"{"subnet":{"network_id":"d","name":"n","cidr":"c"}}"#),
    (
        "[{id:S,SharingGroupServer:[{all_orgs:B,sharing_group_id:S}]}]",
        r#"[{"id":"1","SharingGroupServer":[{"server_id":"0","all_orgs":true}]}]"#,
    ),
    // Members that every object of the kind has.
    (
        "{action:S,order:{id:I,total:I},sender:{name:S,email:S,phone:S}}",
        r#"{"action":"paid","order":{"id":1,"total":1,"user":{"name":"bob","email":"b@x.y","phone":"1"}}}"#,
    ),
    (
        "[{id:S,type:S,payload:{action:S,member:{login:S,avatar_url:S,type:S,site_admin:B}}}]",
        r#"[{"id":"1","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"id":7,
            "user":{"login":"bob","avatar_url":"u","type":"User","site_admin":false}}}}]"#,
    ),
    (
        "{quota:{port:{used:I,limit:I,reserved:I},router:{used:I,limit:I,reserved:I},
            network:{used:I,limit:I,reserved:I}}}",
        r#"{"quota":{"port":{"used":1,"limit":50,"reserved":0},"router":{"used":1,"limit":10,"reserved":0},
            "subnet":{"used":3,"limit":100,"reserved":0}}}"#,
    ),
    // Pages and offsets, signs, prefixes.
    (
        "{data:[S],meta:{pagination:{offset:I,limit:I,total:I,first_offset:I,last_offset:I,next_offset:I,prev_offset:I}}}",
        r#"{"data":["x"],"meta":{"pagination":{"number":0,"size":10,"total":33,"first_number":0,"last_number":3,
            "next_number":1,"prev_number":0}}}"#,
    ),
    ("{id:S,formatted_price:S,formatted_tax:S}", r#"{"id":"1","price":"6","tax":"1"}"#),
    ("{reactions:{total_count:I,+1:I,laugh:I}}", r#"{"reactions":{"total_count":3,"-1":3,"laugh":0}}"#),
    // Objects of one shape beside one another.
    (
        "{resources:{search:{limit:I,remaining:I,reset:I},graphql:{limit:I,remaining:I,reset:I}},
            rate:{limit:I,remaining:I,reset:I}}",
        r#"{"resources":{"search":{"limit":30,"remaining":18,"reset":1},"core":{"limit":5000,"remaining":4999,
            "reset":2}},"rate":{"limit":5000,"remaining":4999,"reset":2}}"#,
    ),
    // What belongs to another record.
    (
        "[{content:S,sensitive:B,created_at:S,account:{id:S,username:S}}]",
        r#"[{"content":"c","sensitive":false,"account":{"id":"2","username":"n",
            "created_at":"2010-01-01T00:00:00Z"}}]"#,
    ),
    (
        "{id:I,full_name:S,source:{id:I,full_name:S,permissions:{admin:B,push:B}}}",
        r#"{"id":1,"full_name":"a/b","permissions":{"admin":true,"push":true}}"#,
    ),
    (
        "{kind:S,metadata:{name:S,uid:S},spec:{finalizers:[S]}}",
        r#"{"kind":"Namespace","metadata":{"name":"n","uid":"u","finalizers":["x/y"]},"spec":{}}"#,
    ),
    (
        "{kind:S,metadata:{name:S},spec:{user:S,uid:S}}",
        r#"{"kind":"S","metadata":{"name":"n","uid":"u-1"},"spec":{"user":"ann"}}"#,
    ),
    (
        "{kind:S,metadata:{name:S},spec:{labels:A,annotations:A}}",
        r#"{"kind":"x","metadata":{"name":"n","labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{}}"#,
    ),
    // Addresses of each other.
    (
        "{issue:{id:I,title:S},comment:{id:I,body:S,issue_url:S}}",
        r#"{"issue":{"id":1,"title":"t","comments_url":"https://x/i/1/comments"},"comment":{"id":1,"body":"b"}}"#,
    ),
    (
        "{id:S,start:{start_at:S},end:{start_at:S,end_at:S}}",
        r#"{"id":"1","start":{"start_at":"2026-11-20T10:00:00Z","end_at":"2026-11-20T11:00:00Z"},
            "end":{"end_at":"2026-11-20T12:00:00Z"}}"#,
    ),
    // What is planned, and what was.
    ("{id:S,name:S,expires_at:S}", r#"{"id":"1","name":"n","expired_at":"2026-11-20T10:00:00Z"}"#),
    ("{id:S,name:S,ends_at:S}", r#"{"id":"1","name":"n","ended_at":"2026-11-20T10:00:00Z"}"#),
    ("{id:S,name:S,started_at:S}", r#"{"id":"1","name":"n","starts_at":"2026-11-20T10:00:00Z"}"#),
    ("{id:S,name:S,publish_at:S}", r#"{"id":"1","name":"n","published_at":"2026-11-20T10:00:00Z"}"#),
    // Objects whose names are too long to be compared.
    (
        "{iss:S,events:{openid.net/secevent/caep/event-type/as/in/version/one/session-revoked:{at:I,reason:{en:S}}}}",
        r#"{"iss":"i","events":{"openid.net/secevent/caep/event-type/as/in/version/one/credential-change":{"at":5,
            "reason":{"en":"r"}}}}"#,
    ),
    // Other units, and values that say nothing.
    (
        "{restrictions:[{end_day:S,end_time:S,start_day:S}]}",
        r#"{"restrictions":[{"end_day":"friday","end_time":"17:00:00","start_time":"09:00:00"}]}"#,
    ),
    ("{id:S,data:[S],errors:[S]}", r#"{"id":"1","data":["x"],"error":null}"#),
    ("{id:S,data:[S],error:A}", r#"{"id":"1","data":["x"],"errors":[]}"#),
    ("{id:S,title:S,assignees:[A]}", r#"{"id":"1","title":"t","assignee":null}"#),
    // Another state of the record.
    (
        "{id:I,first_name:S,last_name:S,email:S}",
        r#"{"op":"d","before":{"id":3,"first_name":"a","last_name":"b","email":"c"},"after":null,"ts_ms":3}"#,
    ),
    (
        "{light_state:{on_off:I,mode:S,hue:I,saturation:I,color_temp:I,brightness:I}}",
        r#"{"light_state":{"on_off":0,"dft_on_state":{"mode":"normal","hue":0,"saturation":0,"color_temp":2700,
            "brightness":50}}}"#,
    ),
    (
        "{id:S,instance_class:S,allocated_storage:I,engine_version:S}",
        r#"{"id":"a","pending_modified_values":{"instance_class":"m","allocated_storage":3,"engine_version":"8"}}"#,
    ),
    (
        "{id:S,user_name:S,postal_code:S,phone_number:S}",
        r#"{"errors":{"user_name":"is taken","postal_code":"is too short","phone_number":"is missing"}}"#,
    ),
    // A relation and its inverse.
    (
        "{id:S,displayName:S,mail:S,members:[S]}",
        r#"{"id":"u1","displayName":"Ann","mail":"a@b.org","memberOf":["cn=admins"]}"#,
    ),
    ("{id:S,state:S,parent:S}", r#"{"id":"u1","state":"open","parentOf":"u2"}"#),
    // Words that say nothing alone, but different things.
    ("{type:S,file_id:S,filename:S}", r#"{"type":"file","file_id":"f","file_data":"data:application/pdf;base64,"}"#),
    ("{id:S,title:S,coupon_code:S}", r#"{"id":"f","title":"t","coupon_value":"10.00"}"#),
    ("{id:S,title:S,image:S}", r#"{"id":"f","title":"t","image_data":"aGk="}"#),
    ("{id:S,title:S,order:I}", r#"{"id":"f","title":"t","order_value":3000}"#),
    ("{id:S,name:S,model:A}", r#"{"id":"f","name":"n","model_parameters":{"temperature":1}}"#),
    ("{id:S,title:S,avatar:S}", r#"{"id":"f","title":"t","avatarSource":"gravatar"}"#),
    // Two words of the object around.
    (
        "{id:S,chargingSession:{chargingDuration:I,kwh:N,evse:S}}",
        r#"{"id":"a","chargingSession":{"sessionDuration":3,"kwh":1.5,"evse":"e"}}"#,
    ),
    ("{id:S,userGroup:{userCount:I,title:S}}", r#"{"id":"a","userGroup":{"groupCount":3,"title":"t"}}"#),
    // The other side of a list.
    (
        "{txid:S,fee:I,inputs:[{address:S,value:I,script:S}]}",
        r#"{"txid":"x","fee":3,"outputs":[{"address":"a","value":3,"script":"s"}]}"#,
    ),
    // The date of a part.
    (
        "{name:S,kind:S,updateTime:S}",
        r#"{"name":"x","kind":"k","state":{"code":"OK","updateTime":"2026-01-01T00:00:00Z"}}"#,
    ),
    ("{id:S,title:S,created_by:S}", r#"{"id":"x","title":"k","location":{"city":"Ulm","created_by":"ann"}}"#),
    // An identifier of something else.
    (
        "{resourceType:S,id:S,type:S,timestamp:S}",
        r#"{"resourceType":"Bundle","identifier":{"system":"s","value":"urn:uuid:1"},"type":"t","timestamp":"x"}"#,
    ),
    ("{id:S,title:S,external_id:S}", r#"{"id":"x","title":"k","account":{"plan":"p","external_id":"e"}}"#),
    // Names that stand beside each other.
    ("{id:S,title:S,rssi:I}", r#"{"id":"a","title":"t","signal_level":3}"#),
    ("{id:S,title:S,amount_due:N}", r#"{"id":"a","title":"t","outstanding_balance":3.5}"#),
    ("{id:S,title:S,memory_usage:N}", r#"{"id":"a","title":"t","memory_used":3.5}"#),
    ("{id:S,title:S,last_updated:S}", r#"{"id":"a","title":"t","last_changed":"2026-01-01T00:00:00Z"}"#),
    ("{id:S,title:S,canceled_at:S}", r#"{"id":"a","title":"t","voided_at":"2026-01-01T00:00:00Z"}"#),
    ("{id:S,title:S,expiration_date:S}", r#"{"id":"a","title":"t","best_before":"2026-01-01"}"#),
    ("{id:S,title:S,card_number:S}", r#"{"id":"a","title":"t","pan":"ABCDE1234F"}"#),
    // Short forms of something else.
    ("{id:S,title:S,network_fee:N}", r#"{"id":"a","title":"t","net_fee":3.5}"#),
    ("{id:S,title:S,position:S}", r#"{"id":"a","title":"t","pos":"noun"}"#),
    ("{id:S,title:S,phone:N}", r#"{"id":"a","title":"t","ph":6.5}"#),
    // Another word.
    ("{id:S,title:S,started_at:S}", r#"{"id":"a","title":"t","starred_at":"2026-01-01T00:00:00Z"}"#),
    ("{id:S,title:S,material:S}", r#"{"id":"a","title":"t","maternal":"x"}"#),
    ("{id:S,title:S,landing:S}", r#"{"id":"a","title":"t","lending":"x"}"#),
];

#[test]
fn what_was_recorded_stays() {
    let mut changed = Vec::new();
    for (expected, body) in ROWS {
        let plan = configured(&schema(expected), "");
        let healed = heal(&plan, &mut Memo::new(&plan), body);
        if healed != *body {
            changed.push(format!("{expected}\n{body}\n{healed}\n"));
        }
    }
    assert!(changed.is_empty(), "{} of {}:\n{}", changed.len(), ROWS.len(), changed.join("\n"));
}

/// Writes out a schema. `S`, `I`, `N`, `B` and `A` stand for a string, an integer, a number, a boolean and anything.
pub fn schema(short: &str) -> String {
    let mut rest = short;
    let made = schema_of(&mut rest).filter(|_| rest.is_empty());
    made.expect(short)
}

fn schema_of(rest: &mut &str) -> Option<String> {
    let typed = |name: &str| Some(format!(r#"{{"type":"{name}"}}"#));
    match take(rest)? {
        'S' => typed("string"),
        'I' => typed("integer"),
        'N' => typed("number"),
        'B' => typed("boolean"),
        'A' => Some("{}".to_owned()),
        '[' => {
            let items = schema_of(rest)?;
            (take(rest)? == ']').then(|| format!(r#"{{"type":"array","items":{items}}}"#))
        }
        '{' => {
            let mut members = Vec::new();
            loop {
                let (name, after) = rest.split_once(':')?;
                *rest = after;
                members.push(format!(r#""{name}":{}"#, schema_of(rest)?));
                if take(rest)? == '}' {
                    break Some(format!(r#"{{"type":"object","properties":{{{}}}}}"#, members.join(",")));
                }
            }
        }
        _ => None,
    }
}

fn take(rest: &mut &str) -> Option<char> {
    let first = rest.chars().next()?;
    *rest = rest.get(first.len_utf8()..)?.trim_start();
    Some(first)
}
