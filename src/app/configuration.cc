#include "berth/app/configuration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/model/quantity.h"
#include "berth/model/resources.h"
#include "berth/model/selector.h"
#include "berth/model/time.h"
#include "configuration_reader.h"

namespace berth::app {
namespace {

using Key = ConfigurationReader::Key;

constexpr std::string_view kApiVersion = "berth/v1alpha1";
constexpr std::string_view kKind = "BerthConfiguration";
constexpr std::size_t kMaxListItems = 64;
constexpr float kMaxWeight = 1000.0F;
constexpr std::chrono::hours kMaxGrace{24 * 365};

/// Reads one configuration; what fails leaves the default in place.
class Sections {
 public:
  explicit Sections(std::string_view file) : reader_(file) {}

  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }
  [[nodiscard]] Configuration take() { return std::move(configuration_); }

  void document(const Located& at) {
    bool has_version = false;
    bool has_kind = false;
    const auto constant = [this](std::string_view want, bool& has) {
      return [this, want, &has](const Located& value) {
        has = reader_.word(value, std::span(&want, 1)).has_value();
      };
    };
    reader_.map(at, {{"apiVersion", constant(kApiVersion, has_version)},
                     {"kind", constant(kKind, has_kind)},
                     {"listen", endpoint(configuration_.listen)},
                     {"adminListen", endpoint(configuration_.admin_listen)},
                     {"tls", [this](const Located& value) { tls(value); }},
                     {"log", [this](const Located& value) { log(value); }},
                     {"limits", [this](const Located& value) { limits(value); }},
                     {"policy", [this](const Located& value) { policy(value); }}});
    if (!has_version) reader_.fail(at, "apiVersion is missing; it must be berth/v1alpha1");
    if (!has_kind) reader_.fail(at, "kind is missing; it must be BerthConfiguration");
  }

 private:
  using Read = std::function<void(const Located&)>;

  Read endpoint(Endpoint& target) {
    return [this, &target](const Located& at) {
      const auto text = reader_.scalar(at, "ADDR:PORT");
      if (!text) return;
      auto parsed = parse_endpoint(*text);
      if (!parsed) return reader_.fail(at, parsed.error().message);
      target = *std::move(parsed);
    };
  }

  Read string(std::string& target) {
    return [this, &target](const Located& at) {
      if (auto text = reader_.string(at)) target = *std::move(text);
    };
  }

  /// One of the words that `parse` knows.
  template <typename T, std::size_t N>
  Read word(T& target, std::optional<T> (*parse)(std::string_view),
            const std::array<std::string_view, N>& words) {
    return [this, &target, parse, words](const Located& at) {
      const auto text = reader_.word(at, words);
      if (text) target = parse(*text).value_or(target);
    };
  }

  /// A word whose like is planned: says which exist already.
  template <typename T, std::size_t N, std::size_t M>
  Read growing_word(T& target, std::optional<T> (*parse)(std::string_view),
                    const std::array<std::string_view, N>& words,
                    const std::array<std::string_view, M>& planned) {
    return [this, &target, parse, words, planned](const Located& at) {
      if (std::find(planned.begin(), planned.end(), at.value.text) != planned.end()) {
        return reader_.fail(at, shown(at.value.text) + " is not there yet in this release; use " +
                                    list_words(words));
      }
      word(target, parse, words)(at);
    };
  }

  Read file_name(std::string& target) {
    return [this, &target](const Located& at) {
      auto text = reader_.string(at);
      if (!text) return;
      if (text->empty() || text->find('\0') != std::string::npos) {
        return reader_.fail(at, shown(*text) + " is not the name of a file");
      }
      target = *std::move(text);
    };
  }

  void tls(const Located& at) {
    TlsConfiguration& tls = configuration_.tls;
    reader_.map(at, {{"certFile", file_name(tls.certificate_file)},
                     {"keyFile", file_name(tls.key_file)},
                     {"clientCAFile", file_name(tls.client_ca_file)}});
    if (tls.certificate_file.empty() != tls.key_file.empty()) {
      reader_.fail(at, "certFile and keyFile come together");
    } else if (!tls.client_ca_file.empty() && tls.certificate_file.empty()) {
      reader_.fail(at, "clientCAFile needs certFile and keyFile");
    }
  }

