-- Envoy has no JSON library for Lua, but its LuaJIT can load one written in C.
package.cpath = "{root}/usr/lib/{triple}/lua/5.1/?.so;" .. package.cpath
package.path = "{root}/usr/share/lua/5.1/?.lua;" .. package.path
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

-- Returns the healed text, or nil if no name drifted or the text is not an object.
local function heal(text)
    local document = cjson.decode(text)
    if type(document) ~= "table" then
        return nil
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
    return changed and cjson.encode(document) or nil
end

function envoy_on_response(handle)
    local body = handle:body()
    if not body then
        return
    end
    local healed = heal(body:getBytes(0, body:length()))
    if healed then
        handle:headers():replace("content-length", body:setBytes(healed))
    end
end
