#include "instrument/library_calls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/format_strings.h"
#include "instrument/library_table.h"

namespace foretrace::instrument {
namespace {

using Kind = LibraryAccess::Kind;
using How = LibraryAccess::Amount;

const LibraryFunction* known_function(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return nullptr;
  llvm::StringRef name = callee->getName();
  // What glibc's headers call it in the newer standards.
  if (!name.consume_front("__isoc99_")) name.consume_front("__isoc23_");
  return find_library_function(name);
}

// Turns a function's line in the table into the accesses of one call of it.
class AccessesOfCall {
 public:
  explicit AccessesOfCall(llvm::CallBase& call) : call_(call) {}

  LibraryAccesses take(const LibraryFunction& function) {
    for (const LibraryPart& part : function.parts) {
      if (part.kind != Kind::none) add(part);
    }
    if (function.format.use != Format::Use::none) add_format(function.format);
    if (!fits_) return {};
    // What is copied is read before it is written.
    std::stable_sort(accesses_.begin(), accesses_.end(),
                     [](const LibraryAccess& a, const LibraryAccess& b) {
                       return !a.is_write() && b.is_write();
                     });
    return accesses_;
  }

 private:
  void add(const LibraryPart& part) {
    LibraryAccess access = {part.kind, pointer(part.argument), part.amount.how,
                            number(part.amount.count), number(part.amount.factor)};
    if (part.kind >= Kind::compare_string) access.other = pointer(part.other);
    const bool by_pointer = access.amount == How::if_same || access.amount == How::through ||
                            access.amount == How::in_front_of;
    if (by_pointer) {
      fits_ = fits_ && call_.getType()->isPointerTy();
    } else if (access.amount >= How::if_zero) {
      fits_ = fits_ && call_.getType()->isIntegerTy();
    }
    accesses_.push_back(access);
  }

  void add_format(const Format& format) {
    llvm::StringRef text;
    llvm::Value* const pointer_to_text = pointer(format.argument);
    if (!fits_ || !llvm::getConstantStringInfo(pointer_to_text, text)) return;
    const bool scans = format.use == Format::Use::scan;
    for (const Conversion& conversion : scans ? scanned(text) : printed(text)) {
      const unsigned first = format.argument + 1;
      // A call with too few arguments is the program's mistake.
      if (first + conversion.argument >= call_.arg_size()) return;
      llvm::Value* const target = pointer(first + conversion.argument);
      if (scans) {
        add_scanned(conversion, target);
      } else {
        const bool is_given = conversion.most_argument.has_value();
        llvm::Value* const most =
            is_given ? integer(first + *conversion.most_argument) : constant(conversion.most);
        accesses_.push_back({Kind::read_string, target, How::count, most});
      }
    }
  }

  void add_scanned(const Conversion& conversion, llvm::Value* target) {
    fits_ = fits_ && call_.getType()->isIntegerTy();
    LibraryAccess access = {Kind::write, target, How::if_more, constant(conversion.bytes),
                            constant(conversion.number)};
    if (conversion.is_string) {
      access.kind = Kind::copy_string;
      access.count = constant(kNoLimit);
      access.other = target;
    }
    accesses_.push_back(access);
  }

  // A function of the program that only has the name may have other arguments.
  llvm::Value* argument(unsigned place, bool is_pointer) {
    if (place >= call_.arg_size()) {
      fits_ = false;
      return nullptr;
    }
    llvm::Value* const value = call_.getArgOperand(place);
    fits_ =
        fits_ && (is_pointer ? value->getType()->isPointerTy() : value->getType()->isIntegerTy());
    return value;
  }
  llvm::Value* pointer(unsigned place) {
    if (place != kResult) return argument(place, true);
    fits_ = fits_ && call_.getType()->isPointerTy();
    return &call_;
  }
  llvm::Value* integer(unsigned place) { return argument(place, false); }
  llvm::Value* constant(uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(call_.getContext()), value);
  }
  llvm::Value* number(const Number& number) {
    return number.is_argument ? integer(static_cast<unsigned>(number.value))
                              : constant(number.value);
  }

  llvm::CallBase& call_;
  LibraryAccesses accesses_;
  bool fits_ = true;
};

LibraryAccess plain(Kind kind, llvm::Value* pointer, llvm::Value* bytes) {
  return {kind, pointer, How::count, bytes};
}

}  // namespace

LibraryAccesses library_accesses(llvm::CallBase& call) {
  if (auto* copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    return {plain(Kind::read, copy->getRawSource(), copy->getLength()),
            plain(Kind::write, copy->getRawDest(), copy->getLength())};
  }
  if (auto* fill = llvm::dyn_cast<llvm::AnyMemSetInst>(&call)) {
    return {plain(Kind::write, fill->getRawDest(), fill->getLength())};
  }
  const LibraryFunction* const function = known_function(call);
  return function != nullptr ? AccessesOfCall(call).take(*function) : LibraryAccesses();
}

bool may_be_recorded(llvm::CallBase& call) {
  if (llvm::isa<llvm::IntrinsicInst>(call)) return !library_accesses(call).empty();
  return call.mayReadOrWriteMemory();
}

llvm::Value* bytes_of(const LibraryAccess& access, llvm::CallBase& call,
                      llvm::IRBuilder<>& builder) {
  llvm::Type* const word = builder.getInt64Ty();
  llvm::Value* const none = builder.getInt64(0);
  llvm::Value* const count = builder.CreateZExtOrTrunc(access.count, word);
  llvm::Value* const factor =
      access.factor != nullptr ? builder.CreateZExtOrTrunc(access.factor, word) : nullptr;
  const auto number = [&] { return builder.CreateSExtOrTrunc(&call, word); };
  // From argument 0 to where the result points.
  const auto distance = [&](uint64_t more) {
    llvm::Value* const bytes = builder.CreateSub(
        builder.CreatePtrToInt(&call, word), builder.CreatePtrToInt(call.getArgOperand(0), word));
    return builder.CreateSelect(builder.CreateIsNull(&call), count,
                                builder.CreateAdd(bytes, builder.getInt64(more)));
  };
  switch (access.amount) {
    case How::count:
      return count;
    case How::product:
      return builder.CreateMul(count, factor);
    case How::sorted:
      return builder.CreateSelect(builder.CreateICmpUGT(count, builder.getInt64(1)),
                                  builder.CreateMul(count, factor), none);
    case How::if_given:
      return builder.CreateSelect(builder.CreateIsNull(access.pointer), none, count);
    case How::if_zero:
      return builder.CreateSelect(builder.CreateIsNull(&call), count, none);
    case How::if_more:
      return builder.CreateSelect(builder.CreateICmpSGT(number(), factor), count, none);
    case How::if_same:
      return builder.CreateSelect(builder.CreateICmpEQ(&call, access.pointer), count, none);
    case How::result:
      return builder.CreateSelect(builder.CreateICmpSGT(number(), none),
                                  builder.CreateMul(number(), factor), none);
    case How::printed: {
      llvm::Value* const whole = builder.CreateAdd(number(), builder.getInt64(1));
      llvm::Value* const within =
          builder.CreateSelect(builder.CreateICmpULT(whole, count), whole, count);
      return builder.CreateSelect(builder.CreateICmpSLT(number(), none), none,
                                  builder.CreateMul(within, factor));
    }
    case How::through:
      return distance(1);
    case How::in_front_of:
      return distance(0);
  }
  return none;
}

}  // namespace foretrace::instrument
