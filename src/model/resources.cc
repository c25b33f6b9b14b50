#include "berth/model/resources.h"

#include <algorithm>

namespace berth::model {
namespace {

bool before(const ResourceList::Entry& entry, std::string_view name) { return entry.name < name; }

/// Where `name` is, or belongs, in entries sorted by name.
template <typename Entries>
auto position(Entries& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name, before);
}

/// Puts `quantity` in, or lets `merge` change the one that is there.
template <typename Merge>
void upsert(std::vector<ResourceList::Entry>& entries, std::string_view name, Quantity quantity,
            Merge merge) {
  const auto at = position(entries, name);
  if (at != entries.end() && at->name == name) {
    merge(at->quantity);
  } else {
    entries.insert(at, ResourceList::Entry{std::string(name), quantity});
  }
}

}  // namespace

ResourceList::ResourceList(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries) set(entry.name, entry.quantity);
}

void ResourceList::set(std::string_view name, Quantity quantity) {
  upsert(entries_, name, quantity, [&](Quantity& present) { present = quantity; });
}

void ResourceList::add(std::string_view name, Quantity quantity) {
  upsert(entries_, name, quantity, [&](Quantity& present) { present += quantity; });
}

void ResourceList::raise_to(std::string_view name, Quantity quantity) {
  upsert(entries_, name, quantity,
         [&](Quantity& present) { present = std::max(present, quantity); });
}

void ResourceList::add(const ResourceList& other) {
  for (const Entry& entry : other.entries_) add(entry.name, entry.quantity);
}

void ResourceList::raise_to(const ResourceList& other) {
  for (const Entry& entry : other.entries_) raise_to(entry.name, entry.quantity);
}

const Quantity* ResourceList::find(std::string_view name) const {
  const auto at = position(entries_, name);
  return at != entries_.end() && at->name == name ? &at->quantity : nullptr;
}

Quantity ResourceList::get(std::string_view name) const {
  const Quantity* found = find(name);
  return found != nullptr ? *found : Quantity();
}

ResourceUnits to_units(std::string_view resource, Quantity quantity) {
  return ResourceUnits(resource == kCpu ? quantity.milli_value() : quantity.value());
}

MilliCpu milli_cpu_of(const ResourceList& list) { return MilliCpu(list.get(kCpu).milli_value()); }

Bytes memory_of(const ResourceList& list) { return Bytes(list.get(kMemory).value()); }

}  // namespace berth::model
