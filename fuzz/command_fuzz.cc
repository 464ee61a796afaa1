// Entries of the command log. Whatever the bytes are, decoding ends; what decodes encodes to the
// same command; and whatever commands follow each other, apply keeps the state whole.
//
// The input is a list of bodies of entries, each behind its length in two bytes, lowest first.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "log/entry.h"
#include "stream/apply.h"
#include "stream/check_view.h"

namespace {

using stream::Command;

/// Two nodes, a stream with data and a fork, so that commands find something to work on.
stream::View begun() {
  stream::View view;
  const core::Life life{.node = core::NodeId{1}, .epoch = core::Epoch{1}};
  const auto run = [&view](const Command& command) { CHECK(stream::apply(view, command).holds()); };
  run(cluster::RegisterNode{.node = core::NodeId{1}, .address = "a"});
  run(cluster::RegisterNode{.node = core::NodeId{2}, .address = "b"});
  run(stream::CreateStream{.life = life, .name = "a"});
  run(stream::OpenStream{.life = life, .stream = core::StreamId{1}});
  run(stream::ReserveObjects{.life = life, .count = 3});
  const stream::Extent extent{
      .object = core::ObjectId{1}, .base = 0, .end = 10, .position = 0, .bytes = 9};
  run(stream::CommitObject{
      .life = life,
      .object = core::ObjectId{1},
      .bytes = 10,
      .streams = {{.stream = core::StreamId{1}, .epoch = core::Epoch{1}, .extent = extent}}});
  run(stream::CreateStream{.life = life,
                           .name = "b",
                           .fork = stream::ForkPoint{.parent = core::StreamId{1}, .offset = 7}});
  return view;
}

void check_entry(std::string_view bytes) {
  const auto command = cmdlog::decode_entry<Command>(bytes);
  if (!command) {
    CHECK(!command.error().context.empty());
    return;
  }
  const auto again = cmdlog::decode_entry<Command>(cmdlog::encode_entry(*command));
  CHECK(again && *again == *command);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  check_entry(rest);

  static const stream::View kBegun = begun();
  stream::View view = kBegun;
  while (rest.size() > 2) {
    const std::size_t length = static_cast<unsigned char>(rest[0]) +
                               std::size_t{static_cast<unsigned char>(rest[1])} * 256;
    const std::string entry = cmdlog::seal(cmdlog::kEntryVersion, rest.substr(2, length));
    rest.remove_prefix(std::min(rest.size(), 2 + length));
    check_entry(entry);
    const auto command = cmdlog::decode_entry<Command>(entry);
    if (!command) continue;
    const stream::View before = view;
    const cmdlog::Outcome outcome = stream::apply(view, *command);
    CHECK(outcome.verdict == cmdlog::Verdict::applied || view == before);
  }
  CHECK(stream::broken_invariant(view).empty());
  return 0;
}
