#include "drivers/engine/engine.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <set>
#include <utility>

#include "drivers/engine/caretaker.h"
#include "drivers/engine/recovery.h"
#include "drivers/engine/uploader.h"

namespace drivers {
namespace {

namespace asio = ports::asio;

// One CloseStream a stream: so many go into one batch of the command log.
constexpr std::size_t kCloseBatch = 4096;

}  // namespace

Engine::Engine(EnginePorts ports, core::Life life, const EngineOptions& options)
    : context_(std::move(ports), life, options),
      uploader_(std::make_unique<Uploader>(context_)),
      created_(context_.ports.executor) {}

Engine::~Engine() = default;

ports::Task<core::Result<void>> Engine::start() {
  Recovery recovery(context_);
  CO_TRY(const std::vector<core::Life> earlier, co_await recovery.run());
  for (const core::Life life : earlier) uploader_->add_earlier_life(life);
  // A clean stop leaves no log behind. After a crash nobody knows when streams were used last.
  if (!earlier.empty()) context_.expiry.assume_used(context_.ports.timers.wall_now());

  // Everything that earlier lives owned, whether or not their logs had anything.
  std::set<core::Life> owners;
  const stream::ViewPtr view = context_.view();
  for (const auto& [id, row] : view->streams) {
    if (row.owner.node == context_.life.node && row.owner != context_.life)
      owners.insert(row.owner);
    context_.expiry.watch(id, row);
  }
  std::vector<stream::Command> adoptions;
  for (const core::Life life : owners) adoptions.push_back(stream::AdoptLife{life, context_.life});
  if (!adoptions.empty()) {
    CO_TRY(const std::vector<cmdlog::Outcome> outcomes,
           co_await context_.ports.proposer.propose_all(std::move(adoptions)));
    for (const cmdlog::Outcome& outcome : outcomes) {
      if (outcome.holds()) continue;
      co_return core::fail(core::Errc::fenced,
                           std::string("the streams of an earlier epoch were not taken over: ") +
                               cmdlog::name_of(outcome.verdict));
    }
  }
  CO_TRY(std::unique_ptr<ports::Wal> wal, co_await context_.ports.wals.create(context_.life));
  uploader_->set_wal(wal.get());
  writer_ = std::make_unique<WalWriter>(context_.ports.executor, context_.ports.timers,
                                        std::move(wal), static_cast<WalWriterEvents&>(*this));
  caretaker_ = std::make_unique<Caretaker>(
      context_, [this](const stream::View& before, core::StreamId id) { forget_gone(before, id); });
  asio::co_spawn(context_.ports.executor, uploader_->run(), asio::detached);
  asio::co_spawn(context_.ports.executor, caretaker_->run(), asio::detached);
  co_return core::Result<void>{};
}

ports::Task<core::Result<void>> Engine::stop() {
  context_.is_stopping = true;
  if (writer_) co_await writer_->wait_until_idle();
  co_await caretaker_->stop();
  co_await uploader_->stop();
  CO_TRY_VOID(co_await caretaker_->save_touches(true));
  while (!context_.active.dirty().empty()) CO_TRY_VOID(co_await uploader_->upload_now());

  std::vector<stream::Command> closings;
  context_.active.for_each([&](const ActiveStream& stream) {
    if (stream.epoch == core::Epoch{} || stream.is_set_aside) return;
    closings.push_back(stream::CloseStream{context_.life, stream.id, stream.epoch});
  });
  for (std::size_t from = 0; from < closings.size(); from += kCloseBatch) {
    const std::size_t to = std::min(from + kCloseBatch, closings.size());
    std::vector<stream::Command> batch(closings.begin() + static_cast<std::ptrdiff_t>(from),
                                       closings.begin() + static_cast<std::ptrdiff_t>(to));
    CO_TRY_VOID(co_await context_.ports.proposer.propose_all(std::move(batch)));
  }
  co_await uploader_->trim_logs();
  if (context_.active.first_needed(context_.life)) co_return core::Result<void>{};
  uploader_->set_wal(nullptr);
  writer_.reset();
  CO_TRY_VOID(co_await context_.ports.wals.take_over(context_.life));
  CO_TRY_VOID(co_await context_.ports.wals.remove(context_.life));
  co_return core::Result<void>{};
}

}  // namespace drivers
