#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/check.h"

namespace stream {

/// An ordered map whose copies share everything until one of them changes: a B+ tree that copies,
/// on a write, the nodes on the way to the row and nothing else, and not even those if no other
/// copy can see them.
///
/// Copying costs a reference count. Copies are independent: a published one never changes, whatever
/// is done to the others. Order is by key, so iteration is the same on every node.
///
/// Not for concurrent writing of one Table. Copies may be read anywhere.
template <class K, class V>
class Table {
  // Small plain rows lie in the leaf. Others are shared, so that copying a leaf copies pointers.
  static constexpr bool kInPlace = std::is_trivially_copyable_v<V> && sizeof(V) <= 64;
  static constexpr std::size_t kLeaf = 16;  // Small: a write copies one leaf, pointer by pointer.
  static constexpr std::size_t kInner = 32;
  static constexpr std::size_t kMaxHeight = 24;

  using Slot = std::conditional_t<kInPlace, V, std::shared_ptr<V>>;

  struct Node {
    std::size_t count = 0;
  };
  using Link = std::shared_ptr<Node>;

  struct Leaf : Node {
    std::array<K, kLeaf> keys{};
    std::array<Slot, kLeaf> slots{};
  };
  struct Inner : Node {
    std::array<K, kInner> keys{};  // keys[i] <= all keys of children[i]; keys[0] is not looked at.
    std::array<Link, kInner> children{};
  };

 public:
  struct Entry {
    const K& key;
    const V& value;
  };

  /// Goes through the rows in the order of their keys. Valid as long as its Table is unchanged.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Entry;

    Entry operator*() const {
      const auto& leaf = static_cast<const Leaf&>(*path_[0].node);
      return Entry{leaf.keys[path_[0].at], value_in(leaf.slots[path_[0].at])};
    }

    Iterator& operator++() {
      ++path_[0].at;
      settle();
      return *this;
    }
    void operator++(int) { ++*this; }

    bool operator==(std::default_sentinel_t) const { return path_[0].node == nullptr; }

   private:
    friend class Table;
    struct Step {
      const Node* node = nullptr;
      std::size_t at = 0;
    };

    /// Moves on to the next leaf if this one is used up; node is null at the end.
    void settle() {
      if (path_[0].node == nullptr || path_[0].at < path_[0].node->count) return;
      std::size_t level = 1;
      while (level <= height_ && path_[level].at + 1 >= path_[level].node->count) ++level;
      if (level > height_) {
        path_[0].node = nullptr;
        return;
      }
      ++path_[level].at;
      for (; level > 0; --level) {
        const auto& inner = static_cast<const Inner&>(*path_[level].node);
        path_[level - 1] = Step{inner.children[path_[level].at].get(), 0};
      }
    }

    std::size_t height_ = 0;
    std::array<Step, kMaxHeight> path_{};  // [0] is the leaf.
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Null if there is no such row. Valid as long as this Table is unchanged.
  template <class Key = K>
  const V* find(const Key& key) const {
    if (!root_) return nullptr;
    const Node* node = root_.get();
    for (std::size_t level = height_; level > 0; --level) {
      const auto& inner = static_cast<const Inner&>(*node);
      node = inner.children[child_for(inner, key)].get();
    }
    const auto& leaf = static_cast<const Leaf&>(*node);
    const std::size_t at = lower_bound(leaf, key);
    return at < leaf.count && leaf.keys[at] == key ? &value_in(leaf.slots[at]) : nullptr;
  }

  template <class Key = K>
  bool contains(const Key& key) const {
    return find(key) != nullptr;
  }

  /// The row itself, to change it; it must exist. Valid until the next change of this Table.
  template <class Key = K>
  V& mutate(const Key& key) {
    CHECK(root_);
    Link* link = &root_;
    for (std::size_t level = height_; level > 0; --level) {
      auto& inner = own<Inner>(*link);
      link = &inner.children[child_for(inner, key)];
    }
    auto& leaf = own<Leaf>(*link);
    const std::size_t at = lower_bound(leaf, key);
    CHECK(at < leaf.count && leaf.keys[at] == key);
    Slot& slot = leaf.slots[at];
    if constexpr (kInPlace) {
      return slot;
    } else {
      if (slot.use_count() > 1) slot = std::make_shared<V>(*slot);
      return *slot;
    }
  }

