// Both paths through a request agree on everything, an independent parser sees the same names, and
// what is answered is JSON that says what was meant.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/extender_args.h"
#include "berth/codec/extender_reply.h"
#include "test/codec/spell_out.h"

namespace {

using berth::codec::ExtenderArgs;
using berth::codec::FilterAnswer;
using berth::codec::HostScore;
using nlohmann::json;

void require(bool held) {
  if (!held) __builtin_trap();
}

/// The answers: every third node passes, the others fail in both ways.
void check_replies(const ExtenderArgs& args) {
  constexpr std::string_view kReasons[] = {"Insufficient nvidia.com/gpu", "\"\\\x01\xFF"};
  std::vector<FilterAnswer> answers;
  std::vector<HostScore> scores;
  for (std::uint32_t i = 0; i < args.requested.size(); ++i) {
    answers.push_back({i, i % 3 == 0 ? FilterAnswer::kPasses : i % 2, i % 3 == 1});
    scores.push_back({i, static_cast<int>(i % 11)});
  }
  const json filter = json::parse(berth::codec::encode_filter_result(args, answers, kReasons));
  require(filter.size() == 5 && filter["Error"] == "");
  require(filter["Nodes"].is_object() == args.has_nodes);
  require(filter["NodeNames"].is_array() == (args.has_names || !args.has_nodes));
  std::size_t passing = 0;
  std::size_t items = 0;
  for (std::uint32_t i = 0; i < args.requested.size(); ++i) {
    const std::string name(args.requested[i].name);
    if (i % 3 == 0) {
      if (filter["NodeNames"].is_array()) require(filter["NodeNames"][passing++] == name);
      if (!args.requested[i].raw_node.empty()) ++items;
    } else {
      require(filter[i % 3 == 1 ? "FailedNodes" : "FailedAndUnresolvableNodes"].contains(name));
    }
  }
  if (args.has_nodes) require(filter["Nodes"]["items"].size() == items);
  const json list = json::parse(berth::codec::encode_host_priorities(args, scores));
  require(list.size() == args.requested.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    require(list[i]["Host"] == std::string(args.requested[i].name));
    require(list[i]["Score"] == scores[i].score);
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// The names of the only top-level key that spells NodeNames; null if there is not exactly one.
const json* node_names(const json& body) {
  const json* found = nullptr;
  for (const auto& [key, value] : body.items()) {
    if (lower(key) != "nodenames") continue;
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

void check_against_other_parser(std::string_view text, const ExtenderArgs& args) {
  const json body = json::parse(text, nullptr, false);
  if (body.is_discarded()) {
    // The one difference: a number beyond double, which Go skips too where it is not needed.
    require(text.find_first_of("eE0123456789") != std::string_view::npos);
    return;
  }
  require(body.is_object());
  const json* names = node_names(body);
  if (names == nullptr || !names->is_array() || args.has_nodes) return;
  require(names->size() == args.requested.size());
  for (std::size_t i = 0; i < names->size(); ++i) {
    require((*names)[i] == std::string(args.requested[i].name));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const berth::PaddedBuffer body(text);
  const berth::codec::ExtenderLimits tight{.names_body_bytes = 4096,
                                           .nodes_body_bytes = 16384,
                                           .nodes = 8,
                                           .depth = 12,
                                           .name_bytes = 40,
                                           .object_bytes = 2048};
  for (const auto& limits : {berth::codec::ExtenderLimits{}, tight}) {
    berth::codec::ExtenderArgsDecoder fast;
    berth::codec::ExtenderArgsDecoder general;
    const auto want = general.decode_general(body, limits);
    const auto got = fast.decode(body, limits);
    require(berth::codec::test::spell_out(got) == berth::codec::test::spell_out(want));
    if (!got) {
      require(!got.error().message.empty() && got.error().message.size() < 4096);
      require(json::accept(berth::codec::encode_error(got.error().message)));
      continue;
    }
    check_replies(**got);
    check_against_other_parser(text, **got);
  }
  return 0;
}
