#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/serve/metrics.h"
#include "drivers/serve/serve_thread.h"
#include "drivers/stream_service.h"
#include "durable/read.h"
#include "durable/target.h"
#include "ports/http.h"
#include "ports/timers.h"

namespace drivers {

/// Durable Streams over HTTP (docs/http.md): parses on the network thread, asks the service on the
/// logic thread, answers on the network thread. Outlives the server that calls it.
class StreamHandler : public ports::HttpHandler {
 public:
  /// `threads`: the server's network threads, in their order. `clock`: only its now() and
  /// wall_now() are used, from any thread.
  StreamHandler(StreamService& service, ports::asio::any_io_executor logic,
                const std::vector<ports::asio::any_io_executor>& threads,
                const ports::Timers& clock, HttpMetrics& metrics, ServeOptions options);

  ports::Task<void> handle(ports::HttpExchange& exchange) override;

  /// Live reads end, those that wait with 503, and so do new ones. From any thread.
  void end_live_reads();

 private:
  using Response = core::HttpResponse;

  ports::Task<void> get(ServeThread& thread, ports::HttpExchange& exchange, std::string name,
                        durable::Target target);
  ports::Task<Response> read(ServeThread& thread, std::string name, durable::ReadQuery query);
  ports::Task<Response> append(ServeThread& thread, const core::HttpRequest& request,
                               std::string name, std::string_view query);
  ports::Task<Response> create(ServeThread& thread, const core::HttpRequest& request,
                               std::string name, std::string_view path);
  ports::Task<Response> trim(ServeThread& thread, std::string name, core::Offset before);
  ports::Task<Response> head(ServeThread& thread, std::string name);
  ports::Task<Response> remove(ServeThread& thread, std::string name);
  ports::Task<Response> list(ServeThread& thread, std::string_view query);
  void finish(ports::HttpExchange& exchange, core::HttpMethod method, Response response);

  StreamService& service_;
  const ports::Timers& clock_;
  HttpMetrics& metrics_;
  ServeOptions options_;
  std::vector<ports::asio::any_io_executor> executors_;
  std::vector<std::unique_ptr<ServeThread>> threads_;
};

}  // namespace drivers
