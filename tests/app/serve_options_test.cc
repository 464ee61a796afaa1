#include "app/serve_options.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;
using Given = std::map<std::string, std::string>;

core::Result<ServeOptions> parse(const Given& given, const Given& environment = {}) {
  const Environment look_up = [&](const std::string& name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    if (it == environment.end()) return std::nullopt;
    return it->second;
  };
  return parse_serve_options(Flags(serve_flags(), given, look_up));
}

std::string refusal(const Given& given, const Given& environment = {}) {
  const auto options = parse(given, environment);
  if (options) return "accepted";
  EXPECT_EQ(options.error().code, core::Errc::invalid);
  EXPECT_EQ(options.error().context.find('\n'), std::string::npos);
  return options.error().context;
}

TEST(ServeOptionsTest, WithoutFlagsItIsACompleteNodeUnderData) {
  const auto options = parse({});
  ASSERT_TRUE(options.has_value()) << options.error().context;
  EXPECT_EQ(options->node_id, core::NodeId{1});
  EXPECT_EQ(options->listen, (HostPort{"127.0.0.1", 4437}));
  EXPECT_EQ(options->admin_listen, (HostPort{"127.0.0.1", 9090}));
  EXPECT_EQ(options->meta, (MetaUrl{false, "./data/meta.db"}));
  EXPECT_EQ(options->storage_path, "./data/objects");
  EXPECT_EQ(options->wal, (WalUrl{WalKind::local, "./data/wal"}));
  EXPECT_EQ(options->heartbeat_interval, 5s);
  EXPECT_EQ(options->node_timeout, 30s);
  EXPECT_EQ(options->shutdown_drain, 0s);
  EXPECT_EQ(options->shutdown_timeout, 30s);
  EXPECT_EQ(options->long_poll_timeout, 25s);
  EXPECT_EQ(options->sse_max_duration, 55s);
  EXPECT_EQ(options->max_body_bytes, 10U << 20);
  EXPECT_FALSE(options->http_address.has_value());
}

TEST(ServeOptionsTest, TheDataDirectoryMovesAllThatIsNotNamed) {
  const auto options = parse({{"data-dir", "/d"}, {"wal", "chain+file:///w"}});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->meta.path, "/d/meta.db");
  EXPECT_EQ(options->storage_path, "/d/objects");
  EXPECT_EQ(options->wal, (WalUrl{WalKind::chain, "/w"}));
}

TEST(ServeOptionsTest, UrlsSayWhereThingsLie) {
  const auto options = parse({{"meta-url", "sqlite::memory:"},
                              {"storage", "file://./o"},
                              {"wal", "file://w"},
                              {"http-address", "http://n1.example:80/"}});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->meta.in_memory);
  EXPECT_EQ(options->storage_path, "./o");
  EXPECT_EQ(options->wal.path, "w");
  EXPECT_EQ(options->http_address->text(), "http://n1.example:80");
}

TEST(ServeOptionsTest, TimesTakeFractions) {
  const auto options = parse({{"heartbeat-interval-sec", "0.5"}, {"node-timeout-sec", "1.25"}});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->heartbeat_interval, 500ms);
  EXPECT_EQ(options->node_timeout, 1250ms);
}

TEST(ServeOptionsTest, AFlagWinsOverItsVariable) {
  const auto options =
      parse({{"slots", "3"}}, {{"CLOUDULER_SLOTS", "2"}, {"CLOUDULER_CLUSTER_ID", "blue"}});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->slots, 3U);
  EXPECT_EQ(options->cluster_id, "blue");
}

TEST(ServeOptionsTest, EveryFlagHasItsVariable) {
  for (const FlagSpec& flag : serve_flags()) {
    if (flag.value.empty()) continue;  // Switches: below.
    EXPECT_NE(refusal({}, {{env_name(flag.name), "\x01 no value"}}), "") << flag.name;
  }
  EXPECT_EQ(refusal({}, {{"CLOUDULER_INSECURE_ALLOW_REMOTE", "perhaps"}}),
            "CLOUDULER_INSECURE_ALLOW_REMOTE=perhaps: must be true or false");
}

TEST(ServeOptionsTest, ABadVariableIsNamedAsSuch) {
  EXPECT_EQ(refusal({}, {{"CLOUDULER_NODE_ID", "x"}}),
            "CLOUDULER_NODE_ID=x: must be a whole number");
}

