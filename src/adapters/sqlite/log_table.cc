#include "adapters/sqlite/log_table.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace adapters {
namespace {

using core::Errc;

constexpr int kApplication = 0x436C4C67;  // "ClLg", in the head of the file.
constexpr int kFormat = 1;

std::int64_t number(core::Index index) {
  return static_cast<std::int64_t>(core::raw(index));
}

core::Index index_of(const SQLite::Column& column) {
  return core::Index{static_cast<std::uint64_t>(column.getInt64())};
}

std::string blob_of(const SQLite::Column& column) {
  const auto size = static_cast<std::size_t>(column.getBytes());
  return size == 0 ? std::string() : std::string(static_cast<const char*>(column.getBlob()), size);
}

/// What a failed sync leaves on the disk is not known, and a repeated one would report success for
/// pages that were dropped.
void stop_if_sync_failed(const std::string& path, const SQLite::Exception& error) {
  const int code = error.getExtendedErrorCode();
  if (code != SQLITE_IOERR_FSYNC && code != SQLITE_IOERR_DIR_FSYNC) return;
  std::fprintf(
      stderr,
      "fatal: cannot sync %s: %s. What is on the disk is not known, so this process stops; "
      "check the disk, then start it again\n",
      path.c_str(), error.what());
  std::fflush(stderr);
  std::abort();
}

Errc code_of(int sqlite_code, bool is_committing) {
  switch (sqlite_code) {
    case SQLITE_FULL: return Errc::full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Errc::corrupt;
    case SQLITE_IOERR: return is_committing ? Errc::unknown : Errc::unavailable;
    default: return Errc::unavailable;
  }
}

const char* rule_of(int sqlite_code) {
  switch (sqlite_code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ": one process at a time may use it";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ": it is left as it is; restore it, or start with another folder";
    case SQLITE_CANTOPEN: return ": its folder must exist and be writable";
    case SQLITE_FULL: return ": free some space, it goes on by itself";
    default: return "";
  }
}

/// After these a connection may have lost its footing; another one finds out what is there.
bool spoils_connection(int sqlite_code) {
  return sqlite_code != SQLITE_FULL && sqlite_code != SQLITE_BUSY && sqlite_code != SQLITE_LOCKED;
}

}  // namespace

LogTable::LogTable(std::string path) : path_(std::move(path)) {}
LogTable::LogTable(LogTable&&) noexcept = default;
LogTable& LogTable::operator=(LogTable&&) noexcept = default;
LogTable::~LogTable() = default;

// ---- opening ---------------------------------------------------------------------------------

core::Result<LogTable> LogTable::open(std::string path) {
  LogTable table(std::move(path));
  TRY_VOID(table.connect());
  return table;
}

core::Result<void> LogTable::connect() {
  try {
    database_ =
        std::make_unique<SQLite::Database>(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    auto prepared = prepare_file();
    if (!prepared) {
      database_.reset();
      return prepared;
    }
    find_ends();
    return {};
  } catch (const SQLite::Exception& error) {
    core::Error result = error_of("open", error);
    database_.reset();
    if (error.getErrorCode() == SQLITE_CANTOPEN) result.code = Errc::invalid;
    return tl::unexpected(std::move(result));
  }
}

core::Result<void> LogTable::prepare_file() {
  SQLite::Database& db = *database_;
  // Exclusive: a second process is refused instead of mixing in, and no shared memory is needed.
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  const int format = db.execAndGet("PRAGMA user_version").getInt();
  const bool is_new = application == 0 && format == 0 &&
                      db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
  if (!is_new && application != kApplication) {
    return core::fail(Errc::invalid,
                      fmt::format("{} is an SQLite file, but no command log of this program: it is "
                                  "left as it is",
                                  path_));
  }
  if (format > kFormat) {
    return core::fail(Errc::invalid,
                      fmt::format("the log {} has format {}, and this program knows formats up to "
                                  "{}: run the program that wrote it, or a later one",
                                  path_, format, kFormat));
  }
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA journal_size_limit = 67108864");
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_new) {
    db.exec("CREATE TABLE log (idx INTEGER PRIMARY KEY, payload BLOB NOT NULL)");
    db.exec(
        "CREATE TABLE snapshot (id INTEGER PRIMARY KEY CHECK (id = 1), idx INTEGER NOT NULL, "
        "payload BLOB NOT NULL)");
    db.exec(fmt::format("PRAGMA application_id = {}", kApplication));
    db.exec(fmt::format("PRAGMA user_version = {}", kFormat));
  }
  transaction.commit();
  return {};
}

void LogTable::find_ends() {
  SQLite::Statement ends(*database_, "SELECT min(idx), max(idx) FROM log");
  ends.executeStep();
  if (!ends.getColumn(0).isNull()) {
    first_ = index_of(ends.getColumn(0));
    last_ = index_of(ends.getColumn(1));
    return;
  }
  // Entries up to the snapshot may all be dropped, those after it never: it says where we are.
  SQLite::Statement snapshot(*database_, "SELECT idx FROM snapshot");
  last_ = snapshot.executeStep() ? index_of(snapshot.getColumn(0)) : core::Index{0};
  first_ = next(last_);
}

