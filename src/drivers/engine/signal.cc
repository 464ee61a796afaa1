#include "drivers/engine/signal.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace drivers {
namespace asio = ports::asio;

ports::Task<void> Signal::wait() {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this](auto handler) {
        const std::uint64_t ticket = next_ticket_++;
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
          slot.assign([this, ticket](asio::cancellation_type) { wake(ticket); });
        }
        waiters_.emplace(ticket, Waiter(std::move(handler)));
      },
      asio::use_awaitable);
}

void Signal::wake(std::uint64_t ticket) {
  auto found = waiters_.extract(ticket);
  if (found.empty()) return;
  auto slot = asio::get_associated_cancellation_slot(found.mapped());
  if (slot.is_connected()) slot.clear();
  asio::post(executor_, std::move(found.mapped()));
}

void Signal::notify_all() {
  while (!waiters_.empty()) wake(waiters_.begin()->first);
}

}  // namespace drivers
