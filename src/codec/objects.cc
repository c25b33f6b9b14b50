#include "berth/codec/objects.h"

#include "object_core.h"

namespace berth::codec {

struct ObjectDecoder::Impl {
  std::size_t max_depth;
  ObjectCore core;
};

ObjectDecoder::ObjectDecoder(std::size_t max_depth)
    : impl_(std::make_unique<Impl>(Impl{max_depth, {}})) {}
ObjectDecoder::~ObjectDecoder() = default;
ObjectDecoder::ObjectDecoder(ObjectDecoder&&) noexcept = default;
ObjectDecoder& ObjectDecoder::operator=(ObjectDecoder&&) noexcept = default;

Result<model::Pod> ObjectDecoder::pod(std::string_view json) {
  return impl_->core.pod(json, impl_->max_depth);
}

Result<model::Node> ObjectDecoder::node(std::string_view json) {
  return impl_->core.node(json, impl_->max_depth);
}

Result<model::DeviceClass> ObjectDecoder::device_class(std::string_view json) {
  return impl_->core.device_class(json, impl_->max_depth);
}

Result<model::ResourceSlice> ObjectDecoder::resource_slice(std::string_view json) {
  return impl_->core.resource_slice(json, impl_->max_depth);
}

Result<model::ResourceClaim> ObjectDecoder::resource_claim(std::string_view json) {
  return impl_->core.resource_claim(json, impl_->max_depth);
}

}  // namespace berth::codec
