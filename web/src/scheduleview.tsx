// A finding's schedule beside the observed order, to be stepped through.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Events, Finding, ReportData, Space, clip, counted, number } from './data';
import { Item, Pair, Schedule, fold, schedulesOf } from './schedule';
import { Lane, Layout, Moves, Pane, kRow, paneWidth } from './pane';
import { StatePanel } from './statepanel';
import { scrollToRow, useVisible } from './virtual';

interface Props {
  events: Events;
  finding: Finding;
  data: ReportData;
  paper?: boolean;
}

type Shown = 'both' | 'observed' | 'witness';

export function ScheduleView({ events, finding, data, paper }: Props) {
  const pair = useMemo(() => schedulesOf(events, finding), [events, finding]);
  if (finding.witness === false) {
    return (
      <p class="note">
        This schedule is left out to keep the file small. It is drawn by <code>foretrace analyze … --finding {finding.id} --format html</code>.
      </p>
    );
  }
  return <Stepper events={events} finding={finding} data={data} pair={pair} paper={paper} />;
}

const kLongest = 23; // characters of an event's text that make a column wider
const kPaper = 680; // pixels across a sheet

const endOf = (item: Item) => (typeof item === 'number' ? item + 1 : item.to);

function Stepper({ events, finding, data, pair, paper }: Props & { pair: Pair }) {
  const { observed, witness } = pair;
  const walked = witness ?? observed;
  const [openObserved, setOpenObserved] = useState<Set<number>>(new Set());
  const [openWitness, setOpenWitness] = useState<Set<number>>(new Set());
  const [shown, setShown] = useState<Shown>(() => (witness && !paper && matchMedia('(max-width: 60rem)').matches ? 'witness' : 'both'));
  const moved = useMemo(() => new Set((witness?.rows ?? []).filter((r) => r.shift !== 0).map((r) => r.event)), [witness]);
  const left = useMemo(() => fold(events, observed, moved, openObserved), [observed, moved, openObserved]);
  const right = useMemo(() => (witness ? fold(events, witness, moved, openWitness) : []), [witness, moved, openWitness]);
  const walk = witness ? right : left;
  const endStep = useMemo(() => lastStep(walk, walked, !witness), [walk, walked, witness]);
  const [step, setStep] = useState<number | null>(null); // null: the end
  const at = Math.min(step ?? endStep, walk.length);
  const done = at === 0 ? 0 : endOf(walk[at - 1]);
  const nowRow = at > 0 && typeof walk[at - 1] === 'number' ? (walk[at - 1] as number) : null;
  const now = nowRow === null ? null : walked.rows[nowRow].event;

  const box = useRef<HTMLDivElement>(null);
  const both = witness !== null && shown === 'both';
  const showLeft = !witness || shown !== 'witness';
  const showRight = witness !== null && shown !== 'observed';
  const rows = Math.max(showLeft ? left.length : 0, showRight ? right.length : 0);
  const view = useVisible(box, kRow, rows + 2, paper);
  const lanes = useMemo(() => lanesOf(events, [[observed, left], ...(witness ? ([[witness, right]] as [Schedule, Item[]][]) : [])]), [events, observed, witness, left, right]);

  useEffect(() => {
    if (step !== null || rows > 60) scrollToRow(box.current, at + 1, kRow, kRow);
  }, [at]);

  const go = (to: number) => setStep(Math.max(0, Math.min(walk.length, to)));
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: endStep };
    if (!(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  };
  const open = (which: 'observed' | 'witness', from: number) => {
    const [old, set] = which === 'observed' ? [openObserved, setOpenObserved] as const : [openWitness, setOpenWitness] as const;
    set(new Set([...old, from]));
  };

  const width = paneWidth(lanes);
  const gap = both ? 76 : 0;
  const total = (showLeft ? width : 0) + gap + (showRight ? width : 0);
  const layout = (items: Item[], one: Schedule): Layout => ({ items, one, lanes, view });
  const said = now === null ? (at === 0 ? 'Nothing has happened yet.' : `${counted(foldSize(walk[at - 1]), 'event')} at once.`) : `${events.sentence(now)}, event ${events.index(now)}.`;

  return (
    <div class="schedule">
      {!paper && (
        <div class="controls">
          <button type="button" onClick={() => go(0)} disabled={at === 0} aria-label="To the beginning" title="To the beginning (Home)">|◀</button>
          <button type="button" onClick={() => go(at - 1)} disabled={at === 0} aria-label="One step back" title="One step back (←)">◀</button>
          <input
            type="range" min={0} max={walk.length} value={at} aria-label={witness ? 'Step through the schedule that shows the error' : 'Step through the trace'}
            aria-valuetext={`${at} of ${walk.length}: ${said}`} onInput={(e) => go(Number(e.currentTarget.value))}
          />
          <button type="button" onClick={() => go(at + 1)} disabled={at >= walk.length} aria-label="One step forward" title="One step forward (→)">▶</button>
          <button type="button" onClick={() => go(endStep)} disabled={at === endStep} aria-label="To the error" title="To the error (End)">▶|</button>
          <span class="step">step {number(at)} of {number(walk.length)}</span>
          {witness && (
            <label class="which">
              <span>Show</span>
              <select value={shown} onChange={(e) => setShown(e.currentTarget.value as Shown)}>
                <option value="both">both</option>
                <option value="observed">as observed</option>
                <option value="witness">the schedule that shows it</option>
              </select>
            </label>
          )}
        </div>
      )}
      <p class="said" role="status">{said}</p>
      <div class="stage">
        <div
          class="box" ref={box} tabIndex={0} role="group" onKeyDown={onKey}
          aria-label={`${witness ? 'The observed order and the schedule that shows the error' : 'The observed order'}: threads are columns, time goes down. Arrow left and right step; what happens is said below.`}
          style={{ '--row': `${kRow}px` }}
        >
          <div class="canvas" aria-hidden="true" style={{ height: `${(rows + 1) * kRow + 44}px`, width: `${total}px`, zoom: paper ? Math.min(1, kPaper / total) : 1 }}>
            {showLeft && (
              <Pane
                title={finding.strength === 'observed' ? 'as observed: the error is in the trace itself' : 'as observed'} x={0} layout={layout(left, observed)} events={events} data={data}
                moved={moved} now={now} doneRows={witness ? null : done} open={(from) => open('observed', from)} select={(place) => !witness && go(place + 1)} finding={finding} clash={finding.strength === 'observed'}
              />
            )}
            {both && <Moves x={width} width={gap} left={layout(left, observed)} right={layout(right, witness!)} events={events} now={now} />}
            {showRight && (
              <Pane
                title="a schedule that shows it" x={(showLeft ? width : 0) + gap} layout={layout(right, witness!)} events={events} data={data}
                moved={moved} now={now} doneRows={done} open={(from) => open('witness', from)} select={(place) => go(place + 1)} finding={finding} clash
              />
            )}
          </div>
        </div>
      </div>
      <StatePanel events={events} finding={finding} data={data} one={walked} done={done} now={now} atEnd={at >= endStep} locations={locationsOf(events, walked, walk)} />
      <p class="legend">
        <span class="key marked">of the finding</span>
        {witness && <span class="key moved">moved</span>}
        <span class="key order">lock handed on, fork, join</span>
        <span class="key reads">read sees write</span>
      </p>
    </div>
  );
}

