#include "test/kube/fake_api_server.h"

#include <httplib.h>

#include <chrono>

namespace berth::kube::test {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr const char* kEmptyList = R"({"metadata":{"resourceVersion":"1"},"items":[]})";

}  // namespace

FakeApiServer::FakeApiServer() : server_(std::make_unique<httplib::Server>()) { start(); }

FakeApiServer::FakeApiServer(const Tls& tls)
    : server_(std::make_unique<httplib::SSLServer>(
          tls.certificate_file.c_str(), tls.key_file.c_str(),
          tls.client_ca_file.empty() ? nullptr : tls.client_ca_file.c_str())) {
  start();
}

void FakeApiServer::start() {
  server_->new_task_queue = [] { return new httplib::ThreadPool(16); };
  server_->Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
    handle(request, response);
  });
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();  // stop() before that does nothing
}

FakeApiServer::~FakeApiServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  server_->stop();
  thread_.join();
}

void FakeApiServer::handle(const httplib::Request& request, httplib::Response& response) {
  std::unique_lock lock(mutex_);
  Collection& collection = collections_[request.path];
  Seen seen{request.path, {}, request.get_header_value("Authorization")};
  for (const auto& [name, value] : request.params) seen.query[name] = value;
  collection.seen.push_back(seen);
  changed_.notify_all();
  auto& replies = seen.watch() ? collection.refusals : collection.lists;
  if (!replies.empty()) {
    response.status = replies.front().status;
    response.set_content(replies.front().body, "application/json");
    replies.pop_front();
  } else if (seen.watch()) {
    answer_watch(request.path, response);
  } else {
    response.set_content(kEmptyList, "application/json");
  }
}

void FakeApiServer::answer_watch(const std::string& path, httplib::Response& response) {
  response.set_chunked_content_provider(
      "application/json", [this, path](std::size_t, httplib::DataSink& sink) {
        std::unique_lock lock(mutex_);
        Collection& collection = collections_[path];
        // Looks up now and then whether the client is still there.
        while (collection.pieces.empty() && !stopping_) {
          changed_.wait_for(lock, std::chrono::milliseconds(20));
          if (!sink.is_writable()) return false;
        }
        if (stopping_) return false;
        const Piece piece = std::move(collection.pieces.front());
        collection.pieces.pop_front();
        lock.unlock();
        if (!piece.bytes.empty() && !sink.write(piece.bytes.data(), piece.bytes.size())) {
          return false;
        }
        if (piece.end) sink.done();
        return true;
      });
}

void FakeApiServer::answer_list(const std::string& path, std::string body, int status) {
  const std::lock_guard lock(mutex_);
  collections_[path].lists.push_back({status, std::move(body)});
}

void FakeApiServer::refuse_watch(const std::string& path, int status, std::string body) {
  const std::lock_guard lock(mutex_);
  collections_[path].refusals.push_back({status, std::move(body)});
}

void FakeApiServer::stream(const std::string& path, std::string bytes) {
  const std::lock_guard lock(mutex_);
  collections_[path].pieces.push_back({false, std::move(bytes)});
  changed_.notify_all();
}

void FakeApiServer::end_watch(const std::string& path, std::string bytes) {
  const std::lock_guard lock(mutex_);
  collections_[path].pieces.push_back({true, std::move(bytes)});
  changed_.notify_all();
}

std::vector<Seen> FakeApiServer::wait_for(const std::string& path, std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return collections_[path].seen.size() >= count; });
  return collections_[path].seen;
}

std::vector<Seen> FakeApiServer::seen(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return collections_[path].seen;
}

}  // namespace berth::kube::test
