#include "berth/app/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace berth::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kHead = "apiVersion: berth/v1alpha1\nkind: BerthConfiguration\n";

/// `body` starts on line 3.
Result<Configuration> parse(std::string_view body) {
  return parse_configuration(std::string(kHead) + std::string(body), "f.yaml");
}

/// The one yaml block of docs/configuration.md.
std::string documented_example() {
  std::ifstream file(BERTH_SOURCE_DIR "/docs/configuration.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string fence = "```yaml\n";
  const std::size_t start = text.find(fence) + fence.size();
  return text.substr(start, text.find("```", start) - start);
}

void expect_defaults(const Configuration& got) {
  const Configuration defaults;
  EXPECT_THAT(differences_beyond_policy(got, defaults), IsEmpty());
  EXPECT_EQ(got.policy, defaults.policy);
}

TEST(Configuration, ExampleInTheDocumentationIsTheDefaults) {
  const auto got = parse_configuration(documented_example(), "docs");
  ASSERT_TRUE(got) << got.error().message;
  expect_defaults(*got);
}

TEST(Configuration, FileForAClusterNamesTheWinnerAlone) {
  std::ifstream file(BERTH_SOURCE_DIR "/deploy/kustomize/base/berth.yaml");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto got = parse_configuration(text, "deploy/kustomize/base/berth.yaml");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->policy.answer, placement::AnswerForm::kDecisive);
}

TEST(Configuration, ExampleInTheDocumentationHasEveryKey) {
  const std::string example = documented_example();
  for (const char* key : {"listen:",
                          "adminListen:",
                          "tls:",
                          "format:",
                          "level:",
                          "namesBodyBytes:",
                          "nodesBodyBytes:",
                          "bodyBytesInFlight:",
                          "nodesPerRequest:",
                          "nameBytes:",
                          "depth:",
                          "objectBytes:",
                          "connections:",
                          "threads:",
                          "keepAlive:",
                          "readTimeout:",
                          "bodyTimeout:",
                          "resources:",
                          "labelRule:",
                          "modelLabel:",
                          "mode:",
                          "annotation:",
                          "grace:",
                          "strategy:",
                          "weights:",
                          "resourceWeights:",
                          "answer:"}) {
    EXPECT_THAT(example, HasSubstr(key));
  }
}

TEST(Configuration, NeedsOnlyVersionAndKind) {
  const auto got = parse("");
  ASSERT_TRUE(got) << got.error().message;
  expect_defaults(*got);
}

TEST(Configuration, TakesNullForAbsent) {
  const auto got = parse("policy:\nlisten: ~\nlog: {level: null}\n");
  ASSERT_TRUE(got) << got.error().message;
  expect_defaults(*got);
}

