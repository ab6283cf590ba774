// What calls do to objects when there is no code to look at: models of libraries, from
// a data file (models.txt) and from users' files in the same format:
//
//   std::vector::push_back  this=w
//   memcpy                  0=w 1=r
//   std::cout*              none
//
// `this` or the number of an argument, then r (reads it, or what it points to), w
// (writes it) or rw. Names are qualified, without parameters and template arguments; *
// and ? stand for other characters (but `X::operator*` is just that operator). The
// last line that fits counts.
//
// A call that no line fits: a const method reads its object, others read and write
// it; what is passed by pointer or reference to const is read, to non-const is read
// and written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lint/summary.h"

namespace foretrace::lint {

struct ObjectEffect {
  bool reads = false;
  bool writes = false;
  friend bool operator==(const ObjectEffect&, const ObjectEffect&) = default;
};

struct CallEffect {
  ObjectEffect receiver;
  std::vector<ObjectEffect> arguments;  // fewer than there are: the rest is untouched
};

class Models {
 public:
  Models();  // the data file that comes with Foretrace

  // Adds a user's; `name` is for complaints.
  Result<void> add(std::string_view text, std::string_view name);

  CallEffect effect(const Call& call) const;
  // Whether a line says what it does.
  bool knows(const Call& call) const { return find(call.name) != nullptr; }

 private:
  struct Model {
    std::string pattern;
    std::optional<ObjectEffect> receiver;
    std::map<uint32_t, ObjectEffect> arguments;
  };
  static Result<Model> parse(const std::vector<std::string_view>& words);
  const Model* find(Name name) const;

  std::vector<Model> models_;
  std::map<std::string, size_t, std::less<>> exact_;  // by name: the last one
  std::vector<size_t> patterns_;
  mutable std::map<Name, const Model*> found_;
};

}  // namespace foretrace::lint
