#include "sim/stream_run.h"

#include <fmt/format.h>

#include "drivers/engine/block_reader.h"
#include "sim/check_history.h"
#include "stream/check_view.h"

namespace sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::NodeId kNode{1};
constexpr std::size_t kLinesKept = 40;

core::Time draw_time(core::Random& random, core::Time least, core::Time most) {
  return least + core::Time(static_cast<std::int64_t>(
                     random.below(static_cast<std::uint64_t>((most - least).count()) + 1)));
}

void draw_engine(core::Random& random, drivers::EngineOptions& engine) {
  const bool tiny = random.chance(60);
  engine.log_cache_bytes = tiny ? 2000 : 10u << 20;
  engine.block_cache_bytes = random.chance(60) ? 4000 : 10u << 20;
  engine.readahead_blocks = random.below(3);
  engine.upload_bytes = 500u << random.below(8);
  engine.upload_interval = milliseconds(100 + random.below(1500));
  engine.object_bytes = random.chance(30) ? 3000 : 60'000;
  engine.small_object_bytes = 30'000;
  engine.compact_count = 2 + random.below(4);
  engine.sweep_interval = milliseconds(200 + random.below(800));
  engine.orphan_interval = seconds(2);
}

void draw_faults(core::Random& random, RunOptions& run) {
  if (random.chance(50)) {
    run.store.unavailable = random.below(15);
    run.store.lost_requests = random.below(8);
    run.store.lost_answers = random.below(8);
    run.store.late_requests = random.below(8);
    run.store.duplicated = random.below(8);
    run.store.late_by = seconds(2);
    if (random.chance(30)) run.store.most_latency = milliseconds(60);
  }
  run.wal.max_in_flight = 1 + random.below(4);
  run.wal.lost_on_crash = random.below(101);
  if (random.chance(50)) run.wal.unavailable = random.below(10);
  if (random.chance(20)) run.wal.most_latency = milliseconds(20);
  if (random.chance(50)) {
    run.log.unavailable = random.below(15);
    run.log.lost_requests = random.below(8);
    run.log.lost_answers = random.below(8);
    run.log.late_requests = random.below(6);
    run.log.late_by = seconds(2);
  }
  if (random.chance(40)) run.lost_answers = random.below(10);
}

}  // namespace

RunOptions RunOptions::draw(std::uint64_t seed) {
  core::Random random(seed * 7919 + 13);
  RunOptions run;
  draw_engine(random, run.node.engine);
  draw_faults(random, run);
  run.node.proposer.snapshot_entries = 50 + random.below(500);
  run.node.proposer.kept_entries = random.below(100);
  run.node.proposer.resolve_for = milliseconds(500);
  run.has_mishaps = !random.chance(5);
  run.most_calm = milliseconds(200 + random.below(1500));
  run.clients.streams = 1 + random.below(3);
  run.clients.producers = 1 + random.below(3);
  run.clients.ttl_streams = random.below(3);
  run.clients.deletes = random.chance(50) ? 0 : random.below(20);
  run.clients.closes = random.chance(50) ? 0 : random.below(10);
  run.clients.trims = random.chance(30) ? 0 : random.below(60);
  run.clients.forks = random.chance(30) ? 0 : random.below(40);
  return run;
}

StreamRun::StreamRun(std::uint64_t seed, const RunOptions& options)
    : world_(seed),
      options_(options),
      chance_(seed + 1),
      node_(StreamNodePorts{world_, log_, store_, wals_, timers_}, kNode, options.node),
      clients_(world_, node_, timers_, history_, options.clients) {
  history_.now = [this] { return fmt::format("at {} us: ", world_.now().count()); };
  node_.log_line = [this](const std::string& line) { history_.note(line); };
  history_.on_note = [this](const std::string& line) {
    lines_.push_back(fmt::format("{} us: {}", world_.now().count(), line));
    if (options_.prints) fmt::print(stderr, "{}\n", lines_.back());
    if (lines_.size() > kLinesKept) lines_.pop_front();
  };
}

