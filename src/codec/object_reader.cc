#include "object_reader.h"

#include <algorithm>

#include "json_dom.h"
#include "printable.h"

namespace berth::codec {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// A pod with one bad quantity is never placed; more of them only help the reader.
constexpr std::size_t kMaxProblems = 32;
constexpr std::size_t kShownProblem = 160;

std::string describe(const element& found, bool number_texts) {
  switch (found.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::BOOL:
      return found.get_bool().value_unsafe() ? "true" : "false";
    case element_type::NULL_VALUE:
      return "null";
    case element_type::INT64:
      return "the number " + std::to_string(found.get_int64().value_unsafe());
    case element_type::UINT64:
      return "the number " + std::to_string(found.get_uint64().value_unsafe());
    case element_type::DOUBLE:
      return "a number";
    case element_type::STRING:
      break;
    default:
      return "something else";
  }
  const std::string_view text = found.get_string().value_unsafe();
  if (number_texts && text.starts_with(JsonDom::kNumberMark)) {
    return "the number " + printable(text.substr(1));
  }
  std::string quoted = "\"";
  quoted += printable(text);
  return quoted += '"';
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_number_text(std::string_view text) { return text.starts_with(JsonDom::kNumberMark); }

}  // namespace

struct ObjectReader::Entry {
  std::string_view key;
  Value value;
};

std::string Path::to_string() const {
  std::string out = parent == nullptr ? std::string() : parent->to_string();
  if (index != kNoIndex) return out + "[" + std::to_string(index) + "]";
  if (!out.empty() && !key.empty()) out += '.';
  return out + printable(key);
}

void ObjectReader::fail(const Path& path, std::string_view wanted, const element& found) {
  if (error_) return;
  std::string message = path.to_string();
  if (!message.empty()) message += ": ";
  message += "want ";
  message += wanted;
  message += ", found " + describe(found, number_texts_);
  error_ = Error{ErrorCode::kInvalidArgument, std::move(message)};
}

void ObjectReader::read_members(const Path& path, const Value& object, const std::string_view* keys,
                                Value* values, std::size_t count) {
  if (!object) return;
  simdjson::dom::object members;
  if (object->get_object().get(members) != simdjson::SUCCESS) {
    fail(path, "an object", *object);
    return;
  }
  for (const simdjson::dom::key_value_pair member : members) {
    const std::string_view* key = std::find(keys, keys + count, member.key);
    if (key == keys + count) continue;
    Value& value = values[key - keys];
    if (member.value.is_null()) {
      value.reset();
    } else {
      value = member.value;
    }
  }
}

std::vector<Value> ObjectReader::elements(const Path& path, const Value& array) {
  std::vector<Value> values;
  if (!array) return values;
  simdjson::dom::array items;
  if (array->get_array().get(items) != simdjson::SUCCESS) {
    fail(path, "an array", *array);
    return values;
  }
  for (const element item : items) {
    values.push_back(item.is_null() ? Value() : Value(item));
  }
  return values;
}

std::vector<ObjectReader::Entry> ObjectReader::entries(const Path& path, const Value& object) {
  std::vector<Entry> entries;
  if (!object) return entries;
  simdjson::dom::object members;
  if (object->get_object().get(members) != simdjson::SUCCESS) {
    fail(path, "an object", *object);
    return entries;
  }
  for (const simdjson::dom::key_value_pair member : members) {
    entries.push_back({member.key, member.value.is_null() ? Value() : Value(member.value)});
  }
  // Sorted once, so that filling a sorted container appends: any other order costs its square.
  const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_key)) {
    std::stable_sort(entries.begin(), entries.end(), by_key);
  }
  const auto same_key = [](const Entry& a, const Entry& b) { return a.key == b.key; };
  const auto first = std::unique(entries.rbegin(), entries.rend(), same_key).base();
  entries.erase(entries.begin(), first);
  return entries;
}

