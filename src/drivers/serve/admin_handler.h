#pragma once

#include <string>

#include "drivers/serve/admin_service.h"
#include "drivers/serve/metrics.h"
#include "ports/http.h"

namespace drivers {

/// The admin listener: JSON for people and supervisors, /metrics for Prometheus (docs/http.md).
class AdminHandler : public ports::HttpHandler {
 public:
  AdminHandler(AdminService& service, ports::asio::any_io_executor logic,
               const HttpMetrics& metrics)
      : service_(service), logic_(std::move(logic)), metrics_(metrics) {}

  ports::Task<void> handle(ports::HttpExchange& exchange) override;

 private:
  core::HttpResponse answer(const std::string& path);
  ports::Task<core::HttpResponse> answer_on_logic(std::string path);

  AdminService& service_;
  ports::asio::any_io_executor logic_;
  const HttpMetrics& metrics_;
};

/// What HttpMetrics counted, for /metrics.
std::vector<Sample> samples_of(const HttpMetrics& metrics);

/// A histogram in seconds, for AdminService::samples().
Sample sample_of(std::string name, std::string help, const Histogram& histogram);

/// The text format of Prometheus.
std::string metrics_text(const std::vector<Sample>& samples);

}  // namespace drivers