// ---- errors ----------------------------------------------------------------------------------

core::Error LogTable::error_of(const char* doing, const SQLite::Exception& error) {
  stop_if_sync_failed(path_, error);
  const int code = error.getErrorCode();
  return core::Error{
      code_of(code, is_committing_),
      fmt::format("cannot {} the log {}: {}{}", doing, path_, error.what(), rule_of(code))};
}

/// Runs `work` on an open database and turns SQLite's exceptions into errors.
template <class Function>
auto LogTable::guarded(const char* doing, Function work) -> decltype(work()) {
  is_committing_ = false;
  if (!database_) TRY_VOID(connect());
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    core::Error result = error_of(doing, error);
    const bool is_file = path_ != ":memory:";
    if (is_file && spoils_connection(error.getErrorCode())) database_.reset();
    return tl::unexpected(std::move(result));
  }
}

// ---- the log ---------------------------------------------------------------------------------

core::Result<core::Index> LogTable::append(const std::vector<std::string>& batch) {
  return guarded("append to", [&]() -> core::Result<core::Index> {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement insert(*database_, "INSERT INTO log VALUES (?, ?)");
    core::Index index = last_;
    for (const std::string& payload : batch) {
      index = next(index);
      insert.bind(1, number(index));
      insert.bindNoCopy(2, payload.data(), static_cast<int>(payload.size()));
      insert.exec();
      insert.reset();
    }
    is_committing_ = true;
    transaction.commit();
    return next(std::exchange(last_, index));
  });
}

core::Result<std::vector<ports::LogEntry>> LogTable::read(core::Index after, std::size_t limit) {
  using Entries = std::vector<ports::LogEntry>;
  return guarded("read", [&]() -> core::Result<Entries> {
    if (next(after) < first_) {
      return core::fail(Errc::not_found,
                        fmt::format("entry {} of the log {} was truncated; the first is {}",
                                    core::raw(after) + 1, path_, core::raw(first_)));
    }
    Entries entries;
    SQLite::Statement select(*database_,
                             "SELECT idx, payload FROM log WHERE idx > ? ORDER BY idx LIMIT ?");
    select.bind(1, number(after));
    select.bind(2, static_cast<std::int64_t>(limit));
    while (select.executeStep()) {
      entries.push_back({index_of(select.getColumn(0)), blob_of(select.getColumn(1))});
    }
    return entries;
  });
}

core::Result<std::optional<ports::LogSnapshot>> LogTable::load_snapshot() {
  using Snapshot = std::optional<ports::LogSnapshot>;
  return guarded("read the snapshot of", [&]() -> core::Result<Snapshot> {
    SQLite::Statement select(*database_, "SELECT idx, payload FROM snapshot");
    if (!select.executeStep()) return Snapshot();
    return Snapshot(
        ports::LogSnapshot{index_of(select.getColumn(0)), blob_of(select.getColumn(1))});
  });
}

core::Result<void> LogTable::store_snapshot(const ports::LogSnapshot& snapshot) {
  return guarded("store a snapshot of", [&]() -> core::Result<void> {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement store(*database_,
                            "INSERT INTO snapshot VALUES (1, ?1, ?2) ON CONFLICT (id) DO UPDATE "
                            "SET idx = ?1, payload = ?2 WHERE idx < ?1");
    store.bind(1, number(snapshot.index));
    store.bindNoCopy(2, snapshot.payload.data(), static_cast<int>(snapshot.payload.size()));
    store.exec();
    is_committing_ = true;
    transaction.commit();
    return {};
  });
}

core::Result<bool> LogTable::truncate(core::Index upto, std::size_t limit) {
  return guarded("truncate", [&]() -> core::Result<bool> {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement snapshot(*database_, "SELECT idx FROM snapshot");
    const bool is_stored = snapshot.executeStep();
    const core::Index stored = is_stored ? index_of(snapshot.getColumn(0)) : core::Index{0};
    snapshot.reset();
    if (upto > stored) {
      return core::fail(Errc::invalid,
                        fmt::format("entry {} of the log {} is beyond its snapshot, which is as of "
                                    "{}",
                                    core::raw(upto), path_, core::raw(stored)));
    }
    const core::Index target = std::min(upto, core::Index{core::raw(first_) - 1 + limit});
    SQLite::Statement drop(*database_, "DELETE FROM log WHERE idx <= ?");
    drop.bind(1, number(target));
    drop.exec();
    is_committing_ = true;
    transaction.commit();
    first_ = std::max(first_, next(std::min(target, last_)));
    return target == upto;
  });
}

}  // namespace adapters
