#include "object_core.h"

#include "object_reader.h"
#include "read_objects.h"

namespace berth::codec {

template <typename Object, typename Read>
Result<Object> ObjectCore::decode(std::string_view json, std::size_t depth, Read read) {
  if (auto root = dom_.parse(json, depth)) {
    Object object;
    ObjectReader reader(false);
    read(reader, Value(*root), object);
    if (!reader.needs_number_texts()) {
      if (reader.error()) return *reader.error();
      return object;
    }
  } else if (root.error().code != ErrorCode::kInvalidArgument) {
    return root.error();
  }
  // Either a quantity is a number that the parser rounded, or the text is bad, or a number in it is
  // beyond what the parser knows: the second look tells these apart.
  auto root = dom_.parse_keeping_numbers(json, depth);
  if (!root) return root.error();
  Object object;
  ObjectReader reader(true);
  read(reader, Value(*root), object);
  if (reader.error()) return *reader.error();
  return object;
}

Result<model::Pod> ObjectCore::pod(std::string_view json, std::size_t depth) {
  return decode<model::Pod>(json, depth, read_pod);
}

Result<model::Node> ObjectCore::node(std::string_view json, std::size_t depth) {
  return decode<model::Node>(json, depth, read_node);
}

Result<model::DeviceClass> ObjectCore::device_class(std::string_view json, std::size_t depth) {
  return decode<model::DeviceClass>(json, depth, read_device_class);
}

Result<model::ResourceSlice> ObjectCore::resource_slice(std::string_view json, std::size_t depth) {
  return decode<model::ResourceSlice>(json, depth, read_resource_slice);
}

Result<model::ResourceClaim> ObjectCore::resource_claim(std::string_view json, std::size_t depth) {
  return decode<model::ResourceClaim>(json, depth, read_resource_claim);
}

Status ObjectCore::validate(std::string_view json, std::size_t depth) {
  if (dom_.parse(json, depth)) return ok();
  const auto root = dom_.parse_keeping_numbers(json, depth);
  return root ? ok() : Status(root.error());
}

Result<std::string> ObjectCore::unescape(std::string_view json_string) {
  auto root = dom_.parse(json_string, 1);
  if (!root) return root.error();
  std::string_view text;
  if (root->get_string().get(text) != simdjson::SUCCESS) {
    return Error{ErrorCode::kInvalidArgument, "want a string"};
  }
  return std::string(text);
}

Error within(std::string_view where, Error error) {
  error.message = std::string(where) + ": " + error.message;
  return error;
}

}  // namespace berth::codec
