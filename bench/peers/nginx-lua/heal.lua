local cjson = require("cjson.safe").new()

-- The highest precision that this library supports.
cjson.encode_number_precision(14)

local RENAMES = {
    { "user_identifier", "user_id" },
    { "login_name", "username" },
    { "user_full_name", "full_name" },
    { "mail", "email_address" },
    { "telephone", "phone_number" },
    { "birth_date", "date_of_birth" },
    { "zip_code", "postal_code" },
    { "company_name", "company" },
    { "department_name", "department" },
    { "currency_code", "currency" },
    { "about_me", "biography" },
    { "created_on", "created_at" },
    { "last_login_at", "last_login" },
}

-- Returns the healed text, or the text itself if no name drifted or it is not an object.
local function heal(text)
    local document = cjson.decode(text)
    if type(document) ~= "table" then
        return text
    end
    local changed = false
    for i = 1, #RENAMES do
        local drifted = RENAMES[i][1]
        local value = document[drifted]
        if value ~= nil then
            document[RENAMES[i][2]] = value
            document[drifted] = nil
            changed = true
        end
    end
    return changed and cjson.encode(document) or text
end

local M = {}

function M.body()
    local piece, last = ngx.arg[1], ngx.arg[2]
    local pieces = ngx.ctx.pieces
    if last then
        if pieces then
            pieces[#pieces + 1] = piece
            piece = table.concat(pieces)
        end
        ngx.arg[1] = heal(piece)
    else
        if pieces then
            pieces[#pieces + 1] = piece
        else
            ngx.ctx.pieces = { piece }
        end
        ngx.arg[1] = nil
    end
end

return M
