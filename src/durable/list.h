#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/http_message.h"
#include "durable/parsed.h"
#include "stream/request.h"

namespace durable {

/// What `GET /v1/stream/` asks for; our extension.
struct ListQuery {
  static constexpr std::size_t kMost = 10'000;
  std::string prefix;
  std::string start_after;
  std::size_t limit = 1000;
  bool operator==(const ListQuery&) const = default;
};

/// 400: a limit that is no number from 1 to kMost. Slashes at the beginning of names do not matter.
Parsed<ListQuery> parse_list(std::string_view query);

struct ListItem {
  std::string name;
  stream::StreamFacts facts;
};

/// {"streams": [...], "next_start_after": name}; the last only if there may be more.
core::HttpResponse answer_list(const ListQuery& query, const std::vector<ListItem>& items);

}  // namespace durable
