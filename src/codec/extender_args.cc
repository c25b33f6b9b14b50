#include "berth/codec/extender_args.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "berth/codec/extender_reply.h"
#include "json_scan.h"
#include "object_core.h"
#include "printable.h"

namespace berth::codec {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNames = "NodeNames";
constexpr std::string_view kItems = "Nodes.items";
// Keys of the configuration, for messages.
constexpr std::string_view kNameBytes = "limits.nameBytes";
constexpr std::string_view kObjectBytes = "limits.objectBytes";

/// `lower` is in lower case already.
bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string indexed(std::string_view array, std::size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

/// `key` is the one of the configuration that can raise the limit.
Error over_limit(std::string_view where, std::size_t bytes, std::size_t limit,
                 std::string_view key) {
  return {ErrorCode::kTooLarge, std::string(where) + ": " + std::to_string(bytes) +
                                    " bytes, limit " + std::to_string(limit) + " (" +
                                    std::string(key) + ")"};
}

Error too_many(std::string_view where, std::size_t limit) {
  return {ErrorCode::kTooLarge, std::string(where) + ": more than " + std::to_string(limit) +
                                    ", the limit (limits.nodesPerRequest)"};
}

/// What is wrong inside of an object of the request; where that is its nesting, the limit for the
/// request as a whole.
Error inside(std::string_view where, const Error& error, std::size_t depth) {
  if (error.code != ErrorCode::kTooLarge) return within(where, error);
  return {ErrorCode::kTooLarge, std::string(where) + ": the request is nested deeper than " +
                                    std::to_string(depth) + " levels (limits.depth)"};
}

/// What kind of value begins with `first`.
std::string_view kind_of_value(char first) {
  switch (first) {
    case '{':
      return "an object";
    case '[':
      return "an array";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "true or false";
    case 'n':
      return "null";
    default:
      return "a number";
  }
}

std::size_t less(std::size_t depth, std::size_t levels) {
  return depth > levels ? depth - levels : 1;
}

}  // namespace

struct ExtenderArgsDecoder::Impl {
  Result<const ExtenderArgs*> decode_general(const PaddedBuffer& body, const ExtenderLimits& given);
  bool decode_fast(const PaddedBuffer& body, const ExtenderLimits& given);

 private:
  // Where values stand in the nesting of the whole body.
  static constexpr std::size_t kMemberLevel = 1;
  static constexpr std::size_t kItemLevel = 3;

  void start(const PaddedBuffer& body, const ExtenderLimits& given);
  Status read_envelope(std::string_view text);
  Status read_member(JsonScanner& scanner);
  Status read_pod(JsonScanner& scanner);
  Status read_names(JsonScanner& scanner);
  Status read_name(JsonScanner& scanner);
  Status read_nodes(JsonScanner& scanner);
  Status read_nodes_member(JsonScanner& scanner);
  Status read_items(JsonScanner& scanner);
  Status read_item(JsonScanner& scanner);
  bool scan_names(const char* at, const char* end);
  Status skip_value(JsonScanner& scanner, std::string_view where, std::size_t level);
  Result<std::string_view> take_value(JsonScanner& scanner, std::string_view where);
  Result<std::string_view> take_text(JsonScanner& scanner, std::string_view where);
  Result<RequestedNode> name_from(JsonScanner& scanner, std::string_view where);
  Result<RequestedNode> name_of_item(std::string_view json, const std::string& name,
                                     std::string_view where);
  void merge_names_and_items();

  Error not_json(const JsonScanner& scanner, std::string_view where, std::string_view wanted) const;
  Error wrong_type(JsonScanner& scanner, std::string_view where, std::string_view wanted) const;

  ObjectCore core_;
  ExtenderArgs args_;
  bool has_pod_ = false;
  std::vector<RequestedNode> items_;
  std::deque<std::string> unescaped_;  // what views into escaped strings point at: never moves
  ExtenderLimits limits_;
  const char* begin_ = nullptr;

