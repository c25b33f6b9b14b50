/// Follows one kind of objects: lists all of them, then watches what changes, and again when the
/// watch cannot go on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api_client.h"
#include "backoff.h"
#include "berth/base/padded_buffer.h"
#include "berth/codec/objects.h"
#include "berth/kube/cluster_watch.h"
#include "change_queue.h"
#include "interrupt.h"
#include "source_health.h"

namespace berth::kube {

/// What a reflector must know of a kind.
struct Kind {
  cluster::Source source;
  std::string_view path;   ///< of the collection
  std::string_view query;  ///< selectors, ready for a URL; may be empty
  bool optional = false;   ///< an API server without it is no error
};
[[nodiscard]] const Kind& kind_of(cluster::Source source);

/// run() is for one thread; interrupt() for any. What it is given outlives it.
class Reflector {
 public:
  Reflector(const Kind& kind, const WatchOptions& options, ChangeQueue& queue, SourceHealth& health,
            WatchObserver& observer);

  /// Returns after interrupt().
  void run();
  void interrupt() { interrupt_.raise(); }

 private:
  enum class End {
    kGoOn,    ///< the list is complete, or the watch is over, as all of them are some day
    kRelist,  ///< the version is no longer known
    kFailed,  ///< wait, then try again
  };

  /// An object as a change, and what tells it from others.
  struct Decoded {
    Change change;
    codec::ObjectIdentity identity;
  };

  [[nodiscard]] bool connect();
  [[nodiscard]] End list();
  [[nodiscard]] End list_pages();
  [[nodiscard]] End watch();
  [[nodiscard]] End refused(const Answer& answer);
  [[nodiscard]] End absent();
  [[nodiscard]] End fail(std::string_view what);
  void relist(cluster::RelistReason reason);

  [[nodiscard]] bool take_page(std::string& continue_token);
  [[nodiscard]] bool take_piece(std::string_view piece);
  [[nodiscard]] bool take_line(std::string_view line);
  [[nodiscard]] bool take_event(const codec::WatchEvent& event);
  [[nodiscard]] bool take_object(codec::WatchEventType type, Decoded&& decoded);
  [[nodiscard]] bool take_error(std::string_view status);
  [[nodiscard]] Result<Decoded> decode(std::string_view object);
  void tell_unreadable(std::string_view object, const Error& error);
  [[nodiscard]] std::string url(std::string_view more) const;

  const Kind& kind_;
  const WatchOptions& options_;
  ChangeQueue& queue_;
  SourceHealth& health_;
  WatchObserver& observer_;
  Interrupt interrupt_;
  Backoff backoff_;
  codec::ObjectDecoder decoder_;
  std::unique_ptr<ApiClient> client_;

  std::string resource_version_;  // where the watch goes on; empty: list first
  cluster::RelistReason reason_ = cluster::RelistReason::kStart;
  PaddedBuffer received_;               // of the page or line that is not whole yet
  std::size_t searched_ = 0;            // bytes of it that have no newline
  std::string list_version_;            // of the pages taken so far
  End end_ = End::kGoOn;                // why take_piece() returned false
  std::chrono::milliseconds pause_{0};  // what the API server asked for
};

}  // namespace berth::kube
