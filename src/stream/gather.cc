#include "stream/gather.h"

#include <fmt/format.h>

#include <utility>

#include "stream/record_batch.h"
#include "stream/record_reader.h"

namespace stream {
namespace {

/// Calls `start(header)` for each batch of the slice and `use(value)` for each record of it.
template <class Start, class Use>
core::Result<void> for_each_value(const BatchSlice& slice, Start start, Use use) {
  std::string_view rest = slice.batches.view();
  while (!rest.empty()) {
    TRY(const BatchHeader header, peek_batch(rest));
    if (header.base >= slice.end) break;
    if (header.end > slice.first) {
      if (header.is_compressed) {
        return core::fail(core::Errc::invalid,
                          fmt::format("the batch at offset {} is compressed", header.base));
      }
      start(header);
      RecordReader reader(header, rest);
      for (Record record; reader.next(record);) {
        if (record.offset < slice.first) continue;
        if (record.offset >= slice.end) break;
        use(record.value.value_or(std::string_view()));
      }
      if (!reader.ok()) {
        return core::fail(
            core::Errc::corrupt,
            fmt::format("records of the batch at offset {} make no sense", header.base));
      }
    }
    rest.remove_prefix(header.size);
  }
  return {};
}

/// What stands for a value that is no JSON text, so that the array around it stays one.
constexpr std::string_view kNull = "null";

}  // namespace

core::Result<std::size_t> append_values(const BatchSlice& slice, Join join, std::string& out) {
  out.reserve(out.size() + slice.batches.size());
  std::size_t count = 0;
  const auto start = [](const BatchHeader&) {};
  const auto raw = [&](std::string_view value) {
    out.append(value);
    count += 1;
  };
  const auto with_commas = [&](std::string_view value) {
    if (count > 0) out.push_back(',');
    out.append(value.empty() ? kNull : value);
    count += 1;
  };
  if (join == Join::raw) {
    TRY_VOID(for_each_value(slice, start, raw));
  } else {
    TRY_VOID(for_each_value(slice, start, with_commas));
  }
  return count;
}

core::Result<void> ValueGather::add(const BatchSlice& slice) {
  const char* const slice_end = slice.batches.data() + slice.batches.size();
  const auto start = [](const BatchHeader&) {};
  return for_each_value(slice, start, [&](std::string_view value) {
    if (join_ == Join::commas) {
      if (values_ > 0) add_text(",");
      if (value.empty()) value = kNull;
    }
    values_ += 1;
    bytes_ += value.size();
    const bool is_null = value.data() == kNull.data();  // Lies outside of the slice.
    if (value.size() < share_from_ || is_null) {
      copied_.append(value, is_null ? 0 : static_cast<std::size_t>(slice_end - value.end()));
      return;
    }
    copied_.flush(parts_);
    const auto position = static_cast<std::size_t>(value.data() - slice.batches.data());
    parts_.push_back(slice.batches.slice(position, value.size()));
  });
}

std::vector<core::Bytes> ValueGather::finish() {
  copied_.flush(parts_);
  bytes_ = 0;
  values_ = 0;
  return std::exchange(parts_, {});
}

}  // namespace stream