  /// Inserts the row or replaces it.
  void put(K key, V value) {
    if (!root_) root_ = std::make_shared<Leaf>();
    Added added{std::move(key), make_slot(std::move(value))};
    Link right = insert(root_, height_, true, added);
    if (!right) return;
    auto root = std::make_shared<Inner>();
    root->count = 2;
    root->keys[1] = std::move(added.key);
    root->children[0] = std::move(root_);
    root->children[1] = std::move(right);
    root_ = std::move(root);
    ++height_;
    CHECK(height_ + 1 < kMaxHeight);
  }

  /// False if there is no such row.
  template <class Key = K>
  bool erase(const Key& key) {
    if (!contains(key)) return false;
    remove(root_, height_, key);
    --size_;
    while (height_ > 0 && root_->count == 1) {
      Link only = static_cast<Inner&>(*root_).children[0];
      root_ = std::move(only);
      --height_;
    }
    if (size_ == 0) *this = Table();
    return true;
  }

  Iterator begin() const {
    return descend([](const Inner&) { return std::size_t{0}; },
                   [](const Leaf&) { return std::size_t{0}; });
  }
  std::default_sentinel_t end() const { return std::default_sentinel; }

  /// The first row whose key is not less than `key`.
  template <class Key = K>
  Iterator from(const Key& key) const {
    return descend([&](const Inner& inner) { return child_for(inner, key); },
                   [&](const Leaf& leaf) { return lower_bound(leaf, key); });
  }

  /// The first row whose key is greater than `key`.
  template <class Key = K>
  Iterator after(const Key& key) const {
    Iterator found = from(key);
    if (found != std::default_sentinel && (*found).key == key) ++found;
    return found;
  }

  bool operator==(const Table& other) const {
    if (size_ != other.size_) return false;
    if (root_ == other.root_) return true;
    Iterator theirs = other.begin();
    for (const Entry ours : *this) {
      const Entry entry = *theirs;
      if (!(ours.key == entry.key)) return false;
      if (&ours.value != &entry.value && !(ours.value == entry.value)) return false;
      ++theirs;
    }
    return true;
  }

 private:
  struct Added {
    K key;  // After a split: the first key of the new right neighbour.
    Slot slot;
  };

  static const V& value_in(const Slot& slot) {
    if constexpr (kInPlace) {
      return slot;
    } else {
      return *slot;
    }
  }

  static Slot make_slot(V value) {
    if constexpr (kInPlace) {
      return value;
    } else {
      return std::make_shared<V>(std::move(value));
    }
  }

  template <class N, class Key>
  static std::size_t lower_bound(const N& node, const Key& key) {
    std::size_t low = 0;
    std::size_t length = node.count;
    while (length > 0) {
      const std::size_t half = length / 2;
      const bool less = node.keys[low + half] < key;
      low = less ? low + half + 1 : low;
      length = less ? length - half - 1 : half;
    }
    return low;
  }

  template <class Key>
  static std::size_t child_for(const Inner& inner, const Key& key) {
    std::size_t low = 1;
    std::size_t length = inner.count - 1;
    while (length > 0) {
      const std::size_t half = length / 2;
      const bool not_greater = !(key < inner.keys[low + half]);
      low = not_greater ? low + half + 1 : low;
      length = not_greater ? length - half - 1 : half;
    }
    return low - 1;
  }

  template <class ChooseChild, class ChooseRow>
  Iterator descend(ChooseChild choose_child, ChooseRow choose_row) const {
    Iterator it;
    if (!root_) return it;
    it.height_ = height_;
    const Node* node = root_.get();
    for (std::size_t level = height_; level > 0; --level) {
      const auto& inner = static_cast<const Inner&>(*node);
      const std::size_t at = choose_child(inner);
      it.path_[level] = {node, at};
      node = inner.children[at].get();
    }
    it.path_[0] = {node, choose_row(static_cast<const Leaf&>(*node))};
    it.settle();
    return it;
  }

  /// The node of `link`, made ours alone. Nobody can gain a reference to a node that only we hold,
  /// so a count of one stays one.
  template <class N>
  static N& own(Link& link) {
    if (link.use_count() > 1) link = std::make_shared<N>(static_cast<const N&>(*link));
    return static_cast<N&>(*link);
  }

  template <class Array, class T>
  static void open_gap(Array& array, std::size_t count, std::size_t at, T value) {
    for (std::size_t i = count; i > at; --i) array[i] = std::move(array[i - 1]);
    array[at] = std::move(value);
  }

