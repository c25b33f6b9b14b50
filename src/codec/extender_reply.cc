#include "berth/codec/extender_reply.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace berth::codec {
namespace {

/// Copies exactly size bytes, neither reading nor writing beyond them; short texts without a call.
char* put(char* out, std::string_view text) {
  const char* from = text.data();
  const std::size_t size = text.size();
  if (size >= 16 && size <= 32) {
    // Two halves that may overlap: constant sizes become single instructions.
    std::array<char, 16> head;
    std::array<char, 16> tail;
    std::memcpy(head.data(), from, 16);
    std::memcpy(tail.data(), from + size - 16, 16);
    std::memcpy(out, head.data(), 16);
    std::memcpy(out + size - 16, tail.data(), 16);
  } else if (size >= 8 && size < 16) {
    std::array<char, 8> head;
    std::array<char, 8> tail;
    std::memcpy(head.data(), from, 8);
    std::memcpy(tail.data(), from + size - 8, 8);
    std::memcpy(out, head.data(), 8);
    std::memcpy(out + size - 8, tail.data(), 8);
  } else if (size != 0) {
    std::memcpy(out, from, size);
  }
  return out + size;
}

/// Extends `out` by a known size and fills it by pointer: one check instead of one per piece.
template <typename Fill>
void extend(std::string& out, std::size_t size, Fill fill) {
  const std::size_t before = out.size();
  out.resize(before + size);
  [[maybe_unused]] const char* end = fill(out.data() + before);
  assert(end == out.data() + out.size());
}

/// A list of `"name"`s of the nodes that pass.
class NameList {
 public:
  void count(const RequestedNode& node) {
    bytes_ += node.raw_name.size() + 3;
    ++names_;
  }
  [[nodiscard]] std::size_t bytes() const { return 2 + bytes_ - (names_ == 0 ? 0 : 1); }

  void append(const ExtenderArgs& args, std::span<const FilterAnswer> answers,
              std::string& out) const {
    extend(out, bytes(), [&](char* at) {
      *at++ = '[';
      std::size_t left = names_;
      for (const FilterAnswer& answer : answers) {
        if (answer.reason != FilterAnswer::kPasses) continue;
        *at++ = '"';
        at = put(at, args.requested[answer.requested].raw_name);
        *at++ = '"';
        if (--left != 0) *at++ = ',';
      }
      *at++ = ']';
      return at;
    });
  }

 private:
  std::size_t bytes_ = 0;
  std::size_t names_ = 0;
};

/// The raw objects of the nodes that pass. Appended, not filled: zeroing megabytes first costs.
class NodeList {
 public:
  static constexpr std::string_view kOpen = "{\"metadata\":{},\"items\":[";
  static constexpr std::string_view kClose = "]}";

  void count(const RequestedNode& node) {
    if (!node.raw_node.empty()) bytes_ += node.raw_node.size() + 1;
  }
  [[nodiscard]] std::size_t bytes() const { return kOpen.size() + bytes_ + kClose.size(); }

  static void append(const ExtenderArgs& args, std::span<const FilterAnswer> answers,
                     std::string& out) {
    out += kOpen;
    bool first = true;
    for (const FilterAnswer& answer : answers) {
      const std::string_view node = args.requested[answer.requested].raw_node;
      if (answer.reason != FilterAnswer::kPasses || node.empty()) continue;
      if (!first) out += ',';
      out += node;
      first = false;
    }
    out += kClose;
  }

 private:
  std::size_t bytes_ = 0;
};

/// {"name":"reason",...} of the refused nodes that are resolvable, or of those that are not.
class FailureMap {
 public:
  FailureMap(bool resolvable, const std::vector<std::string>& reasons)
      : resolvable_(resolvable), reasons_(reasons) {}

  void count(const RequestedNode& node, const FilterAnswer& answer) {
    if (answer.resolvable != resolvable_) return;
    bytes_ += node.raw_name.size() + reasons_[answer.reason].size() + 4;
    ++entries_;
  }
  [[nodiscard]] std::size_t bytes() const { return 2 + bytes_ - (entries_ == 0 ? 0 : 1); }

