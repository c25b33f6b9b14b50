#include "reflector.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::kube {
namespace {

using codec::WatchEventType;

constexpr std::size_t kMaxPageBytes = std::size_t{512} << 20;
constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;  // etcd's own limit is far below
/// A watch that ends sooner without a word is treated like a failure, or we would spin.
constexpr std::chrono::seconds kShortWatch{1};
constexpr int kGone = 410;
constexpr int kNotFound = 404;

std::string escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

bool is_change(WatchEventType type) {
  return type == WatchEventType::kAdded || type == WatchEventType::kModified ||
         type == WatchEventType::kDeleted;
}

}  // namespace

const Kind& kind_of(cluster::Source source) {
  // Pods that hold no room are of no use: those without a node, and those that have ended (a watch
  // reports the end of a pod as its deletion from the selection).
  static constexpr std::array<Kind, cluster::kAllSources.size()> kKinds = {
      Kind{cluster::Source::kNodes, "/api/v1/nodes", ""},
      Kind{cluster::Source::kPods, "/api/v1/pods",
           "fieldSelector=spec.nodeName!%3D,status.phase!%3DSucceeded,status.phase!%3DFailed"},
      Kind{cluster::Source::kDeviceClasses, "/apis/resource.k8s.io/v1/deviceclasses", "", true},
      Kind{cluster::Source::kResourceSlices, "/apis/resource.k8s.io/v1/resourceslices", "", true},
      Kind{cluster::Source::kResourceClaims, "/apis/resource.k8s.io/v1/resourceclaims", "", true}};
  return kKinds[static_cast<std::size_t>(source)];
}

Reflector::Reflector(const Kind& kind, const WatchOptions& options, ChangeQueue& queue,
                     SourceHealth& health, WatchObserver& observer)
    : kind_(kind),
      options_(options),
      queue_(queue),
      health_(health),
      observer_(observer),
      backoff_(options.first_backoff, options.most_backoff) {}

void Reflector::run() {
  while (!interrupt_.raised()) {
    pause_ = {};
    End end = End::kFailed;
    if (connect()) end = resource_version_.empty() ? list() : watch();
    if (end == End::kGoOn) continue;
    if (end == End::kFailed) client_.reset();  // the next connection reads certificates anew
    interrupt_.pause(std::max(pause_, backoff_.next()));
  }
  client_.reset();
}

bool Reflector::connect() {
  if (client_ != nullptr) return true;
  auto client = ApiClient::create(
      options_.access, options_.read_file,
      {options_.user_agent, options_.connect_timeout, options_.read_deadline}, interrupt_);
  if (!client) {
    (void)fail(client.error().message);
    return false;
  }
  client_ = *std::move(client);
  return true;
}

std::string Reflector::url(std::string_view more) const {
  std::string url(kind_.path);
  url += '?';
  url += kind_.query;
  if (!kind_.query.empty()) url += '&';
  url += more;
  return url;
}

Reflector::End Reflector::list() {
  if (!queue_.push({kind_.source, ListBegins{}})) return End::kFailed;
  const End end = list_pages();
  received_ = {};  // a page is far larger than any event
  if (end != End::kGoOn) return end;
  if (!queue_.push({kind_.source, ListEnds{}})) return End::kFailed;
  observer_.on_relist(kind_.source, reason_);
  resource_version_ = list_version_;
  return end;
}

Reflector::End Reflector::list_pages() {
  std::string continue_token;
  do {
    std::string more = "limit=" + std::to_string(options_.page_size);
    if (!continue_token.empty()) more += "&continue=" + escaped(continue_token);
    received_.clear();
    const auto answer = client_->get(url(more), [this](std::string_view piece) {
      if (received_.size() + piece.size() > kMaxPageBytes) return false;
      received_.append(piece);
      return true;
    });
    if (!answer) return fail(answer.error().message);
    if (answer->status != 200) return refused(*answer);
    health_.sign_of_life();
    if (!take_page(continue_token)) return End::kFailed;
  } while (!continue_token.empty());
  return End::kGoOn;
}

bool Reflector::take_page(std::string& continue_token) {
  const auto page = codec::read_list_page(received_);
  if (!page) {
    (void)fail(page.error().message);
    return false;
  }
  for (const std::string_view item : page->items) {
    auto decoded = decode(item);
    if (!decoded) {
      tell_unreadable(item, decoded.error());
    } else if (!queue_.push(std::move(decoded->change))) {
      return false;
    }
  }
  list_version_ = page->resource_version;
  continue_token = page->continue_token;
  return true;
}

Reflector::End Reflector::watch() {
  const auto lasts = backoff_.between(options_.least_watch.count(), options_.most_watch.count());
  received_.clear();
  searched_ = 0;
  end_ = End::kGoOn;
  bool heard = false;
  const auto began = SourceHealth::Steady::now();
  const auto answer = client_->get(
      url("watch=true&allowWatchBookmarks=true&resourceVersion=" + escaped(resource_version_) +
          "&timeoutSeconds=" + std::to_string(lasts)),
      [this, &heard](std::string_view piece) {
        heard = true;
        return take_piece(piece);
      });
  if (end_ != End::kGoOn) return end_;
  if (!answer) return fail(answer.error().message);
  if (answer->status != 200) return refused(*answer);
  health_.sign_of_life();
  if (!heard && SourceHealth::Steady::now() - began < kShortWatch) {
    return fail("the watch ended at once");
  }
  backoff_.reset();
  return End::kGoOn;
}

