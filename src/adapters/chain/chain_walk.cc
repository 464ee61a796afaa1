#include "adapters/chain/chain_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/chain/side_by_side.h"

namespace adapters {

using core::Errc;
using core::fail;

namespace {

// Objects behind the chain's end are few: what was in flight, and void numbers.
constexpr int kNewest = 8;
constexpr std::size_t kReadAhead = 32;
constexpr std::size_t kSideBySide = 8;
constexpr int kTries = 4;  // One read in many fails now and then; a store that is down fails all.

}  // namespace

ports::Task<core::Result<Chain>> ChainWalk::run(ports::ObjectStore& store, core::Life life) {
  const auto walk = std::make_shared<ChainWalk>(store, life);
  co_return co_await walk->follow();
}

ports::Task<core::Result<Chain>> ChainWalk::follow() {
  Chain chain;
  confirmed_ = 0;
  std::erase_if(headers_, [](const auto& read) { return !read.second; });
  CO_TRY_VOID(co_await list(chain));
  if (sizes_.empty() || chain.is_removed) co_return chain;
  CO_TRY_VOID(co_await look_at_newest(chain));
  chain.next_number = chain.first;
  for (bool is_first = true; !chain.is_sealed; is_first = false) {
    if (!sizes_.contains(chain.next_number)) {
      CO_TRY_VOID(check_missing(chain));
      co_return chain;
    }
    CO_TRY(const ChainHeader header, co_await header_of(chain.next_number));
    CO_TRY_VOID(add(chain, header, is_first));
  }
  co_return chain;
}

ports::Task<core::Result<void>> ChainWalk::list(Chain& chain) {
  const std::string folder = chain_folder(life_);
  CO_TRY(const auto objects, co_await store_.list(folder));
  chain.is_there = !objects.empty();
  sizes_.clear();
  for (const ports::ObjectInfo& object : objects) {
    const std::string_view name = std::string_view(object.name).substr(folder.size());
    if (const auto number = chain_number(name)) sizes_[*number] = object.size;
    if (name == "removed") chain.is_removed = chain.is_sealed = true;
  }
  co_return core::Result<void>();
}

/// What the newest objects know of the chain: where it begins, and how far it is durable.
ports::Task<core::Result<void>> ChainWalk::look_at_newest(Chain& chain) {
  int looked = 0;
  bool found_one = false;
  core::Error error;
  for (auto at = sizes_.rbegin(); at != sizes_.rend() && looked < kNewest; ++at, ++looked) {
    const Header header = co_await header_of(at->first);
    if (!header) {
      if (header.error().code != Errc::corrupt)
        co_return tl::unexpected<core::Error>(header.error());
      error = header.error();
      continue;
    }
    found_one = true;
    chain.first = std::max(chain.first, header->first);
    confirmed_ = std::max(confirmed_, header->confirmed);
  }
  if (!found_one) co_return tl::unexpected<core::Error>(error);
  co_return core::Result<void>();
}

ports::Task<ChainWalk::Header> ChainWalk::header_of(std::uint64_t number) {
  if (!headers_.contains(number)) co_await read_ahead(number);
  co_return headers_.at(number);
}

ports::Task<void> ChainWalk::read_ahead(std::uint64_t from) {
  std::vector<std::uint64_t> numbers;
  for (auto at = sizes_.lower_bound(from); at != sizes_.end() && numbers.size() < kReadAhead;
       ++at) {
    if (!headers_.contains(at->first)) numbers.push_back(at->first);
  }
  const auto one = [self = shared_from_this(), numbers](std::size_t i) {
    return self->read_header(numbers[i]);
  };
  std::vector<Header> read = co_await side_by_side<Header>(numbers.size(), kSideBySide, one);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    headers_.insert_or_assign(numbers[i], std::move(read[i]));
  }
}

ports::Task<core::Result<core::Bytes>> ChainWalk::read_part(std::string name,
                                                            std::uint64_t position) {
  for (int tries_left = kTries - 1;; --tries_left) {
    auto part = co_await store_.get_range(name, position, kChainHeader);
    if (part || part.error().code != Errc::unavailable || tries_left == 0) co_return part;
  }
}

ports::Task<ChainWalk::Header> ChainWalk::read_header(std::uint64_t number) {
  const std::string name = chain_name(life_, number);
  const std::uint64_t size = sizes_.at(number);
  CO_TRY(const core::Bytes front, co_await read_part(name, 0));
  auto header = decode_chain_header(front.view());
  if (!header && size >= 2 * kChainHeader) {
    CO_TRY(const core::Bytes back, co_await read_part(name, size - kChainHeader));
    header = decode_chain_header(back.view());
    const std::uint16_t newer = newer_chain_version(back.view());
    if (!header && newer != 0 && newer == newer_chain_version(front.view())) {
      co_return fail(Errc::invalid,
                     fmt::format("WAL object {} has format version {}; this build reads up to {}: "
                                 "start the newer build that wrote it",
                                 name, newer, kChainVersion));
    }
  }
  if (!header) {
    co_return fail(Errc::corrupt,
                   fmt::format("WAL object {}: both of its headers, at 0 and {}, are damaged", name,
                               size < kChainHeader ? 0 : size - kChainHeader));
  }
  if (header->life != life_ || header->number != number) {
    co_return fail(
        Errc::corrupt,
        fmt::format("WAL object {} is number {} of node {} epoch {}: it was put in the "
                    "wrong place",
                    name, header->number, raw(header->life.node), raw(header->life.epoch)));
  }
  co_return *header;
}

/// Nothing stands at the next number. That is the chain's end, unless a later object knows that
/// something was there.
core::Result<void> ChainWalk::check_missing(const Chain& chain) const {
  if (confirmed_ <= chain.next_number) return {};
  return fail(
      Errc::corrupt,
      fmt::format("WAL object {} is missing, and {} after it is there: put it back",
                  chain_name(life_, chain.next_number), chain_name(life_, sizes_.rbegin()->first)));
}

core::Result<void> ChainWalk::add(Chain& chain, const ChainHeader& header, bool is_first) const {
  if (header.kind == ChainKind::seal) {  // May have been put there before the one before it.
    chain.is_sealed = true;
    chain.seal = header.number;
    return {};
  }
  const bool follows = header.previous == chain.previous && header.sequence == chain.next_sequence;
  const bool must_follow = !is_first || header.number == 0;
  if (must_follow && !follows) {
    return fail(Errc::corrupt,
                fmt::format("WAL object {} does not follow the one before it: checksum {:08x} "
                            "instead of {:08x}, record {} instead of {}",
                            chain_name(life_, header.number), header.previous, chain.previous,
                            header.sequence, chain.next_sequence));
  }
  chain.links.push_back(Chain::Link{header.number, header.sequence, header.length});
  chain.next_number = header.next_number();
  chain.next_sequence = header.sequence + 1;
  chain.previous = checksum_of(header);
  return {};
}

}  // namespace adapters
