// Pictures that belong to one kind: the cycle of a deadlock or of units, the
// pattern of an atomic set, the read and its writers.
import { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Finding, clip } from './data';

interface Props {
  finding: Finding;
  colours: (thread: string) => string;
}

export function Diagram({ finding, colours }: Props) {
  if (finding.kind === 'deadlock') return <Deadlock finding={finding} colours={colours} />;
  if (finding.kind === 'atomic-set-violation') return <Pattern finding={finding} colours={colours} />;
  if (finding.kind === 'nondeterministic-read') return <Writers finding={finding} colours={colours} />;
  if (Array.isArray(finding.detail.cycle)) return <UnitCycle finding={finding} colours={colours} />;
  return null;
}

interface Node {
  text: string;
  sub: string;
  colour: string;
}

// Nodes on a circle, an arrow from each to the next.
function Ring({ nodes, labels, title }: { nodes: Node[]; labels: string[]; title: string }) {
  const tip = useId(); // several pages of paper have one each
  const width = 560;
  const height = nodes.length <= 2 ? 190 : 300;
  const at = (i: number) => {
    const angle = (2 * Math.PI * i) / nodes.length - (nodes.length <= 2 ? Math.PI : Math.PI / 2);
    return { x: width / 2 + Math.cos(angle) * (width / 2 - 110), y: height / 2 + Math.sin(angle) * (height / 2 - 50) };
  };
  const two = nodes.length === 2;
  return (
    <svg class="ring" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      <defs>
        <marker id={tip} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0,0 L8,4 L0,8 z" />
        </marker>
      </defs>
      {nodes.map((_, i) => {
        const a = at(i);
        const b = at((i + 1) % nodes.length);
        const dx = b.x - a.x;
        const dy = b.y - a.y;
        const length = Math.hypot(dx, dy) || 1;
        // Between two nodes both arrows would lie on each other: bend them.
        const bend = two ? 62 : 22;
        const mx = (a.x + b.x) / 2 + (-dy / length) * -bend;
        const my = (a.y + b.y) / 2 + (dx / length) * -bend;
        const away = (p: { x: number; y: number }) => {
          const vx = mx - p.x;
          const vy = my - p.y;
          const scale = Math.min(88 / Math.max(Math.abs(vx), 1), 30 / Math.max(Math.abs(vy), 1));
          return { x: p.x + vx * Math.min(scale, 0.9), y: p.y + vy * Math.min(scale, 0.9) };
        };
        const s = away(a);
        const e = away(b);
        return (
          <g key={i}>
            <path class="arrow" d={`M${s.x},${s.y} Q${mx},${my} ${e.x},${e.y}`} marker-end={`url(#${tip})`} />
            <text class="label" x={(s.x + 2 * mx + e.x) / 4} y={(s.y + 2 * my + e.y) / 4 + (my > height / 2 ? 16 : -7)} text-anchor="middle">{clip(labels[i], 44)}</text>
          </g>
        );
      })}
      {nodes.map((node, i) => {
        const p = at(i);
        return (
          <g key={i}>
            <rect class="node" x={p.x - 84} y={p.y - 25} width="168" height="50" rx="8" style={{ stroke: node.colour }} />
            <text x={p.x} y={p.y - 3} text-anchor="middle" class="name">{clip(node.text, 22)}</text>
            <text x={p.x} y={p.y + 15} text-anchor="middle" class="sub">{clip(node.sub, 26)}</text>
          </g>
        );
      })}
    </svg>
  );
}