TEST(Configuration, ReadsEveryKey) {
  const auto got = parse(R"(
listen: "[::1]:1"
adminListen: 127.0.0.1:2
tls: {certFile: c.pem, keyFile: k.pem, clientCAFile: ca.pem}
log: {format: json, level: debug}
limits:
  namesBodyBytes: 1Mi
  nodesBodyBytes: 2Mi
  bodyBytesInFlight: 4194304
  nodesPerRequest: 7
  nameBytes: 300
  depth: 20
  objectBytes: 3Mi
  connections: 9
  threads: 33
  keepAlive: 1m30s
  readTimeout: 250ms
  bodyTimeout: 2s
policy:
  gpu:
    resources: ["amd.com/gpu"]
    labelRule: [{key: pool, operator: Exists}, {key: gpus, operator: Gt, values: ["3"]}]
    modelLabel: amd.com/gpu.model
  affinity: {mode: hard, annotation: example.com/affinity, grace: 90s}
  strategy: spread
  weights: {affinity: 2, packing: 0.5}
  resourceWeights: {gpu: 1, cpu: 0, memory: 3}
  answer: decisive
)");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->listen, (Endpoint{"::1", 1}));
  EXPECT_EQ(got->admin_listen, (Endpoint{"127.0.0.1", 2}));
  EXPECT_EQ(got->tls, (TlsConfiguration{"c.pem", "k.pem", "ca.pem"}));
  EXPECT_EQ(got->log, (LogConfiguration{telemetry::LogFormat::kJson, telemetry::LogLevel::kDebug}));
  const LimitsConfiguration& limits = got->limits;
  EXPECT_EQ(limits.extender.names_body_bytes, 1U << 20);
  EXPECT_EQ(limits.extender.nodes_body_bytes, 2U << 20);
  EXPECT_EQ(limits.body_bytes_in_flight, 4U << 20);
  EXPECT_EQ(limits.extender.nodes, 7U);
  EXPECT_EQ(limits.extender.name_bytes, 300U);
  EXPECT_EQ(limits.extender.depth, 20U);
  EXPECT_EQ(limits.extender.object_bytes, 3U << 20);
  EXPECT_EQ(limits.connections, 9U);
  EXPECT_EQ(limits.threads, 33U);
  EXPECT_EQ(limits.keep_alive, std::chrono::seconds(90));
  EXPECT_EQ(limits.read_timeout, std::chrono::milliseconds(250));
  EXPECT_EQ(limits.body_timeout, std::chrono::seconds(2));
  placement::Policy policy;
  policy.gpu.resources = {"amd.com/gpu"};
  policy.gpu.label_rule = {{"pool", model::NodeSelectorOperator::kExists, {}},
                           {"gpus", model::NodeSelectorOperator::kGt, {"3"}}};
  policy.gpu.model_label = "amd.com/gpu.model";
  policy.gpu.grace = std::chrono::seconds(90);
  policy.affinity_mode = placement::AffinityMode::kHard;
  policy.affinity_annotation = "example.com/affinity";
  policy.strategy = placement::StrategyName::kSpread;
  policy.answer = placement::AnswerForm::kDecisive;
  policy.weights = {2.0F, 0.5F, 1.0F, 0.0F, 3.0F};
  EXPECT_EQ(got->policy, policy);
  EXPECT_THAT(differences_beyond_policy(*got, Configuration{}),
              ElementsAre("listen", "adminListen", "tls", "log", "limits"));
}

