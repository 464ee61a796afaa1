#include "drivers/serve/serve_thread.h"

#include <algorithm>

namespace drivers {
namespace {

constexpr std::size_t kSmall = 64 * 1024;

}  // namespace

std::size_t ServeThread::allowance(std::size_t wanted) const {
  const std::size_t left = max_outgoing_ - std::min(max_outgoing_, *outgoing_);
  return std::clamp(left / 4, std::min(kSmall, wanted), wanted);
}

void ServeThread::charge(std::vector<core::Bytes>& body) {
  std::size_t size = 0;
  for (const core::Bytes& part : body) size += part.size();
  metrics.body_bytes_out.add(size);
  if (size < kSmall) return;
  *outgoing_ += size;
  std::shared_ptr<const void> token(nullptr,
                                    [count = outgoing_, size](const void*) { *count -= size; });
  body.emplace_back(std::move(token), std::string_view());
}

}  // namespace drivers