bool Reflector::take_piece(std::string_view piece) {
  received_.append(piece);
  std::size_t begin = 0;
  while (true) {
    const std::string_view all = received_.view();
    const std::size_t newline = all.find('\n', std::max(begin, searched_));
    if (newline == std::string_view::npos) break;
    if (newline > begin && !take_line(all.substr(begin, newline - begin))) return false;
    begin = newline + 1;
  }
  received_.drop_front(begin);
  searched_ = received_.size();
  if (searched_ <= kMaxLineBytes) return true;
  end_ = fail("an event is larger than " + std::to_string(kMaxLineBytes) + " bytes");
  return false;
}

bool Reflector::take_line(std::string_view line) {
  health_.sign_of_life();
  // Nearly every line is an object in Go's own shape: it is looked at once, by the decoder.
  if (const auto guess = codec::guess_watch_event(line); guess && is_change(guess->type)) {
    if (auto decoded = decode(guess->object)) return take_object(guess->type, *std::move(decoded));
  }
  const auto event = codec::read_watch_event(line);
  if (event) return take_event(*event);
  end_ = fail(event.error().message);
  return false;
}

bool Reflector::take_event(const codec::WatchEvent& event) {
  if (is_change(event.type)) {
    auto decoded = decode(event.object);
    if (decoded) return take_object(event.type, *std::move(decoded));
    tell_unreadable(event.object, decoded.error());
    // That it is gone can be known without knowing what it was.
    if (event.type == WatchEventType::kDeleted) {
      return take_object(event.type, {{}, codec::read_identity(event.object)});
    }
  }
  observer_.on_event(kind_.source, event.type);
  if (event.type == WatchEventType::kError) return take_error(event.object);
  // Also after an object that we could not read: the watch goes on behind it.
  std::string version = codec::read_identity(event.object).resource_version;
  if (!version.empty()) resource_version_ = std::move(version);
  backoff_.reset();
  return true;
}

bool Reflector::take_object(WatchEventType type, Decoded&& decoded) {
  observer_.on_event(kind_.source, type);
  auto& [change, identity] = decoded;
  if (type == WatchEventType::kDeleted) {
    change = {kind_.source, Deleted{std::move(identity.name), std::move(identity.uid)}};
  }
  if (!queue_.try_push(std::move(change))) {
    (void)fail("events come faster than they can be taken; listing again");
    relist(cluster::RelistReason::kOverflow);
    return false;
  }
  backoff_.reset();
  if (!identity.resource_version.empty()) resource_version_ = std::move(identity.resource_version);
  return true;
}

bool Reflector::take_error(std::string_view status) {
  const codec::ApiStatus error = codec::read_api_status(PaddedBuffer(status));
  if (error.code == kGone || error.reason == "Expired" || error.reason == "Gone") {
    relist(cluster::RelistReason::kExpired);
  } else {
    end_ = fail("watch: " + error.message);
  }
  return false;
}

Result<Reflector::Decoded> Reflector::decode(std::string_view object) {
  const auto finish = [this](auto result) -> Result<Decoded> {
    if (!result) return result.error();
    auto& value = *result;
    Decoded decoded{{}, {"", value.name, value.uid, value.resource_version}};
    decoded.change = {kind_.source, std::move(value)};
    return decoded;
  };
  switch (kind_.source) {
    case cluster::Source::kNodes:
      return finish(decoder_.node(object));
    case cluster::Source::kPods:
      return finish(decoder_.pod(object));
    case cluster::Source::kDeviceClasses:
      return finish(decoder_.device_class(object));
    case cluster::Source::kResourceSlices:
      return finish(decoder_.resource_slice(object));
    case cluster::Source::kResourceClaims:
      return finish(decoder_.resource_claim(object));
  }
  return Error{ErrorCode::kInternal, "no decoder for this kind"};
}

void Reflector::tell_unreadable(std::string_view object, const Error& error) {
  const codec::ObjectIdentity identity = codec::read_identity(object);
  observer_.on_unreadable(kind_.source,
                          identity.namespace_name + "/" + identity.name + ": " + error.message);
}

Reflector::End Reflector::refused(const Answer& answer) {
  if (answer.status == kGone) {
    relist(cluster::RelistReason::kExpired);
    return end_;
  }
  if (answer.status == kNotFound && kind_.optional) return absent();
  pause_ = answer.retry_after;
  std::string what = "API server answered " + std::to_string(answer.status);
  if (!answer.refusal.message.empty()) what += ": " + answer.refusal.message;
  return fail(what);
}

Reflector::End Reflector::absent() {
  if (!queue_.push({kind_.source, KindAbsent{}})) return End::kFailed;
  health_.sign_of_life();
  pause_ = std::max(pause_, options_.most_backoff);
  return End::kFailed;
}

Reflector::End Reflector::fail(std::string_view what) {
  if (interrupt_.raised()) return End::kFailed;
  health_.trouble(what);
  observer_.on_trouble(kind_.source, what);
  return End::kFailed;
}

void Reflector::relist(cluster::RelistReason reason) {
  reason_ = reason;
  resource_version_.clear();
  end_ = End::kRelist;
}

}  // namespace berth::kube
