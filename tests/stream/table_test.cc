#include "stream/table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/random.h"

namespace stream {
namespace {

struct Row {
  std::string text;
  bool operator==(const Row&) const = default;
};

template <class K, class V>
std::map<K, V> contents(const Table<K, V>& table) {
  std::map<K, V> all;
  for (const auto& [key, value] : table) all.emplace_hint(all.end(), key, value);
  return all;
}

TEST(TableTest, AnEmptyTableHasNothing) {
  const Table<int, int> table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_TRUE(table.begin() == table.end());
  EXPECT_TRUE(table.from(5) == table.end());
}

TEST(TableTest, RowsComeInTheOrderOfTheirKeys) {
  Table<std::string, int> table;
  table.put("b", 2);
  table.put("c", 3);
  table.put("a", 1);
  std::string order;
  for (const auto& [key, value] : table) order += key + std::to_string(value);
  EXPECT_EQ(order, "a1b2c3");
}

TEST(TableTest, ScansBeginAtOrAfterAKey) {
  Table<int, int> table;
  for (int key = 0; key < 1000; key += 2) table.put(key, key);
  EXPECT_EQ((*table.from(500)).key, 500);
  EXPECT_EQ((*table.from(501)).key, 502);
  EXPECT_EQ((*table.after(500)).key, 502);
  EXPECT_TRUE(table.from(999) == table.end());
  EXPECT_TRUE(table.after(998) == table.end());
}

TEST(TableTest, ACopyDoesNotSeeWhatHappensToTheOther) {
  Table<int, Row> table;
  for (int key = 0; key < 1000; ++key) table.put(key, Row{std::to_string(key)});
  const Table<int, Row> before = table;
  table.mutate(7).text = "changed";
  table.erase(8);
  table.put(1000, Row{"new"});
  EXPECT_EQ(before.find(7)->text, "7");
  EXPECT_EQ(before.find(8)->text, "8");
  EXPECT_EQ(before.find(1000), nullptr);
  EXPECT_EQ(before.size(), 1000u);
  EXPECT_EQ(table.find(7)->text, "changed");
  EXPECT_EQ(table.find(8), nullptr);
}

TEST(TableTest, AChangeCopiesOnlyTheRowItChanges) {
  Table<int, Row> table;
  for (int key = 0; key < 1000; ++key) table.put(key, Row{std::to_string(key)});
  const Table<int, Row> before = table;
  table.mutate(7).text = "changed";
  EXPECT_NE(table.find(7), before.find(7));
  EXPECT_EQ(table.find(8), before.find(8));
}

TEST(TableTest, TablesThatNobodySharesAreChangedInPlace) {
  Table<int, Row> table;
  table.put(1, Row{"one"});
  const Row* before = table.find(1);
  table.mutate(1).text = "uno";
  EXPECT_EQ(table.find(1), before);
}

TEST(TableTest, EqualityIsOfContents) {
  Table<int, Row> up;
  Table<int, Row> down;
  for (int key = 0; key < 300; ++key) up.put(key, Row{std::to_string(key)});
  for (int key = 299; key >= 0; --key) down.put(key, Row{std::to_string(key)});
  EXPECT_EQ(up, down);
  down.mutate(150).text = "else";
  EXPECT_FALSE(up == down);
}

/// Random operations on a table and, beside it, a std::map; now and then a copy is kept and must
/// stay as it was.
template <class V, class MakeValue>
void behaves_as_a_map(std::uint64_t seed, std::uint64_t key_range, MakeValue make_value) {
  core::Random random(seed);
  Table<std::uint64_t, V> table;
  std::map<std::uint64_t, V> model;
  std::vector<std::pair<Table<std::uint64_t, V>, std::map<std::uint64_t, V>>> kept;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t key = random.below(key_range);
    const bool growing = step / 2000 % 2 == 0;
    if (random.chance(growing ? 70 : 30)) {
      const V value = make_value(random.next());
      table.put(key, value);
      model.insert_or_assign(key, value);
    } else if (random.chance(70)) {
      EXPECT_EQ(table.erase(key), model.erase(key) == 1);
    } else if (model.contains(key)) {
      table.mutate(key) = model[key] = make_value(random.next());
    }
    ASSERT_EQ(table.size(), model.size());
    const auto lower = model.lower_bound(key);
    const auto found = table.from(key);
    if (lower == model.end()) {
      ASSERT_TRUE(found == table.end());
    } else {
      ASSERT_EQ((*found).key, lower->first);
    }
    if (step % 1000 == 999) kept.emplace_back(table, model);
  }
  for (const auto& [was, expected] : kept) EXPECT_EQ(contents(was), expected);
  for (auto it = model.begin(); it != model.end(); it = model.erase(it)) {
    ASSERT_TRUE(table.erase(it->first));
  }
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(table.begin() == table.end());
}

TEST(TableTest, BehavesAsAMapOfPlainRows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    behaves_as_a_map<std::uint64_t>(seed, 50 + seed * 1000, [](std::uint64_t n) { return n; });
  }
}

TEST(TableTest, BehavesAsAMapOfSharedRows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    behaves_as_a_map<Row>(seed, 50 + seed * 1000,
                          [](std::uint64_t n) { return Row{std::to_string(n)}; });
  }
}

}  // namespace
}  // namespace stream