  template <class Array>
  static void close_gap(Array& array, std::size_t count, std::size_t at) {
    for (std::size_t i = at; i + 1 < count; ++i) array[i] = std::move(array[i + 1]);
    array[count - 1] = {};
  }

  /// Moves `from[first, first + n)` to the end of `to`.
  template <class N>
  static void move_over(N& from, std::size_t first, N& to) {
    for (std::size_t i = first; i < from.count; ++i) {
      to.keys[to.count] = std::exchange(from.keys[i], {});
      items(to)[to.count] = std::exchange(items(from)[i], {});
      ++to.count;
    }
    from.count = first;
  }

  static auto& items(Leaf& leaf) { return leaf.slots; }
  static auto& items(Inner& inner) { return inner.children; }

  /// Puts (key, item) at `at`. A full node first gives its upper half to a new right neighbour,
  /// which is returned, with its first key in `key`. On the right edge only the new item moves, so
  /// that ascending keys, which is how ids are given out, leave full nodes behind.
  template <class N, class Item>
  static Link place(N& node, std::size_t capacity, std::size_t at, bool right_edge, K& key,
                    Item item) {
    if (node.count < capacity) {
      open_gap(node.keys, node.count, at, std::move(key));
      open_gap(items(node), node.count, at, std::move(item));
      ++node.count;
      return nullptr;
    }
    auto right = std::make_shared<N>();
    const bool append = right_edge && at == node.count;
    const std::size_t middle = append ? node.count : node.count / 2;
    move_over(node, middle, *right);
    N& target = at > middle || append ? *right : node;
    const std::size_t position = &target == &node ? at : at - middle;
    open_gap(target.keys, target.count, position, std::move(key));
    open_gap(items(target), target.count, position, std::move(item));
    ++target.count;
    key = right->keys[0];
    return right;
  }

  /// Returns the new right neighbour of `link` if it had to split.
  Link insert(Link& link, std::size_t level, bool right_edge, Added& added) {
    if (level == 0) {
      auto& leaf = own<Leaf>(link);
      const std::size_t at = lower_bound(leaf, added.key);
      if (at < leaf.count && leaf.keys[at] == added.key) {
        leaf.slots[at] = std::move(added.slot);
        return nullptr;
      }
      ++size_;
      return place(leaf, kLeaf, at, right_edge, added.key, std::move(added.slot));
    }
    auto& inner = own<Inner>(link);
    const std::size_t at = child_for(inner, added.key);
    Link right = insert(inner.children[at], level - 1, right_edge && at + 1 == inner.count, added);
    if (!right) return nullptr;
    return place(inner, kInner, at + 1, right_edge, added.key, std::move(right));
  }

  template <class Key>
  void remove(Link& link, std::size_t level, const Key& key) {
    if (level == 0) {
      auto& leaf = own<Leaf>(link);
      const std::size_t at = lower_bound(leaf, key);
      close_gap(leaf.keys, leaf.count, at);
      close_gap(leaf.slots, leaf.count, at);
      --leaf.count;
      return;
    }
    auto& inner = own<Inner>(link);
    const std::size_t at = child_for(inner, key);
    remove(inner.children[at], level - 1, key);
    if (inner.children[at]->count == 0) {
      drop_child(inner, at);
    } else if (level == 1) {
      merge_around<Leaf>(inner, at, kLeaf);
    } else {
      merge_around<Inner>(inner, at, kInner);
    }
  }

  static void drop_child(Inner& inner, std::size_t at) {
    close_gap(inner.keys, inner.count, at);
    close_gap(inner.children, inner.count, at);
    --inner.count;
  }

  /// Joins a child that has become small with a neighbour, if both fit with room to spare.
  template <class N>
  static void merge_around(Inner& inner, std::size_t at, std::size_t capacity) {
    if (inner.children[at]->count >= capacity / 4 || inner.count < 2) return;
    const std::size_t left = at == 0 ? 0 : at - 1;
    if (inner.children[left]->count + inner.children[left + 1]->count > capacity / 4 * 3) return;
    auto& into = own<N>(inner.children[left]);
    auto& from = own<N>(inner.children[left + 1]);
    if constexpr (std::is_same_v<N, Inner>) from.keys[0] = inner.keys[left + 1];
    move_over(from, 0, into);
    drop_child(inner, left + 1);
  }

  Link root_;
  std::size_t height_ = 0;  // Of the root above the leaves.
  std::size_t size_ = 0;
};

}  // namespace stream
