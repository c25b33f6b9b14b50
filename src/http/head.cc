#include "head.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace berth::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kEmptyLine = "\r\n\r\n";
constexpr std::string_view kMethods[] = {"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                         "CONNECT", "OPTIONS", "TRACE", "PATCH"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

bool starts_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() && equals(text.substr(0, lower_case.size()), lower_case);
}

bool is_token(std::string_view text) {
  const auto is_token_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool lists(std::string_view value, std::string_view lower_case) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    if (equals(trimmed(value.substr(0, comma)), lower_case)) return true;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return false;
}

/// What the header fields said so far.
struct Seen {
  int hosts = 0;
  int lengths = 0;
  int transfer_encodings = 0;
  bool is_http_1_0 = false;
  bool body_unsupported = false;
  bool expectation_unknown = false;
};

int judge_request_line(std::string_view line, Seen& seen) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (!is_token(method) || target.empty() ||
      !std::all_of(target.begin(), target.end(), is_visible)) {
    return 400;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return version.substr(0, 5) == "HTTP/" ? 505 : 400;
  }
  seen.is_http_1_0 = version == "HTTP/1.0";
  if (std::find(std::begin(kMethods), std::end(kMethods), method) == std::end(kMethods)) return 501;
  return 0;
}

/// Digits only, and few enough that no sum with it overflows.
bool read_length(std::string_view text, std::uint64_t& length) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > 18 || !std::all_of(text.begin(), text.end(), is_digit)) {
    return false;
  }
  std::from_chars(text.data(), text.data() + text.size(), length);
  return true;
}

int note_field(std::string_view name, std::string_view value, Framing& framing, Seen& seen) {
  if (equals(name, "content-length")) {
    if (++seen.lengths > 1 || !read_length(value, framing.content_length)) return 400;
  } else if (equals(name, "transfer-encoding")) {
    if (++seen.transfer_encodings > 1 || !equals(value, "chunked")) return 400;
    framing.chunked = true;
  } else if (equals(name, "host")) {
    if (++seen.hosts > 1) return 400;
  } else if (equals(name, "connection")) {
    framing.closes = framing.closes || lists(value, "close");
  } else if (equals(name, "content-encoding")) {
    seen.body_unsupported = seen.body_unsupported || !(value.empty() || equals(value, "identity"));
  } else if (equals(name, "content-type")) {
    seen.body_unsupported = seen.body_unsupported || starts_with(value, "multipart/");
  } else if (equals(name, "expect")) {
    framing.expects_continue = equals(value, "100-continue");
    seen.expectation_unknown = !framing.expects_continue;
  }
  return 0;
}

bool must_be_hidden(std::string_view name) {
  return equals(name, "range") || equals(name, "accept-encoding") || equals(name, "expect");
}

/// Judges the line at `begin`..`end` of `head`.
int judge_field(std::string& head, std::size_t begin, std::size_t end, Framing& framing,
                Seen& seen) {
  const std::string_view line = std::string_view(head).substr(begin, end - begin);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return 400;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_token(name)) return 400;  // also a blank before the colon, and a folded line
  if (std::any_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; })) {
    return 400;
  }
  if (const int refused = note_field(name, value, framing, seen); refused != 0) return refused;
  if (must_be_hidden(name)) head.replace(begin, name.size(), name.size(), 'x');
  return 0;
}

/// Makes the target of a client that names us in full (http://host/path, as to a proxy) what
/// everyone else sends. Source: RFC 9112, 3.2.2: servers must accept it.
void to_origin_form(std::string& head) {
  const std::size_t target = head.find(' ') + 1;
  const std::string_view rest = std::string_view(head).substr(target);
  const std::size_t scheme = starts_with(rest, "http://")    ? 7
                             : starts_with(rest, "https://") ? 8
                                                             : 0;
  if (scheme == 0) return;
  const std::size_t authority = rest.find_first_of("/? ", scheme) - scheme;
  if (authority == 0) return;  // names nobody: stays an unknown path
  const bool has_path = rest[scheme + authority] == '/';
  head.replace(target, scheme + authority, has_path ? "" : "/");
}

int judge_whole(Framing& framing, const Seen& seen) {
  if (framing.chunked && (seen.lengths > 0 || seen.is_http_1_0)) return 400;
  if (seen.expectation_unknown) return 417;
  if (seen.body_unsupported) return 415;
  framing.closes = framing.closes || seen.is_http_1_0;
  return 0;
}

}  // namespace

std::optional<std::size_t> find_head_end(std::string_view input, std::size_t& scanned) {
  const std::size_t from = scanned < kEmptyLine.size() ? 0 : scanned - (kEmptyLine.size() - 1);
  const std::size_t found = input.find(kEmptyLine, from);
  scanned = input.size();
  if (found == std::string_view::npos) return std::nullopt;
  return found + kEmptyLine.size();
}

int judge_head(std::string& head, Framing& framing) {
  Seen seen;
  std::size_t begin = 0;
  for (std::size_t lines = 0;; ++lines) {
    const std::size_t end = head.find(kLineEnd, begin);
    if (end == begin) break;  // the empty line
    const bool is_request_line = lines == 0;
    if (end - begin > kMaxLineBytes) return is_request_line ? 414 : 431;
    if (lines > kMaxHeaderFields) return 431;
    const int refused =
        is_request_line
            ? judge_request_line(std::string_view(head).substr(begin, end - begin), seen)
            : judge_field(head, begin, end, framing, seen);
    if (refused != 0) return refused;
    begin = end + kLineEnd.size();
  }
  to_origin_form(head);
  return judge_whole(framing, seen);
}

}  // namespace berth::http
