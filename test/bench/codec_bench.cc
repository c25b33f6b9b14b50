// Requests in and answers out at 5,000 nodes, each beside nlohmann/json doing the same work.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/extender_args.h"
#include "berth/codec/extender_reply.h"
#include "berth/codec/objects.h"

namespace {

using berth::PaddedBuffer;
using berth::codec::ExtenderArgs;
using berth::codec::ExtenderArgsDecoder;
using berth::codec::ExtenderLimits;
using berth::codec::FilterAnswer;
using berth::codec::HostScore;
using nlohmann::json;

constexpr std::string_view kReason = "Insufficient nvidia.com/gpu";

json pod() {
  return {{"metadata",
           {{"name", "inference-7c9d-x2x"},
            {"namespace", "ml"},
            {"uid", "ecf8b60d-db7a-462f-99c2-cf24942c3fbf"},
            {"labels", {{"app", "inference"}, {"tier", "gold"}}}}},
          {"spec",
           {{"containers",
             {{{"name", "main"},
               {"image", "example.com/inference:1"},
               {"resources",
                {{"requests", {{"cpu", "6"}, {"memory", "24Gi"}, {"nvidia.com/gpu", "1"}}}}}}}},
            {"tolerations",
             {{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}}}}},
          {"status", {{"phase", "Pending"}}}};
}

std::string node_name(std::int64_t i) {
  return "gpu-node-" + std::to_string(100'000 + i) + ".example.com";
}

/// Go's byte shape: the members in this order.
std::string names_request(std::int64_t nodes) {
  std::string body = "{\"Pod\":" + pod().dump() + ",\"Nodes\":null,\"NodeNames\":[";
  for (std::int64_t i = 0; i < nodes; ++i) {
    if (i != 0) body += ',';
    body += '"' + node_name(i) + '"';
  }
  return body + "]}";
}

json node(std::int64_t i) {
  json object = {{"metadata", {{"name", node_name(i)}, {"uid", std::to_string(i)}}},
                 {"spec", json::object()},
                 {"status", {{"allocatable", {{"cpu", "64"}, {"nvidia.com/gpu", "8"}}}}}};
  for (int label = 0; label < 100; ++label) {
    object["metadata"]["labels"]["example.com/label-" + std::to_string(label)] = "value";
  }
  for (int image = 0; image < 50; ++image) {
    object["status"]["images"].push_back(
        {{"names", {"registry.example.com/team/image@sha256:0123456789abcdef0123456789abcdef"}},
         {"sizeBytes", 123456789 + image}});
  }
  return object;
}

std::string nodes_request(std::int64_t nodes) {
  std::string body = "{\"Pod\":" + pod().dump() + ",\"Nodes\":{\"metadata\":{},\"items\":[";
  for (std::int64_t i = 0; i < nodes; ++i) {
    if (i != 0) body += ',';
    body += node(i).dump();
  }
  return body + "]},\"NodeNames\":null}";
}

void count(benchmark::State& state, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void BM_DecodeNamesFast(benchmark::State& state) {
  const PaddedBuffer body(names_request(state.range(0)));
  ExtenderArgsDecoder decoder;
  for (auto _ : state) benchmark::DoNotOptimize(decoder.decode(body, {}));
  count(state, body.size());
}
BENCHMARK(BM_DecodeNamesFast)->Arg(500)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_DecodeNamesGeneral(benchmark::State& state) {
  const PaddedBuffer body(names_request(state.range(0)));
  ExtenderArgsDecoder decoder;
  for (auto _ : state) benchmark::DoNotOptimize(decoder.decode_general(body, {}));
  count(state, body.size());
}
BENCHMARK(BM_DecodeNamesGeneral)->Arg(500)->Arg(5'000)->Unit(benchmark::kMicrosecond);

/// The document alone; nlohmann would still have to be asked for the pod's fields.
void BM_DecodeNamesNlohmann(benchmark::State& state) {
  const std::string body = names_request(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(json::parse(body));
  count(state, body.size());
}
BENCHMARK(BM_DecodeNamesNlohmann)->Arg(500)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_DecodeNodes(benchmark::State& state) {
  const PaddedBuffer body(nodes_request(state.range(0)));
  ExtenderArgsDecoder decoder;
  for (auto _ : state) benchmark::DoNotOptimize(decoder.decode(body, {}));
  count(state, body.size());
}
BENCHMARK(BM_DecodeNodes)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_DecodeNodesNlohmann(benchmark::State& state) {
  const std::string body = nodes_request(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(json::parse(body));
  count(state, body.size());
}
BENCHMARK(BM_DecodeNodesNlohmann)->Arg(1'000)->Unit(benchmark::kMillisecond);

/// A request that has been read, and the answers to it.
struct Answered {
  Answered(std::int64_t nodes, bool passes) : body(names_request(nodes)) {
    const auto decoded = decoder.decode(body, ExtenderLimits{});
    if (decoded) args = *decoded;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      answers.push_back({i, passes ? FilterAnswer::kPasses : 0, true});
      scores.push_back({i, static_cast<int>(i % 11)});
      names.push_back(node_name(i));
    }
  }
  PaddedBuffer body;
  ExtenderArgsDecoder decoder;
  const ExtenderArgs* args = nullptr;
  std::vector<FilterAnswer> answers;
  std::vector<HostScore> scores;
  std::vector<std::string> names;
};

void encode_filter(benchmark::State& state, bool passes) {
  const Answered answered(state.range(0), passes);
  const std::vector<std::string_view> reasons = {kReason};
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string reply =
        berth::codec::encode_filter_result(*answered.args, answered.answers, reasons);
    benchmark::DoNotOptimize(reply.data());
    bytes = reply.size();
  }
  count(state, bytes);
}

void encode_filter_nlohmann(benchmark::State& state, bool passes) {
  const Answered answered(state.range(0), passes);
  std::size_t bytes = 0;
  for (auto _ : state) {
    json reply = {{"Nodes", nullptr},
                  {"NodeNames", json::array()},
                  {"FailedNodes", json::object()},
                  {"FailedAndUnresolvableNodes", json::object()},
                  {"Error", ""}};
    for (const std::string& name : answered.names) {
      if (passes) {
        reply["NodeNames"].push_back(name);
      } else {
        reply["FailedNodes"][name] = kReason;
      }
    }
    const std::string text = reply.dump();
    benchmark::DoNotOptimize(text.data());
    bytes = text.size();
  }
  count(state, bytes);
}

void BM_EncodeNodeNames(benchmark::State& state) { encode_filter(state, true); }
BENCHMARK(BM_EncodeNodeNames)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_EncodeNodeNamesNlohmann(benchmark::State& state) { encode_filter_nlohmann(state, true); }
BENCHMARK(BM_EncodeNodeNamesNlohmann)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_EncodeFailedNodes(benchmark::State& state) { encode_filter(state, false); }
BENCHMARK(BM_EncodeFailedNodes)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_EncodeFailedNodesNlohmann(benchmark::State& state) { encode_filter_nlohmann(state, false); }
BENCHMARK(BM_EncodeFailedNodesNlohmann)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_EncodeHostPriorities(benchmark::State& state) {
  const Answered answered(state.range(0), true);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string reply = berth::codec::encode_host_priorities(*answered.args, answered.scores);
    benchmark::DoNotOptimize(reply.data());
    bytes = reply.size();
  }
  count(state, bytes);
}
BENCHMARK(BM_EncodeHostPriorities)->Arg(5'000)->Unit(benchmark::kMicrosecond);

void BM_EncodeHostPrioritiesNlohmann(benchmark::State& state) {
  const Answered answered(state.range(0), true);
  std::size_t bytes = 0;
  for (auto _ : state) {
    json reply = json::array();
    for (std::size_t i = 0; i < answered.names.size(); ++i) {
      reply.push_back({{"Host", answered.names[i]}, {"Score", answered.scores[i].score}});
    }
    const std::string text = reply.dump();
    benchmark::DoNotOptimize(text.data());
    bytes = text.size();
  }
  count(state, bytes);
}
BENCHMARK(BM_EncodeHostPrioritiesNlohmann)->Arg(5'000)->Unit(benchmark::kMicrosecond);

}  // namespace
