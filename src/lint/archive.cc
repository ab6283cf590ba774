#include "lint/archive.h"

#include <concepts>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace foretrace::lint {
namespace {

constexpr std::string_view kMagic = "FTLS";

// The fields of each type, once for writing and reading. `archive` is a Writer
// with const objects or a Reader with objects to fill.
template <typename X, typename T>
concept Either = std::same_as<std::remove_const_t<X>, T>;

void visit(Either<Position> auto& x, auto&& archive) { archive(x.file, x.line, x.column); }
void visit(Either<Step> auto& x, auto&& archive) { archive(x.kind, x.name, x.index); }
void visit(Either<Path> auto& x, auto&& archive) { archive(x.root, x.index, x.name, x.steps); }
void visit(Either<Token> auto& x, auto&& archive) { archive(x.kind, x.index); }
void visit(Either<Value> auto& x, auto&& archive) {
  archive(x.kind, x.path, x.function, x.captures, x.tokens, x.varies);
}
void visit(Either<Held> auto& x, auto&& archive) {
  archive(x.lock, x.shared, x.kind, x.acquired_by);
}
void visit(Either<Access> auto& x, auto&& archive) {
  archive(x.path, x.write, x.atomic, x.on_the_way, x.type, x.element, x.number);
}
void visit(Either<Acquire> auto& x, auto&& archive) {
  archive(x.lock, x.shared, x.kind, x.by_wait);
}
void visit(Either<Release> auto& x, auto&& archive) {
  archive(x.lock, x.kind, x.by_wait, x.if_held);
}
void visit(Either<Call> auto& x, auto&& archive) {
  archive(x.callee, x.name, x.is_virtual, x.is_method, x.is_const, x.in_system_header, x.through,
          x.receiver, x.arguments, x.argument_is_const);
}
void visit(Either<Spawn> auto& x, auto&& archive) {
  archive(x.entry, x.receiver, x.arguments, x.many, x.handle, x.how);
}
void visit(Either<Join> auto& x, auto&& archive) { archive(x.handle, x.own_only); }
void visit(Either<Barrier> auto&, auto&&) {}
void visit(Either<Return> auto& x, auto&& archive) { archive(x.value); }
void visit(Either<Op> auto& x, auto&& archive) {
  archive(x.id, x.position, x.held, x.uses, x.what);
}
void visit(Either<Block> auto& x, auto&& archive) {
  archive(x.ops, x.next, x.condition, x.condition_position, x.controlled_by, x.in_loop, x.throws);
}
void visit(Either<Binding> auto& x, auto&& archive) { archive(x.target, x.value); }
void visit(Either<Parameter> auto& x, auto&& archive) { archive(x.name, x.type, x.is_indirect); }
void visit(Either<Allocation> auto& x, auto&& archive) { archive(x.type, x.block, x.position); }
void visit(Either<Local> auto& x, auto&& archive) { archive(x.name, x.type, x.position); }
void visit(Either<Function> auto& x, auto&& archive) {
  archive(x.usr, x.name, x.class_name, x.position, x.is_main, x.is_constructor, x.is_destructor,
          x.is_const, x.is_lambda, x.is_external, x.returns_object, x.enclosing, x.overrides,
          x.parameters, x.captures, x.locals, x.allocations, x.blocks, x.bindings, x.returns,
          x.required);
}
void visit(Either<Global> auto& x, auto&& archive) {
  archive(x.usr, x.name, x.type, x.position, x.is_thread_local);
}
void visit(Either<IgnoreComment> auto& x, auto&& archive) { archive(x.file, x.line, x.rule); }
void visit(Either<InputFile> auto& x, auto&& archive) { archive(x.path, x.hash, x.lines); }
void visit(Either<Summary> auto& x, auto&& archive) {
  archive(x.main_file, x.inputs, x.errors, x.functions, x.globals, x.bindings, x.ignores);
}

// Numbers are LEB128; a name is written out where it first appears.
class Writer {
 public:
  template <typename... T>
  void operator()(const T&... parts) {
    (put(parts), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <std::unsigned_integral T>
  void put(T number) {
    uint64_t rest = number;
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
  }
  template <typename T>
    requires std::is_enum_v<T>
  void put(T value) {
    put(static_cast<std::underlying_type_t<T>>(value));
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put(Name name) {
    const auto [entry, fresh] = names_.try_emplace(name, names_.size());
    put(entry->second);
    if (fresh) put(name.text());
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const auto& element : list) put(static_cast<const T&>(element));
  }
  template <typename... T>
  void put(const std::variant<T...>& choice) {
    put(choice.index());
    std::visit([&](const auto& chosen) { put(chosen); }, choice);
  }
  template <typename T>
    requires requires(const T& x, Writer& w) { visit(x, w); }
  void put(const T& object) {
    visit(object, *this);
  }

  std::string bytes_;
  std::unordered_map<Name, size_t> names_;
};

// Past the end, or on a number that cannot be, `broken()` is set and all that
// is read is zero: sizes are checked against what is left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <typename... T>
  void operator()(T&... parts) {
    (get(parts), ...);
  }
  bool broken() const { return broken_; }
  bool at_end() const { return rest_.empty(); }

 private:
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    broken_ = true;
    return 0;
  }
  size_t size() {
    const uint64_t count = number();
    if (count <= rest_.size()) return count;  // an element has a byte or more
    broken_ = true;
    return 0;
  }
  template <std::unsigned_integral T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  template <typename T>
    requires std::is_enum_v<T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  void get(std::string& text) {
    const size_t count = size();
    text = rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  void get(Name& name) {
    const uint64_t place = number();
    if (place == names_.size() && !broken_) {
      std::string text;
      get(text);
      names_.emplace_back(text);
    }
    if (place < names_.size()) {
      name = names_[place];
    } else {
      broken_ = true;
    }
  }
  template <typename T>
  void get(std::vector<T>& list) {
    list.resize(size());
    for (auto&& element : list) {
      T value{};
      get(value);
      element = std::move(value);
    }
  }
  template <typename... T>
  void get(std::variant<T...>& choice) {
    const uint64_t index = number();
    uint64_t place = 0;
    const auto take = [&]<typename Chosen>() {
      if (place++ == index) get(choice.template emplace<Chosen>());
    };
    (take.template operator()<T>(), ...);
    if (index >= sizeof...(T)) broken_ = true;
  }
  template <typename T>
    requires requires(T& x, Reader& r) { visit(x, r); }
  void get(T& object) {
    visit(object, *this);
  }

  std::string_view rest_;
  std::vector<Name> names_;
  bool broken_ = false;
};

struct Header {
  char magic[4];
  uint32_t version;
  uint64_t checksum;
};

}  // namespace

std::string to_bytes(const Summary& summary) {
  Writer writer;
  writer(summary);
  const std::string body = writer.take();
  Header header{{}, kSummaryVersion, XXH3_64bits(body.data(), body.size())};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + body;
}

namespace {

// What follows the header, if it is as it was written.
Result<std::string_view> body_of(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof header) return fail("the summary is cut off");
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (std::string_view(header.magic, sizeof header.magic) != kMagic ||
      header.version != kSummaryVersion) {
    return fail("the summary was made by another version of Foretrace");
  }
  if (header.checksum != XXH3_64bits(bytes.data(), bytes.size())) {
    return fail("the summary is damaged");
  }
  return bytes;
}

}  // namespace

Result<Summary> summary_head(std::string_view bytes) {
  const Result<std::string_view> body = body_of(bytes);
  if (!body) return tl::unexpected(body.error());
  Summary summary;
  Reader reader(*body);
  reader(summary.main_file, summary.inputs, summary.errors);  // as visit() has them
  if (reader.broken()) return fail("the summary is damaged");
  return summary;
}

Result<Summary> summary_from_bytes(std::string_view bytes) {
  const Result<std::string_view> body = body_of(bytes);
  if (!body) return tl::unexpected(body.error());
  Summary summary;
  Reader reader(*body);
  reader(summary);
  if (reader.broken() || !reader.at_end()) return fail("the summary is damaged");
  return summary;
}

}  // namespace foretrace::lint