  void append(const ExtenderArgs& args, std::span<const FilterAnswer> answers,
              std::string& out) const {
    extend(out, bytes(), [&](char* at) {
      *at++ = '{';
      std::size_t left = entries_;
      for (const FilterAnswer& answer : answers) {
        if (left == 0) break;
        if (answer.reason == FilterAnswer::kPasses || answer.resolvable != resolvable_) continue;
        *at++ = '"';
        at = put(at, args.requested[answer.requested].raw_name);
        at = put(at, "\":");
        at = put(at, reasons_[answer.reason]);
        if (--left != 0) *at++ = ',';
      }
      *at++ = '}';
      return at;
    });
  }

 private:
  bool resolvable_;
  const std::vector<std::string>& reasons_;
  std::size_t bytes_ = 0;
  std::size_t entries_ = 0;
};

bool is_plain(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') return false;
  }
  return true;
}

struct Digits {
  std::array<char, 12> text{};
  std::size_t size = 0;
  explicit Digits(int number) {
    size = static_cast<std::size_t>(
        std::to_chars(text.data(), text.data() + text.size(), number).ptr - text.data());
  }
  [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
};

}  // namespace

std::string encode_filter_result(const ExtenderArgs& args, std::span<const FilterAnswer> answers,
                                 std::span<const std::string_view> reasons) {
  constexpr std::string_view kNodes = "{\"Nodes\":";
  constexpr std::string_view kNames = ",\"NodeNames\":";
  constexpr std::string_view kFailed = ",\"FailedNodes\":";
  constexpr std::string_view kUnresolvable = ",\"FailedAndUnresolvableNodes\":";
  constexpr std::string_view kError = ",\"Error\":\"\"}";
  constexpr std::string_view kNull = "null";
  // Neither form given: names, so that "no node passes" is said and not left out.
  const bool give_names = args.has_names || !args.has_nodes;

  std::vector<std::string> quoted;
  quoted.reserve(reasons.size());
  for (const std::string_view reason : reasons) quoted.push_back(quote_json(reason));
  NameList names;
  NodeList nodes;
  FailureMap failed(true, quoted);
  FailureMap unresolvable(false, quoted);
  for (const FilterAnswer& answer : answers) {
    assert(answer.requested < args.requested.size());
    const RequestedNode& node = args.requested[answer.requested];
    if (answer.reason == FilterAnswer::kPasses) {
      names.count(node);
      nodes.count(node);
    } else {
      assert(answer.reason < quoted.size());
      failed.count(node, answer);
      unresolvable.count(node, answer);
    }
  }

  std::string out;
  out.reserve(kNodes.size() + (args.has_nodes ? nodes.bytes() : kNull.size()) + kNames.size() +
              (give_names ? names.bytes() : kNull.size()) + kFailed.size() + failed.bytes() +
              kUnresolvable.size() + unresolvable.bytes() + kError.size());
  out += kNodes;
  if (args.has_nodes) {
    NodeList::append(args, answers, out);
  } else {
    out += kNull;
  }
  out += kNames;
  if (give_names) {
    names.append(args, answers, out);
  } else {
    out += kNull;
  }
  out += kFailed;
  failed.append(args, answers, out);
  out += kUnresolvable;
  unresolvable.append(args, answers, out);
  out += kError;
  return out;
}

std::string encode_host_priorities(const ExtenderArgs& args, std::span<const HostScore> scores) {
  constexpr std::string_view kHost = "{\"Host\":\"";
  constexpr std::string_view kScore = "\",\"Score\":";
  std::size_t bytes = 2 + (scores.empty() ? 0 : scores.size() - 1);
  for (const HostScore& score : scores) {
    assert(score.requested < args.requested.size());
    bytes += kHost.size() + args.requested[score.requested].raw_name.size() + kScore.size() +
             Digits(score.score).size + 1;
  }
  std::string out;
  extend(out, bytes, [&](char* at) {
    *at++ = '[';
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (i != 0) *at++ = ',';
      at = put(at, kHost);
      at = put(at, args.requested[scores[i].requested].raw_name);
      at = put(at, kScore);
      at = put(at, Digits(scores[i].score).view());
      *at++ = '}';
    }
    *at++ = ']';
    return at;
  });
  return out;
}

std::string encode_error(std::string_view message) {
  return "{\"error\":" + quote_json(message) + "}";
}

std::string quote_json(std::string_view text) {
  if (is_plain(text)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace berth::codec
