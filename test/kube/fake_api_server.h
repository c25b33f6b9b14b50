/// An API server as far as a reflector can see: pages of lists and watches that a test scripts.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace berth::kube::test {

/// One request as it came in.
struct Seen {
  std::string path;
  std::map<std::string, std::string> query;
  std::string authorization;

  [[nodiscard]] bool watch() const { return query.contains("watch"); }
  [[nodiscard]] std::string parameter(const std::string& name) const {
    const auto at = query.find(name);
    return at == query.end() ? "" : at->second;
  }
};

/// Everything by path of a collection. Thread-safe. Answers what it was told, one thing per
/// request; when nothing was told, lists are empty and watches stay silent until the end.
class FakeApiServer {
 public:
  struct Tls {
    std::string certificate_file;
    std::string key_file;
    std::string client_ca_file;
  };
  FakeApiServer();
  explicit FakeApiServer(const Tls& tls);
  ~FakeApiServer();

  [[nodiscard]] int port() const { return port_; }

  /// The next list request gets this.
  void answer_list(const std::string& path, std::string body, int status = 200);
  /// The next watch request gets this status instead of a stream.
  void refuse_watch(const std::string& path, int status, std::string body);
  /// Bytes for the running watch, or the next one when none runs.
  void stream(const std::string& path, std::string bytes);
  /// Ends the running watch (or the next one) behind what was streamed and these bytes.
  void end_watch(const std::string& path, std::string bytes = {});

  /// Waits until `count` requests for `path` came; what came in all, also when time ran out.
  [[nodiscard]] std::vector<Seen> wait_for(const std::string& path, std::size_t count);
  [[nodiscard]] std::vector<Seen> seen(const std::string& path);

 private:
  struct Reply {
    int status = 200;
    std::string body;
  };
  struct Piece {
    bool end = false;
    std::string bytes;
  };
  struct Collection {
    std::deque<Reply> lists;
    std::deque<Reply> refusals;
    std::deque<Piece> pieces;
    std::vector<Seen> seen;
  };
  void start();
  void handle(const httplib::Request& request, httplib::Response& response);
  void answer_watch(const std::string& path, httplib::Response& response);

  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Collection> collections_;
  bool stopping_ = false;
};

}  // namespace berth::kube::test
