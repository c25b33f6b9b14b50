/// Log lines: key=value (logfmt) or JSON, one line per event, never one per node.
///
///     time=2026-11-30T12:00:00.250Z level=info msg="cluster loaded" nodes=12 pods=40
///     {"time":"2026-11-30T12:00:00.250Z","level":"info","msg":"cluster
///     loaded","nodes":12,"pods":40}
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace berth::telemetry {

enum class LogFormat : std::uint8_t { kText, kJson };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

[[nodiscard]] std::optional<LogFormat> parse_log_format(std::string_view text);  ///< text, json
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view text);
[[nodiscard]] std::string_view to_string(LogFormat format);
[[nodiscard]] std::string_view to_string(LogLevel level);  ///< debug, info, warn, error

/// The value of a field. Text may be anything, also what a client sent: it is escaped, and cut
/// after Log::kMaxValueBytes. A value never outlives the statement that logs it.
class LogValue {
 public:
  LogValue(const char* text) : value_(std::string_view(text)) {}         // NOLINT: fields read
  LogValue(std::string_view text) : value_(text) {}                      // NOLINT: as literals
  LogValue(const std::string& text) : value_(std::string_view(text)) {}  // NOLINT
  LogValue(bool truth) : value_(truth) {}                                // NOLINT
  LogValue(double number) : value_(number) {}                            // NOLINT
  template <std::signed_integral T>
  LogValue(T number) : value_(std::int64_t{number}) {}  // NOLINT
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) LogValue(T number) : value_(std::uint64_t{number}) {}  // NOLINT

  using Value = std::variant<std::string_view, bool, double, std::int64_t, std::uint64_t>;
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  Value value_;
};

/// Keys are literals of ours: letters, digits, underscores.
struct LogField {
  std::string_view key;
  LogValue value;
};
using LogFields = std::initializer_list<LogField>;

struct LogOptions {
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;
  /// Takes every finished line (with its newline) instead of stderr; never called twice at once.
  std::function<void(std::string_view line)> sink;
};

/// Thread-safe; never throws. A line that cannot be written is lost.
/// Cost: below the level one comparison, else formatting and one locked write.
class Log {
 public:
  static constexpr std::size_t kMaxValueBytes = 2048;

  explicit Log(const LogOptions& options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool enabled(LogLevel level) const { return level >= level_; }
  void write(LogLevel level, std::string_view message, LogFields fields = {});

  void debug(std::string_view m, LogFields f = {}) { write(LogLevel::kDebug, m, f); }
  void info(std::string_view m, LogFields f = {}) { write(LogLevel::kInfo, m, f); }
  void warn(std::string_view m, LogFields f = {}) { write(LogLevel::kWarn, m, f); }
  void error(std::string_view m, LogFields f = {}) { write(LogLevel::kError, m, f); }

 private:
  struct Impl;
  LogLevel level_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::telemetry
