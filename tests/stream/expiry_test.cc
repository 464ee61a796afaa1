#include "stream/expiry.h"

#include <gtest/gtest.h>

namespace stream {
namespace {

constexpr core::StreamId kId{1};
constexpr core::Life kLife{core::NodeId{1}, core::Epoch{2}};

StreamRow row_with_ttl(std::uint64_t ttl_s, core::WallMs touched_ms) {
  StreamRow row;
  row.name = "/a";
  row.config.ttl_s = ttl_s;
  row.touched_ms = touched_ms;
  return row;
}

View view_of(const StreamRow& row) {
  View view;
  view.streams.put(kId, row);
  return view;
}

TEST(ExpiryTest, AStreamWithoutALifetimeNeverExpires) {
  const Expiry expiry;
  EXPECT_FALSE(expiry.is_expired(kId, StreamRow{}, core::WallMs{1} << 60));
}

TEST(ExpiryTest, ATtlRunsFromTheLastUse) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(10, 1'000);
  EXPECT_FALSE(expiry.is_expired(kId, row, 10'999));
  EXPECT_TRUE(expiry.is_expired(kId, row, 11'000));
  expiry.touch(kId, row, 5'000);
  EXPECT_FALSE(expiry.is_expired(kId, row, 14'999));
  EXPECT_TRUE(expiry.is_expired(kId, row, 15'000));
}

TEST(ExpiryTest, AUseByAClockThatWentBackShortensNothing) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(10, 8'000);
  expiry.touch(kId, row, 2'000);
  EXPECT_FALSE(expiry.is_expired(kId, row, 17'999));
}

TEST(ExpiryTest, AfterACrashEveryStreamCountsAsUsedAtTheStart) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(10, 1'000);
  expiry.assume_used(50'000);
  EXPECT_FALSE(expiry.is_expired(kId, row, 59'999));
  EXPECT_TRUE(expiry.is_expired(kId, row, 60'000));
}

TEST(ExpiryTest, AnExpiryTimeIsFixed) {
  Expiry expiry;
  StreamRow row;
  row.config.expires_at_ms = 5'000;
  expiry.watch(kId, row);
  expiry.touch(kId, row, 4'999);
  EXPECT_FALSE(expiry.is_expired(kId, row, 4'999));
  EXPECT_TRUE(expiry.is_expired(kId, row, 5'000));
}

TEST(ExpiryTest, TheLargestTtlDoesNotOverflow) {
  const Expiry expiry;
  EXPECT_FALSE(
      expiry.is_expired(kId, row_with_ttl(~std::uint64_t{0}, 1'000), core::WallMs{1} << 40));
}

TEST(ExpiryTest, WatchedStreamsAreDueOnceTheirTimeIsUp) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(10, 1'000);
  const View view = view_of(row);
  EXPECT_TRUE(expiry.due(view, 20'000).empty());  // Nobody watches it.
  expiry.watch(kId, row);
  EXPECT_TRUE(expiry.due(view, 10'000).empty());
  EXPECT_EQ(expiry.due(view, 20'000), std::vector<core::StreamId>{kId});
  expiry.forget(kId);
  EXPECT_TRUE(expiry.due(view, 20'000).empty());
}

TEST(ExpiryTest, AUseIsSavedOnceTheLogIsFarEnoughBehind) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(100, 1'000);  // A slack of 10 s.
  const View view = view_of(row);
  expiry.touch(kId, row, 5'999);
  EXPECT_TRUE(expiry.unsaved(view, kLife, false).streams.empty());
  EXPECT_EQ(expiry.unsaved(view, kLife, true), (TouchStreams{kLife, {kId}, {5'999}}));
  expiry.touch(kId, row, 6'000);
  EXPECT_EQ(expiry.unsaved(view, kLife, false), (TouchStreams{kLife, {kId}, {6'000}}));
}

TEST(ExpiryTest, ACleanStopSavesWhatACrashLeftUnknown) {
  Expiry expiry;
  const StreamRow row = row_with_ttl(100, 1'000);
  const View view = view_of(row);
  expiry.watch(kId, row);
  expiry.assume_used(50'000);
  EXPECT_TRUE(expiry.unsaved(view, kLife, false).streams.empty());
  EXPECT_EQ(expiry.unsaved(view, kLife, true), (TouchStreams{kLife, {kId}, {50'000}}));
}

}  // namespace
}  // namespace stream
