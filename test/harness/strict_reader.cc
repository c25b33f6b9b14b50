#include "test/harness/strict_reader.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "test/harness/json_text.h"

namespace berth::harness {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

constexpr std::size_t kMostDifferentReasons = 12;
constexpr std::int64_t kMaxScore = 10;

struct Item {
  std::string name;
  std::string_view bytes;
};

/// The items of a NodeList, or nothing if `list` is null or absent.
std::optional<std::vector<Item>> items_of(std::optional<std::string_view> list) {
  if (!list || *list == "null") return std::nullopt;
  std::vector<Item> items;
  const auto members = raw_members(*list);
  if (!members) return items;
  const auto array = find_ignoring_case(*members, "items");
  if (!array) return items;
  for (const auto bytes : raw_elements(*array).value_or(std::vector<std::string_view>{})) {
    items.push_back({json::parse(bytes)["metadata"]["name"].get<std::string>(), bytes});
  }
  return items;
}

/// What was asked, each name once in the order of the request.
struct Asked {
  bool whole_nodes = false;
  Strings names;
  std::map<std::string, std::string_view> bytes;  // of whole nodes
};

Asked read_request(std::string_view request) {
  Asked asked;
  std::set<std::string> seen;
  const auto members = raw_members(request).value_or(RawMembers{});
  const auto items = items_of(find_ignoring_case(members, "nodes"));
  asked.whole_nodes = items.has_value();
  for (const Item& item : items.value_or(std::vector<Item>{})) {
    if (!seen.insert(item.name).second) continue;
    asked.names.push_back(item.name);
    asked.bytes.emplace(item.name, item.bytes);
  }
  const auto names = find_ignoring_case(members, "nodenames");
  if (!names || *names == "null") return asked;
  for (const auto& name : json::parse(*names)) {
    if (seen.insert(name.get<std::string>()).second) asked.names.push_back(name.get<std::string>());
  }
  return asked;
}

/// `part` keeps the order of `whole`.
bool in_order(const Strings& part, const Strings& whole) {
  auto from = whole.begin();
  for (const auto& name : part) {
    from = std::find(from, whole.end(), name);
    if (from == whole.end()) return false;
    ++from;
  }
  return true;
}

class FilterReader {
 public:
  FilterReader(std::string_view request, std::string_view reply)
      : asked_(read_request(request)), reply_(reply) {}

  FilterReading read() {
    reading_.violations = json_problems(reply_);
    if (!reading_.violations.empty()) return std::move(reading_);
    root_ = json::parse(reply_);
    if (!root_.is_object()) {
      complain("not an object");
      return std::move(reading_);
    }
    check_keys();
    if (!reading_.violations.empty()) return std::move(reading_);
    read_survivors();
    read_failures("FailedNodes", reading_.failed);
    read_failures("FailedAndUnresolvableNodes", reading_.unresolvable);
    check_every_node_once();
    check_reasons();
    return std::move(reading_);
  }

 private:
  void complain(std::string what) { reading_.violations.push_back(std::move(what)); }

  void check_keys() {
    for (const char* key :
         {"Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error"}) {
      if (!root_.contains(key)) complain(std::string("key missing: ") + key);
    }
    if (root_.size() != 5) complain("keys that kube-scheduler does not know");
    if (!reading_.violations.empty()) return;
    if (!root_["Error"].is_string()) {
      complain("Error is not a string");
    } else if (!root_["Error"].get<std::string>().empty()) {
      complain("Error fails the whole call: " + root_["Error"].get<std::string>());
    }
  }

  void read_survivors() {
    const auto members = raw_members(reply_).value_or(RawMembers{});
    if (!asked_.whole_nodes) {
      if (!root_["Nodes"].is_null()) complain("Nodes answered to a request that gave names");
      read_names();
      return;
    }
    if (!root_["NodeNames"].is_null()) complain("NodeNames answered to a request that gave nodes");
    if (!root_["Nodes"].is_object() || !root_["Nodes"].contains("items") ||
        !root_["Nodes"]["items"].is_array()) {
      complain("Nodes is no list: every node is rejected without a word");
      return;
    }
    const auto items = items_of(find_ignoring_case(members, "Nodes"));
    for (const Item& item : items.value_or(std::vector<Item>{})) {
      reading_.passes.push_back(item.name);
      const auto sent = asked_.bytes.find(item.name);
      if (sent == asked_.bytes.end()) continue;  // an unknown name, complained about below
      if (sent->second != item.bytes) complain("node came back changed: " + item.name);
    }
  }

  void read_names() {
    if (!root_["NodeNames"].is_array()) {
      complain("NodeNames is no array: every node is rejected without a word");
      return;
    }
    for (const auto& name : root_["NodeNames"]) {
      if (name.is_string()) {
        reading_.passes.push_back(name.get<std::string>());
      } else {
        complain("a name that is not a string");
      }
    }
  }

