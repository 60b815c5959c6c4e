-- SPDX-License-Identifier: BSD-3-Clause
--
-- Wireshark and tshark learn DSF cells (docs/cells.md), from version 4.0 on:
--
--     tshark -X lua_script:scripts/softbag_cells.lua -r capture.pcap -Y dsfcell
--
-- or copy it to a folder of Help > About > Folders > Lua Plugins. A packet that is in one cell, or
-- whose cells are all in the capture, is shown below the cell that completes it.
-- Preferences: the EtherType, and whether packets are put together.

local dsf = Proto("dsfcell", "DSF Cell")

local HEADER_LEN = 24
local FRAGMENTS_MAX = 64
local DATA, REQUEST, GRANT, REACH = 0, 1, 2, 3
local TYPES = {[DATA] = "DATA", [REQUEST] = "REQUEST", [GRANT] = "GRANT", [REACH] = "REACH"}
local EXTENSION_LEN = {[REQUEST] = 24, [GRANT] = 16}
local ENTRY_LEN = 8
local FIRST, LAST, CONGESTION, SYNC = 0x01, 0x02, 0x04, 0x08

dsf.prefs.ethertype = Pref.uint("EtherType", 0x88b5, "of cells, in decimal; dsf.ethertype of the node")
dsf.prefs.reassemble = Pref.bool("Put packets together", true, "show a packet at the cell that completes it")

---- Fields

local field = {
    version = ProtoField.uint8("dsfcell.version", "Version", base.DEC, nil, 0xf0),
    type = ProtoField.uint8("dsfcell.type", "Type", base.DEC, TYPES, 0x0f),
    flags = ProtoField.uint8("dsfcell.flags", "Flags", base.HEX),
    flag_first = ProtoField.bool("dsfcell.flags.first", "First", 8, nil, FIRST),
    flag_last = ProtoField.bool("dsfcell.flags.last", "Last", 8, nil, LAST),
    flag_congestion = ProtoField.bool("dsfcell.flags.congestion", "Congestion seen", 8, nil, CONGESTION),
    flag_sync = ProtoField.bool("dsfcell.flags.sync", "First packet of its stream", 8, nil, SYNC),
    flag_reserved = ProtoField.uint8("dsfcell.flags.reserved", "Reserved", base.HEX, nil, 0xf0),
    class = ProtoField.uint8("dsfcell.class", "Class", base.DEC, nil, 0xf0),
    reserved = ProtoField.uint8("dsfcell.reserved", "Reserved", base.HEX, nil, 0x0f),
    pipe = ProtoField.uint8("dsfcell.pipe", "Pipe"),
    source = ProtoField.uint16("dsfcell.source", "Source device"),
    destination = ProtoField.uint16("dsfcell.destination", "Destination device"),
    system_port = ProtoField.uint16("dsfcell.system_port", "System port"),
    payload_len = ProtoField.uint16("dsfcell.payload_len", "Payload length"),
    packet_id = ProtoField.uint32("dsfcell.packet_id", "Packet id"),
    fragment = ProtoField.uint16("dsfcell.fragment", "Fragment"),
    packet_len = ProtoField.uint16("dsfcell.packet_len", "Packet length"),
    check = ProtoField.uint32("dsfcell.check", "Header check", base.HEX),
    check_right = ProtoField.bool("dsfcell.check.right", "Header check is right"),
    payload = ProtoField.bytes("dsfcell.payload", "Payload"),
    padding = ProtoField.bytes("dsfcell.padding", "Padding"),
    request_session = ProtoField.uint32("dsfcell.request.session", "Session", base.HEX),
    request_wanted = ProtoField.uint64("dsfcell.request.wanted", "Wanted bytes"),
    request_granted = ProtoField.uint64("dsfcell.request.granted", "Granted bytes that it knows of"),
    grant_session = ProtoField.uint32("dsfcell.grant.session", "Session", base.HEX),
    grant_granted = ProtoField.uint64("dsfcell.grant.granted", "Granted bytes"),
    reach_entry = ProtoField.bytes("dsfcell.reach.entry", "Entry"),
    reach_device = ProtoField.uint16("dsfcell.reach.device", "Device"),
    reach_hops = ProtoField.uint8("dsfcell.reach.hops", "Hops"),
    reach_capacity = ProtoField.uint32("dsfcell.reach.capacity", "Capacity (Mbit/s)", base.DEC,
        {[0] = "none: withdrawn", [0xffffffff] = "any: the sender itself"}),
    zero = ProtoField.uint32("dsfcell.zero", "Reserved", base.HEX),
    packet_cells = ProtoField.uint16("dsfcell.packet.cells", "Cells of the packet"),
    packet_frame = ProtoField.framenum("dsfcell.packet.frame", "Cell in", base.NONE),
    packet_in = ProtoField.framenum("dsfcell.packet.in", "Packet is whole in", base.NONE),
}
dsf.fields = field

