#include "certify/player.h"

#include <algorithm>

namespace foretrace {
namespace {

bool reads(Model::Kind kind) {
  return kind == Model::Kind::read || kind == Model::Kind::read_write;
}
bool writes(Model::Kind kind) {
  return kind == Model::Kind::write || kind == Model::Kind::read_write;
}

}  // namespace

Player::Player(const Model& model, const PartialOrder& order, const ReadsFrom& reads_from,
               std::span<const LockId> locks)
    : model_(model),
      order_(order),
      reads_from_(reads_from),
      done_(model.thread_count()),
      pending_(model.thread_count()),
      waiting_(model.thread_count()) {
  for (const ThreadId thread : order.threads()) {
    done_[thread] = order.begin(thread);
    pending_[thread].resize(order.length(thread) - order.begin(thread));
  }
  for (const LockId lock : locks) hold_from_the_past(lock);
  for (const ThreadId thread : order.threads()) {
    for (uint32_t place = order.begin(thread); place < order.length(thread); ++place) {
      const Step step = {thread, place};
      const Model::Node& node = model.node(step);
      if (reads(node.kind)) ++pending_reads_of(writer_of(step), node.object);
    }
  }
}

uint32_t& Player::pending_reads_of(Step writer, LocationId location) {
  if (writer == kNoStep) return locations_[location].pending_initial;
  return pending_[writer.thread][writer.place - order_.begin(writer.thread)];
}

// Who holds the lock when the window begins.
void Player::hold_from_the_past(LockId lock) {
  for (const Model::ThreadSections& theirs : model_.sections(lock)) {
    const uint32_t begin = order_.begin(theirs.thread);
    const auto section =
        std::partition_point(theirs.sections.begin(), theirs.sections.end(),
                             [&](const Model::Section& one) { return one.end < begin; });
    if (section != theirs.sections.end() && section->begin < begin) {
      hold({theirs.thread, section->begin});
    }
  }
}

void Player::hold(Step acquire) {
  const Model::Node& node = model_.node(acquire);
  LockState& lock = locks_[node.object];
  if (node.shared) {
    lock.readers.push_back(acquire);
  } else {
    lock.owner = acquire;
  }
}

bool Player::run() {
  for (const ThreadId thread : order_.threads()) place(thread);
  while (!ready_.empty()) {
    const ThreadId thread = ready_.top().second;
    ready_.pop();
    const Step step = next(thread);
    const Model::Node& node = model_.node(step);
    // Something may have come in its way since it was found ready.
    if ((node.kind == Model::Kind::acquire && !is_free(step)) ||
        (writes(node.kind) && !may_write(step))) {
      stopped_.push_back(thread);
      continue;
    }
    take(step);
    if (!node.takes_back) schedule_.push_back(node.index);
    place(thread);
    std::vector<ThreadId> woken = std::move(waiting_[thread]);
    waiting_[thread].clear();
    if (node.kind == Model::Kind::release || reads(node.kind)) {
      woken.insert(woken.end(), stopped_.begin(), stopped_.end());
      stopped_.clear();
    }
    for (const ThreadId other : woken) place(other);
  }
  if (schedule_done()) return true;
  // Of those that are stopped, the first in the trace.
  const auto first =
      std::min_element(stopped_.begin(), stopped_.end(), [&](ThreadId a, ThreadId b) {
        return model_.node(next(a)).index < model_.node(next(b)).index;
      });
  obstacle_ = obstacle_of(next(*first));
  return false;
}

bool Player::schedule_done() const {
  return std::all_of(order_.threads().begin(), order_.threads().end(),
                     [&](ThreadId thread) { return done_[thread] == order_.length(thread); });
}

void Player::place(ThreadId thread) {
  const Step step = next(thread);
  if (!order_.contains(step)) return;
  for (const ThreadId other : order_.threads()) {
    if (order_.before(step, other) > done_[other]) {
      waiting_[other].push_back(thread);
      return;
    }
  }
  ready_.emplace(model_.node(step).index, thread);
}

bool Player::is_free(Step acquire) {
  const Model::Node& node = model_.node(acquire);
  const LockState& lock = locks_[node.object];
  return lock.owner == kNoStep && (node.shared || lock.readers.empty());
}

// A write may not overwrite what a step of the set still has to read, other than
// itself.
bool Player::may_write(Step step) {
  const Model::Node& node = model_.node(step);
  const Step current = locations_[node.object].last_write;
  const uint32_t own = reads(node.kind) && writer_of(step) == current ? 1 : 0;
  return pending_reads_of(current, node.object) == own;
}

void Player::take(Step step) {
  const Model::Node& node = model_.node(step);
  ++done_[step.thread];
  if (reads(node.kind)) --pending_reads_of(writer_of(step), node.object);
  if (writes(node.kind)) locations_[node.object].last_write = step;
  if (node.kind == Model::Kind::acquire) {
    hold(step);
  } else if (node.kind == Model::Kind::release) {
    LockState& lock = locks_[node.object];
    if (lock.owner != kNoStep && lock.owner.thread == step.thread) {
      lock.owner = kNoStep;
    } else {
      std::erase_if(lock.readers,
                    [&](const Step& acquire) { return acquire.thread == step.thread; });
    }
  }
}

// Why the step, which nothing in the order holds back, was not taken.
Player::Obstacle Player::obstacle_of(Step step) {
  const Model::Node& node = model_.node(step);
  if (node.kind == Model::Kind::acquire) {
    const LockState& lock = locks_[node.object];
    const Step holder = lock.owner != kNoStep ? lock.owner : lock.readers.front();
    return {{{step.thread, node.partner}, holder},
            {{holder.thread, model_.node(holder).partner}, step}};
  }
  // Some read of the set still wants the current write: this one comes before
  // that write, or after the read.
  const Step current = locations_[node.object].last_write;
  for (const ThreadId thread : order_.threads()) {
    for (uint32_t place = done_[thread]; place < order_.length(thread); ++place) {
      const Step read = {thread, place};
      const Model::Node& other = model_.node(read);
      if (read != step && reads(other.kind) && other.object == node.object &&
          writer_of(read) == current) {
        return {{read, step}, {step, current}};
      }
    }
  }
  return {};
}

}  // namespace foretrace
