#include "drivers/heartbeat.h"

#include <fmt/format.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <utility>
#include <variant>

namespace drivers {

using ports::Task;

Task<core::Result<core::Life>> Heartbeat::register_node() {
  stream::Command command = cluster::RegisterNode{.node = options_.node,
                                                  .address = options_.address,
                                                  .slots = options_.slots,
                                                  .token = options_.token};
  CO_TRY(const cmdlog::Outcome outcome, co_await proposer_.propose_until_known(std::move(command)));
  if (!outcome.holds()) {
    co_return core::fail(
        core::Errc::invalid,
        fmt::format("the log refuses node {} with {} slots: {}", core::raw(options_.node),
                    options_.slots, cmdlog::name_of(outcome.verdict)));
  }
  life_ = core::Life{.node = options_.node, .epoch = core::Epoch{outcome.value}};
  co_return life_;
}

Task<core::Error> Heartbeat::run() {
  using namespace ports::asio::experimental::awaitable_operators;
  const auto ended = co_await (run_watch() || run_beats());
  co_return std::get<0>(ended);
}

Task<void> Heartbeat::run_beats() {
  for (core::Time due = timers_.now() + options_.interval;;) {
    co_await timers_.sleep_until(due);
    // Once: a beat that comes late, after the log was away, would only hide the silence. What
    // became of it shows in the view.
    stream::Command beat = cluster::Heartbeat{.life = life_};
    (void)co_await proposer_.propose(std::move(beat));
    due = std::max(due + options_.interval, timers_.now());
  }
}

Task<core::Error> Heartbeat::run_watch() {
  for (;;) {
    const stream::ViewPtr view = proposer_.view();
    const cluster::NodeRow* row = view->nodes.find(life_.node);
    if (row != nullptr && row->epoch != life_.epoch) {
      co_return core::Error{
          core::Errc::fenced,
          fmt::format("node {} was registered again, at epoch {}: another process "
                      "uses its id",
                      core::raw(life_.node), core::raw(row->epoch))};
    }
    if (row != nullptr && row->fenced) {
      co_return core::Error{core::Errc::fenced,
                            fmt::format("node {} was fenced at epoch {}, after {} heartbeats",
                                        core::raw(life_.node), core::raw(life_.epoch), row->beats)};
    }
    co_await proposer_.changed(view->applied);
  }
}

Task<core::Result<void>> Heartbeat::fence_self() {
  stream::Command command = cluster::FenceSelf{.life = life_};
  CO_TRY_VOID(co_await proposer_.propose(std::move(command)));
  co_return core::Result<void>();
}

}  // namespace drivers
