-- wrk: POSTs one body again and again, round robin over streams.
--   wrk ... -s append.lua URL -- PREFIX STREAMS RECORD_BYTES BATCH
-- BATCH 0: the body is one record of raw bytes; else a JSON array of BATCH strings.
local requests, at = {}, 0

function init(args)
  local prefix, streams = args[1], tonumber(args[2])
  local bytes, batch = tonumber(args[3]), tonumber(args[4])
  local kind, body = "application/octet-stream", string.rep("r", bytes)
  if batch > 0 then
    kind = "application/json"
    local records = {}
    for i = 1, batch do records[i] = '"' .. string.rep("r", bytes - 2) .. '"' end
    body = "[" .. table.concat(records, ",") .. "]"
  end
  for i = 1, streams do
    requests[i] = wrk.format("POST", prefix .. (i - 1), { ["Content-Type"] = kind }, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
