#include "berth/codec/yaml.h"

#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <istream>
#include <map>
#include <optional>
#include <streambuf>
#include <utility>

#include "berth/codec/extender_reply.h"

namespace berth::codec {
namespace {

/// Leaves the parser: yaml-cpp has no other way to be stopped. Never leaves this file.
struct StopReading {
  YamlProblem problem;
  ErrorCode code = ErrorCode::kInvalidArgument;
};

YamlProblem problem_at(const YAML::Mark& mark, std::string message) {
  const auto from_zero = [](int position) {
    return static_cast<std::size_t>(std::max(position, 0)) + 1;
  };
  // yaml-cpp may quote the text in its messages: they stay on one line.
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }, '?');
  return {from_zero(mark.line), from_zero(mark.column), std::move(message)};
}

[[noreturn]] void stop(const YAML::Mark& mark, std::string message,
                       ErrorCode code = ErrorCode::kInvalidArgument) {
  throw StopReading{problem_at(mark, std::move(message)), code};
}

/// Characters of a view as a stream, without a copy.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // streambuf's interface; never written
    setg(begin, begin, begin + text.size());
  }
};

/// What all aliases of a text may stand for: a few lines can ask for more than any memory holds.
constexpr std::size_t kMaxAliasedBytes = std::size_t{64} << 20;

// Tags that yaml-cpp gives to scalars without one.
constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";

/// Bounds the nesting before yaml-cpp's own recursion goes deeper, and sees to it that the parser
/// moves on: on a stray closing bracket yaml-cpp would begin empty documents at it for ever.
class BoundedHandler : public YAML::EventHandler {
 public:
  explicit BoundedHandler(std::size_t max_depth) : max_depth_(max_depth) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= last_document_) stop(mark, "unexpected character");
    last_document_ = mark.pos;
    document_start();
  }
  void OnDocumentEnd() override { document_end(); }

 protected:
  virtual void document_start() = 0;
  virtual void document_end() = 0;

  void enter(const YAML::Mark& mark) {
    if (++depth_ > max_depth_) {
      stop(mark, "nested deeper than " + std::to_string(max_depth_) + " levels",
           ErrorCode::kTooLarge);
    }
  }
  void leave() { --depth_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }

 private:
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  int last_document_ = -1;
};

/// yaml-cpp would replace what is no UTF-8; a name must not become another one silently.
std::optional<StopReading> find_bad_utf8(std::string_view text) {
  const bool other_encoding = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (other_encoding || simdjson::validate_utf8(text.data(), text.size())) return std::nullopt;
  std::size_t line = 1;
  while (simdjson::validate_utf8(text.data(), std::min(text.find('\n'), text.size()))) {
    text.remove_prefix(text.find('\n') + 1);  // a bad line follows
    ++line;
  }
  return StopReading{{line, 1, "not UTF-8"}};
}

std::optional<StopReading> run(std::string_view text, YAML::EventHandler& handler) {
  if (auto bad = find_bad_utf8(text)) return bad;
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
    return std::nullopt;
  } catch (const StopReading& stopped) {
    return stopped;
  } catch (const YAML::Exception& exception) {
    return StopReading{problem_at(exception.mark, exception.msg)};
  } catch (const std::exception& exception) {
    return StopReading{{1, 1, exception.what()}, ErrorCode::kInternal};
  }
}

/// Builds YamlValues; refuses what a configuration does not need.
class TreeBuilder final : public BoundedHandler {
 public:
  TreeBuilder(const YamlLimits& limits, std::vector<YamlValue>& documents)
      : BoundedHandler(limits.depth), limits_(limits), documents_(documents) {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlValue::Kind::kNull, mark, kPlainTag, anchor), mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "aliases (*name) are not supported here");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlValue scalar = make(YamlValue::Kind::kScalar, mark, tag, anchor);
    scalar.text = value;
    scalar.quoted = tag == kQuotedTag;
    add(std::move(scalar), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlValue::Kind::kSequence, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlValue::Kind::kMap, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection that is not complete yet; in a map a key may wait for its value.
  struct Open {
    YamlValue value;
    bool has_key = false;
  };

  void document_start() override {}
  void document_end() override {}

  YamlValue make(YamlValue::Kind kind, const YAML::Mark& mark, std::string_view tag,
                 YAML::anchor_t anchor) {
    if (++values_ > limits_.values) stop(mark, "too many values", ErrorCode::kTooLarge);
    if (anchor != 0) stop(mark, "anchors (&name) are not supported here");
    if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag) {
      stop(mark, "tags (!name) are not supported here");
    }
    YamlValue value;
    value.kind = kind;
    const YamlProblem place = problem_at(mark, {});
    value.line = place.line;
    value.column = place.column;
    return value;
  }

  void open(YamlValue value, const YAML::Mark& mark) {
    enter(mark);
    open_.push_back({std::move(value)});
  }
  void close() {
    leave();
    YamlValue value = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(value), YAML::Mark());
  }
  void add(YamlValue value, const YAML::Mark& mark) {
    if (open_.empty()) {
      if (value.kind != YamlValue::Kind::kNull) documents_.push_back(std::move(value));
      return;
    }
    Open& parent = open_.back();
    YamlValue& collection = parent.value;
    if (collection.kind == YamlValue::Kind::kSequence || parent.has_key) {
      collection.items.push_back(std::move(value));
      parent.has_key = false;
    } else if (value.kind != YamlValue::Kind::kScalar) {
      stop(mark, "a key must be a word");
    } else {
      collection.keys.push_back(std::move(value));
      parent.has_key = true;
    }
  }

  const YamlLimits& limits_;
  std::vector<YamlValue>& documents_;
  std::vector<Open> open_;
  std::size_t values_ = 0;
};

