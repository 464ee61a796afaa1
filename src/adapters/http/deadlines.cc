#include "adapters/http/deadlines.h"

namespace adapters {

void Deadlines::set(Entry& entry, Clock::time_point due) {
  entry.due_ = due;
  if (due < entry.filed_) {
    file(entry, due);
    arm();
  }
}

void Deadlines::forget(Entry& entry) {
  if (entry.filed_ != Clock::time_point::max()) filed_.erase({entry.filed_, &entry});
  entry.filed_ = entry.due_ = Clock::time_point::max();
  if (!filed_.empty()) return;
  timer_.cancel();  // Or it would keep its loop from ending.
  armed_ = Clock::time_point::max();
}

void Deadlines::file(Entry& entry, Clock::time_point at) {
  if (entry.filed_ != Clock::time_point::max()) filed_.erase({entry.filed_, &entry});
  entry.filed_ = at;
  filed_.emplace(at, &entry);
}

void Deadlines::arm() {
  if (filed_.empty() || filed_.begin()->first >= armed_) return;
  armed_ = filed_.begin()->first;
  timer_.expires_at(armed_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;  // Armed anew for an earlier time.
    armed_ = Clock::time_point::max();
    run_due();
    arm();
  });
}

void Deadlines::run_due() {
  const auto now = Clock::now();
  while (!filed_.empty() && filed_.begin()->first <= now) {
    Entry& entry = *filed_.begin()->second;
    filed_.erase(filed_.begin());
    entry.filed_ = Clock::time_point::max();
    if (entry.due_ == Clock::time_point::max()) continue;
    if (entry.due_ > now) {
      file(entry, entry.due_);
      continue;
    }
    entry.due_ = Clock::time_point::max();
    entry.on_deadline();
  }
}

}  // namespace adapters
