// What the program embeds in the page (src/report/html.cc, src/cli/view.cc) and
// how to read it.

export type Strength = 'predicted' | 'certified' | 'observed';

export interface FindingEvent {
  index: number | null; // null: a place in the source, found without a trace
  thread: string;
  op: string;
  object: string;
  site: string | null;
  function?: string;
  role?: string;
  held?: { lock: string; shared: boolean }[] | null;
  verb: string; // "reads"
  calls?: { site: string | null; function: string }[]; // that led to it, innermost first
  started?: string; // its thread: "by main at bank.cpp:9"
}

export interface Finding {
  id: string;
  analysis: string;
  kind: string;
  strength: Strength;
  message: string;
  reason: string;
  variable: string | null;
  lock: string | null;
  labels: string[];
  events: FindingEvent[];
  headline: string;
  decision?: string;
  folded?: string; // how many more there are of it, and where
  witness: string | null | false; // runs of indexes; false: left out to keep the file small
  detail: Record<string, unknown>;
}

export interface AnalysisRun {
  name: string;
  summary: string;
  seconds: number;
  passes: number;
  certified: number;
  infeasible: number;
  undecided: number;
  figures: [string, string][];
}

export interface TraceFacts {
  source: string;
  file?: string; // where the trace is; empty if in no file that is known
  events: number;
  threads: number;
  locations: number;
  locks: number;
  lines: number; // of source, where that was read and no trace
}

export interface RawEvents {
  threads: string[];
  objects: [number, string][];
  sites: (string | [string, string])[];
  ops: { name: string; short: string; verb: string }[];
  index: number[];
  thread: number[];
  op: number[];
  object: number[];
  site: number[];
  resumes: number[];
  values: number[]; // row, value, row, value, …
}

export interface ReportData {
  view: 'report';
  version: string;
  trace: TraceFacts;
  partial: boolean;
  caveats: string[];
  analyses: AnalysisRun[];
  findings: Finding[];
  groups: [number, number[], number[]][];
  kinds: Record<string, { title: string; meaning: string; remedy: string }>;
  sources: Record<string, [number, string[]]>;
  events: RawEvents | null;
}

export interface TimelineData {
  view: 'timeline';
  version: string;
  trace: TraceFacts;
  from: number; // the part whose events are here one by one
  to: number;
  overview: { starts: number[]; threads: [string, [number, number, number, number][]][] };
  events: RawEvents;
}

export type Data = ReportData | TimelineData;

// The spaces that objects belong to: as in src/trace/event.h.
export const Space = { none: 0, thread: 1, location: 2, lock: 3, label: 4, barrier: 5, object: 6 } as const;

// Operations: as in src/trace/event.h.
export const Op = {
  skip: 0, rd: 1, wr: 2, acq: 3, rel: 4, racq: 5, rrel: 6, fork: 7, join: 8, beg: 9, end: 10,
  wait: 11, notify: 12, notifyall: 13, vrd: 14, vwr: 15, vrmw: 16, barrier: 17, alloc: 18, free: 19,
  ard: 20, awr: 21, armw: 22,
} as const;

const kReads: readonly number[] = [Op.rd, Op.vrd, Op.vrmw, Op.ard, Op.armw];
const kWrites: readonly number[] = [Op.wr, Op.vwr, Op.vrmw, Op.awr, Op.armw];
export const isRead = (op: number) => kReads.includes(op);
export const isWrite = (op: number) => kWrites.includes(op);

// Events by row; rows are in the order of the trace.
export class Events {
  readonly count: number;
  private readonly rowByIndex: Map<number, number> | null;
  private readonly values = new Map<number, number>();
  private readonly resuming: Set<number>;

  constructor(readonly raw: RawEvents) {
    this.count = raw.index.length;
    this.resuming = new Set(raw.resumes);
    for (let i = 0; i + 1 < raw.values.length; i += 2) this.values.set(raw.values[i], raw.values[i + 1]);
    const dense = this.count === 0 || raw.index[this.count - 1] === this.count - 1;
    this.rowByIndex = dense ? null : new Map(raw.index.map((index, row) => [index, row]));
  }
  row(index: number): number | undefined {
    if (this.rowByIndex) return this.rowByIndex.get(index);
    return index < this.count ? index : undefined;
  }
  index = (row: number) => this.raw.index[row];
  thread = (row: number) => this.raw.thread[row];
  op = (row: number) => this.raw.op[row];
  object = (row: number) => this.raw.object[row];
  objectName = (row: number) => this.raw.objects[this.raw.object[row]][1];
  threadName = (thread: number) => this.raw.threads[thread];
  value = (row: number) => this.values.get(row);
  resumes = (row: number) => this.resuming.has(row);
  site(row: number): string {
    const site = this.raw.sites[this.raw.site[row]];
    return typeof site === 'string' ? site : site[0];
  }
  functionName(row: number): string {
    const site = this.raw.sites[this.raw.site[row]];
    return typeof site === 'string' ? '' : site[1];
  }
  // "w(x)", and "=3" where the value is known.
  text(row: number, withValue = true): string {
    const value = withValue ? this.value(row) : undefined;
    return `${this.raw.ops[this.op(row)].short}(${clip(this.objectName(row), 40)})${value === undefined ? '' : `=${value}`}`;
  }
  sentence(row: number): string {
    return `thread ${clip(this.threadName(this.thread(row)), 40)} ${this.raw.ops[this.op(row)].verb} ${clip(this.objectName(row), 80)}`;
  }
}

// Names can be a megabyte long, and can hold marks that turn the direction of
// the text around; what is shown is short and keeps such marks inside.
const kTurning = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
export function clip(text: string, limit: number): string {
  const safe = (text.length > limit * 4 ? text.slice(0, limit * 4) : text).replace(kTurning, '\ufffd');
  return safe.length <= limit ? safe : `${safe.slice(0, limit - 1)}…`;
}

// "0+12 40 38+2" (base 36) -> indexes.
export function unpackRuns(text: string): number[] {
  const indexes: number[] = [];
  if (text === '') return indexes;
  for (const run of text.split(' ')) {
    const [start, length] = run.split('+');
    const first = parseInt(start, 36);
    const count = length === undefined ? 1 : parseInt(length, 36);
    for (let i = 0; i < count; ++i) indexes.push(first + i);
  }
  return indexes;
}

export const fileOf = (site: string | null) => (site ?? '').replace(/(:\d+){1,2}$/, '');

export const number = (n: number) => n.toLocaleString('en');
export const counted = (n: number, noun: string) => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