struct ErrorCase {
  const char* name;
  const char* body;
  const char* message;
};
class ConfigurationError : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ConfigurationError, NamesPlaceKeyAndRemedy) {
  const auto got = parse(GetParam().body);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, std::string("f.yaml:") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, ConfigurationError,
    ::testing::Values(
        ErrorCase{"Misspelt", "policy:\n  affinity:\n    grce: 10m\n",
                  "5:5: policy.affinity.grce: unknown key; did you mean \"grace\"?"},
        ErrorCase{"OtherCase", "adminlisten: 127.0.0.1:1\n",
                  "3:1: adminlisten: unknown key; did you mean \"adminListen\"?"},
        ErrorCase{"Swapped", "policy: {stratgey: pack}\n",
                  "3:10: policy.stratgey: unknown key; did you mean \"strategy\"?"},
        ErrorCase{"Foreign", "policy: {affinity: {colour: red}}\n",
                  "3:21: policy.affinity.colour: unknown key; known here: mode, annotation or "
                  "grace"},
        ErrorCase{"Hostile", "\"a\\nb\": 1\n",
                  "3:1: \"a\\nb\": unknown key; known here: apiVersion, kind, listen, adminListen, "
                  "tls, log, limits or policy"},
        ErrorCase{"Twice", "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2\n",
                  "4:1: listen: given twice"},
        ErrorCase{"InLabelRule", "policy: {gpu: {labelRule: [{key: a, value: b}]}}\n",
                  "3:37: policy.gpu.labelRule[0].value: unknown key; did you mean \"values\"?"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Values, ConfigurationError,
    ::testing::Values(
        ErrorCase{"ListForMap", "policy: []\n", "3:9: policy: is a list, must be a map"},
        ErrorCase{"WordForMap", "policy: pack\n", "3:9: policy: is a single value, must be a map"},
        ErrorCase{"WordForList", "policy: {gpu: {resources: nvidia.com/gpu}}\n",
                  "3:27: policy.gpu.resources: is a single value, must be a list"},
        ErrorCase{"MapForWord", "policy: {strategy: {}}\n",
                  "3:20: policy.strategy: is a map, must be pack or spread"},
        ErrorCase{"Listen", "listen: example.com:80\n",
                  "3:9: listen: \"example.com:80\" is not ADDR:PORT, such as 127.0.0.1:8888 or "
                  "[::1]:8888"},
        ErrorCase{"Mode", "policy: {affinity: {mode: sofd}}\n",
                  "3:27: policy.affinity.mode: \"sofd\" is not allowed; use soft or hard"},
        ErrorCase{"PlannedStrategy", "policy: {strategy: fragmentation}\n",
                  "3:20: policy.strategy: \"fragmentation\" is not there yet in this release; use "
                  "pack or spread"},
        ErrorCase{"UnknownStrategy", "policy: {strategy: random}\n",
                  "3:20: policy.strategy: \"random\" is not allowed; use pack or spread"},
        ErrorCase{"PlannedAnswer", "policy: {answer: single}\n",
                  "3:18: policy.answer: \"single\" is not there yet in this release; use graded or "
                  "decisive"},
        ErrorCase{"Grace", "policy: {affinity: {grace: soon}}\n",
                  "3:28: policy.affinity.grace: \"soon\" is not a duration up to 8760h, such as "
                  "10m, 90s or 1h30m"},
        ErrorCase{"GraceWithoutUnit", "policy: {affinity: {grace: 10}}\n",
                  "3:28: policy.affinity.grace: \"10\" is not a duration up to 8760h, such as 10m, "
                  "90s or 1h30m"},
        ErrorCase{"NegativeGrace", "policy: {affinity: {grace: -1s}}\n",
                  "3:28: policy.affinity.grace: \"-1s\" is not a duration up to 8760h, such as "
                  "10m, 90s or 1h30m"},
        ErrorCase{"UnquotedTrue",
                  "policy: {gpu: {labelRule: [{key: gpu, operator: In, values: "
                  "[true]}]}}\n",
                  "3:62: policy.gpu.labelRule[0].values[0]: true is a boolean in YAML, must be a "
                  "string; write \"true\" with its quotes"},
        ErrorCase{"Operator", "policy: {gpu: {labelRule: [{key: gpu, operator: is}]}}\n",
                  "3:49: policy.gpu.labelRule[0].operator: \"is\" is not allowed; use In, NotIn, "
                  "Exists, DoesNotExist, Gt or Lt"},
        ErrorCase{"NoOperator", "policy: {gpu: {labelRule: [{key: gpu}]}}\n",
                  "3:28: policy.gpu.labelRule[0]: operator is missing; use In, NotIn, Exists, "
                  "DoesNotExist, Gt or Lt"},
        ErrorCase{"NoResources", "policy: {gpu: {resources: []}}\n",
                  "3:27: policy.gpu.resources: needs at least one GPU resource"},
        ErrorCase{"PatternOfEverything", "policy: {gpu: {resources: [\"*\"]}}\n",
                  "3:28: policy.gpu.resources[0]: \"*\" would make cpu a GPU resource"},
        ErrorCase{"PercentInResource", "policy: {gpu: {resources: [\"a%s\"]}}\n",
                  "3:28: policy.gpu.resources[0]: \"a%s\" is not a resource name; use letters, "
                  "digits, '.', '/', '_', '-', and '*' for any characters"},
        ErrorCase{"ControlInResource", "policy: {gpu: {resources: [\"a\\nb\"]}}\n",
                  "3:28: policy.gpu.resources[0]: \"a\\nb\" is not a resource name; use letters, "
                  "digits, '.', '/', '_', '-', and '*' for any characters"},
        ErrorCase{"Weight", "policy: {weights: {packing: -1}}\n",
                  "3:29: policy.weights.packing: \"-1\" is not a number from 0 to 1000"},
        ErrorCase{"WeightNan", "policy: {weights: {packing: nan}}\n",
                  "3:29: policy.weights.packing: \"nan\" is not a number from 0 to 1000"},
        ErrorCase{"QuotedWeight", "policy: {weights: {packing: \"1\"}}\n",
                  "3:29: policy.weights.packing: \"1\" is not a number from 0 to 1000"},
        ErrorCase{"NoResourceWeight", "policy: {resourceWeights: {gpu: 0, cpu: 0, memory: 0}}\n",
                  "3:27: policy.resourceWeights: at least one weight must be above 0"},
        ErrorCase{"OctalCount", "limits: {connections: 0777}\n",
                  "3:23: limits.connections: \"0777\" is not a whole number from 1 to 10000"},
        ErrorCase{
            "OctalBytes", "limits: {objectBytes: 077777}\n",
            "3:23: limits.objectBytes: \"077777\" is not a size from 1Ki to 64Gi, such as 64Mi"},
        ErrorCase{"OctalWeight", "policy: {weights: {packing: 01}}\n",
                  "3:29: policy.weights.packing: \"01\" is not a number from 0 to 1000"},
        ErrorCase{"RepeatedUnit", "limits: {keepAlive: 1h1h}\n",
                  "3:21: limits.keepAlive: \"1h1h\" is not a duration from 1ms to 24h, such as 5s "
                  "or 1m30s"},
        ErrorCase{"Threads", "limits: {threads: 3}\n",
                  "3:19: limits.threads: \"3\" is not a whole number from 4 to 10000"},
        ErrorCase{"Connections", "limits: {connections: 0}\n",
                  "3:23: limits.connections: \"0\" is not a whole number from 1 to 10000"},
        ErrorCase{"Bytes", "limits: {namesBodyBytes: lots}\n",
                  "3:26: limits.namesBodyBytes: \"lots\" is not a size from 1Ki to 64Gi, such as "
                  "64Mi"},
        ErrorCase{"InFlight", "limits: {bodyBytesInFlight: 1Mi}\n",
                  "3:9: limits: bodyBytesInFlight is smaller than one body may be"},
        ErrorCase{"Timeout", "limits: {readTimeout: 0}\n",
                  "3:23: limits.readTimeout: \"0\" is not a duration from 1ms to 24h, such as 5s "
                  "or 1m30s"},
        ErrorCase{"CertificateAlone", "tls: {certFile: c}\n",
                  "3:6: tls: certFile and keyFile come together"},
        ErrorCase{"ClientCaAlone", "tls: {clientCAFile: c}\n",
                  "3:6: tls: clientCAFile needs certFile and keyFile"},
        ErrorCase{"LogLevel", "log: {level: loud}\n",
                  "3:14: log.level: \"loud\" is not allowed; use debug, info, warn or error"},
        ErrorCase{"Alias", "listen: &a 127.0.0.1:1\nadminListen: *a\n",
                  "3:9: anchors (&name) are not supported here"},
        ErrorCase{"Tag", "listen: !!str 127.0.0.1:1\n", "3:9: tags (!name) are not supported here"},
        ErrorCase{"SecondDocument", "---\na: 1\n", "4:1: a second document; only one is read"}),
    [](const auto& test) { return std::string(test.param.name); });

struct WholeCase {
  const char* name;
  std::string text;
  const char* message;
};
class ConfigurationRefused : public ::testing::TestWithParam<WholeCase> {};

TEST_P(ConfigurationRefused, SaysWhy) {
  const auto got = parse_configuration(GetParam().text, "f.yaml");
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Files, ConfigurationRefused,
    ::testing::Values(
        WholeCase{"Empty", "", "f.yaml:1:1: empty; apiVersion berth/v1alpha1"},
        WholeCase{"OnlyComments", "# hello\n", "f.yaml:1:1: empty"},
        WholeCase{"NoVersion", "kind: BerthConfiguration\n",
                  "f.yaml:1:1: apiVersion is missing; it must be berth/v1alpha1"},
        WholeCase{"NoKind", "apiVersion: berth/v1alpha1\n",
                  "f.yaml:1:1: kind is missing; it must be BerthConfiguration"},
        WholeCase{"OtherVersion", "apiVersion: berth/v2\n",
                  "f.yaml:1:13: apiVersion: \"berth/v2\" is not allowed; use berth/v1alpha1"},
        WholeCase{"Word", "hello", "f.yaml:1:1: is a single value, must be a map"},
        WholeCase{"NotYaml", "a: [1\n", "f.yaml:"}, WholeCase{"StrayBracket", "]", "f.yaml:1:1: "},
        WholeCase{"Deep", std::string(500'000, '['), "nested deeper than 32 levels"},
        WholeCase{"Huge", std::string(kMaxConfigurationBytes + 1, '#'), "larger than 1048576"},
        WholeCase{"NulBytes", std::string(1000, '\0'), "f.yaml:"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::app
