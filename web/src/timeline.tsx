// The whole trace over time: zoom, pan, search, look at single events.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Events, TimelineData, clip, counted, number } from './data';
import { Look, draw, kAxis, kTrack, palette } from './draw';
import { Overview } from './overview';
import { lowerBound, tracksOf } from './spans';

export function Timeline({ data }: { data: TimelineData }) {
  const events = useMemo(() => new Events(data.events), [data]);
  const tracks = useMemo(() => tracksOf(events, data.from, data.to), [events]);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const span = Math.max(1, data.to - data.from);
  const smallest = (size.width / (span + 1)) * 0.98;
  const [view, setView] = useState({ from: data.from, scale: 0 });
  const scale = Math.min(140, Math.max(smallest, view.scale));
  const [top, setTop] = useState(0);
  const [selected, setSelected] = useState<number | null>(null);
  const [text, setText] = useState('');
  const hits = useMemo(() => search(events, text), [events, text]);
  const hitSet = useMemo(() => new Set(hits), [hits]);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [dark, setDark] = useState(matchMedia('(prefers-color-scheme: dark)').matches);
  const look: Look = { from: view.from, scale, top, ...size };

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => box.current && setSize({ width: box.current.clientWidth, height: box.current.clientHeight }));
    observer.observe(box.current!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const change = () => setDark(scheme.matches);
    scheme.addEventListener('change', change);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', change);
    };
  }, []);
  const colours = useMemo(palette, [dark]);
  useLayoutEffect(() => {
    const element = canvas.current!;
    const ratio = devicePixelRatio;
    element.width = size.width * ratio;
    element.height = size.height * ratio;
    const context = element.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, events, tracks, look, selected, hitSet, colours);
  });

  // The index at the left edge, so that the trace stays in the picture.
  const held = (from: number, s: number) => Math.max(data.from - 0.5, Math.min(from, data.to + 0.5 - size.width / s));
  const zoom = (factor: number, x: number) => {
    const next = Math.min(140, Math.max(smallest, scale * factor));
    setView({ from: held(view.from + x / scale - x / next, next), scale: next });
  };
  const pan = (pixels: number) => setView({ from: held(view.from + pixels / scale, scale), scale });
  const scroll = (pixels: number) => setTop((old) => Math.max(0, Math.min(old + pixels, tracks.length * kTrack + kAxis - size.height)));
  const show = (row: number) => {
    setSelected(row);
    const s = Math.max(scale, 60);
    setView({ from: held(events.index(row) - size.width / s / 2, s), scale: s });
    const track = tracks.findIndex((t) => t.thread === events.thread(row));
    if (track * kTrack < top || (track + 1) * kTrack + kAxis > top + size.height) setTop(Math.max(0, track * kTrack - size.height / 2));
  };
  const nextHit = (step: 1 | -1) => {
    if (hits.length === 0) return;
    const now = selected === null ? -1 : selected;
    const place = step === 1 ? hits.find((row) => row > now) ?? hits[0] : [...hits].reverse().find((row) => row < now) ?? hits[hits.length - 1];
    show(place);
  };
  const neighbour = (step: 1 | -1) => {
    const at = selected ?? lowerBound(events.count, events.index, view.from) - step;
    const row = Math.max(0, Math.min(events.count - 1, at + step));
    if (events.count > 0) show(row);
  };

  useLayoutEffect(() => {
    const element = box.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY * 0.004), event.offsetX);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX + (event.shiftKey ? event.deltaY : 0));
      else if (tracks.length * kTrack + kAxis > size.height) scroll(event.deltaY);
      else zoom(Math.exp(-event.deltaY * 0.004), event.offsetX);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  });

  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  const onKey = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      '+': () => zoom(1.6, size.width / 2), '=': () => zoom(1.6, size.width / 2), '-': () => zoom(1 / 1.6, size.width / 2),
      ArrowLeft: () => pan(-size.width / 6), ArrowRight: () => pan(size.width / 6), ArrowUp: () => scroll(-kTrack), ArrowDown: () => scroll(kTrack),
      Home: () => pan(-1e12), End: () => pan(1e12), n: () => neighbour(1), p: () => neighbour(-1), '0': () => setView({ from: data.from, scale: smallest }),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  const pick = (x: number, y: number) => {
    const track = tracks[Math.floor((y - kAxis + top) / kTrack)];
    if (!track || y < kAxis) return;
    const at = view.from + x / scale;
    const place = lowerBound(track.rows.length, (i) => events.index(track.rows[i]), at);
    const near = [place - 1, place].filter((i) => i >= 0 && i < track.rows.length).sort((a, b) => Math.abs(events.index(track.rows[a]) - at) - Math.abs(events.index(track.rows[b]) - at));
    if (near.length > 0) setSelected(track.rows[near[0]]);
  };

  const { trace } = data;
  return (
    <div class="page">
      <header class="top">
        <p class="brand">Foretrace</p>
        <h1>{clip(trace.source, 200)}</h1>
        <p class="facts">
          {[counted(trace.events, 'event'), counted(trace.threads, 'thread'), counted(trace.locations, 'location'), counted(trace.locks, 'lock')].join(' · ')}. Time is the order of events.
        </p>
        {span < trace.events && (
          <p class="caveats one">
            Single events from {number(data.from)} to {number(data.to)} only; the strip shows all of it. <code>--from</code> and <code>--to</code> choose others.
          </p>
        )}
      </header>
      <main class="timeline">
        <Overview data={data} from={view.from} to={view.from + size.width / scale} go={(index) => setView({ from: held(index - size.width / scale / 2, scale), scale })} />
        <div class="controls">
          <label class="search">
            <span>Search</span>
            <input
              type="search" value={text} placeholder="variable, lock, site, function, event number" onInput={(e) => setText(e.currentTarget.value)}
              onKeyDown={(e) => e.key === 'Enter' && nextHit(e.shiftKey ? -1 : 1)}
            />
          </label>
          <button type="button" onClick={() => nextHit(-1)} disabled={hits.length === 0} aria-label="The match before">▲</button>
          <button type="button" onClick={() => nextHit(1)} disabled={hits.length === 0} aria-label="The next match">▼</button>
          <span class="step" role="status">{text === '' ? '' : counted(hits.length, 'match').replace('matchs', 'matches')}</span>
          <span class="which">
            <button type="button" onClick={() => zoom(1 / 1.6, size.width / 2)} aria-label="Zoom out">−</button>{' '}
            <button type="button" onClick={() => zoom(1.6, size.width / 2)} aria-label="Zoom in">+</button>{' '}
            <button type="button" class="wider" onClick={() => setView({ from: data.from, scale: smallest })}>all</button>
          </span>
        </div>
        <div class="tracks">
          <div class="names" aria-hidden="true">
            {tracks.map((track, i) => {
              const y = kAxis + i * kTrack - top;
              return y > -kTrack && y < size.height ? (
                <span key={track.thread} style={{ top: `${y}px`, height: `${kTrack}px`, '--thread': `var(--t${track.thread % 8})` }}>
                  <b>thread {clip(track.name, 16)}</b>
                  {counted(track.rows.length, 'event')}
                </span>
              ) : null;
            })}
          </div>
          <div
            class="plot" ref={box} tabIndex={0} role="application" onKeyDown={onKey} style={{ height: `${Math.min(tracks.length * kTrack + kAxis, 620)}px` }}
            aria-label="Timeline: a row for each thread. Plus and minus zoom, arrows move, n and p go to the next and the previous event, 0 shows all."
            onPointerDown={(e) => { drag.current = { x: e.clientX, y: e.clientY, moved: false }; e.currentTarget.setPointerCapture(e.pointerId); }}
            onPointerMove={(e) => {
              const from = drag.current;
              if (!from) return;
              if (!from.moved && Math.hypot(e.clientX - from.x, e.clientY - from.y) < 4) return;
              pan(from.x - e.clientX);
              scroll(from.y - e.clientY);
              drag.current = { x: e.clientX, y: e.clientY, moved: true };
            }}
            onPointerUp={(e) => {
              if (drag.current && !drag.current.moved) pick(e.offsetX, e.offsetY);
              drag.current = null;
            }}
          >
            <canvas ref={canvas} style={{ width: `${size.width}px`, height: `${size.height}px` }} />
          </div>
        </div>
        <p class="legend">
          <span class="key section">holds a lock</span>
          <span class="key contended">had been another thread's</span>
          <span class="key waits">waits</span>
          <span class="key unit">unit</span>
          <span>Keys: <kbd>+</kbd> <kbd>-</kbd> zoom, arrows move, <kbd>n</kbd> <kbd>p</kbd> next and previous event, <kbd>0</kbd> all</span>
        </p>
        <section class="picked" aria-live="polite">
          {selected === null ? <p class="quiet">No event chosen: click one, search, or press n.</p> : <Picked events={events} row={selected} show={show} />}
        </section>
      </main>
      <footer>Foretrace {data.version}. This file needs no network and sends nothing.</footer>
    </div>
  );
}

