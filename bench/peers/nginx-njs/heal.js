var RENAMES = {
    user_identifier: 'user_id',
    login_name: 'username',
    user_full_name: 'full_name',
    mail: 'email_address',
    telephone: 'phone_number',
    birth_date: 'date_of_birth',
    zip_code: 'postal_code',
    company_name: 'company',
    department_name: 'department',
    currency_code: 'currency',
    about_me: 'biography',
    created_on: 'created_at',
    last_login_at: 'last_login'
};
var NAMES = Object.keys(RENAMES);

// The pieces of the body so far. Each request has its own copy.
var pieces = [];

function head(r) {
    delete r.headersOut['Content-Length'];
}

function body(r, data, flags) {
    if (!flags.last) {
        pieces.push(data);
        return;
    }
    var whole = data;
    if (pieces.length > 0) {
        pieces.push(data);
        whole = Buffer.concat(pieces);
    }
    var healed = heal(whole.toString());
    r.sendBuffer(healed === undefined ? whole : healed, flags);
}

// Returns the healed text, or undefined if no name drifted or the text is not an object.
function heal(text) {
    var document;
    try {
        document = JSON.parse(text);
    } catch (error) {
        return undefined;
    }
    if (document === null || typeof document != 'object' || Array.isArray(document)) {
        return undefined;
    }
    var changed = false;
    for (var i = 0; i < NAMES.length; i++) {
        var value = document[NAMES[i]];
        if (value !== undefined) {
            document[RENAMES[NAMES[i]]] = value;
            delete document[NAMES[i]];
            changed = true;
        }
    }
    return changed ? JSON.stringify(document) : undefined;
}

export default { head, body };
