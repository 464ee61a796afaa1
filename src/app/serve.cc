#include "app/serve.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app/stream_node.h"

namespace app {

int serve(const ServeOptions& options) {
  auto logger = spdlog::stderr_logger_mt("clouduler");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(options.log_level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  StreamNode node(options);
  return node.run();
}

}  // namespace app
