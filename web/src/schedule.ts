// A schedule as it is drawn: rows, what moved, what orders what, what folds, and
// the state after each step. No drawing here.
import { Events, Finding, Op, isRead, isWrite, unpackRuns } from './data';

export interface Row {
  event: number; // row in the table of events
  marked: boolean; // an event of the finding
  pending: boolean; // it is next, but does not happen (a deadlock's acquires)
  valueKnown: boolean; // false: in this order it may be another than in the trace
  shift: number; // how many places it moved against the observed order; 0: it did not
}

export interface Edge {
  from: number; // rows of the schedule
  to: number;
  kind: 'lock' | 'fork' | 'join' | 'reads' | 'notify';
}

export interface Schedule {
  rows: Row[];
  edgesTo: (Edge[] | undefined)[];
  edgesFrom: (Edge[] | undefined)[];
  place: Map<number, number>; // event -> row of the schedule
}

// The places of a longest increasing part: what can be said to have stayed.
function stayed(order: number[]): boolean[] {
  const tails: number[] = [];
  const before = new Int32Array(order.length).fill(-1);
  for (let i = 0; i < order.length; ++i) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order[tails[middle]] < order[i]) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = tails[low - 1];
    tails[low] = i;
  }
  const keep = new Array<boolean>(order.length).fill(false);
  for (let i = tails.length > 0 ? tails[tails.length - 1] : -1; i >= 0; i = before[i]) keep[i] = true;
  return keep;
}

function edgesOf(events: Events, rows: Row[]): Edge[] {
  const edges: Edge[] = [];
  const released = new Map<number, number>(); // lock -> row
  const written = new Map<number, number>(); // location -> row
  const notified = new Map<number, number>();
  const waiting = new Map<number, number>(); // thread -> lock
  const forked = new Map<string, number>();
  const last = new Map<string, number>(); // thread name -> its last row
  const add = (from: number | undefined, to: number, kind: Edge['kind']) => {
    if (from === undefined) return;
    if (events.thread(rows[from].event) !== events.thread(rows[to].event)) edges.push({ from, to, kind });
  };
  rows.forEach(({ event, pending }, i) => {
    if (pending) return;
    const op = events.op(event);
    const object = events.object(event);
    const thread = events.thread(event);
    const name = events.threadName(thread);
    if (!last.has(name)) add(forked.get(name), i, 'fork');
    last.set(name, i);
    if (waiting.has(thread)) {
      const lock = waiting.get(thread)!;
      add(notified.get(lock), i, 'notify');
      add(released.get(lock), i, 'lock');
      waiting.delete(thread);
    }
    if (op === Op.acq || op === Op.racq) add(released.get(object), i, 'lock');
    if (op === Op.rel || op === Op.rrel || op === Op.wait) released.set(object, i);
    if (op === Op.wait) waiting.set(thread, object);
    if (op === Op.notify || op === Op.notifyall) notified.set(object, i);
    if (op === Op.fork) forked.set(events.objectName(event), i);
    if (op === Op.join) add(last.get(events.objectName(event)), i, 'join');
    const writer = written.get(object);
    const racing = writer !== undefined && !rows[i].valueKnown && !rows[writer].valueKnown;
    if (isRead(op) && !racing) add(writer, i, 'reads');
    if (isWrite(op)) written.set(object, i);
  });
  return edges;
}

function schedule(events: Events, rows: Row[]): Schedule {
  const edgesTo: (Edge[] | undefined)[] = new Array(rows.length);
  const edgesFrom: (Edge[] | undefined)[] = new Array(rows.length);
  for (const edge of edgesOf(events, rows)) {
    (edgesTo[edge.to] ??= []).push(edge);
    (edgesFrom[edge.from] ??= []).push(edge);
  }
  return { rows, edgesTo, edgesFrom, place: new Map(rows.map((row, i) => [row.event, i])) };
}

export interface Pair {
  observed: Schedule;
  witness: Schedule | null; // null: there is none, or it is the observed order itself
}

export function schedulesOf(events: Events, finding: Finding): Pair {
  const marked = new Set<number>();
  let last = 0;
  for (const event of finding.events) {
    const row = event.index === null ? undefined : events.row(event.index);
    if (row === undefined) continue;
    marked.add(row);
    last = Math.max(last, row);
  }
  const order: number[] = [];
  if (typeof finding.witness === 'string') {
    for (const index of unpackRuns(finding.witness)) {
      const row = events.row(index);
      if (row !== undefined) order.push(row);
    }
  }
  const done = new Set(order);
  const next = [...marked].filter((row) => !done.has(row)); // a deadlock's acquires, say
  for (const row of order) last = Math.max(last, row);
  const plain = (event: number): Row => ({ event, marked: marked.has(event), pending: false, valueKnown: true, shift: 0 });
  const all: Row[] = [];
  for (let row = 0; row <= Math.min(last + 4, events.count - 1); ++row) all.push(plain(row));
  const observed = schedule(events, all);
  if (order.length === 0 || finding.strength === 'observed') return { observed, witness: null };

  // What a racing access or the redirected read sees is not what it saw.
  const read = finding.kind === 'nondeterministic-read' ? events.row(finding.detail.read as number) : undefined;
  const changed = (event: number, isMarked: boolean) => (finding.kind === 'data-race' ? isMarked : event === read);
  const keep = stayed(order);
  const ranked = [...order].sort((a, b) => a - b);
  const rank = new Map(ranked.map((row, i) => [row, i]));
  const rows = order.map((event, i) => {
    const row = plain(event);
    if (!keep[i]) row.shift = rank.get(event)! - i;
    row.valueKnown = !changed(event, row.marked);
    return row;
  });
  // A deadlock's acquires are next and never happen; for other kinds such events
  // are not part of this schedule at all, or come right after it.
  for (const event of next) rows.push({ ...plain(event), pending: finding.kind === 'deadlock' });
  return { observed, witness: schedule(events, rows) };
}

