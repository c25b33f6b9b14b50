#include "berth/service/extender.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/mutex.h"
#include "berth/codec/extender_reply.h"
#include "berth/placement/answer.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/filter.h"
#include "berth/placement/score.h"
#include "decoder_pool.h"
#include "question.h"

namespace berth::service {
namespace {

using cluster::Snapshot;
using codec::ExtenderArgs;
using placement::Policy;

// Measures how long an answer took; what is decided never depends on it.
using StopWatch = std::chrono::steady_clock;

/// Different reasons of one reply, each with a number.
class Reasons {
 public:
  std::uint32_t number_of(std::string_view reason) {
    // Neighbours mostly share their reason.
    if (!texts_.empty() && texts_[last_] == reason) return last_;
    const auto [entry, added] =
        numbers_.try_emplace(reason, static_cast<std::uint32_t>(texts_.size()));
    if (added) texts_.push_back(reason);
    last_ = entry->second;
    return last_;
  }
  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> texts_;
  std::uint32_t last_ = 0;
};

std::string encode_filter(const ExtenderArgs& args, const Question& question, const Policy& policy,
                          Time now, Decision& decision) {
  const auto pod = placement::compile(args.pod, policy, question.snapshot);
  const auto verdicts = placement::filter(pod, now);
  Reasons reasons;
  std::vector<codec::FilterAnswer> answers;
  answers.reserve(question.nodes.size());
  for (const AskedNode& node : question.nodes) {
    if (node.row && verdicts.passes(*node.row)) {
      ++decision.passed;
      answers.push_back({.requested = node.requested});
      continue;
    }
    const placement::Refusal refusal =
        node.row ? verdicts.refusal(*node.row, pod) : placement::Verdicts::unknown_node();
    ++decision.refused[static_cast<std::size_t>(refusal.stage)];
    answers.push_back({.requested = node.requested,
                       .reason = reasons.number_of(refusal.reason),
                       .resolvable = refusal.resolvable});
  }
  if (decision.passed == 0) decision.outcome = Outcome::kNoNode;
  return codec::encode_filter_result(args, answers, reasons.texts());
}

/// What the pod will hold where it is placed.
cluster::Held uses_of(const placement::CompiledPod& pod) {
  cluster::Held uses;
  for (const auto& request : pod.requests) uses.push_back({request.resource, request.units});
  return uses;
}

/// The request judged in the light of what we remember of earlier answers.
struct Remembered {
  PlacementMemory::Recollection recollection;
  std::shared_ptr<const Snapshot> snapshot;
};

Remembered remember(PlacementMemory* memory, const ExtenderArgs& args, const Question& question,
                    Time now) {
  Remembered remembered{{}, question.snapshot};
  if (memory == nullptr || args.pod.uid.empty()) return remembered;
  remembered.recollection = memory->recall(args.pod.uid, now);
  const auto& expected = remembered.recollection.expected;
  if (!expected.empty()) {
    remembered.snapshot = Snapshot::with_expected(*question.snapshot, expected);
  }
  return remembered;
}

std::string encode_prioritize(const ExtenderArgs& args, const Question& question,
                              const Policy& policy, Time now, PlacementMemory* memory,
                              Decision& decision) {
  const Remembered remembered = remember(memory, args, question, now);
  const auto pod = placement::compile(args.pod, policy, remembered.snapshot);
  const auto verdicts = placement::filter(pod, now);
  const auto strategy = placement::make_strategy(policy);
  auto scores = placement::score(pod, verdicts, policy, *strategy, now);
  for (const std::string& node_name : remembered.recollection.behind) {
    const auto row = question.snapshot->topology().find(node_name);
    if (row) scores[row->index] = placement::behind(scores[row->index]);
  }

  std::vector<placement::Candidate> candidates;
  candidates.reserve(question.nodes.size());
  for (const AskedNode& node : question.nodes) {
    if (node.row) {
      candidates.push_back({node.requested, *node.row, scores[node.row->index]});
    } else {
      candidates.push_back({node.requested, Row{UINT32_MAX}, placement::kRefusedScore});
    }
  }
  std::vector<codec::HostScore> hosts;
  for (const placement::RankedHost& host : placement::answer(candidates, policy.answer)) {
    hosts.push_back({.requested = host.position, .score = host.answer});
    if (host.answer == placement::kMaxAnswer) decision.winner = args.requested[host.position].name;
  }
  if (memory != nullptr && !args.pod.uid.empty() && !decision.winner.empty()) {
    memory->named(args.pod.uid, decision.winner, uses_of(pod), now);
  }
  return codec::encode_host_priorities(args, hosts);
}

/// What the pod's author probably did not mean.
void note_doubts(const model::Pod& pod, const Policy& policy, Decision& decision) {
  decision.invalid_requests = pod.invalid_requests;
  decision.affinity_annotation = policy.affinity_annotation;
  const auto mode = pod.annotations.find(policy.affinity_annotation);
  if (mode.has_value() && !placement::parse_affinity_mode(*mode)) decision.unknown_affinity = *mode;
}

Reply refuse(const Error& error, Decision& decision) {
  decision.detail = error.message;
  switch (error.code) {
    case ErrorCode::kTooLarge:
      decision.outcome = Outcome::kTooLarge;
      return {413, codec::encode_error(error.message)};
    case ErrorCode::kUnavailable:
      decision.outcome = Outcome::kNotReady;
      return {503, codec::encode_error(error.message)};
    default:
      decision.outcome = Outcome::kBadRequest;
      return {400, codec::encode_error(error.message)};
  }
}

}  // namespace

/// Ten at once and five a second in the long run: many pods that wait for good cannot hold up
/// kube-scheduler.
class Allowance {
 public:
  [[nodiscard]] bool take(StopWatch::time_point now) {
    constexpr std::chrono::milliseconds kEach{200};
    constexpr std::chrono::milliseconds kSaved = 10 * kEach;
    const MutexLock lock(mutex_);
    const auto from = std::max(spent_until_, now - kSaved);
    if (from + kEach > now) return false;
    spent_until_ = from + kEach;
    return true;
  }

