/// `berth serve`: constructs everything, joins every thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/app/command_line.h"
#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/telemetry/log.h"

namespace berth::app {

/// The wall clock of this machine.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override;
};

/// A running berth: two listeners, and one thread that watches the files and writes the cluster.
/// Its methods are for one thread.
class Serving {
 public:
  virtual ~Serving() = default;  ///< stops

  [[nodiscard]] virtual std::string url() const = 0;  ///< the scheduler's side: http(s)://ADDR:PORT
  [[nodiscard]] virtual std::string admin_url() const = 0;
  /// Stops accepting, lets running requests finish, joins all threads.
  virtual void stop() = 0;
};

/// Reads the configuration, listens, then reads the cluster's file, or begins to follow a live
/// cluster (answering 503 until it is known). The error
/// is what went wrong in one line; what was started by then has stopped. `log_sink` takes the log
/// lines instead of stderr, see LogOptions.
[[nodiscard]] Result<std::unique_ptr<Serving>> start_serving(
    const ServeFlags& flags, std::function<void(std::string_view)> log_sink = nullptr);

/// Serves until SIGTERM or SIGINT, which end it at once while it is still starting. Prints
/// `listening on URL` and `admin on URL` to stdout once the cluster's file is read; with a live
/// cluster at once. Returns the exit code: 0, or 1 after one line on stderr. REQUIRES: no other
/// thread runs yet: the signals are blocked in all that follow.
[[nodiscard]] int run_serve(const ServeFlags& flags);

}  // namespace berth::app