export interface Fold {
  fold: true;
  from: number;
  to: number; // exclusive
}
export type Item = number | Fold; // a row, or rows that are folded away

const kFewRows = 18;
const kSynchronisation = 4; // rows shown on either side of a finding's event
const kShortest = 4;

// The nearest rows before or after `row`, up to `end`, in which its thread
// synchronises.
function synchronisation(events: Events, one: Schedule, row: number, step: 1 | -1, end: number): number[] {
  const thread = events.thread(one.rows[row].event);
  const found: number[] = [];
  for (let i = row; i !== end && found.length < kSynchronisation; ) {
    i += step;
    const { event } = one.rows[i];
    const op = events.op(event);
    if (events.thread(event) === thread && op !== Op.rd && op !== Op.wr) found.push(i);
  }
  return found;
}

// The rows that tell the story: the finding's events and what orders them, and
// the ends of each stretch that moved.
export function fold(events: Events, one: Schedule, movedEvents: Set<number>, open: Set<number>): Item[] {
  const count = one.rows.length;
  const keep = new Uint8Array(count);
  const story = (row: number) => {
    if (row >= 0 && row < count) keep[row] = 1;
  };
  const everything = count <= kFewRows;
  for (let i = 0; i < count; ++i) {
    const { marked, pending, event } = one.rows[i];
    if (everything) keep[i] = 1;
    if (marked || pending) {
      const thread = events.thread(event);
      for (let d = Math.max(-2, -i); d <= 2 && i + d < count; ++d) {
        if (events.thread(one.rows[i + d].event) === thread) story(i + d);
      }
    }
    const moved = movedEvents.has(event);
    if (!moved) continue;
    const edge = i === 0 || i === count - 1 || !movedEvents.has(one.rows[i - 1].event) || !movedEvents.has(one.rows[i + 1].event);
    if (edge) story(i);
  }
  let lastMarked = 0;
  for (let i = 0; i < count; ++i) if (one.rows[i].marked) lastMarked = i;
  for (let i = 0; i < count; ++i) {
    if (!one.rows[i].marked) continue;
    for (const edge of one.edgesTo[i] ?? []) story(edge.from);
    for (const row of synchronisation(events, one, i, -1, 0)) story(row);
    for (const row of synchronisation(events, one, i, 1, lastMarked)) story(row);
  }
  // A few rows between two that stay are not worth a fold, unless other threads did them.
  const involved = new Set(one.rows.filter(({ marked }) => marked).map(({ event }) => events.thread(event)));
  const items: Item[] = [];
  for (let i = 0; i < count; ) {
    if (keep[i]) {
      items.push(i++);
      continue;
    }
    let end = i;
    while (end < count && !keep[end]) ++end;
    const near = end - i < kShortest && one.rows.slice(i, end).some(({ event }) => involved.has(events.thread(event)));
    if (near || open.has(i)) for (; i < end; ++i) items.push(i);
    else items.push({ fold: true, from: i, to: end });
    i = end;
  }
  return items;
}

export interface State {
  held: { lock: string; thread: string; shared: boolean }[];
  values: { location: string; value: string; writer: string }[];
}

// What holds after the first `count` rows; the values only of `locations`.
export function stateAfter(events: Events, one: Schedule, count: number, locations: Set<number>): State {
  const held = new Map<string, { lock: string; thread: string; shared: boolean }>();
  const values = new Map<number, { location: string; value: string; writer: string }>();
  const back = new Map<number, number>(); // thread -> the lock it gets back
  for (let i = 0; i < count && i < one.rows.length; ++i) {
    const { event, pending, valueKnown } = one.rows[i];
    if (pending) continue;
    const op = events.op(event);
    const object = events.object(event);
    const thread = events.thread(event);
    const name = events.threadName(thread);
    const take = (lock: number, shared: boolean) =>
      held.set(`${thread} ${lock}`, { lock: events.raw.objects[lock][1], thread: name, shared });
    const lockBack = back.get(thread);
    if (lockBack !== undefined) {
      take(lockBack, false);
      back.delete(thread);
    }
    if (op === Op.acq || op === Op.racq) take(object, op === Op.racq);
    if (op === Op.rel || op === Op.rrel || op === Op.wait) held.delete(`${thread} ${object}`);
    if (op === Op.wait) back.set(thread, object);
    if (isWrite(op) && locations.has(object)) {
      const value = valueKnown ? events.value(event) : undefined;
      values.set(object, {
        location: events.objectName(event),
        value: value === undefined ? 'written' : String(value),
        writer: `event ${events.index(event)}, thread ${name}`,
      });
    }
  }
  return { held: [...held.values()], values: [...values.values()] };
}
