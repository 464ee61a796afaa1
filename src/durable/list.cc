#include "durable/list.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "durable/answer.h"
#include "durable/target.h"
#include "stream/offset_text.h"

namespace durable {
namespace {

using Json = nlohmann::ordered_json;

std::string without_slashes(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('/'), text.size()));
  return text;
}

Json json_of(const ListItem& item) {
  const stream::StreamFacts& facts = item.facts;
  Json json{{"name", item.name},
            {"content_type", facts.config.content_type},
            {"start_offset", stream::offset_text(facts.start)},
            {"next_offset", stream::offset_text(facts.tail)},
            {"closed", facts.closed}};
  if (facts.config.ttl_s) json["ttl"] = *facts.config.ttl_s;
  if (!facts.config.expires_at.empty()) json["expires_at"] = facts.config.expires_at;
  return json;
}

}  // namespace

Parsed<ListQuery> parse_list(std::string_view text) {
  const auto query = Query::parse(text);
  if (!query) return tl::unexpected<Refusal>(query.error());
  ListQuery list;
  list.prefix = without_slashes(query->first("prefix"));
  list.start_after = without_slashes(query->first("start_after"));
  const auto limit = query->single("limit");
  if (!limit) return tl::unexpected<Refusal>(limit.error());
  if (*limit) {
    const std::string& number = **limit;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), list.limit);
    if (error != std::errc{} || end != number.data() + number.size() || list.limit == 0 ||
        list.limit > ListQuery::kMost) {
      return refuse(400, "limit '" + number + "' is not a number from 1 to " +
                             std::to_string(ListQuery::kMost));
    }
  }
  return list;
}

core::HttpResponse answer_list(const ListQuery& query, const std::vector<ListItem>& items) {
  Json streams = Json::array();
  for (const ListItem& item : items) streams.push_back(json_of(item));
  Json body{{"streams", std::move(streams)}};
  if (items.size() >= query.limit) body["next_start_after"] = items.back().name;
  core::HttpResponse response = answer(200);
  response.headers.add("Content-Type", "application/json");
  response.headers.add("Cache-Control", "no-store");
  response.body.emplace_back(body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  return response;
}

}  // namespace durable
