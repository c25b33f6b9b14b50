#include "interrupt.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::kube {

Interrupt::~Interrupt() { release(); }

void Interrupt::use(int socket) {
  const MutexLock lock(mutex_);
  close_socket();
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (raised_) ::shutdown(socket_, SHUT_RDWR);
}

void Interrupt::release() {
  const MutexLock lock(mutex_);
  close_socket();
}

void Interrupt::raise() {
  const MutexLock lock(mutex_);
  raised_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
  changed_.notify_all();
}

bool Interrupt::raised() const {
  const MutexLock lock(mutex_);
  return raised_;
}

void Interrupt::pause(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  const MutexLock lock(mutex_);
  while (!raised_) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;
    changed_.wait_for(mutex_, left);
  }
}

void Interrupt::close_socket() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

}  // namespace berth::kube
