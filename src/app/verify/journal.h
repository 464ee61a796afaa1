#pragma once

#include <string>
#include <string_view>

#include "app/verify/ledger.h"
#include "core/result.h"

namespace app::verify {

// The lines of a journal file; docs/verify.md has the format. A line is appended before the request
// that it speaks of is sent, or before its answer counts, so that a journal that was cut off at any
// line still tells the truth.

std::string header_line(const std::string& run);
std::string stream_line(std::size_t number, const StreamFact& stream);
std::string send_line(std::uint32_t writer, std::uint32_t request, const SentRequest& sent);
std::string answer_line(std::uint32_t writer, std::uint32_t request, Outcome outcome,
                        const std::string& offset);
/// The run is over: nothing follows.
std::string end_line();

/// Reads a journal back. A last line without an end is left out: its writer died in it.
/// corrupt: names the line and what is wrong with it. invalid: no journal, or of a newer version.
core::Result<Ledger> read_journal(std::string_view text);

}  // namespace app::verify
