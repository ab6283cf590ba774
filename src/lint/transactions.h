// GCC's transactional memory in words that Clang understands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace foretrace::lint {

// The source with every transaction (`__transaction_atomic { … }`, _relaxed,
// `synchronized`, `atomic_noexcept`, _cancel and _commit; as block, as body of a
// function, as expression) in the words of kTransactionPrelude. Every character
// that stays keeps its line and column, and the length is the same. Nothing if
// there is no transaction.
std::optional<std::string> rewrite_transactions(std::string_view source);

// What the rewritten source needs, and what transaction_safe and the like mean to
// Clang; included before everything. C and C++.
extern const std::string_view kTransactionPrelude;

// What the prelude calls where a transaction begins and ends.
inline constexpr std::string_view kTransactionBegin = "__foretrace_transaction_begin";
inline constexpr std::string_view kTransactionEnd = "__foretrace_transaction_end";
inline constexpr std::string_view kTransactionGuard = "__foretrace_transaction";

}  // namespace foretrace::lint