  void read_failures(const char* key, std::map<std::string, std::string>& into) {
    if (!root_[key].is_object()) {
      complain(std::string(key) + " is not an object");
      return;
    }
    for (const auto& [name, reason] : root_[key].items()) {
      if (reason.is_string()) {
        into.emplace(name, reason.get<std::string>());
      } else {
        complain(std::string(key) + " has a value that is not a string: " + name);
      }
    }
  }

  void check_every_node_once() {
    std::map<std::string, int> times;
    for (const auto& name : reading_.passes) ++times[name];
    for (const auto& [name, reason] : reading_.failed) ++times[name];
    for (const auto& [name, reason] : reading_.unresolvable) ++times[name];
    for (const auto& name : asked_.names) {
      if (times[name] != 1) {
        complain("answered " + std::to_string(times[name]) + " times: " + name);
      }
      times.erase(name);
    }
    for (const auto& [name, count] : times) complain("not asked for: " + name);
    if (!in_order(reading_.passes, asked_.names)) complain("order of the request not kept");
  }

  void check_reasons() {
    std::set<std::string> different;
    for (const auto* map : {&reading_.failed, &reading_.unresolvable}) {
      for (const auto& [name, reason] : *map) {
        different.insert(reason);
        if (reason.empty()) complain("refused without a reason: " + name);
        if (reason.find('%') != reason.npos) complain("percent sign in a reason: " + reason);
      }
    }
    if (different.size() > kMostDifferentReasons) complain("too many different reasons");
  }

  Asked asked_;
  std::string_view reply_;
  json root_;
  FilterReading reading_;
};

/// One element of a HostPriorityList; complains into `violations`.
std::optional<std::pair<std::string, std::int64_t>> read_host(const json& element,
                                                              Strings& violations) {
  if (!element.is_object() || element.size() != 2 || !element.contains("Host") ||
      !element.contains("Score")) {
    violations.push_back("not {Host, Score}: " + element.dump());
    return std::nullopt;
  }
  if (!element["Host"].is_string() || !element["Score"].is_number_integer()) {
    violations.push_back("a type that voids the whole list: " + element.dump());
    return std::nullopt;
  }
  const auto score = element["Score"].get<std::int64_t>();
  if (score < 0 || score > kMaxScore) violations.push_back("out of range: " + element.dump());
  return std::pair{element["Host"].get<std::string>(), score};
}

void check_hosts(const Asked& asked, ExpectedHosts expected, PriorityReading& reading) {
  std::map<std::string, int> times;
  std::int64_t winners = 0;
  for (const auto& [host, score] : reading.scores) {
    ++times[host];
    winners += score == kMaxScore ? 1 : 0;
  }
  if (winners > 1) reading.violations.emplace_back("more than one host has 10");
  if (expected == ExpectedHosts::kWinnerOnly) {
    if (reading.scores.size() > 1) reading.violations.emplace_back("more than the winner listed");
    if (reading.scores.size() == 1 && winners == 0) {
      reading.violations.emplace_back("the winner has not 10");
    }
  }
  for (const auto& name : asked.names) {
    const int want = expected == ExpectedHosts::kEveryNode ? 1 : std::min(times[name], 1);
    if (times[name] != want) {
      reading.violations.push_back("listed " + std::to_string(times[name]) + " times: " + name);
    }
    times.erase(name);
  }
  for (const auto& [name, count] : times) reading.violations.push_back("not asked for: " + name);
}

}  // namespace

std::string FilterReading::reason(const std::string& node) const {
  for (const auto* map : {&failed, &unresolvable}) {
    if (const auto found = map->find(node); found != map->end()) return found->second;
  }
  return "";
}

FilterReading read_filter(std::string_view request, std::string_view reply) {
  return FilterReader(request, reply).read();
}

std::int64_t PriorityReading::score(const std::string& host) const {
  for (const auto& [name, value] : scores) {
    if (name == host) return value;
  }
  return -1;
}

std::string PriorityReading::winner() const {
  for (const auto& [name, value] : scores) {
    if (value == kMaxScore) return name;
  }
  return "";
}

PriorityReading read_priorities(std::string_view request, std::string_view reply,
                                ExpectedHosts expected) {
  PriorityReading reading;
  reading.violations = json_problems(reply);
  if (!reading.violations.empty()) return reading;
  const json root = json::parse(reply);
  if (!root.is_array()) {
    reading.violations.emplace_back("not a bare array");
    return reading;
  }
  for (const auto& element : root) {
    if (auto host = read_host(element, reading.violations)) {
      reading.scores.push_back(std::move(*host));
    }
  }
  check_hosts(read_request(request), expected, reading);
  return reading;
}

std::vector<std::string> requested_names(std::string_view request) {
  return read_request(request).names;
}

}  // namespace berth::harness
