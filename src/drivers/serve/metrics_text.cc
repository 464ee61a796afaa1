#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <limits>
#include <utility>

#include "drivers/serve/admin_handler.h"

namespace drivers {
namespace {

constexpr std::array<const char*, HttpMetrics::kMethods> kMethodNames = {
    "GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "other"};

Sample number(std::string name, std::string help, Sample::Kind kind, double value) {
  Sample sample;
  sample.name = std::move(name);
  sample.help = std::move(help);
  sample.kind = kind;
  sample.value = value;
  return sample;
}

prometheus::MetricType type_of(Sample::Kind kind) {
  switch (kind) {
    case Sample::Kind::counter: return prometheus::MetricType::Counter;
    case Sample::Kind::gauge: return prometheus::MetricType::Gauge;
    case Sample::Kind::histogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric metric_of(const Sample& sample) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  switch (sample.kind) {
    case Sample::Kind::counter: metric.counter.value = sample.value; break;
    case Sample::Kind::gauge: metric.gauge.value = sample.value; break;
    case Sample::Kind::histogram:
      metric.histogram.sample_count = sample.count;
      metric.histogram.sample_sum = sample.sum;
      for (const auto& [bound, count] : sample.buckets) {
        metric.histogram.bucket.push_back({count, bound});
      }
      metric.histogram.bucket.push_back({sample.count, std::numeric_limits<double>::infinity()});
      break;
  }
  return metric;
}

}  // namespace

std::vector<Sample> samples_of(const HttpMetrics& metrics) {
  using Kind = Sample::Kind;
  std::vector<Sample> samples;
  for (std::size_t method = 0; method < HttpMetrics::kMethods; ++method) {
    for (std::size_t status = 0; status < HttpMetrics::kStatuses.size(); ++status) {
      const auto count = metrics.requests(static_cast<core::HttpMethod>(method), status);
      if (count == 0) continue;
      Sample sample = number("clouduler_http_requests_total", "Requests to the stream listener.",
                             Kind::counter, static_cast<double>(count));
      const unsigned code = HttpMetrics::kStatuses[status];
      sample.labels = {{"method", kMethodNames[method]},
                       {"status", code == 0 ? "other" : std::to_string(code)}};
      samples.push_back(std::move(sample));
    }
  }
  const auto add = [&](const char* name, const char* help, Kind kind, auto value) {
    samples.push_back(number(name, help, kind, static_cast<double>(value)));
  };
  add("clouduler_http_body_bytes_in_total", "Bytes of request bodies.", Kind::counter,
      metrics.body_bytes_in.value());
  add("clouduler_http_body_bytes_out_total", "Bytes of streams that were read.", Kind::counter,
      metrics.body_bytes_out.value());
  add("clouduler_sse_events_total", "Data events sent to live readers.", Kind::counter,
      metrics.events_sent.value());
  add("clouduler_sse_fallbacks_total", "Times a live reader lagged and read from the stream again.",
      Kind::counter, metrics.feed_fallbacks.value());
  add("clouduler_sse_readers", "Readers that follow a stream by server-sent events.", Kind::gauge,
      metrics.sse_readers.value());
  add("clouduler_long_polls", "Readers that wait in a long poll.", Kind::gauge,
      metrics.long_polls.value());
  return samples;
}

Sample sample_of(std::string name, std::string help, const Histogram& histogram) {
  using Seconds = std::chrono::duration<double>;
  Sample sample = number(std::move(name), std::move(help), Sample::Kind::histogram, 0);
  std::uint64_t up_to = 0;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    up_to += histogram.in_bucket(i);
    sample.buckets.emplace_back(Seconds(Histogram::bound(i)).count(), up_to);
  }
  sample.count = histogram.count();
  sample.sum = Seconds(histogram.sum()).count();
  return sample;
}

std::string metrics_text(const std::vector<Sample>& samples) {
  std::vector<prometheus::MetricFamily> families;
  for (const Sample& sample : samples) {
    if (families.empty() || families.back().name != sample.name) {
      prometheus::MetricFamily family;
      family.name = sample.name;
      family.help = sample.help;
      family.type = type_of(sample.kind);
      families.push_back(std::move(family));
    }
    families.back().metric.push_back(metric_of(sample));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace drivers