function Figure({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="diagram">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Deadlock({ finding, colours }: Props) {
  // Each thread waits for the object of its event; who holds it is the thread
  // whose event lists it among the locks held.
  const events = finding.events;
  const holder = (lock: string, waiter: number) =>
    events.findIndex((e, i) => i !== waiter && (e.held ?? []).some((h) => h.lock === lock));
  const order: number[] = [];
  for (let i = 0; i >= 0 && !order.includes(i); i = holder(events[i].object, i)) order.push(i);
  if (order.length < 2) return null;
  const nodes = order.map((i) => ({
    text: `thread ${events[i].thread}`,
    sub: `holds ${(events[i].held ?? []).map((h) => h.lock).join(', ')}`,
    colour: colours(events[i].thread),
  }));
  const labels = order.map((i) => `waits for ${events[i].object}`);
  const words = order.map((i, k) => `thread ${events[i].thread} waits for ${clip(events[i].object, 60)}, which thread ${events[order[(k + 1) % order.length]].thread} holds`);
  return (
    <Figure title="Who waits for whom">
      <Ring nodes={nodes} labels={labels} title={`Cycle: ${words.join('; ')}`} />
    </Figure>
  );
}

interface CycleEdge {
  from: { unit: string; thread: string; event: number };
  to: { unit: string; thread: string; event: number };
}

function UnitCycle({ finding, colours }: Props) {
  const cycle = finding.detail.cycle as CycleEdge[];
  if (cycle.length < 2 || cycle.some((e) => !e.from || !e.to)) return null;
  const nodes = cycle.map((edge) => ({
    text: edge.from.unit ?? 'no unit', sub: `thread ${edge.from.thread}`, colour: colours(edge.from.thread),
  }));
  const labels = cycle.map((edge) => `event ${edge.from.event} before event ${edge.to.event}`);
  return (
    <Figure title="Each unit comes before the other">
      <Ring nodes={nodes} labels={labels} title={`Cycle of units: ${cycle.map((e) => `${e.from.unit} before ${e.to.unit}`).join('; ')}`} />
    </Figure>
  );
}

function Pattern({ finding, colours }: Props) {
  const detail = finding.detail as { pattern?: number; accesses?: string; meaning?: string; set?: string; threads?: string[] };
  const [u, other] = detail.threads ?? [];
  return (
    <Figure title={`Pattern ${detail.pattern ?? '?'} on the atomic set ${clip(detail.set ?? '?', 60)}`}>
      <div class="wide" tabIndex={0} role="region" aria-label="The pattern, in order of time">
        <table class="pattern">
          <thead>
            <tr>
              <th scope="col">time</th>
              <th scope="col" style={{ '--thread': colours(u ?? '') }}>u: {clip(finding.labels[0] ?? 'one access', 40)}, thread {u}</th>
              <th scope="col" style={{ '--thread': colours(other ?? '') }}>u': {clip(finding.labels[1] ?? 'one access', 40)}, thread {other}</th>
            </tr>
          </thead>
          <tbody>
            {finding.events.map((event, i) => {
              const mine = !(event.role ?? '').startsWith("u'");
              const text = `${event.op === 'rd' ? 'reads' : 'writes'} ${clip(event.object, 60)}`;
              return (
                <tr key={i}>
                  <th scope="row">{i + 1}</th>
                  <td>{mine ? text : ''}</td>
                  <td>{mine ? '' : text}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="note"><code>{detail.accesses}</code>: {detail.meaning}. No serial order of the two units explains it.</p>
    </Figure>
  );
}

function Writers({ finding, colours }: Props) {
  const detail = finding.detail as { read?: number; writer?: number | null; challenger?: number | null; order?: string };
  const at = (index: number | null | undefined) => finding.events.find((e) => e.index === index);
  const read = at(detail.read);
  if (!read) return null;
  const name = (index: number | null | undefined) => {
    const event = at(index);
    return event ? `write of thread ${event.thread}, event ${event.index}` : 'the initial value';
  };
  const side = (index: number | null | undefined, title: string) => {
    const event = at(index);
    return (
      <div class="writer" style={{ '--thread': event ? colours(event.thread) : 'var(--line)' }}>
        <b>{title}</b>
        <span>{name(index)}</span>
        {event?.site && <code>{clip(event.site, 80)}</code>}
      </div>
    );
  };
  const orders: Record<string, string> = { 'c-r-w': 'challenger, read, writer', 'w-c-r': 'writer, challenger, read', 'c-r': 'challenger, read; the writer does not come at all' };
  return (
    <Figure title="The read and its writers">
      <div class="writers">
        {side(detail.writer, 'It saw')}
        <div class="read" style={{ '--thread': colours(read.thread) }}>
          <b>thread {clip(read.thread, 30)} reads {clip(read.object, 60)}</b>
          <span>event {read.index}</span>
          {read.site && <code>{clip(read.site, 80)}</code>}
        </div>
        {side(detail.challenger, 'It can see')}
      </div>
      {detail.order && <p class="note">In the other schedule: {orders[detail.order] ?? detail.order}.</p>}
    </Figure>
  );
}