// The rows whose object, site, function or thread contains the text, or whose
// number it is.
function search(events: Events, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const objects = events.raw.objects.map(([, name]) => name.slice(0, 2000).toLowerCase().includes(wanted));
  const sites = events.raw.sites.map((site) => (typeof site === 'string' ? site : site.join(' ')).toLowerCase().includes(wanted));
  const threads = events.raw.threads.map((name) => `thread ${name}`.toLowerCase() === wanted);
  const exact = /^\d+$/.test(wanted) ? Number(wanted) : -1;
  const found: number[] = [];
  for (let row = 0; row < events.count; ++row) {
    if (objects[events.object(row)] || sites[events.raw.site[row]] || threads[events.thread(row)] || events.index(row) === exact) found.push(row);
  }
  return found;
}

function Picked({ events, row, show }: { events: Events; row: number; show: (row: number) => void }) {
  const near = (step: 1 | -1) => {
    for (let i = row + step; i >= 0 && i < events.count; i += step) if (events.object(i) === events.object(row)) return i;
    return null;
  };
  const value = events.value(row);
  const link = (target: number | null, words: string) =>
    target === null ? null : <button type="button" class="link" onClick={() => show(target)}>{words} (event {number(events.index(target))}, thread {clip(events.threadName(events.thread(target)), 20)})</button>;
  return (
    <>
      <h2>Event {number(events.index(row))}: {events.sentence(row)}</h2>
      <p>
        <code>{events.text(row)}</code>
        {value !== undefined && ` value ${value}`}
        {events.site(row) !== '' && <> at <code>{clip(events.site(row), 200)}</code></>}
        {events.functionName(row) !== '' && <> in <code>{clip(events.functionName(row), 200)}</code></>}
      </p>
      <p>{link(near(-1), 'Its object before')} {link(near(1), 'Its object next')}</p>
    </>
  );
}
