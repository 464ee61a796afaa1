#include "app/quantity.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

namespace app {
namespace {

using core::Errc;
using core::fail;

constexpr std::uint64_t kMicros = 1'000'000;
constexpr std::uint64_t kLongestSeconds = 366ULL * 24 * 3600;

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  if (!is_digits(text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

core::Result<std::uint16_t> parse_port(std::string_view text) {
  const auto port = digits(text);
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) {
    return fail(Errc::invalid, "the port must be a number from 0 to 65535");
  }
  return static_cast<std::uint16_t>(*port);
}

/// Splits `host:port` and `[v6]:port`; the port is empty if there is none.
std::pair<std::string_view, std::string_view> split_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return {text, {}};
    const auto rest = text.substr(close + 1);
    return {text.substr(1, close - 1), rest.starts_with(':') ? rest.substr(1) : rest};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string join_port(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

core::Result<std::uint64_t> parse_count(std::string_view text) {
  const auto value = digits(text);
  if (!value) return fail(Errc::invalid, "must be a whole number");
  return *value;
}

core::Result<core::Time> parse_seconds(std::string_view text) {
  const auto rule = "must be a number of seconds such as 5 or 0.5, at most a year";
  const auto dot = text.find('.');
  const auto whole = digits(text.substr(0, dot));
  if (!whole || *whole > kLongestSeconds) return fail(Errc::invalid, rule);
  std::uint64_t micros = *whole * kMicros;
  if (dot != std::string_view::npos) {
    const auto fraction = text.substr(dot + 1, 6);
    if (!is_digits(text.substr(dot + 1))) return fail(Errc::invalid, rule);
    std::uint64_t part = *digits(fraction);
    for (std::size_t i = fraction.size(); i < 6; ++i) part *= 10;
    micros += part;
  }
  return core::Time(static_cast<core::Time::rep>(micros));
}

core::Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto rule = "must be a number of bytes such as 4096, 64k, 10MiB or 2G";
  const auto unit_at =
      std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) == 0; }) -
      text.begin();
  const auto value = digits(text.substr(0, static_cast<std::size_t>(unit_at)));
  const std::string unit = lower(text.substr(static_cast<std::size_t>(unit_at)));
  if (!value) return fail(Errc::invalid, rule);
  if (unit.empty() || unit == "b") return *value;
  const auto power = std::string_view("kmgt").find(unit[0]);
  const std::string tail = unit.substr(1);
  if (power == std::string_view::npos || !(tail.empty() || tail == "b" || tail == "ib")) {
    return fail(Errc::invalid, rule);
  }
  const auto shift = 10 * (power + 1);
  if (*value > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    return fail(Errc::invalid, rule);
  }
  return *value << shift;
}

core::Result<bool> parse_switch(std::string_view text) {
  const std::string word = lower(text);
  if (word == "1" || word == "true" || word == "yes" || word == "on") return true;
  if (word == "0" || word == "false" || word == "no" || word == "off") return false;
  return fail(Errc::invalid, "must be true or false");
}

bool HostPort::is_loopback() const {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return error ? host == "localhost" : address.is_loopback();
}

std::string HostPort::text() const {
  return join_port(host, port);
}

core::Result<HostPort> parse_listener(std::string_view text) {
  const auto [host, port_text] = split_port(text);
  if (host.empty() || port_text.empty()) {
    return fail(Errc::invalid, "must be ADDRESS:PORT such as 127.0.0.1:4437 or [::1]:4437");
  }
  TRY(const auto port, parse_port(port_text));
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(host), error);
  if (error && host != "localhost") {
    return fail(Errc::invalid, "the host must be an IP address or localhost");
  }
  return HostPort{std::string(host), port};
}

std::string HttpUrl::authority() const {
  return join_port(host, port);
}
std::string HttpUrl::text() const {
  return "http://" + authority() + path;
}

core::Result<HttpUrl> parse_http_url(std::string_view text) {
  const auto rule = "must be a URL of the form http://HOST:PORT";
  constexpr std::string_view kScheme = "http://";
  if (lower(text.substr(0, 8)) == "https://") {
    return fail(Errc::invalid, "https is not spoken here; put a proxy in front and use http://");
  }
  if (lower(text.substr(0, kScheme.size())) != kScheme) return fail(Errc::invalid, rule);
  text.remove_prefix(kScheme.size());
  const auto slash = text.find('/');
  std::string_view path = slash == std::string_view::npos ? "" : text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  const auto [host, port_text] = split_port(text.substr(0, slash));
  const auto is_odd = [](unsigned char c) {
    return std::isspace(c) != 0 || std::iscntrl(c) != 0 || c == '?' || c == '#' || c == '@';
  };
  if (host.empty() || std::any_of(text.begin(), text.end(), is_odd)) {
    return fail(Errc::invalid, rule);
  }
  HttpUrl url{.host = std::string(host), .port = 80, .path = std::string(path)};
  if (!port_text.empty()) {
    TRY(url.port, parse_port(port_text));
    if (url.port == 0) return fail(Errc::invalid, "the port must not be 0");
  }
  return url;
}

}  // namespace app