TEST(ServeOptionsTest, WhatArrivesWithTheClusterIsRecognisedAndRefused) {
  for (const auto& [flag, value] :
       Given{{"meta-url", "postgres://u@h/d"}, {"storage", "s3://bucket?region=x"}}) {
    EXPECT_TRUE(refusal({{flag, value}})
                    .starts_with("--" + flag + " " + value + ": arrives with the cluster"));
  }
  for (const char* url : {"s3://b", "postgres://h/d", "postgresql://h/d"}) {
    EXPECT_NE(refusal({{"wal", url}}).find("arrives with the cluster"), std::string::npos);
  }
}

TEST(ServeOptionsTest, UnknownSchemesAreRefused) {
  EXPECT_EQ(refusal({{"meta-url", "mysql://x"}}),
            "--meta-url mysql://x: must be sqlite:PATH or sqlite::memory:");
  EXPECT_EQ(refusal({{"storage", "./objects"}}), "--storage ./objects: must be file://DIR");
  EXPECT_EQ(refusal({{"wal", "chain://x"}}),
            "--wal chain://x: must be file://DIR or chain+file://DIR");
  EXPECT_NE(refusal({{"storage", "file://"}}).find("must name a path"), std::string::npos);
  EXPECT_NE(refusal({{"storage", "file://x?y=1"}}).find("no ?options"), std::string::npos);
  EXPECT_NE(refusal({{"http-address", "n1:80"}}).find("http://HOST:PORT"), std::string::npos);
  EXPECT_NE(refusal({{"http-address", "https://n1"}}).find("https"), std::string::npos);
}

TEST(ServeOptionsTest, OneDirectoryIsNotTwoThings) {
  EXPECT_NE(refusal({{"storage", "file://x"}, {"wal", "file://x"}}), "accepted");
}

TEST(ServeOptionsTest, AListenerBeyondThisMachineNeedsPermission) {
  for (const char* flag : {"listen", "admin-listen"}) {
    for (const char* address : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1"}) {
      EXPECT_NE(refusal({{flag, address}}).find("--insecure-allow-remote"), std::string::npos);
      EXPECT_TRUE(parse({{flag, address}, {"insecure-allow-remote", "true"}}).has_value());
    }
    for (const char* address : {"127.0.0.9:1", "[::1]:1", "localhost:0"}) {
      EXPECT_TRUE(parse({{flag, address}}).has_value()) << address;
    }
  }
}

TEST(ServeOptionsTest, ListenersMustMakeSense) {
  for (const char* address : {"4437", "127.0.0.1", "127.0.0.1:", ":1", "127.0.0.1:65536",
                              "127.0.0.1:x", "example.org:80", "[::1]", "127.0.0.1:-1", ""}) {
    EXPECT_NE(refusal({{"listen", address}}), "accepted") << address;
  }
  EXPECT_NE(refusal({{"listen", "127.0.0.1:9090"}}).find("must differ"), std::string::npos);
}

TEST(ServeOptionsTest, TheNodeTimeoutMustExceedTheHeartbeatInterval) {
  EXPECT_EQ(refusal({{"node-timeout-sec", "5"}}),
            "--node-timeout-sec 5: must be greater than --heartbeat-interval-sec (5)");
  EXPECT_NE(refusal({{"heartbeat-interval-sec", "0"}}), "accepted");
}

TEST(ServeOptionsTest, NumbersMustBeNumbersWithinBounds) {
  for (const auto& [flag, value] : Given{{"node-id", "0"},
                                         {"slots", "0"},
                                         {"node-id", "-1"},
                                         {"network-threads", "1000"},
                                         {"max-body-bytes", "0"},
                                         {"log-cache-bytes", "10x"},
                                         {"block-cache-bytes", "1"},
                                         {"long-poll-timeout-sec", "0"},
                                         {"cluster-id", "a b"},
                                         {"sse-max-duration-sec", "1e3"},
                                         {"log-level", "loud"},
                                         {"shutdown-timeout-sec", "-1"}}) {
    const std::string line = refusal({{flag, value}});
    EXPECT_TRUE(line.starts_with("--" + flag + " " + value + ": ")) << line;
  }
}

TEST(ServeOptionsTest, KafkaFlagsAreNotAcceptedInSilence) {
  EXPECT_NE(refusal({{"kafka-listen", "127.0.0.1:9092"}}).find("not served"), std::string::npos);
  EXPECT_NE(refusal({}, {{"CLOUDULER_KAFKA_ADVERTISE", "h:1"}}).find("not served"),
            std::string::npos);
  EXPECT_TRUE(parse({{"no-kafka", "true"}}).has_value());
}

}  // namespace
}  // namespace app