 public:
  [[nodiscard]] const ExtenderArgs& args() const { return args_; }
};

void ExtenderArgsDecoder::Impl::start(const PaddedBuffer& body, const ExtenderLimits& given) {
  limits_ = given;
  begin_ = body.view().data();
  has_pod_ = false;
  args_.pod = {};
  args_.has_names = false;
  args_.has_nodes = false;
  args_.requested.clear();
  args_.nodes.clear();
  items_.clear();
  unescaped_.clear();
}

Error ExtenderArgsDecoder::Impl::not_json(const JsonScanner& scanner, std::string_view where,
                                          std::string_view wanted) const {
  return invalid(std::string(where) + ": not valid JSON at byte " +
                 std::to_string(scanner.position() - begin_) + ": want " + std::string(wanted) +
                 (scanner.at_end() ? ", the body ends" : ""));
}

Error ExtenderArgsDecoder::Impl::wrong_type(JsonScanner& scanner, std::string_view where,
                                            std::string_view wanted) const {
  const char first = scanner.peek();
  const auto value = scanner.take_value();
  if (!value) return not_json(scanner, where, "a value");
  return invalid(std::string(where) + ": want " + std::string(wanted) + ", found " +
                 std::string(kind_of_value(first)) +
                 (first == '{' || first == '[' ? "" : " (" + printable(*value) + ")"));
}

Result<std::string_view> ExtenderArgsDecoder::Impl::take_value(JsonScanner& scanner,
                                                               std::string_view where) {
  const auto value = scanner.take_value();
  if (!value) return not_json(scanner, where, "a whole value");
  if (value->size() > limits_.object_bytes) {
    return over_limit(where, value->size(), limits_.object_bytes, kObjectBytes);
  }
  return *value;
}

Status ExtenderArgsDecoder::Impl::skip_value(JsonScanner& scanner, std::string_view where,
                                             std::size_t level) {
  const auto value = take_value(scanner, where);
  if (!value) return value.error();
  const Status status = core_.validate(*value, less(limits_.depth, level));
  return status ? ok() : Status(inside(where, status.error(), limits_.depth));
}

/// A string's text; unescaped into memory of the decoder where that is needed.
Result<std::string_view> ExtenderArgsDecoder::Impl::take_text(JsonScanner& scanner,
                                                              std::string_view where) {
  if (const auto plain = scanner.take_plain_string()) return *plain;
  if (scanner.peek() != '"') return not_json(scanner, where, "a string");
  const auto token = take_value(scanner, where);
  if (!token) return token.error();
  auto text = core_.unescape(*token);
  if (!text) return within(where, text.error());
  return std::string_view(unescaped_.emplace_back(*std::move(text)));
}

Result<RequestedNode> ExtenderArgsDecoder::Impl::name_from(JsonScanner& scanner,
                                                           std::string_view where) {
  static_cast<void>(scanner.peek());
  const char* begin = scanner.position();
  const auto text = take_text(scanner, where);
  if (!text) return text.error();
  RequestedNode node;
  node.raw_name = {begin + 1, static_cast<std::size_t>(scanner.position() - begin) - 2};
  node.name = *text;
  if (node.raw_name.size() > limits_.name_bytes) {
    return over_limit(where, node.raw_name.size(), limits_.name_bytes, kNameBytes);
  }
  return node;
}

Status ExtenderArgsDecoder::Impl::read_pod(JsonScanner& scanner) {
  has_pod_ = false;
  args_.pod = {};
  const char first = scanner.peek();
  if (first == 'n') return skip_value(scanner, "Pod", kMemberLevel);
  if (first != '{') return wrong_type(scanner, "Pod", "an object");
  const auto json = take_value(scanner, "Pod");
  if (!json) return json.error();
  auto pod = core_.pod(*json, less(limits_.depth, kMemberLevel));
  if (!pod) return inside("Pod", pod.error(), limits_.depth);
  args_.pod = *std::move(pod);
  has_pod_ = true;
  return ok();
}

Status ExtenderArgsDecoder::Impl::read_names(JsonScanner& scanner) {
  args_.has_names = false;
  args_.requested.clear();
  const char first = scanner.peek();
  if (first == 'n') return skip_value(scanner, kNames, kMemberLevel);
  if (first != '[') return wrong_type(scanner, kNames, "an array or null");
  args_.has_names = true;
  static_cast<void>(scanner.take('['));
  if (scanner.take(']')) return ok();
  do {
    if (Status status = read_name(scanner); !status) return status;
  } while (scanner.take(','));
  return scanner.take(']') ? ok() : not_json(scanner, kNames, "a comma or a closing bracket");
}

Status ExtenderArgsDecoder::Impl::read_name(JsonScanner& scanner) {
  if (args_.requested.size() == limits_.nodes) return too_many(kNames, limits_.nodes);
  // The message is spelt out only when there is something to say.
  const auto where = [&] { return indexed(kNames, args_.requested.size()); };
  if (scanner.peek() != '"') return wrong_type(scanner, where(), "a string");
  const auto plain = scanner.take_plain_string();
  if (plain && plain->size() <= limits_.name_bytes) {
    args_.requested.push_back({*plain, *plain, {}});
    return ok();
  }
  if (plain) return over_limit(where(), plain->size(), limits_.name_bytes, kNameBytes);
  auto node = name_from(scanner, where());
  if (!node) return node.error();
  args_.requested.push_back(*node);
  return ok();
}

Status ExtenderArgsDecoder::Impl::read_nodes(JsonScanner& scanner) {
  args_.has_nodes = false;
  args_.nodes.clear();
  items_.clear();
  const char first = scanner.peek();
  if (first == 'n') return skip_value(scanner, "Nodes", kMemberLevel);
  if (first != '{') return wrong_type(scanner, "Nodes", "an object or null");
  args_.has_nodes = true;
  static_cast<void>(scanner.take('{'));
  if (scanner.take('}')) return ok();
  do {
    if (Status status = read_nodes_member(scanner); !status) return status;
  } while (scanner.take(','));
  return scanner.take('}') ? ok() : not_json(scanner, "Nodes", "a comma or a closing brace");
}

Status ExtenderArgsDecoder::Impl::read_nodes_member(JsonScanner& scanner) {
  const auto key = take_text(scanner, "Nodes");
  if (!key) return key.error();
  if (!scanner.take(':')) return not_json(scanner, "Nodes", "a colon");
  if (*key == "items") return read_items(scanner);
  return skip_value(scanner, "Nodes." + printable(*key), kMemberLevel + 1);
}

Status ExtenderArgsDecoder::Impl::read_items(JsonScanner& scanner) {
  args_.nodes.clear();
  items_.clear();
  const char first = scanner.peek();
  if (first == 'n') return skip_value(scanner, kItems, kMemberLevel + 1);
  if (first != '[') return wrong_type(scanner, kItems, "an array or null");
  static_cast<void>(scanner.take('['));
  if (scanner.take(']')) return ok();
  do {
    if (Status status = read_item(scanner); !status) return status;
  } while (scanner.take(','));
  return scanner.take(']') ? ok() : not_json(scanner, kItems, "a comma or a closing bracket");
}

/// The name's text in the item, so that the answer repeats it byte for byte.
Result<RequestedNode> ExtenderArgsDecoder::Impl::name_of_item(std::string_view json,
                                                              const std::string& name,
                                                              std::string_view where) {
  // Go writes it first. Whatever else the item may hold: a text that reads as the name will do.
  constexpr std::string_view kFirst = "{\"metadata\":{\"name\":";
  if (json.starts_with(kFirst)) {
    JsonScanner scanner(json.substr(kFirst.size()));
    const auto found = scanner.take_plain_string();
    if (found && *found == name && found->size() <= limits_.name_bytes) {
      return RequestedNode{*found, *found, {}};
    }
  }
  const auto metadata = find_member(json, "metadata");
  const auto value = metadata ? find_member(*metadata, "name") : std::nullopt;
  if (value && value->starts_with('"')) {
    JsonScanner scanner(*value);
    auto found = name_from(scanner, std::string(where) + ".metadata.name");
    if (!found || found->name == name) return found;
  }
  // A key written with escapes hid it: the name is written anew.
  RequestedNode node;
  node.name = unescaped_.emplace_back(name);
  const std::string_view quoted = unescaped_.emplace_back(quote_json(name));
  node.raw_name = quoted.substr(1, quoted.size() - 2);
  if (node.raw_name.size() > limits_.name_bytes) {
    return over_limit(where, node.raw_name.size(), limits_.name_bytes, kNameBytes);
  }
  return node;
}

Status ExtenderArgsDecoder::Impl::read_item(JsonScanner& scanner) {
  if (items_.size() == limits_.nodes) return too_many(kItems, limits_.nodes);
  const std::string where = indexed(kItems, items_.size());
  if (scanner.peek() != '{') return wrong_type(scanner, where, "an object");
  const auto json = take_value(scanner, where);
  if (!json) return json.error();
  auto node = core_.node(*json, less(limits_.depth, kItemLevel));
  if (!node) return inside(where, node.error(), limits_.depth);
  if (node->name.empty()) return invalid(where + ": metadata.name is missing");

  auto requested = name_of_item(*json, node->name, where);
  if (!requested) return requested.error();
  requested->raw_node = *json;
  requested->node = static_cast<std::uint32_t>(args_.nodes.size());
  args_.nodes.push_back(*std::move(node));
  items_.push_back(*requested);
  return ok();
}

Status ExtenderArgsDecoder::Impl::read_member(JsonScanner& scanner) {
  const auto key = take_text(scanner, "body");
  if (!key) return key.error();
  if (!scanner.take(':')) return not_json(scanner, "body", "a colon");
  if (equals_ignoring_case(*key, "pod")) return read_pod(scanner);
  if (equals_ignoring_case(*key, "nodes")) return read_nodes(scanner);
  if (equals_ignoring_case(*key, "nodenames")) return read_names(scanner);
  return skip_value(scanner, printable(*key), kMemberLevel);
}

Status ExtenderArgsDecoder::Impl::read_envelope(std::string_view text) {
  JsonScanner scanner(text);
  const char first = scanner.peek();
  if (scanner.at_end()) return invalid("body: empty, want a JSON object");
  if (text.starts_with(kByteOrderMark)) return invalid("body: begins with a byte order mark");
  if (first != '{') return wrong_type(scanner, "body", "an object");
  static_cast<void>(scanner.take('{'));
  if (!scanner.take('}')) {
    do {
      if (Status status = read_member(scanner); !status) return status;
    } while (scanner.take(','));
    if (!scanner.take('}')) return not_json(scanner, "body", "a comma or a closing brace");
  }
  static_cast<void>(scanner.peek());
  if (!scanner.at_end()) return not_json(scanner, "body", "nothing behind the object");
  return ok();
}

/// Names first, each with its first item; then the items that no name names.
void ExtenderArgsDecoder::Impl::merge_names_and_items() {
  const auto by_name = [&](std::uint32_t a, std::uint32_t b) {
    return items_[a].name < items_[b].name;
  };
  std::vector<std::uint32_t> order(items_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), by_name);

