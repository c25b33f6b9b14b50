/// The configuration file: `apiVersion: berth/v1alpha1, kind: BerthConfiguration`.
///
/// docs/configuration.md shows every key with its default; a test compares it with the defaults
/// below.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "berth/app/endpoint.h"
#include "berth/base/result.h"
#include "berth/codec/extender_args.h"
#include "berth/placement/policy.h"
#include "berth/telemetry/log.h"

namespace berth::app {

struct LimitsConfiguration {
  codec::ExtenderLimits extender;
  std::size_t body_bytes_in_flight = std::size_t{1} << 30;
  std::size_t connections = 1024;
  std::size_t threads = 576;
  std::chrono::milliseconds keep_alive{180'000};
  std::chrono::milliseconds read_timeout{5'000};
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds stale_after{180'000};
};

/// Plain HTTP when certificate_file is empty; certificate and key come together.
struct TlsConfiguration {
  std::string certificate_file;
  std::string key_file;
  std::string client_ca_file;  ///< empty: clients need no certificate
  friend bool operator==(const TlsConfiguration&, const TlsConfiguration&) = default;
};

struct LogConfiguration {
  telemetry::LogFormat format = telemetry::LogFormat::kText;
  telemetry::LogLevel level = telemetry::LogLevel::kInfo;
  friend bool operator==(const LogConfiguration&, const LogConfiguration&) = default;
};

/// Value type.
struct Configuration {
  Endpoint listen{"127.0.0.1", 8888};
  Endpoint admin_listen{"127.0.0.1", 8889};
  TlsConfiguration tls;
  LogConfiguration log;
  LimitsConfiguration limits;
  placement::Policy policy;
};

inline constexpr std::size_t kMaxConfigurationBytes = std::size_t{1} << 20;

/// Strict: an unknown, misspelt or repeated key and a wrong type or value are errors; null counts
/// as absent, but apiVersion and kind are required. `file` only names the file in messages.
/// Never throws, whatever the text: size, nesting and number of values are bounded, anchors and
/// tags refused. Error: kInvalidArgument, "FILE:LINE:COLUMN: path.of.the.key: what is wrong, what
/// is allowed".
[[nodiscard]] Result<Configuration> parse_configuration(std::string_view text,
                                                        std::string_view file);

/// The top-level keys other than policy in which the two differ: changing them needs a restart.
[[nodiscard]] std::vector<std::string_view> differences_beyond_policy(const Configuration& a,
                                                                      const Configuration& b);

}  // namespace berth::app