 private:
  Mutex mutex_;
  StopWatch::time_point spent_until_ BERTH_GUARDED_BY(mutex_){};
};

/// How long a second look waits for a snapshot that helps. Watches of one API server tell all their
/// clients within a millisecond or so; this is generous, and a tenth of kube-scheduler's time at
/// the most.
constexpr std::chrono::milliseconds kSecondLook{20};

struct Extender::Impl {
  const Published<cluster::Snapshot>& snapshots;
  const Published<Policy>& policies;
  const Clock& clock;
  Observer& observer;
  codec::ExtenderLimits limits;
  PlacementMemory* memory;
  Allowance second_looks{};
  DecoderPool decoders{};

  /// Tells the observer what became of the request, while everything the decision points to lives.
  Reply tell(Reply reply, Decision& decision, StopWatch::time_point start) {
    decision.took = StopWatch::now() - start;
    observer.on_decision(decision);
    return reply;
  }

  Reply run(Verb verb, const PaddedBuffer& body) {
    const auto start = StopWatch::now();
    Decision decision;
    decision.verb = verb;

    // Once each: whatever is published meanwhile belongs to the next request.
    const auto snapshot = snapshots.read();
    const auto policy = policies.read();
    if (!snapshot || !policy) {
      const Error not_ready{ErrorCode::kUnavailable, "not synchronised yet: no cluster is known"};
      return tell(refuse(not_ready, decision), decision, start);
    }

    DecoderPool::Lease decoder(decoders, body.size());
    const auto decoded = decoder->decode(body, limits);
    if (!decoded) return tell(refuse(decoded.error(), decision), decision, start);
    const ExtenderArgs& args = **decoded;
    decision.pod_namespace = args.pod.namespace_name;
    decision.pod_name = args.pod.name;
    note_doubts(args.pod, *policy, decision);

    Reply reply{200, verb == Verb::kFilter ? filter(args, snapshot, *policy, decision)
                                           : prioritize(args, snapshot, *policy, decision)};
    return tell(std::move(reply), decision, start);
  }

  std::string filter(const ExtenderArgs& args, const std::shared_ptr<const Snapshot>& snapshot,
                     const Policy& policy, Decision& decision) {
    std::string reply = judge(args, snapshot, policy, decision);
    const auto now = StopWatch::now();
    const bool live = memory != nullptr;
    if (decision.passed > 0 || !live || !second_looks.take(now)) return reply;
    decision.second_look = SecondLook::kConfirmed;
    auto known = snapshot;
    for (const auto end = now + kSecondLook; decision.passed == 0;) {
      const auto newer = snapshots.read_newer(known, end - StopWatch::now());
      if (newer == known) return reply;
      known = newer;
      decision.refused = {};
      decision.outcome = Outcome::kOk;
      reply = judge(args, known, policy, decision);
    }
    decision.second_look = SecondLook::kHelped;
    return reply;
  }

  std::string judge(const ExtenderArgs& args, const std::shared_ptr<const Snapshot>& snapshot,
                    const Policy& policy, Decision& decision) {
    const Question question = ask(args, snapshot);
    decision.requested = question.nodes.size();
    return encode_filter(args, question, policy, clock.now(), decision);
  }

  std::string prioritize(const ExtenderArgs& args, const std::shared_ptr<const Snapshot>& snapshot,
                         const Policy& policy, Decision& decision) {
    const Question question = ask(args, snapshot);
    decision.requested = question.nodes.size();
    return encode_prioritize(args, question, policy, clock.now(), memory, decision);
  }
};

Extender::Extender(const Published<cluster::Snapshot>& snapshots,
                   const Published<placement::Policy>& policy, const Clock& clock,
                   Observer& observer, codec::ExtenderLimits limits, PlacementMemory* memory)
    : impl_(new Impl{snapshots, policy, clock, observer, limits, memory}) {}

Extender::~Extender() = default;

Reply Extender::filter(const PaddedBuffer& body) { return impl_->run(Verb::kFilter, body); }

Reply Extender::prioritize(const PaddedBuffer& body) { return impl_->run(Verb::kPrioritize, body); }

}  // namespace berth::service