/// Writes the JSON text of every document, as it goes.
class JsonWriter final : public BoundedHandler {
 public:
  JsonWriter(std::size_t max_bytes, std::size_t max_depth)
      : BoundedHandler(max_depth), max_bytes_(max_bytes) {}

  [[nodiscard]] const std::string& json() const { return json_; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (open_.empty()) return;  // a document without anything in it
    if (at_key()) stop(mark, "a key must not be null");
    write(mark, anchor, "null");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto span = anchors_.find(anchor);
    if (span == anchors_.end()) stop(mark, "the alias stands inside of what it names");
    if (at_key()) stop(mark, "a key must not be an alias");
    check_size(mark, span->second.second);
    aliased_ += span->second.second;
    if (aliased_ > kMaxAliasedBytes) {
      stop(mark, "aliases stand for more than " + std::to_string(kMaxAliasedBytes) + " bytes",
           ErrorCode::kTooLarge);
    }
    write(mark, 0, json_.substr(span->second.first, span->second.second));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const PlainScalar scalar = resolve(mark, tag, value);
    if (!at_key()) return write(mark, anchor, scalar.json);
    if (anchor != 0) stop(mark, "a key must not have an anchor");
    if (scalar.type == ScalarType::kNull) stop(mark, "a key must not be null");
    if (value == "<<" && tag != kQuotedTag) stop(mark, "merge keys (<<) are not supported");
    write(mark, 0, scalar.type == ScalarType::kString ? scalar.json : quote_json(scalar.json));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, "tag:yaml.org,2002:seq", anchor, '[');
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, "tag:yaml.org,2002:map", anchor, '{');
  }
  void OnMapEnd() override { close('}'); }

 private:
  struct Open {
    bool map = false;
    std::size_t written = 0;  // keys and values, or items
    std::size_t start = 0;
    YAML::anchor_t anchor = 0;
  };

  void document_start() override { anchors_.clear(); }
  void document_end() override {
    if (!json_.empty() && json_.back() != '\n') json_ += '\n';
  }

  [[nodiscard]] bool at_key() const {
    return !open_.empty() && open_.back().map && open_.back().written % 2 == 0;
  }

  static PlainScalar resolve(const YAML::Mark& mark, std::string_view tag,
                             const std::string& value) {
    constexpr std::string_view kStandard = "tag:yaml.org,2002:";
    if (tag == kPlainTag) return resolve_plain_scalar(value);
    if (tag == kQuotedTag || tag == "tag:yaml.org,2002:str") {
      return {ScalarType::kString, quote_json(value)};
    }
    if (tag.starts_with(kStandard)) {
      const std::string_view name = tag.substr(kStandard.size());
      if (name == "int" || name == "float" || name == "bool" || name == "null" ||
          name == "timestamp") {
        return resolve_plain_scalar(value);
      }
    }
    stop(mark, "unknown tag " + quote_json(tag.substr(0, 64)));
  }

  void check_size(const YAML::Mark& mark, std::size_t more) const {
    if (json_.size() + more > max_bytes_) {
      stop(mark, "more than " + std::to_string(max_bytes_) + " bytes as JSON",
           ErrorCode::kTooLarge);
    }
  }

  /// What stands between the last thing written and the next.
  void separate() {
    if (open_.empty()) return;
    Open& parent = open_.back();
    if (parent.map && parent.written % 2 == 1) {
      json_ += ':';
    } else if (parent.written > 0) {
      json_ += ',';
    }
    ++parent.written;
  }

  void write(const YAML::Mark& mark, YAML::anchor_t anchor, std::string_view json) {
    check_size(mark, json.size());
    separate();
    if (anchor != 0) anchors_[anchor] = {json_.size(), json.size()};
    json_ += json;
  }

  void open(const YAML::Mark& mark, std::string_view tag, std::string_view standard_tag,
            YAML::anchor_t anchor, char bracket) {
    if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag && tag != standard_tag) {
      stop(mark, "unknown tag " + quote_json(tag.substr(0, 64)));
    }
    if (at_key()) stop(mark, "a key must be a word");
    enter(mark);
    check_size(mark, 2);
    separate();
    open_.push_back({bracket == '{', 0, json_.size(), anchor});
    json_ += bracket;
  }

  void close(char bracket) {
    leave();
    json_ += bracket;
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.anchor != 0) anchors_[closed.anchor] = {closed.start, json_.size() - closed.start};
  }

  std::size_t max_bytes_;
  std::size_t aliased_ = 0;
  std::string json_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<std::size_t, std::size_t>> anchors_;  // start, length
};

}  // namespace

bool parse_yaml(std::string_view text, const YamlLimits& limits, std::vector<YamlValue>& documents,
                YamlProblem& problem) {
  documents.clear();
  if (text.size() > limits.bytes) {
    problem = {1, 1, "larger than " + std::to_string(limits.bytes) + " bytes"};
    return false;
  }
  TreeBuilder builder(limits, documents);
  const auto stopped = run(text, builder);
  if (stopped) problem = stopped->problem;
  return !stopped;
}

Result<PaddedBuffer> yaml_to_json(std::string_view text, std::size_t max_json_bytes,
                                  std::size_t max_depth) {
  JsonWriter writer(max_json_bytes, max_depth);
  if (const auto stopped = run(text, writer)) {
    const YamlProblem& problem = stopped->problem;
    return Error{stopped->code, "line " + std::to_string(problem.line) + ", column " +
                                    std::to_string(problem.column) + ": " + problem.message};
  }
  return PaddedBuffer(writer.json());
}

}  // namespace berth::codec