  void log(const Located& at) {
    constexpr std::array<std::string_view, 2> kFormats = {"text", "json"};
    constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warn", "error"};
    LogConfiguration& log = configuration_.log;
    reader_.map(at, {{"format", word(log.format, telemetry::parse_log_format, kFormats)},
                     {"level", word(log.level, telemetry::parse_log_level, kLevels)}});
  }

  void limits(const Located& at) {
    LimitsConfiguration& limits = configuration_.limits;
    codec::ExtenderLimits& extender = limits.extender;
    reader_.map(at, {{"namesBodyBytes", bytes(extender.names_body_bytes)},
                     {"nodesBodyBytes", bytes(extender.nodes_body_bytes)},
                     {"bodyBytesInFlight", bytes(limits.body_bytes_in_flight)},
                     {"nodesPerRequest", count(extender.nodes, 1, 10'000'000)},
                     {"nameBytes", count(extender.name_bytes, 253, 1 << 20)},
                     {"depth", count(extender.depth, 16, 256)},
                     {"objectBytes", bytes(extender.object_bytes)},
                     {"connections", count(limits.connections, 1, 10'000)},
                     {"threads", count(limits.threads, 4, 10'000)},
                     {"keepAlive", timeout(limits.keep_alive)},
                     {"readTimeout", timeout(limits.read_timeout)},
                     {"bodyTimeout", timeout(limits.body_timeout)},
                     {"staleAfter", timeout(limits.stale_after)}});
    const std::size_t largest = std::max(extender.names_body_bytes, extender.nodes_body_bytes);
    if (limits.body_bytes_in_flight < largest) {
      reader_.fail(at, "bodyBytesInFlight is smaller than one body may be");
    }
  }

  Read bytes(std::size_t& target) {
    return [this, &target](const Located& at) {
      constexpr std::int64_t kLeast = 1024;
      constexpr std::int64_t kMost = std::int64_t{64} << 30;
      constexpr std::string_view kWhat = "a size from 1Ki to 64Gi, such as 64Mi";
      const auto text = reader_.scalar(at, kWhat);
      if (!text) return;
      const auto quantity = model::parse_quantity(*text);
      if (looks_octal(*text) || !quantity || quantity->value() < kLeast ||
          quantity->value() > kMost) {
        return reader_.fail(at, shown(*text) + " is not " + std::string(kWhat));
      }
      target = static_cast<std::size_t>(quantity->value());
    };
  }

  Read count(std::size_t& target, std::int64_t least, std::int64_t most) {
    return [this, &target, least, most](const Located& at) {
      if (const auto value = reader_.integer(at, least, most)) {
        target = static_cast<std::size_t>(*value);
      }
    };
  }

  std::optional<Duration> duration(const Located& at, Duration least, Duration most,
                                   std::string_view what) {
    const auto text = reader_.scalar(at, what);
    if (!text) return std::nullopt;
    const auto parsed = model::parse_duration(*text);
    if (parsed && *parsed >= least && *parsed <= most) return *parsed;
    reader_.fail(at, shown(*text) + " is not " + std::string(what));
    return std::nullopt;
  }

  Read timeout(std::chrono::milliseconds& target) {
    return [this, &target](const Located& at) {
      constexpr std::string_view kWhat = "a duration from 1ms to 24h, such as 5s or 1m30s";
      const auto value = duration(at, std::chrono::milliseconds(1), std::chrono::hours(24), kWhat);
      if (value) target = std::chrono::duration_cast<std::chrono::milliseconds>(*value);
    };
  }

  void policy(const Located& at) {
    constexpr std::array<std::string_view, 2> kStrategies = {"pack", "spread"};
    constexpr std::array<std::string_view, 4> kPlannedStrategies = {"fragmentation", "fgd",
                                                                    "best-fit", "first-fit"};
    constexpr std::array<std::string_view, 2> kAnswers = {"graded", "decisive"};
    constexpr std::array<std::string_view, 1> kPlannedAnswers = {"single"};
    placement::Policy& policy = configuration_.policy;
    reader_.map(at, {{"gpu", [this](const Located& value) { gpu(value); }},
                     {"affinity", [this](const Located& value) { affinity(value); }},
                     {"strategy", growing_word(policy.strategy, placement::parse_strategy,
                                               kStrategies, kPlannedStrategies)},
                     {"weights", [this](const Located& value) { weights(value); }},
                     {"resourceWeights", [this](const Located& value) { resource_weights(value); }},
                     {"answer", growing_word(policy.answer, placement::parse_answer_form, kAnswers,
                                             kPlannedAnswers)}});
  }

  void gpu(const Located& at) {
    model::GpuPolicy& gpu = configuration_.policy.gpu;
    reader_.map(at, {{"resources", [this](const Located& value) { gpu_resources(value); }},
                     {"labelRule", [this](const Located& value) { label_rule(value); }},
                     {"modelLabel", label_key(gpu.model_label)}});
  }

  void gpu_resources(const Located& at) {
    std::vector<std::string> patterns;
    reader_.sequence(at, kMaxListItems, [&](const Located& item) {
      auto text = reader_.string(item);
      if (text && check_pattern(item, *text)) patterns.push_back(*std::move(text));
    });
    if (at.value.items.empty()) reader_.fail(at, "needs at least one GPU resource");
    configuration_.policy.gpu.resources = std::move(patterns);
  }

  bool check_pattern(const Located& at, const std::string& pattern) {
    constexpr std::string_view kCharacters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-*";
    constexpr std::size_t kLongest = 317;  // a DNS name, a slash and a name
    if (pattern.empty() || pattern.size() > kLongest ||
        pattern.find_first_not_of(kCharacters) != std::string::npos) {
      reader_.fail(at, shown(pattern) + " is not a resource name; use letters, digits, '.', '/', " +
                           "'_', '-', and '*' for any characters");
      return false;
    }
    for (const std::string_view native :
         {model::kCpu, model::kMemory, model::kEphemeralStorage, model::kPods}) {
      if (!model::matches_pattern(pattern, native)) continue;
      reader_.fail(at, shown(pattern) + " would make " + std::string(native) + " a GPU resource");
      return false;
    }
    return true;
  }

  void label_rule(const Located& at) {
    std::vector<model::NodeSelectorRequirement> rule;
    reader_.sequence(at, kMaxListItems,
                     [&](const Located& item) { rule.push_back(requirement(item)); });
    configuration_.policy.gpu.label_rule = std::move(rule);
  }

  model::NodeSelectorRequirement requirement(const Located& at) {
    constexpr std::array<std::string_view, 6> kOperators = {"In",           "NotIn", "Exists",
                                                            "DoesNotExist", "Gt",    "Lt"};
    model::NodeSelectorRequirement requirement;
    reader_.map(at, {{"key", string(requirement.key)},
                     {"operator",
                      [&](const Located& value) {
                        if (const auto text = reader_.word(value, kOperators)) {
                          requirement.op = model::parse_node_selector_operator(*text);
                        }
                      }},
                     {"values", [&](const Located& value) {
                        reader_.sequence(value, kMaxListItems, [&](const Located& item) {
                          if (auto text = reader_.string(item)) {
                            requirement.values.push_back(*std::move(text));
                          }
                        });
                      }}});
    if (requirement.op == model::NodeSelectorOperator::kUnknown) {
      reader_.fail(at, "operator is missing; use " + list_words(kOperators));
    } else if (const Status valid = model::validate(requirement); !valid) {
      reader_.fail(at, valid.error().message);
    }
    return requirement;
  }

  /// A qualified name, as labels and annotations have them.
  Read label_key(std::string& target) {
    return [this, &target](const Located& at) {
      auto text = reader_.string(at);
      if (!text) return;
      const Status valid = model::validate({*text, model::NodeSelectorOperator::kExists, {}});
      if (!valid) return reader_.fail(at, valid.error().message);
      target = *std::move(text);
    };
  }

  void affinity(const Located& at) {
    constexpr std::array<std::string_view, 2> kModes = {"soft", "hard"};
    placement::Policy& policy = configuration_.policy;
    reader_.map(at, {{"mode", word(policy.affinity_mode, placement::parse_affinity_mode, kModes)},
                     {"annotation", label_key(policy.affinity_annotation)},
                     {"grace", [this](const Located& value) {
                        constexpr std::string_view kWhat =
                            "a duration up to 8760h, such as 10m, 90s or 1h30m";
                        const auto grace = duration(value, Duration::zero(), kMaxGrace, kWhat);
                        if (grace) configuration_.policy.gpu.grace = *grace;
                      }}});
  }

  Read weight(float& target) {
    return [this, &target](const Located& at) {
      target = reader_.number(at, 0.0F, kMaxWeight).value_or(target);
    };
  }

  void weights(const Located& at) {
    placement::ScoreWeights& weights = configuration_.policy.weights;
    reader_.map(at, {{"affinity", weight(weights.affinity)}, {"packing", weight(weights.packing)}});
  }

  void resource_weights(const Located& at) {
    placement::ScoreWeights& weights = configuration_.policy.weights;
    reader_.map(at, {{"gpu", weight(weights.gpu)},
                     {"cpu", weight(weights.cpu)},
                     {"memory", weight(weights.memory)}});
    if (!(weights.gpu + weights.cpu + weights.memory > 0)) {
      reader_.fail(at, "at least one weight must be above 0");
    }
  }

  ConfigurationReader reader_;
  Configuration configuration_;
};

Error at_place(std::string_view file, const codec::YamlProblem& problem) {
  return {ErrorCode::kInvalidArgument, std::string(file) + ":" + std::to_string(problem.line) +
                                           ":" + std::to_string(problem.column) + ": " +
                                           problem.message};
}

auto fields(const codec::ExtenderLimits& limits) {
  return std::tie(limits.names_body_bytes, limits.nodes_body_bytes, limits.nodes, limits.depth,
                  limits.name_bytes, limits.object_bytes);
}

auto fields(const LimitsConfiguration& limits) {
  return std::tuple_cat(
      fields(limits.extender),
      std::tie(limits.body_bytes_in_flight, limits.connections, limits.threads, limits.keep_alive,
               limits.read_timeout, limits.body_timeout, limits.stale_after));
}

}  // namespace

Result<Configuration> parse_configuration(std::string_view text, std::string_view file) {
  try {
    std::vector<codec::YamlValue> documents;
    codec::YamlProblem problem;
    codec::YamlLimits limits;
    limits.bytes = kMaxConfigurationBytes;
    if (!codec::parse_yaml(text, limits, documents, problem)) return at_place(file, problem);
    if (documents.empty()) {
      return at_place(file, {1, 1,
                             "empty; apiVersion berth/v1alpha1 and kind " + std::string(kKind) +
                                 " are needed"});
    }
    if (documents.size() > 1) {
      const codec::YamlValue& second = documents[1];
      return at_place(file, {second.line, second.column, "a second document; only one is read"});
    }
    Sections sections(file);
    sections.document({documents.front(), ""});
    if (sections.error()) return *sections.error();
    return sections.take();
  } catch (const std::exception& exception) {  // out of memory, if anything
    return Error{ErrorCode::kInternal, std::string(file) + ": " + exception.what()};
  }
}

std::vector<std::string_view> differences_beyond_policy(const Configuration& a,
                                                        const Configuration& b) {
  std::vector<std::string_view> names;
  if (a.listen != b.listen) names.emplace_back("listen");
  if (a.admin_listen != b.admin_listen) names.emplace_back("adminListen");
  if (a.tls != b.tls) names.emplace_back("tls");
  if (a.log != b.log) names.emplace_back("log");
  if (fields(a.limits) != fields(b.limits)) names.emplace_back("limits");
  return names;
}

}  // namespace berth::app
