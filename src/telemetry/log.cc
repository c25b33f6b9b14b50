#include "berth/telemetry/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <charconv>
#include <cmath>
#include <mutex>
#include <utility>

#include "quoting.h"

namespace berth::telemetry {
namespace {

/// Hands finished lines to a function.
class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    take_({line.data(), line.size()});
  }
  void flush_() override {}

  std::function<void(std::string_view)> take_;
};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

template <typename Number>
void append_number(std::string& line, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

void append_value(std::string& line, LogFormat format, const LogValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value.value())) {
    const std::string_view shown = text->substr(0, Log::kMaxValueBytes);
    if (format == LogFormat::kText && is_bare(shown)) {
      line += shown;
    } else {
      line += quote(shown);
    }
  } else if (const auto* truth = std::get_if<bool>(&value.value())) {
    line += *truth ? "true" : "false";
  } else if (const auto* real = std::get_if<double>(&value.value())) {
    if (std::isfinite(*real)) {
      append_number(line, *real);
    } else {
      line += "null";  // JSON has no other word for it
    }
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.value())) {
    append_number(line, *integer);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value.value())) {
    append_number(line, *natural);
  }
}

void append_field(std::string& line, LogFormat format, std::string_view key,
                  const LogValue& value) {
  if (format == LogFormat::kJson) {
    if (!line.empty()) line += ',';
    line += '"';
    line += key;
    line += "\":";
  } else {
    if (!line.empty()) line += ' ';
    line += key;
    line += '=';
  }
  append_value(line, format, value);
}

std::unique_ptr<spdlog::logger> make_logger(const LogOptions& options) {
  std::shared_ptr<spdlog::sinks::sink> sink;
  if (options.sink) {
    sink = std::make_shared<FunctionSink>(options.sink);
  } else {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
  auto logger = std::make_unique<spdlog::logger>("berth", std::move(sink));
  const char* pattern = options.format == LogFormat::kJson
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})"
                            : "time=%Y-%m-%dT%H:%M:%S.%eZ %v";
  logger->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc, "\n"));
  logger->set_level(spdlog_level(options.level));
  logger->flush_on(spdlog::level::trace);
  logger->set_error_handler([](const std::string&) {});  // a closed stderr is nobody's fault
  return logger;
}

}  // namespace

struct Log::Impl {
  LogFormat format;
  std::unique_ptr<spdlog::logger> logger;
};

Log::Log(const LogOptions& options)
    : level_(options.level),
      impl_(std::make_unique<Impl>(Impl{options.format, make_logger(options)})) {}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, LogFields fields) {
  if (!enabled(level)) return;
  std::string line;
  append_field(line, impl_->format, "level", to_string(level));
  append_field(line, impl_->format, "msg", message);
  for (const LogField& field : fields) append_field(line, impl_->format, field.key, field.value);
  impl_->logger->log(spdlog::source_loc{}, spdlog_level(level),
                     spdlog::string_view_t(line.data(), line.size()));
}

std::optional<LogFormat> parse_log_format(std::string_view text) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    if (text == to_string(format)) return format;
  }
  return std::nullopt;
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (text == to_string(level)) return level;
  }
  return std::nullopt;
}

std::string_view to_string(LogFormat format) {
  return format == LogFormat::kJson ? "json" : "text";
}

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

}  // namespace berth::telemetry
