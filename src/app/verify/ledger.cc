#include "app/verify/ledger.h"

#include "core/check.h"

namespace app::verify {

std::uint32_t Ledger::send(std::uint32_t writer, std::uint32_t stream, std::uint32_t count,
                           std::uint64_t hash) {
  if (writers_.size() <= writer) writers_.resize(writer + 1);
  auto& requests = writers_[writer];
  SentRequest request;
  request.stream = stream;
  request.count = count;
  request.hash = hash;
  request.sent_at = ++now_;
  requests.push_back(std::move(request));
  return static_cast<std::uint32_t>(requests.size() - 1);
}

void Ledger::answer(std::uint32_t writer, std::uint32_t request, Outcome outcome,
                    std::string offset) {
  CHECK(find(writer, request) != nullptr);
  SentRequest& sent = writers_[writer][request];
  sent.outcome = outcome;
  sent.offset = std::move(offset);
  sent.answered_at = ++now_;
}

const SentRequest* Ledger::find(std::uint32_t writer, std::uint32_t request) const {
  if (writer >= writers_.size() || request >= writers_[writer].size()) return nullptr;
  return &writers_[writer][request];
}

}  // namespace app::verify