// The step at which the error is there: the end of a witness; in the observed
// order, the last event of the finding.
function lastStep(walk: Item[], one: Schedule, isObserved: boolean): number {
  if (!isObserved) return walk.length;
  let last = 0;
  walk.forEach((item, i) => {
    if (typeof item === 'number' && one.rows[item].marked) last = i + 1;
  });
  return last;
}

const foldSize = (item: Item) => (typeof item === 'number' ? 1 : item.to - item.from);

// A column for each thread that has a row which is not folded away.
function lanesOf(events: Events, panes: [Schedule, Item[]][]): Lane[] {
  const seen = new Map<number, number>(); // thread -> the longest text
  for (const [one, items] of panes) {
    for (const item of items) {
      if (typeof item !== 'number') continue;
      const { event } = one.rows[item];
      const thread = events.thread(event);
      const old = seen.get(thread) ?? 0;
      if (old < kLongest) seen.set(thread, Math.max(old, Math.min(kLongest, events.text(event).length)));
    }
  }
  let x = 52;
  return [...seen.entries()].sort(([a], [b]) => a - b).map(([thread, length]) => {
    const name = `thread ${clip(events.threadName(thread), 18)}`;
    const width = Math.max(length * 7.3 + 26, name.length * 7 + 14, 78);
    const lane = { thread, name, x, width };
    x += width + 12;
    return lane;
  });
}

// The locations whose values are worth watching.
function locationsOf(events: Events, one: Schedule, items: Item[]): Set<number> {
  const found = new Set<number>();
  const add = (row: number) => {
    const object = events.object(one.rows[row].event);
    if (events.raw.objects[object][0] === Space.location && found.size < 10) found.add(object);
  };
  for (const item of items) if (typeof item === 'number' && one.rows[item].marked) add(item);
  for (const item of items) if (typeof item === 'number' && events.value(one.rows[item].event) !== undefined) add(item);
  return found;
}