  std::vector<bool> named(items_.size());
  const std::size_t names = args_.requested.size();
  for (std::size_t i = 0; i < names; ++i) {
    RequestedNode& requested = args_.requested[i];
    auto item = std::lower_bound(
        order.begin(), order.end(), requested.name,
        [&](std::uint32_t index, std::string_view name) { return items_[index].name < name; });
    if (item == order.end() || items_[*item].name != requested.name) continue;
    requested.raw_node = items_[*item].raw_node;
    requested.node = items_[*item].node;
    for (; item != order.end() && items_[*item].name == requested.name && !named[*item]; ++item) {
      named[*item] = true;
    }
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!named[i]) args_.requested.push_back(items_[i]);
  }
}

Result<const ExtenderArgs*> ExtenderArgsDecoder::Impl::decode_general(const PaddedBuffer& body,
                                                                      const ExtenderLimits& given) {
  start(body, given);
  const auto too_large = [&](bool nodes) {
    return nodes ? over_limit("body", body.size(), given.nodes_body_bytes, "limits.nodesBodyBytes")
                 : over_limit("body", body.size(), given.names_body_bytes, "limits.namesBodyBytes");
  };
  if (body.size() > std::max(given.names_body_bytes, given.nodes_body_bytes)) {
    return too_large(given.nodes_body_bytes >= given.names_body_bytes);
  }
  if (Status status = read_envelope(body.view()); !status) return status.error();
  const std::size_t limit = args_.has_nodes ? given.nodes_body_bytes : given.names_body_bytes;
  if (body.size() > limit) return too_large(args_.has_nodes);
  if (!has_pod_) return invalid("Pod: missing");
  if (args_.has_nodes && !args_.has_names) args_.requested.swap(items_);
  if (args_.has_nodes && args_.has_names) merge_names_and_items();
  return &args_;
}