local function expert_of(name, text, group, severity)
    return ProtoExpert.new("dsfcell." .. name, text, group, severity)
end

local MALFORMED, PROTOCOL = expert.group.MALFORMED, expert.group.PROTOCOL
local ERROR, WARN, NOTE = expert.severity.ERROR, expert.severity.WARN, expert.severity.NOTE

-- The first six are drop reasons of the node, by their names there.
local wrong = {
    cell_short = expert_of("cell_short", "The frame ends before the header or the payload does", MALFORMED, ERROR),
    cell_check = expert_of("cell_check", "The header check is wrong", expert.group.CHECKSUM, ERROR),
    cell_version = expert_of("cell_version", "A version, type or class that is not known", PROTOCOL, ERROR),
    cell_len = expert_of("cell_len", "Lengths that contradict each other", MALFORMED, ERROR),
    cell_fragment = expert_of("cell_fragment", "A fragment number too high, or not as the flags say", MALFORMED, ERROR),
    cell_device = expert_of("cell_device", "A source or destination device that cannot be", PROTOCOL, ERROR),
    reserved = expert_of("reserved_set", "Reserved bits are set", PROTOCOL, NOTE),
    hops = expert_of("hops", "More hops than 3", PROTOCOL, WARN),
    mismatch = expert_of("mismatch", "Contradicts other cells of its packet", PROTOCOL, WARN),
    duplicate = expert_of("duplicate", "This fragment was there before", PROTOCOL, WARN),
    cut = expert_of("cut", "The capture ends before the cell does", PROTOCOL, NOTE),
}
dsf.experts = wrong

---- CRC-32C (RFC 3720 12.1); Wireshark has `bit` in all its versions, operators in the late ones

local crc_table = {}
for byte = 0, 255 do
    local crc = byte
    for _ = 1, 8 do
        local out = bit.band(crc, 1)
        crc = bit.rshift(crc, 1)
        if out == 1 then
            crc = bit.bxor(crc, 0x82f63b78)
        end
    end
    crc_table[byte] = crc
end

local function crc32c(range)
    local bytes, crc = range:bytes(), 0xffffffff
    for i = 0, bytes:len() - 1 do
        local at = bit.band(bit.bxor(crc, bytes:get_index(i)), 0xff)
        crc = bit.bxor(bit.rshift(crc, 8), crc_table[at])
    end
    return bit.bnot(crc) % 0x100000000
end

---- The header

local function has(flags, mask)
    return bit.band(flags, mask) ~= 0
end

local function read_header(tvb)
    local first, third = tvb(0, 1):uint(), tvb(2, 1):uint()
    return {
        version = bit.rshift(first, 4),
        type = bit.band(first, 0xf),
        flags = tvb(1, 1):uint(),
        class = bit.rshift(third, 4),
        pipe = tvb(3, 1):uint(),
        source = tvb(4, 2):uint(),
        destination = tvb(6, 2):uint(),
        system_port = tvb(8, 2):uint(),
        payload_len = tvb(10, 2):uint(),
        packet_id = tvb(12, 4):uint(),
        fragment = tvb(16, 2):uint(),
        packet_len = tvb(18, 2):uint(),
        check = tvb(20, 4):uint(),
    }
