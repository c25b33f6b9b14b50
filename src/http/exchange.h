/// One request and its reply on a connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "berth/http/server.h"
#include "byte_budget.h"
#include "connection.h"

namespace berth::http {

/// What all workers of one server share.
struct Site {
  Site(const ServerOptions& server_options, std::vector<Route> server_routes)
      : options(server_options),
        routes(std::move(server_routes)),
        budget(server_options.max_bytes_in_flight) {}

  const ServerOptions& options;  ///< outlives the site
  const std::vector<Route> routes;
  ByteBudget budget;
  std::atomic<bool> stopping{false};  ///< replies close their connection
};

/// Tells the listener's owner.
void report(const Site& site, Refusal refusal, std::string_view what);

enum class After { kKeep, kClose };

/// Serves one connection after the other; every worker thread has its own. Not thread-safe.
class Exchange {
 public:
  explicit Exchange(Site& site);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Receives the next request, has it answered and sends the reply. kClose: the connection is of
  /// no further use.
  [[nodiscard]] After run(Connection& connection);

 private:
  class Library;

  [[nodiscard]] After give_up(Connection& connection, Io why);
  [[nodiscard]] After refuse(Connection& connection, int status, std::string_view what);

  Site& site_;
  std::vector<char> scratch_;
  std::unique_ptr<Library> library_;
};

}  // namespace berth::http
