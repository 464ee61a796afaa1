#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/verify/judge.h"

namespace app::verify {

/// Judges one stream: first its final reading against the ledger, then every other reader against
/// the final reading.
class StreamJudge {
 public:
  StreamJudge(const Ledger& ledger, std::uint32_t stream, Judgement& judgement)
      : ledger_(ledger), stream_(stream), judgement_(judgement) {}

  void judge_final(const Reading& reading);
  void judge_reader(const Reading& reading);

 private:
  /// One request as the final reading shows it.
  struct Found {
    std::uint32_t writer = 0;
    std::uint32_t request = 0;
    std::vector<std::size_t>
        positions;  // Of record 0, 1, 2 ... in `order_`; kMissing if not there.
    std::vector<std::uint64_t> hashes;
    std::size_t first = 0;  // The earliest position.
    std::size_t chunk = 0;  // Where its last record came.
  };
  using RequestId = std::pair<std::uint32_t, std::uint32_t>;

  void report(Fault fault, const Reading& reading, std::string what);

  /// Reports what makes no sense by itself and returns the request of a record that does.
  const SentRequest* look_up(const Seen& seen, const Reading& reading);
  bool judge_wholeness(const Found& found, const Reading& reading);
  void judge_presence(const Reading& reading);
  void judge_order(std::vector<const Found*> in_order, const Reading& reading);
  void judge_chunk_ends(const Reading& reading);
  void count_requests();
  void judge_gaps(const Reading& reading, const std::vector<bool>& shown, std::size_t from,
                  std::size_t to);

  const Ledger& ledger_;
  std::uint32_t stream_;
  Judgement& judgement_;
  std::map<RecordKey, std::size_t> order_;  // What the stream is: each record's place in it.
  std::vector<RecordKey> keys_;             // The same, by place.
  std::map<RequestId, Found> found_;
  std::map<std::string, std::size_t> after_;  // Place of what follows an acknowledged offset.
};

}  // namespace app::verify