end

local function data_fault(h)
    local first, last = has(h.flags, FIRST), has(h.flags, LAST)
    local up_to = (h.fragment + 1) * h.payload_len
    if h.fragment >= FRAGMENTS_MAX or first ~= (h.fragment == 0) then
        return "cell_fragment"
    end
    if h.payload_len == 0 or h.packet_len < 14 or up_to > h.packet_len then
        return "cell_len"
    end
    if last then
        return first and h.payload_len ~= h.packet_len and "cell_len" or nil
    end
    if up_to == h.packet_len or h.payload_len * FRAGMENTS_MAX < h.packet_len then
        return "cell_len"
    end
    return nil
end

-- The first fault in the order in which a node looks, or nil. `n`: bytes of the frame behind EtherType.
local function fault_of(h, n, crc)
    if h.check ~= crc then
        return "cell_check"
    end
    if h.version ~= 1 or h.type > REACH or h.class > 7 then
        return "cell_version"
    end
    if h.payload_len > n - HEADER_LEN then
        return "cell_short"
    end
    if h.source == 0 or h.source == 0xffff or h.destination == 0xffff
        or (h.destination == 0) ~= (h.type == REACH) then
        return "cell_device"
    end
    if h.type == DATA then
        return data_fault(h)
    end
    if h.type == REACH then
        return h.payload_len % ENTRY_LEN ~= 0 and "cell_len" or nil
    end
    return h.payload_len ~= EXTENSION_LEN[h.type] and "cell_len" or nil
end

local function add_header(tree, tvb, h, crc)
    tree:add(field.version, tvb(0, 1))
    tree:add(field.type, tvb(0, 1))
    local flags = tree:add(field.flags, tvb(1, 1))
    for _, name in ipairs({"flag_first", "flag_last", "flag_congestion", "flag_sync", "flag_reserved"}) do
        flags:add(field[name], tvb(1, 1))
    end
    tree:add(field.class, tvb(2, 1))
    tree:add(field.reserved, tvb(2, 1))
    if has(h.flags, 0xf0) or bit.band(tvb(2, 1):uint(), 0x0f) ~= 0 then
        tree:add_proto_expert_info(wrong.reserved)
    end
    tree:add(field.pipe, tvb(3, 1))
    tree:add(field.source, tvb(4, 2))
    tree:add(field.destination, tvb(6, 2))
    tree:add(field.system_port, tvb(8, 2))
    tree:add(field.payload_len, tvb(10, 2))
    tree:add(field.packet_id, tvb(12, 4))
    tree:add(field.fragment, tvb(16, 2))
    tree:add(field.packet_len, tvb(18, 2))
    local check = tree:add(field.check, tvb(20, 4))
    if h.check ~= crc then
        check:append_text(string.format(", should be 0x%08x", crc))
    end
    check:add(field.check_right, tvb(20, 4), h.check == crc):set_generated()
end

---- What follows it

local function add_zero(tree, range)
    local item = tree:add(field.zero, range)
    if range:uint() ~= 0 then
        item:add_proto_expert_info(wrong.reserved)
    end
end

local function add_request(tree, ext)
    tree:add(field.request_session, ext(0, 4))
    add_zero(tree, ext(4, 4))
    tree:add(field.request_wanted, ext(8, 8))
    tree:add(field.request_granted, ext(16, 8))
    return string.format(" wants %s, knows of %s", ext(8, 8):uint64(), ext(16, 8):uint64())
end