std::string StreamRun::log_tail() const {
  std::string all;
  for (const std::string& line : lines_) all += line + "\n";
  return all;
}

std::string StreamRun::run() {
  begin();
  world_.run_until([this] { return !history_.broken().empty(); }, options_.length);
  settle();
  return verdict();
}

void StreamRun::begin() {
  store_.faults() = options_.store;
  wals_.faults() = options_.wal;
  node_.set_log_faults(options_.log);
  node_.lost_answers = options_.lost_answers;
  node_.start();
  clients_.start();
  if (options_.has_mishaps) schedule_mishap();
}

// ---- what goes wrong -------------------------------------------------------------------------

void StreamRun::schedule_mishap() {
  const core::Time when = world_.now() + draw_time(chance_, milliseconds(5), options_.most_calm);
  world_.at(when, [this] {
    if (is_healing_) return;
    mishap();
    schedule_mishap();
  });
}

void StreamRun::mishap() {
  const core::Time while_ = draw_time(chance_, milliseconds(10), milliseconds(600));
  const core::Time end = world_.now() + while_;
  const std::uint64_t kind = chance_.below(100);
  if (kind < 50) {
    crash_and_restart(draw_time(chance_, milliseconds(0), milliseconds(200)));
  } else if (kind < 60) {
    history_.note("the node is told to stop");
    if (node_.is_up()) node_.stop();
    world_.at(end, [this] { restart(); });
  } else if (kind < 75) {
    store_.faults().is_down = true;
    world_.at(end, [this] { store_.faults().is_down = false; });
  } else if (kind < 85) {
    wals_.faults().is_full = true;
    world_.at(end, [this] { wals_.faults().is_full = false; });
  } else {
    LogFaults cut = options_.log;
    cut.is_cut = true;
    node_.set_log_faults(cut);
    world_.at(end, [this] { node_.set_log_faults(is_healing_ ? LogFaults{} : options_.log); });
  }
}

void StreamRun::crash_and_restart(core::Time pause) {
  history_.note("the node is killed");
  node_.crash();
  world_.at(world_.now() + pause, [this] { restart(); });
}

void StreamRun::restart() {
  if (node_.state() == StreamNode::State::down) node_.start();
}

// ---- and is well again -----------------------------------------------------------------------

void StreamRun::heal() {
  is_healing_ = true;
  store_.faults() = StoreFaults{};
  wals_.faults() = WalFaults{.lost_on_crash = options_.wal.lost_on_crash};
  node_.set_log_faults(LogFaults{});
  node_.lost_answers = 0;
  if (node_.state() == StreamNode::State::down) node_.start();
}

bool StreamRun::wait(const std::function<bool()>& done, core::Time limit, const std::string& what) {
  const auto over = [&] { return done() || !history_.broken().empty(); };
  if (!world_.run_until(over, limit)) history_.fail("does not end: " + what);
  return history_.broken().empty();
}

void StreamRun::settle() {
  heal();
  clients_.finish();
  const auto up = [this] {
    restart();
    return node_.is_up();
  };
  if (!wait(up, seconds(30), "starting; " + node_.last_error())) return;
  if (!wait([this] { return clients_.are_done(); }, seconds(60), "the clients' last requests")) {
    return;
  }
  world_.run_for(seconds(3));  // What is late has come by then.
  if (!wait(up, seconds(30), "starting again")) return;
  if (!wait_for_rest()) return;
  check_view();
  read_everything();
  check_followers();
  check_everything(history_, *node_.proposer()->view());

  node_.crash();
  if (!wait(up, seconds(30), "the start after a crash")) return;
  read_everything();
  if (!wait_for_rest()) return;
  node_.stop();
  const auto down = [this] { return node_.state() == StreamNode::State::down; };
  if (!wait(down, seconds(60), "a clean stop")) return;
  if (!wait(up, seconds(30), "the start after a clean stop")) return;
  if (node_.engine()->context().stats.replayed_records > 0) {
    history_.fail("after a clean stop, there was something to replay");
  }
  read_everything();
  (void)world_.run(StreamClients::kHome, clients_.repeat_last());
  check_everything(history_, *node_.proposer()->view());
}

