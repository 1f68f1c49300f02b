import json, sys, re
KINDS={"case","rename","synonym","abbreviation","plural","typo","qualifier","nesting","nesting-rename","legacy"}
def seg(p):
    out=[];i=0
    for m in re.finditer(r'"((?:[^"\\]|\\.)*)"((?:\[\])*)\.?|([^.\[\]]+)((?:\[\])*)\.?|((?:\[\])+)\.?',p):
        name=m.group(1) if m.group(1) is not None else m.group(3)
        arr=m.group(2) or m.group(4) or m.group(5) or ''
        if name is not None: out.append(name)
        out += ['[]']*(len(arr)//2)
    return tuple(out)
def leaves(s,p=()):
    if s.get('properties'):
        for k,v in s['properties'].items(): yield from leaves(v,p+(k,))
    elif s.get('items') and (s['items'].get('properties') or s['items'].get('items')):
        yield from leaves(s['items'],p+('[]',))
    elif p: yield p
def get(b,p):
    if not p: return [b]
    if p[0]=='[]':
        return [x for e in (b if isinstance(b,list) else []) for x in get(e,p[1:])]
    return get(b[p[0]],p[1:]) if isinstance(b,dict) and p[0] in b else []
def kind(v): return {bool:'boolean',int:'number',float:'number',str:'string',list:'array',dict:'object',type(None):'null'}[type(v)]
def show(p): return '.'.join(p).replace('.[]','[]')
bad=0;n=0;neg=0;look=0
for f in sys.argv[1:]:
    d=json.load(open(f))
    for c in d['cases']:
        def err(m):
            global bad; bad+=1; print(f"{f}: {c['name']}: {m}")
        ls=set(leaves(c['contract'])); pairs={seg(x['expected']):seg(x['found']) for x in c['pairs']}; absent={seg(a) for a in c.get('absent',[])}
        if len(pairs)!=len(c['pairs']): err('duplicate expected in pairs')
        if len(set(pairs.values()))!=len(pairs): err('two pairs with the same found')
        for x in c['pairs']:
            if x['kind'] not in KINDS: err(f"kind {x['kind']}")
        for e,fo in pairs.items():
            n+=1
            if e not in ls: err(f"pair expected {show(e)} is not a contract leaf")
            g=get(c['body'],fo)
            if not g: err(f"found {show(fo)} not in body")
            if fo in ls and e!=fo: err(f"found {show(fo)} is itself an expected path")
            if get(c['body'],e): err(f"expected {show(e)} stands in the body")
        for e in absent:
            neg+=1
            if e not in ls: err(f"absent {show(e)} is not a contract leaf")
            if get(c['body'],e): err(f"absent {show(e)} stands in the body")
            if e in pairs: err(f"{show(e)} both pair and absent")
        for e in ls:
            if not get(c['body'],e) and e not in pairs and e not in absent: err(f"leaf {show(e)} unlabelled")
        for x in c.get('lookalikes',[]):
            look+=1
            if seg(x['expected']) not in absent: err(f"lookalike {x['expected']} not in absent")
            if not get(c['body'],seg(x['found'])): err(f"lookalike found {x['found']} not in body")
print(f"{len(sys.argv)-1} files, {n} pairs, {neg} absent, {look} lookalikes, {bad} problems")
sys.exit(bool(bad))