local function add_grant(tree, ext)
    tree:add(field.grant_session, ext(0, 4))
    add_zero(tree, ext(4, 4))
    tree:add(field.grant_granted, ext(8, 8))
    return string.format(" %s bytes in all", ext(8, 8):uint64())
end

-- As many entries as were caught.
local function add_reach(tree, ext)
    local n, devices = math.floor(ext:len() / ENTRY_LEN), {}
    for i = 0, n - 1 do
        local e = ext(i * ENTRY_LEN, ENTRY_LEN)
        local device, hops = e(0, 2):uint(), e(2, 1):uint()
        local item = tree:add(field.reach_entry, e)
        item:set_text(string.format("Device %d, %d hops", device, hops))
        item:add(field.reach_device, e(0, 2))
        local how_far = item:add(field.reach_hops, e(2, 1))
        if hops > 3 then
            how_far:add_proto_expert_info(wrong.hops)
        end
        add_zero(item, e(3, 1))
        item:add(field.reach_capacity, e(4, 4))
        if #devices < 8 then
            devices[#devices + 1] = tostring(device)
        end
    end
    if n > #devices then
        devices[#devices + 1] = "..."
    end
    return " of " .. (n > 0 and table.concat(devices, ", ") or "nothing")
end

---- Packets put together

local pending = {} -- by stream and packet id
local seen_in, done_at, odd_at = {}, {}, {} -- by frame number

function dsf.init()
    pending, seen_in, done_at, odd_at = {}, {}, {}, {}
end

local function key_of(h)
    return string.format("%d.%d.%d.%d.%d.%d", h.source, h.destination, h.system_port, h.class, h.pipe, h.packet_id)
end

local function joined(p)
    local bytes = ByteArray.new()
    for i = 0, p.n_cells - 1 do
        bytes:append(p.bytes[i])
    end
    return bytes
end

-- Takes in a fragment, once; returns the name of what is wrong with it, or nil.
local function collect(h, payload, number)
    local key = key_of(h)
    local p = pending[key]
    if not p then
        p = {len = h.packet_len, n = 0, bytes = {}, frames = {}}
        pending[key] = p
    end
    if p.bytes[h.fragment] then
        return "duplicate"
    end
    if p.len ~= h.packet_len or (has(h.flags, LAST) and p.n_cells) then
        return "mismatch"
    end
    p.bytes[h.fragment], p.n = payload:bytes(), p.n + 1
    p.frames[h.fragment] = number
    seen_in[number] = p
    if has(h.flags, LAST) then
        p.n_cells = h.fragment + 1
    end
    if p.n_cells == p.n then
        pending[key] = nil
        for i = 0, p.n_cells - 1 do
            if not p.bytes[i] then
                return "mismatch"
            end
        end
        local bytes = joined(p)
        p.bytes = nil
        if bytes:len() ~= p.len then
            return "mismatch"
        end
        p.whole, p.done = bytes, number
        done_at[number] = p
    end
    return nil
end

local ethernet = Dissector.get("eth_withoutfcs")

-- The packet's own columns, with the cell before them. A packet that is malformed, or was cut when it was
-- caught, is told so by its own dissector, which then throws.
local function show_packet(tvb, pinfo, root, said)
    pcall(ethernet.call, ethernet, tvb, pinfo, root)
    pinfo.cols.protocol:prepend("DSF/")
    pinfo.cols.info:prepend(said .. " | ")
end

local function add_data(tree, payload, h, pinfo, root, said, whole)
    if has(h.flags, FIRST) and has(h.flags, LAST) then
        show_packet(payload:tvb(), pinfo, root, said)
        return
    end
    tree:add(field.payload, payload)
    if not (whole and dsf.prefs.reassemble) then
        return
    end
    if not pinfo.visited then
        odd_at[pinfo.number] = collect(h, payload, pinfo.number)
    end
    if odd_at[pinfo.number] then
        tree:add_proto_expert_info(wrong[odd_at[pinfo.number]])
    end
    local p = done_at[pinfo.number]
    if p then
        tree:add(field.packet_cells, p.n_cells):set_generated()
        for i = 0, p.n_cells - 1 do
            tree:add(field.packet_frame, p.frames[i]):set_generated()
        end
        show_packet(p.whole:tvb("Packet of " .. p.n_cells .. " cells"), pinfo, root, said)
    elseif seen_in[pinfo.number] and seen_in[pinfo.number].done then
        tree:add(field.packet_in, seen_in[pinfo.number].done):set_generated()
    end
end

---- The cell

local function summary(h)
    local flags = ""
    flags = flags .. (has(h.flags, CONGESTION) and " [congestion]" or "")
    flags = flags .. (has(h.flags, SYNC) and " [sync]" or "")
    local name = TYPES[h.type] or ("type " .. h.type)
    if h.type == REACH then
        return string.format("%s from %d", name, h.source)
    end
    local way = string.format("%s %d.%d > %d, port %d, class %d", name, h.source, h.pipe, h.destination,
        h.system_port, h.class)
    if h.type == GRANT then
        -- it goes to the pipe; the port is the sender's
        way = string.format("%s %d, port %d > %d.%d, class %d", name, h.source, h.system_port, h.destination,
            h.pipe, h.class)
    end
    if h.type == DATA then
        way = way .. string.format(", packet %u fragment %d%s, %d of %d bytes", h.packet_id, h.fragment,
            has(h.flags, LAST) and " (last)" or "", h.payload_len, h.packet_len) .. flags
    end
    return way
end

local function dissect_body(tree, tvb, h, pinfo, root, said)
    local caught = math.min(h.payload_len, tvb:len() - HEADER_LEN)
    local whole = caught == h.payload_len
    if not whole then
        tree:add_proto_expert_info(wrong.cut)
    end
    if tvb:len() - HEADER_LEN > h.payload_len then
        tree:add(field.padding, tvb(HEADER_LEN + h.payload_len))
    end
    if caught == 0 then
        return said .. (h.type == REACH and whole and " of nothing" or "")
    end
    local body = tvb(HEADER_LEN, caught)
    if h.type == DATA then
        add_data(tree, body, h, pinfo, root, said, whole)
        return nil
    end
    if h.type == REACH then
        return said .. add_reach(tree, body)
    end
    if not whole then
        return said
    end
    return said .. (h.type == REQUEST and add_request(tree, body) or add_grant(tree, body))
end

function dsf.dissector(tvb, pinfo, root)
    pinfo.cols.protocol = "DSF"
    local tree = root:add(dsf, tvb())
    if tvb:len() < HEADER_LEN then
        pinfo.cols.info = "Cell cut short"
        tree:add_proto_expert_info(tvb:reported_len() < HEADER_LEN and wrong.cell_short or wrong.cut)
        return tvb:len()
    end
    local h, crc = read_header(tvb), crc32c(tvb(0, HEADER_LEN - 4))
    local said, fault = summary(h), fault_of(h, tvb:reported_len(), crc)
    tree:append_text(": " .. said)
    add_header(tree, tvb, h, crc)
    if fault then
        tree:add_proto_expert_info(wrong[fault])
        pinfo.cols.info = said .. " [" .. fault .. "]"
        if tvb:len() > HEADER_LEN then
            tree:add(field.payload, tvb(HEADER_LEN))
        end
        return tvb:len()
    end
    pinfo.cols.info = said
    local info = dissect_body(tree, tvb, h, pinfo, root, said)
    if info then
        pinfo.cols.info = info
    end
    return tvb:len()
end

---- By EtherType

local ethertypes = DissectorTable.get("ethertype")
local registered

local function register()
    if registered ~= dsf.prefs.ethertype then
        if registered then
            ethertypes:remove(registered, dsf)
        end
        registered = dsf.prefs.ethertype
        ethertypes:add(registered, dsf)
    end
end

dsf.prefs_changed = register
register()
