#include "berth/codec/watch.h"

#include <simdjson.h>

#include <array>
#include <optional>

#include "json_dom.h"
#include "json_scan.h"
#include "printable.h"

namespace berth::codec {
namespace {

using Key = std::string_view;

constexpr std::size_t kMaxEnvelopeDepth = 64;

Error not_a(std::string_view what, std::string_view text, std::string_view why) {
  std::string message = "not a ";
  message += what;
  message += ": ";
  message += why;
  message += ": ";
  message += printable(text);
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

/// Calls visit(key with its quotes, value) for each member; false when the text ends too early.
template <typename Visit>
bool each_member(JsonScanner& scanner, Visit visit) {
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return true;
  do {
    const auto key = scanner.take_string();
    if (!key || !scanner.take(':')) return false;
    const auto value = scanner.take_value();
    if (!value) return false;
    visit(*key, *value);
  } while (scanner.take(','));
  return scanner.take('}');
}

std::optional<std::vector<std::string_view>> elements(std::string_view array) {
  std::vector<std::string_view> items;
  JsonScanner scanner(array);
  if (!scanner.take('[')) return std::nullopt;
  if (scanner.take(']')) return items;
  do {
    const auto item = scanner.take_value();
    if (!item) return std::nullopt;
    items.push_back(*item);
  } while (scanner.take(','));
  if (!scanner.take(']')) return std::nullopt;
  return items;
}

/// The text members of `object`; those that are missing or of another type stay empty.
template <std::size_t N>
std::array<std::string, N> texts(std::string_view object, const std::array<Key, N>& keys) {
  std::array<std::string, N> found;
  JsonDom dom;
  const auto root = dom.parse(object, kMaxEnvelopeDepth);
  if (!root) return found;
  simdjson::dom::object members;
  if (root->get_object().get(members) != simdjson::SUCCESS) return found;
  for (const auto& [key, value] : members) {
    for (std::size_t i = 0; i < N; ++i) {
      std::string_view text;
      if (key == keys[i] && value.get_string().get(text) == simdjson::SUCCESS) found[i] = text;
    }
  }
  return found;
}

WatchEventType parse_type(std::string_view quoted) {
  if (quoted == "\"MODIFIED\"") return WatchEventType::kModified;
  if (quoted == "\"ADDED\"") return WatchEventType::kAdded;
  if (quoted == "\"DELETED\"") return WatchEventType::kDeleted;
  if (quoted == "\"BOOKMARK\"") return WatchEventType::kBookmark;
  if (quoted == "\"ERROR\"") return WatchEventType::kError;
  return WatchEventType::kUnknown;
}

}  // namespace

Result<ListPage> read_list_page(const PaddedBuffer& json) {
  std::string_view metadata;
  std::string_view items;
  JsonScanner scanner(json.view());
  const bool whole = each_member(scanner, [&](std::string_view key, std::string_view value) {
    if (key == "\"metadata\"") metadata = value;
    if (key == "\"items\"") items = value;
  });
  if (!whole || scanner.peek() != '\0' || !scanner.at_end()) {
    return not_a("list", json.view(), "want one whole object");
  }
  ListPage page;
  constexpr std::array<Key, 2> kKeys = {"resourceVersion", "continue"};
  auto [version, token] = texts(metadata, kKeys);
  page.resource_version = std::move(version);
  page.continue_token = std::move(token);
  // A watch without a version would begin with everything that exists, marked as new.
  if (page.resource_version.empty()) {
    return not_a("list", json.view(), "metadata.resourceVersion is missing");
  }
  if (items.empty() || items == "null") return page;  // how Go writes an empty list
  auto found = elements(items);
  if (!found) return not_a("list", items, "items: want an array");
  page.items = *std::move(found);
  return page;
}

Result<WatchEvent> read_watch_event(std::string_view line) {
  WatchEvent event;
  bool has_type = false;
  JsonScanner scanner(line);
  const bool whole = each_member(scanner, [&](std::string_view key, std::string_view value) {
    if (key == "\"type\"") {
      has_type = value.starts_with('"');
      event.type = parse_type(value);
    } else if (key == "\"object\"") {
      event.object = value;
    }
  });
  if (!whole || scanner.peek() != '\0' || !scanner.at_end()) {
    return not_a("watch event", line, "want one whole object");
  }
  if (!has_type) return not_a("watch event", line, "type: want a string");
  if (!event.object.starts_with('{')) return not_a("watch event", line, "object: want an object");
  return event;
}

std::optional<WatchEvent> guess_watch_event(std::string_view line) {
  constexpr std::string_view kType = "{\"type\":";
  constexpr std::string_view kObject = ",\"object\":";
  if (!line.starts_with(kType) || !line.ends_with("}}")) return std::nullopt;
  line = line.substr(kType.size(), line.size() - kType.size() - 1);
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos || !line.substr(comma).starts_with(kObject)) {
    return std::nullopt;
  }
  const WatchEvent event{parse_type(line.substr(0, comma)), line.substr(comma + kObject.size())};
  if (event.type == WatchEventType::kUnknown || !event.object.starts_with('{')) return std::nullopt;
  return event;
}

ObjectIdentity read_identity(std::string_view json) {
  const auto metadata = find_member(json, "metadata");
  if (!metadata) return {};
  const auto plain = [&metadata](Key key) {
    const auto value = find_member(*metadata, key);
    const bool text = value && value->size() >= 2 && value->starts_with('"');
    return text ? printable(value->substr(1, value->size() - 2), 512) : std::string();
  };
  return {plain("namespace"), plain("name"), plain("uid"), plain("resourceVersion")};
}

ApiStatus read_api_status(const PaddedBuffer& json) {
  ApiStatus status;
  JsonDom dom;
  const auto root = dom.parse(json.view(), kMaxEnvelopeDepth);
  if (!root || !root->is_object()) {
    status.message = printable(json.view(), 200);
    return status;
  }
  std::int64_t code = 0;
  std::string_view text;
  if ((*root)["code"].get_int64().get(code) == simdjson::SUCCESS && code > 0 && code < 1000) {
    status.code = static_cast<int>(code);
  }
  if ((*root)["reason"].get_string().get(text) == simdjson::SUCCESS) {
    status.reason = printable(text, 200);
  }
  if ((*root)["message"].get_string().get(text) == simdjson::SUCCESS) {
    status.message = printable(text, 500);
  }
  return status;
}

}  // namespace berth::codec
