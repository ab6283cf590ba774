// One order of events drawn: threads as columns, time downwards, arrows for what
// orders what. Rows are all of one height, so that only the visible are drawn.
import { Events, Finding, ReportData, clip, counted } from './data';
import { Edge, Item, Schedule } from './schedule';
import { Window } from './virtual';
import { threadColour } from './colours';

export const kRow = 28;
const kHead = 44; // the title and the names of the threads

export interface Lane {
  thread: number;
  name: string;
  x: number;
  width: number;
}

export interface Layout {
  items: Item[];
  one: Schedule;
  lanes: Lane[];
  view: Window;
}

export const paneWidth = (lanes: Lane[]) => {
  const last = lanes[lanes.length - 1];
  return last ? last.x + last.width + 16 : 200;
};

const middle = (place: number) => kHead + place * kRow + kRow / 2;

// Where a row of the schedule is drawn: its place among the items, or that of
// the fold that it is in.
function placeOf(items: Item[], row: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low < high) {
    const half = (low + high + 1) >> 1;
    const item = items[half];
    if ((typeof item === 'number' ? item : item.from) <= row) low = half;
    else high = half - 1;
  }
  return low;
}

interface PaneProps {
  title: string;
  x: number;
  layout: Layout;
  events: Events;
  data: ReportData;
  finding: Finding;
  moved: Set<number>;
  now: number | null; // the event of the current step
  doneRows: number | null; // how many rows have happened; null: this order is not stepped
  clash: boolean; // the error shows in this order
  open: (from: number) => void;
  select: (place: number) => void;
}

export function Pane(props: PaneProps) {
  const { title, x, layout, events, moved, now, doneRows } = props;
  const { items, one, lanes, view } = layout;
  const laneOf = new Map(lanes.map((lane) => [lane.thread, lane]));
  const visible: number[] = [];
  for (let place = view.first; place < Math.min(view.end, items.length); ++place) visible.push(place);
  const race = props.clash && props.finding.kind === 'data-race' ? racePlaces(layout) : null;
  return (
    <div class="pane" style={{ left: `${x}px`, width: `${paneWidth(lanes)}px` }}>
      <div class="head" style={{ height: `${kHead}px` }}>
        <span class="title">{title}</span>
        {lanes.map((lane) => (
          <span key={lane.thread} class="lane" style={{ left: `${lane.x}px`, width: `${lane.width}px`, '--thread': threadColour(lane.thread) }}>{lane.name}</span>
        ))}
      </div>
      {lanes.map((lane) => (
        <span key={lane.thread} class="rail" style={{ left: `${lane.x + lane.width / 2}px`, top: `${kHead}px`, height: `${items.length * kRow}px`, '--thread': threadColour(lane.thread) }} />
      ))}
      {race && <span class="clash" style={{ top: `${kHead + race.first * kRow}px`, height: `${(race.last - race.first + 1) * kRow}px` }} />}
      <Arrows layout={layout} laneOf={laneOf} visible={visible} events={events} now={now} />
      {visible.map((place) => {
        const item = items[place];
        const top = kHead + place * kRow;
        if (typeof item !== 'number') {
          return (
            <button key={`f${item.from}`} type="button" class="fold" tabIndex={-1} style={{ top: `${top}px` }} onClick={() => props.open(item.from)}>
              ⋮ {counted(item.to - item.from, 'event')}
            </button>
          );
        }
        const row = one.rows[item];
        const lane = laneOf.get(events.thread(row.event))!;
        const classes = ['ev'];
        if (row.marked) classes.push('marked');
        if (moved.has(row.event)) classes.push('moved');
        if (row.pending) classes.push('pending');
        if (row.event === now) classes.push('now');
        if (doneRows !== null && item >= doneRows) classes.push('later');
        const site = events.site(row.event);
        const where = [site, events.functionName(row.event)].filter((w) => w !== '').map((w) => clip(w, 120)).join(' in ');
        return (
          <div key={row.event}>
            <span class="index" style={{ top: `${top}px` }}>{events.index(row.event)}</span>
            <span
              class={classes.join(' ')} title={`${events.sentence(row.event)}${where === '' ? '' : `, ${where}`}`} onClick={() => props.select(place)}
              style={{ top: `${top + 2}px`, left: `${lane.x}px`, width: `${lane.width}px`, '--thread': threadColour(lane.thread) }}
            >
              {events.text(row.event, row.valueKnown)}{row.pending && ' …'}
              {row.shift !== 0 && <b class="shift">{row.shift > 0 ? `↑${row.shift}` : `↓${-row.shift}`}</b>}
            </span>
          </div>
        );
      })}
    </div>
  );
}

