#pragma once

#include <string>

#include "core/http_message.h"
#include "drivers/serve/serve_thread.h"
#include "durable/read.h"
#include "ports/http.h"

namespace drivers {

/// Waits for something new and answers it, or that there is nothing, after the timeout.
ports::Task<core::HttpResponse> long_poll(ServeThread& thread, ports::HttpExchange& exchange,
                                          std::string name, durable::ReadQuery query);

/// Streams events until the stream or the time ends, or the peer is gone. Returns the status; an
/// answer that is no event stream was given with respond().
ports::Task<unsigned> stream_events(ServeThread& thread, ports::HttpExchange& exchange,
                                    std::string name, durable::ReadQuery query);

}  // namespace drivers
