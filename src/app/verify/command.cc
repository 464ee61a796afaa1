#include "app/command.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <random>

#include "app/client_flags.h"
#include "app/client_loop.h"
#include "app/verify/journal.h"
#include "app/verify/report.h"
#include "app/verify/run.h"

namespace app {
namespace {

using verify::Run;

std::string new_run_name() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

core::Result<std::unique_ptr<Run>> new_run(verify::VerifyOptions options) {
  const std::string name = new_run_name();
  auto run = std::make_unique<Run>(std::move(options), verify::Ledger(name));
  if (!run->options.journal.empty()) {
    auto created = verify::JournalFile::create(run->options.journal);
    if (!created) {
      return core::fail(created.error().code, "--journal " + created.error().context);
    }
    run->journal = std::move(*created);
  }
  run->note(verify::header_line(name));
  for (std::uint32_t i = 0; i < run->options.streams; ++i) {
    const verify::StreamFact fact{verify::kKinds[i % std::size(verify::kKinds)],
                                  fmt::format("{}/{}/{}", run->options.prefix, name, i)};
    run->note(verify::stream_line(i, fact));
    run->ledger.add_stream(fact);
  }
  return run;
}

core::Result<std::unique_ptr<Run>> run_of_journal(verify::VerifyOptions options) {
  const std::string path = options.check;
  const auto text = verify::read_file(path);
  if (!text) return core::fail(text.error().code, "--check " + text.error().context);
  auto ledger = verify::read_journal(*text);
  if (!ledger) {
    return core::fail(core::Errc::invalid,
                      fmt::format("--check {}: {}", path, ledger.error().context));
  }
  return std::make_unique<Run>(std::move(options), std::move(*ledger));
}

ports::Task<int> run_verify(ports::asio::any_io_executor executor, Run& run) {
  // The first Ctrl-C ends the writing; what was written is judged all the same.
  boost::asio::signal_set signals(executor, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    run.writing_ends = true;
    signals.clear();
  });
  const auto judgement = co_await verify::verify(executor, run);
  run.note(verify::end_line());
  const auto synced = run.journal.sync();
  signals.cancel();
  if (!judgement) co_return complain("verify", judgement.error().context, kFailed);
  if (!synced) co_return complain("verify", "--journal " + synced.error().context, kFailed);
  print(run.options.json ? verify::json_report(run, *judgement)
                         : verify::text_report(run, *judgement));
  co_return judgement->good() ? kDone : kFailed;
}

int verify_main(const Invocation& invocation) {
  const auto options = verify::parse_verify_options(invocation.flags);
  if (!options) return complain("verify", options.error());
  auto run = options->check.empty() ? new_run(*options) : run_of_journal(*options);
  if (!run) return complain("verify", run.error());
  return run_client([&](auto executor) { return run_verify(executor, **run); });
}

}  // namespace

CommandSpec verify_command() {
  return CommandSpec{
      .path = "verify",
      .summary = "Append, read everything back, and judge whether the node kept its promises",
      .arguments = {},
      .flags = verify::verify_flags(),
      .examples =
          "  clouduler verify --duration 60\n"
          "      restart the node, or kill it, while this runs\n"
          "  clouduler verify --journal before.journal --duration 10\n"
          "  clouduler verify --check before.journal\n"
          "      append before a disaster, judge after it\n"
          "Reports records that are lost, duplicated, reordered, torn or phantom (there though\n"
          "nobody sent them), with the first ten; exits 1 if there are any. docs/verify.md says\n"
          "what each of them means.\n",
      .run = verify_main};
}

}  // namespace app