/// Nothing is left to do, and nothing is written any more: compaction too comes to an end.
bool StreamRun::wait_for_rest() {
  const core::Time end = world_.now() + seconds(120);
  std::uint64_t puts = 0;
  core::Time since = world_.now();
  while (world_.now() < end && history_.broken().empty()) {
    world_.run_for(milliseconds(100));
    if (store_.counters().puts != puts) since = world_.now();
    puts = store_.counters().puts;
    if (world_.now() - since >= seconds(6) && unrest().empty()) return true;
  }
  const std::string why = unrest();
  history_.fail("background work does not end: " + (why.empty() ? "objects are written" : why));
  return false;
}

/// Why it is not at rest.
std::string StreamRun::unrest() {
  if (!node_.is_up()) return "the node is down";
  const stream::ViewPtr view = node_.proposer()->view();
  const auto& active = node_.engine()->context().active;
  if (!active.dirty().empty()) {
    return fmt::format("stream {} is not uploaded", raw(*active.dirty().begin()));
  }
  std::set<std::string> wanted;
  for (const auto& [id, row] : view->objects) {
    if (row.state != stream::ObjectState::committed) {
      return fmt::format("object {} is in state {}", raw(id), static_cast<int>(row.state));
    }
    wanted.insert(drivers::data_object_name(id));
  }
  for (const std::string& name : store_.names()) {
    if (!wanted.contains(name)) return "nothing refers to object " + name;
    wanted.erase(name);
  }
  if (!wanted.empty()) return "the store lacks " + *wanted.begin();
  for (const auto& [id, row] : view->streams) {
    if (row.config.ttl_s) return fmt::format("{} is not expired", row.name);
  }
  const core::Life life = node_.life();
  for (core::Epoch epoch{1}; epoch < life.epoch; epoch = core::next(epoch)) {
    const std::size_t left = wals_.count(core::Life{life.node, epoch});
    if (left > 0) return fmt::format("{} WAL records of epoch {} are kept", left, raw(epoch));
  }
  if (wals_.count(life) > 0) return "WAL records of this life are kept";
  return {};
}

void StreamRun::check_view() {
  const std::string broken = stream::broken_invariant(*node_.proposer()->view());
  if (!broken.empty()) history_.fail("the view: " + broken);
}

ports::Task<core::Result<bool>> StreamRun::read_all(std::string name) {
  stream::ReadRequest request;
  request.name = name;
  request.from = stream::ReadStart::beginning;
  request.max_bytes = 50'000;
  for (;;) {
    request.at_ms = timers_.wall_now();
    const History::Moment moment = history_.begin(name);
    const auto answer = co_await node_.read(request);
    history_.end_read(moment, request, answer);
    if (!answer) {
      history_.fail("reading " + name + " at last: " + answer.error().context);
      co_return false;
    }
    if (answer->status != stream::ReadStatus::ok || answer->up_to_date()) co_return true;
    request.from = stream::ReadStart::offset;
    request.offset = answer->next;
  }
}

void StreamRun::read_everything() {
  const stream::ViewPtr view = node_.proposer()->view();
  for (const auto& [name, id] : view->names) {
    if (!history_.broken().empty()) return;
    (void)world_.run(StreamClients::kHome, read_all(name));
  }
}

/// Who follows the tail has heard of all of it.
void StreamRun::check_followers() {
  const stream::ViewPtr view = node_.proposer()->view();
  for (const std::shared_ptr<TailSpy>& spy : clients_.spies()) {
    const stream::StreamRow* row = view->find(spy->id);
    if (spy->life != node_.starts() || spy->is_gone || row == nullptr) continue;
    if (spy->tail != row->end || spy->is_closed != row->ended.has_value()) {
      history_.fail(fmt::format("a follower of {} heard of {}, the tail is {}", row->name,
                                spy->tail, row->end));
    }
  }
}

}  // namespace sim
