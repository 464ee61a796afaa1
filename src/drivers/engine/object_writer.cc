#include "drivers/engine/object_writer.h"

#include <string>
#include <utility>

namespace drivers {

ports::Task<core::Result<core::ObjectId>> ObjectWriter::reserve() {
  const stream::Command command =
      stream::ReserveObjects{context_.life, 1, context_.ports.timers.wall_now()};
  CO_TRY(const cmdlog::Outcome outcome, co_await context_.ports.proposer.propose(command));
  if (!outcome.holds()) {
    core::Error error{core::Errc::fenced, std::string("no object id was reserved: ") +
                                              cmdlog::name_of(outcome.verdict)};
    context_.on_fatal(error);
    co_return tl::unexpected<core::Error>(std::move(error));
  }
  context_.uploading.insert(core::ObjectId{outcome.value});
  co_return core::ObjectId{outcome.value};
}

ports::Task<core::Result<void>> ObjectWriter::store(core::ObjectId object,
                                                    const stream::BuiltObject& built) {
  const std::string name = data_object_name(object);
  const std::uint64_t size = built.size;
  std::vector<core::Bytes> parts = built.parts;
  auto put = co_await context_.ports.store.put_if_absent(name, std::move(parts));
  if (put) co_return put;
  const core::Errc code = put.error().code;
  if (code != core::Errc::unknown && code != core::Errc::conflict) co_return put;
  // Nobody else ever uses this id, so what is there is what this call sent: the answer was lost.
  const auto found = co_await context_.ports.store.head(name);
  if (found && found->size == size) co_return core::Result<void>{};
  if (found) {
    co_return core::fail(core::Errc::corrupt,
                         name + ": the store holds " + std::to_string(found->size) +
                             " bytes under this name, written were " + std::to_string(size));
  }
  co_return put;
}

ports::Task<void> ObjectWriter::abandon(core::ObjectId object) {
  context_.uploading.erase(object);
  const stream::Command command = stream::AbandonObjects{context_.life, {object}};
  (void)co_await context_.ports.proposer.propose(command);
}

}  // namespace drivers