/// Everything behind `"NodeNames":[` of Go's shape, up to the end of the body.
bool ExtenderArgsDecoder::Impl::scan_names(const char* at, const char* end) {
  // Bytes behind the end may be read (they are zero) and are never taken for a name.
  if (*at == ']') return end - at == 2 && at[1] == '}';
  while (true) {
    if (*at != '"' || args_.requested.size() == limits_.nodes) return false;
    const char* begin = at + 1;
    const char* stop = find_not_plain(begin, end);
    if (*stop != '"') return false;
    const std::string_view name(begin, static_cast<std::size_t>(stop - begin));
    if (name.size() > limits_.name_bytes) return false;
    args_.requested.push_back({name, name, {}});
    at = stop + 1;
    if (*at != ',') break;
    ++at;
  }
  return end - at == 2 && at[0] == ']' && at[1] == '}';
}

/// {"Pod":{...},"Nodes":null,"NodeNames":["...",...]} as Go writes it. False: look closer.
bool ExtenderArgsDecoder::Impl::decode_fast(const PaddedBuffer& body, const ExtenderLimits& given) {
  constexpr std::string_view kBefore = "{\"Pod\":";
  constexpr std::string_view kNext = "},\"Nodes\":";
  constexpr std::string_view kBetween = "null,\"NodeNames\":[";
  constexpr std::size_t kFarthest = std::size_t{1} << 20;  // pods are smaller
  const std::string_view text = body.view();
  if (text.size() > given.names_body_bytes || !text.starts_with("{\"Pod\":{")) return false;
  const std::size_t next = text.substr(0, kFarthest).find(kNext);
  if (next == std::string_view::npos) return false;
  const std::size_t names = next + kNext.size();
  if (!text.substr(names).starts_with(kBetween)) return false;

  start(body, given);
  // The same bytes may stand inside of the pod: only if what precedes them is one whole object
  // are they ours.
  const std::string_view json = text.substr(kBefore.size(), next + 1 - kBefore.size());
  if (json.size() > given.object_bytes) return false;
  auto pod = core_.pod(json, less(given.depth, kMemberLevel));
  if (!pod) return false;
  if (!scan_names(text.data() + names + kBetween.size(), text.data() + text.size())) return false;
  args_.pod = *std::move(pod);
  args_.has_names = true;
  return true;
}

ExtenderArgsDecoder::ExtenderArgsDecoder() : impl_(std::make_unique<Impl>()) {}
ExtenderArgsDecoder::~ExtenderArgsDecoder() = default;

Result<const ExtenderArgs*> ExtenderArgsDecoder::decode(const PaddedBuffer& body,
                                                        const ExtenderLimits& limits) {
  if (impl_->decode_fast(body, limits)) return &impl_->args();
  return impl_->decode_general(body, limits);
}

Result<const ExtenderArgs*> ExtenderArgsDecoder::decode_general(const PaddedBuffer& body,
                                                                const ExtenderLimits& limits) {
  return impl_->decode_general(body, limits);
}

}  // namespace berth::codec