void ObjectReader::read(const Path& path, const Value& value, std::string& out) {
  if (!value) return;
  std::string_view text;
  if (value->get_string().get(text) != simdjson::SUCCESS ||
      (number_texts_ && is_number_text(text))) {
    fail(path, "a string", *value);
    return;
  }
  out = text;
}

void ObjectReader::read(const Path& path, const Value& value, bool& out) {
  if (!value) return;
  if (value->get_bool().get(out) != simdjson::SUCCESS) fail(path, "true or false", *value);
}

void ObjectReader::read(const Path& path, const Value& value, std::int64_t& out) {
  if (!value) return;
  // Asked for by type: a double is not an integer, not even 1.0 (Go says the same).
  if (value->type() != element_type::INT64 || value->get_int64().get(out) != simdjson::SUCCESS) {
    fail(path, "an integer", *value);
  }
}

void ObjectReader::read(const Path& path, const Value& value, std::vector<std::string>& out) {
  each(path, value, [&](const Path& at, const Value& item) { read(at, item, out.emplace_back()); });
}

void ObjectReader::read(const Path& path, const Value& value, model::Labels& out) {
  for (const Entry& entry : entries(path, value)) {
    std::string text;
    read(path.member(entry.key), entry.value, text);
    if (error_) return;
    out.set(entry.key, text);  // in key order
  }
  out.shrink_to_fit();
}

std::optional<std::string> ObjectReader::quantity_text(const Path& path, const Value& value) {
  if (!value) return "0";
  switch (value->type()) {
    case element_type::INT64:
      return std::to_string(value->get_int64().value_unsafe());
    case element_type::UINT64:
      return std::to_string(value->get_uint64().value_unsafe());
    case element_type::DOUBLE:
      needs_number_texts_ = true;
      return std::nullopt;
    case element_type::STRING: {
      const std::string_view text = value->get_string().value_unsafe();
      if (number_texts_ && is_number_text(text)) return std::string(text.substr(1));
      return std::string(trim(text));
    }
    default:
      fail(path, "a quantity", *value);
      return std::nullopt;
  }
}

std::optional<model::Quantity> ObjectReader::quantity(const Path& path, const Value& value,
                                                      std::vector<std::string>& problems) {
  const std::optional<std::string> text = quantity_text(path, value);
  if (!text) return std::nullopt;
  Result<model::Quantity> parsed = model::parse_quantity(*text);
  if (parsed && !parsed->negative()) return *parsed;
  if (problems.size() >= kMaxProblems) return std::nullopt;
  const std::string what = parsed ? "\"" + *text + "\" is negative" : parsed.error().message;
  problems.push_back(path.to_string() + ": " + printable(what, kShownProblem));
  return std::nullopt;
}

void ObjectReader::read(const Path& path, const Value& value, BadQuantity treatment,
                        model::ResourceList& out, std::vector<std::string>& problems) {
  read_unless_in({}, path, value, treatment, out, problems);
}

void ObjectReader::read_unless_in(const Value& other, const Path& path, const Value& value,
                                  BadQuantity treatment, model::ResourceList& out,
                                  std::vector<std::string>& problems) {
  if (!value) return;
  const std::vector<Entry> others = entries(path, other);
  const auto is_in_other = [&](std::string_view key) {
    const auto at = std::lower_bound(others.begin(), others.end(), key,
                                     [](const Entry& a, std::string_view b) { return a.key < b; });
    return at != others.end() && at->key == key;
  };
  for (const Entry& entry : entries(path, value)) {
    if (is_in_other(entry.key)) continue;
    const auto amount = quantity(path.member(entry.key), entry.value, problems);
    if (error_ || needs_number_texts_) return;
    if (amount) {
      out.set(entry.key, *amount);
    } else if (treatment == BadQuantity::kZero) {
      out.set(entry.key, model::Quantity());
    }
  }
}

}  // namespace berth::codec
