/// Ends the waits of a thread that reads from a socket.
#pragma once

#include "berth/base/mutex.h"

namespace berth::kube {

/// Holds a descriptor of its own for the socket in use, so that shutting it down can never hit
/// another file, whatever the library closes meanwhile. Thread-safe.
class Interrupt {
 public:
  Interrupt() = default;
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The socket that is waited on from now on (also while it connects).
  void use(int socket) BERTH_EXCLUDES(mutex_);
  void release() BERTH_EXCLUDES(mutex_);
  /// Every wait, this one and later ones, ends at once.
  void raise() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] bool raised() const BERTH_EXCLUDES(mutex_);
  /// Waits for `time` or until it is raised.
  void pause(std::chrono::nanoseconds time) BERTH_EXCLUDES(mutex_);

 private:
  void close_socket() BERTH_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  int socket_ BERTH_GUARDED_BY(mutex_) = -1;
  bool raised_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::kube
