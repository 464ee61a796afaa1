#include "app/node_admin.h"

#include <map>
#include <utility>

#include "drivers/serve/admin_handler.h"

namespace app {
namespace {

using drivers::Sample;

Sample sample(const char* name, const char* help, Sample::Kind kind, double value) {
  Sample made;
  made.name = std::string("clouduler_") + name;
  made.help = help;
  made.kind = kind;
  made.value = value;
  return made;
}

Sample counter(const char* name, const char* help, std::uint64_t value) {
  return sample(name, help, Sample::Kind::counter, static_cast<double>(value));
}

Sample gauge(const char* name, const char* help, std::uint64_t value) {
  return sample(name, help, Sample::Kind::gauge, static_cast<double>(value));
}

}  // namespace

bool NodeAdmin::is_fenced() const {
  return !context().view()->nodes.is_live(context().life);
}

drivers::Readiness NodeAdmin::readiness() {
  drivers::Readiness readiness;
  readiness.fenced = is_fenced();
  readiness.ready = !readiness.fenced && !is_stopping_;
  if (is_stopping_) readiness.reason = "the node is shutting down";
  if (readiness.fenced) readiness.reason = "the node was fenced";
  return readiness;
}

drivers::ClusterFacts NodeAdmin::cluster() {
  const stream::ViewPtr view = context().view();
  drivers::ClusterFacts facts;
  facts.cluster_id = cluster_id_;
  facts.life = context().life;
  facts.applied = view->applied;
  facts.lease_holder = context().life.node;
  facts.nodes = view->nodes.rows.size();
  facts.streams = view->streams.size();
  for (const auto& [id, row] : view->objects) {
    if (row.state != stream::ObjectState::committed) continue;
    facts.objects += 1;
    facts.object_bytes += row.bytes;
  }
  facts.backlog_bytes = context().active.dirty_bytes();
  for (const core::StreamId id : context().active.dirty()) {
    const drivers::ActiveStream* stream = context().active.find(id);
    facts.backlog_records += stream->durable - stream->uploaded;
  }
  return facts;
}

std::vector<drivers::NodeFacts> NodeAdmin::nodes() {
  const stream::ViewPtr view = context().view();
  std::map<core::NodeId, std::pair<std::uint64_t, std::uint64_t>> owned;  // All, open.
  for (const auto& [id, row] : view->streams) {
    owned[row.owner.node].first += 1;
    owned[row.owner.node].second += row.open ? 1 : 0;
  }
  std::vector<drivers::NodeFacts> nodes;
  for (const auto& [id, row] : view->nodes.rows) {
    drivers::NodeFacts facts;
    facts.id = id;
    facts.epoch = row.epoch;
    facts.address = row.address;
    facts.slots = row.slots;
    facts.streams = owned[id].first;
    facts.open_streams = owned[id].second;
    facts.heartbeats = row.beats;
    facts.fenced = row.fenced;
    facts.local = facts.lease_holder = id == context().life.node;
    nodes.push_back(std::move(facts));
  }
  return nodes;
}

std::optional<drivers::StreamPlace> NodeAdmin::stream(const std::string& name) {
  const stream::ViewPtr view = context().view();
  const core::StreamId* id = view->names.find(name);
  const stream::StreamRow* row = id == nullptr ? nullptr : view->find(*id);
  if (row == nullptr) return std::nullopt;
  drivers::StreamPlace place;
  place.name = row->name;
  place.id = *id;
  place.owner = row->owner.node;
  place.state = row->deleted ? "deleted" : row->open ? "open" : "closed";
  place.epoch = row->epoch;
  place.start = row->start;
  const drivers::ActiveStream* active = context().active.find(*id);
  place.end = active != nullptr ? active->durable : row->end;
  place.ended = active != nullptr ? active->ended.has_value() : row->ended.has_value();
  place.content_type = row->config.content_type;
  return place;
}

std::vector<Sample> NodeAdmin::samples() {
  const drivers::EngineStats& stats = context().stats;
  const drivers::BlockReaderStats& blocks = context().blocks.stats();
  const stream::ViewPtr view = context().view();
  std::vector<Sample> samples{
      counter("appends_total", "Appends acknowledged", stats.appends),
      counter("append_records_total", "Records in them", stats.append_records),
      counter("append_bytes_total", "Bytes of their batches", stats.append_bytes),
      counter("append_failures_total", "Appends that failed for the node's sake",
              stats.append_failures),
      counter("reads_total", "Reads served", stats.reads),
      counter("uploads_total", "Data objects uploaded and committed", stats.uploads),
      counter("upload_bytes_total", "Bytes of them", stats.upload_bytes),
      counter("upload_failures_total", "Uploads that must be tried again", stats.upload_failures),
      counter("compactions_total", "Merges of small data objects", stats.compactions),
      counter("replayed_records_total", "Write-ahead log records replayed at start",
              stats.replayed_records),
      counter("replayed_bytes_total", "Bytes of them", stats.replayed_bytes),
      counter("block_hits_total", "Blocks of data objects found in memory", blocks.block_hits),
      counter("block_misses_total", "Blocks fetched from the object store", blocks.block_misses),
      counter("block_fetched_bytes_total", "Bytes fetched from the object store",
              blocks.bytes_fetched),
      gauge("applied_index", "Last command applied", core::raw(view->applied)),
      gauge("streams", "Streams that exist", view->streams.size()),
      gauge("active_streams", "Streams in memory", context().active.size()),
      gauge("damaged_streams", "Streams that lost records to damage", stats.damaged_streams),
      gauge("objects", "Data objects known", view->objects.size()),
      gauge("backlog_bytes", "Bytes that are only in the write-ahead log",
            context().active.dirty_bytes()),
      gauge("log_cache_bytes", "Bytes of batches in memory", context().active.cached_bytes()),
      gauge("block_cache_bytes", "Bytes of blocks in memory", context().blocks.cached_bytes()),
      gauge("epoch", "Epoch of this node's life", core::raw(context().life.epoch)),
      gauge("fenced", "1 if this life is over", is_fenced() ? 1 : 0),
  };
  if (const drivers::Histogram* times = engine_.flush_times()) {
    samples.push_back(
        drivers::sample_of("clouduler_wal_flush_seconds",
                           "How long the write-ahead log took to make appends durable", *times));
  }
  return samples;
}

}  // namespace app
