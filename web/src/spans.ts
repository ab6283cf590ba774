// What a timeline draws: for each thread its events and the stretches of time in
// which it holds a lock, waits, or is in a unit.
import { Events, Op } from './data';

export interface Span {
  kind: 'lock' | 'wait' | 'unit';
  start: number; // index of the event that begins it
  end: number; // of the event that ends it
  object: number;
  depth: number; // among the thread's spans of its kind
  contended: boolean; // a lock that another thread had before
}

export interface Track {
  thread: number;
  name: string;
  rows: number[]; // of its events
  spans: Span[]; // by start
  unitDepth: number;
  lockDepth: number;
}

export function tracksOf(events: Events, from: number, to: number): Track[] {
  const tracks = events.raw.threads.map((name, thread): Track => ({ thread, name, rows: [], spans: [], unitDepth: 0, lockDepth: 0 }));
  const open = tracks.map(() => [] as Span[]);
  const holder = new Map<number, number>(); // lock -> the thread that had it last
  const begin = (thread: number, kind: Span['kind'], start: number, object: number, contended = false) => {
    const depth = open[thread].filter((span) => span.kind === kind).length;
    const span = { kind, start, end: to, object, depth, contended };
    open[thread].push(span);
    tracks[thread].spans.push(span);
    if (kind === 'unit') tracks[thread].unitDepth = Math.max(tracks[thread].unitDepth, depth + 1);
    if (kind === 'lock') tracks[thread].lockDepth = Math.max(tracks[thread].lockDepth, depth + 1);
  };
  const end = (thread: number, kind: Span['kind'], at: number, object: number) => {
    const list = open[thread];
    for (let i = list.length - 1; i >= 0; --i) {
      if (list[i].kind !== kind || list[i].object !== object) continue;
      list[i].end = at;
      list.splice(i, 1);
      return;
    }
    // It began before the part of the trace that is here.
    tracks[thread].spans.push({ kind, start: from, end: at, object, depth: 0, contended: false });
  };
  for (let row = 0; row < events.count; ++row) {
    const thread = events.thread(row);
    const at = events.index(row);
    const op = events.op(row);
    const object = events.object(row);
    tracks[thread].rows.push(row);
    const last = open[thread][open[thread].length - 1];
    if (last?.kind === 'wait') {
      last.end = at;
      open[thread].pop();
      const wasLock = tracks[thread].rows.length > 1 && events.op(tracks[thread].rows[tracks[thread].rows.length - 2]) === Op.wait;
      if (wasLock && !(op === Op.acq && object === last.object)) begin(thread, 'lock', at, last.object);
    }
    if (op === Op.acq || op === Op.racq) {
      const before = holder.get(object);
      begin(thread, 'lock', at, object, before !== undefined && before !== thread);
      holder.set(object, thread);
    }
    if (op === Op.rel || op === Op.rrel || op === Op.wait) end(thread, 'lock', at, object);
    if (op === Op.wait || op === Op.barrier) begin(thread, 'wait', at, object);
    if (op === Op.beg) begin(thread, 'unit', at, object);
    if (op === Op.end) end(thread, 'unit', at, object);
  }
  for (const track of tracks) track.spans.sort((a, b) => a.start - b.start);
  return tracks.filter((track) => track.rows.length > 0);
}

// The first place in ascending `list` that is not below `value`.
export function lowerBound(count: number, at: (i: number) => number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
