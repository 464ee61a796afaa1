#include "ports/signal.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace ports {

Task<void> Signal::wait() {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [this](auto handler) {
        const std::uint64_t ticket = next_ticket_++;
        // The slot of the stored handler: storing it takes the slot of the original over.
        Waiter& waiter = waiters_.emplace(ticket, Waiter(std::move(handler))).first->second;
        auto slot = asio::get_associated_cancellation_slot(waiter);
        if (slot.is_connected()) {
          slot.assign([this, ticket](asio::cancellation_type) { wake(ticket, false); });
        }
      },
      asio::use_awaitable);
}

void Signal::wake(std::uint64_t ticket, bool clear_slot) {
  auto found = waiters_.extract(ticket);
  if (found.empty()) return;
  if (clear_slot) asio::get_associated_cancellation_slot(found.mapped()).clear();
  asio::post(executor_, std::move(found.mapped()));
}

void Signal::notify_all() {
  while (!waiters_.empty()) wake(waiters_.begin()->first, true);
}

}  // namespace ports