// The rows of the two accesses, if they are at the end, one after the other.
function racePlaces({ items, one }: Layout): { first: number; last: number } | null {
  const marked: number[] = [];
  items.forEach((item, place) => {
    if (typeof item === 'number' && one.rows[item].marked) marked.push(place);
  });
  if (marked.length < 2) return null;
  const [first, last] = marked.slice(-2);
  return last === first + 1 ? { first, last } : null;
}

interface ArrowProps {
  layout: Layout;
  laneOf: Map<number, Lane>;
  visible: number[];
  events: Events;
  now: number | null;
}

function Arrows({ layout, laneOf, visible, events, now }: ArrowProps) {
  const { items, one, lanes } = layout;
  const edges = new Set<Edge>();
  for (const place of visible) {
    const item = items[place];
    if (typeof item !== 'number') continue;
    for (const edge of one.edgesTo[item] ?? []) edges.add(edge);
    for (const edge of one.edgesFrom[item] ?? []) edges.add(edge);
  }
  const paths = [...edges].map((edge) => {
    const from = placeOf(items, edge.from);
    const to = placeOf(items, edge.to);
    if (typeof items[from] !== 'number' || typeof items[to] !== 'number') return null;
    const a = laneOf.get(events.thread(one.rows[edge.from].event));
    const b = laneOf.get(events.thread(one.rows[edge.to].event));
    if (!a || !b) return null;
    const right = a.x < b.x;
    const x1 = right ? a.x + a.width : a.x;
    const x2 = right ? b.x - 2 : b.x + b.width + 2;
    const y1 = middle(from);
    const y2 = middle(to);
    const pull = Math.max(14, Math.abs(x2 - x1) * 0.5);
    const hot = one.rows[edge.from].event === now || one.rows[edge.to].event === now;
    return (
      <path
        key={`${edge.kind}${edge.from}-${edge.to}`} class={`edge ${edge.kind}${hot ? ' hot' : ''}`}
        d={`M${x1},${y1} C${x1 + (right ? pull : -pull)},${y1} ${x2 - (right ? pull : -pull)},${y2} ${x2},${y2}`} marker-end={`url(#tip-${edge.kind === 'reads' ? 'reads' : 'lock'})`}
      />
    );
  });
  return (
    <svg class="arrows" width={paneWidth(lanes)} height={kHead + items.length * kRow}>
      <defs>
        {['lock', 'reads'].map((kind) => (
          <marker key={kind} id={`tip-${kind}`} class={`tip ${kind}`} viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0,0 L8,4 L0,8 z" />
          </marker>
        ))}
      </defs>
      {paths}
    </svg>
  );
}

interface MovesProps {
  x: number;
  width: number;
  left: Layout;
  right: Layout;
  events: Events;
  now: number | null;
}

// Lines between the two orders: where what moved, and the finding's events, went.
export function Moves({ x, width, left, right, events, now }: MovesProps) {
  const { view } = right;
  const lines: { event: number; a: number; b: number; marked: boolean; moved: boolean }[] = [];
  const seen = new Set<number>();
  const add = (event: number) => {
    if (seen.has(event)) return;
    seen.add(event);
    const rightRow = right.one.place.get(event);
    const leftRow = left.one.place.get(event);
    if (rightRow === undefined || leftRow === undefined) return;
    const { marked, shift } = right.one.rows[rightRow];
    if (!marked && shift === 0 && event !== now) return;
    lines.push({ event, a: placeOf(left.items, leftRow), b: placeOf(right.items, rightRow), marked, moved: shift !== 0 });
  };
  for (const side of [left, right]) {
    for (let place = view.first; place < Math.min(view.end, side.items.length); ++place) {
      const item = side.items[place];
      if (typeof item === 'number') add(side.one.rows[item].event);
    }
  }
  return (
    <svg class="moves" style={{ left: `${x}px` }} width={width} height={kHead + Math.max(left.items.length, right.items.length) * kRow}>
      {lines.map(({ event, a, b, marked, moved }) => (
        <path
          key={event} class={`move${marked ? ' marked' : ''}${moved ? ' moved' : ''}${event === now ? ' now' : ''}`} style={{ '--thread': threadColour(events.thread(event)) }}
          d={`M0,${middle(a)} C${width * 0.5},${middle(a)} ${width * 0.5},${middle(b)} ${width},${middle(b)}`}
        />
      ))}
    </svg>
  );
}
