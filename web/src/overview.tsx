// A strip of the whole trace: how busy it was, and which part is on the screen.
import { TimelineData } from './data';

interface Props {
  data: TimelineData;
  from: number;
  to: number;
  go: (index: number) => void;
}

export function Overview({ data, from, to, go }: Props) {
  const { starts, threads } = data.overview;
  const all = Math.max(1, data.trace.events);
  const height = 40;
  const busy = starts.map((_, column) => {
    let count = 0;
    let locked = 0;
    for (const [, cells] of threads) {
      count += cells[column]?.[0] > 0 ? 1 : 0;
      locked += cells[column]?.[1] > 0 ? 1 : 0;
    }
    return { count, locked };
  });
  const most = Math.max(1, ...busy.map((b) => b.count));
  const x = (index: number) => (index / all) * 1000;
  return (
    <svg
      class="overview" viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" role="img"
      aria-label="How many threads are busy over the whole trace, and the part that is shown"
      onClick={(e) => {
        const box = e.currentTarget.getBoundingClientRect();
        go(((e.clientX - box.left) / box.width) * all);
      }}
    >
      {busy.map(({ count, locked }, column) => {
        const left = x(starts[column]);
        const width = x(starts[column + 1] ?? all) - left;
        return (
          <g key={column}>
            <rect class="busy" x={left} width={width} y={height - (count / most) * height} height={(count / most) * height} />
            <rect class="locked" x={left} width={width} y={height - (locked / most) * height} height={(locked / most) * height} />
          </g>
        );
      })}
      <rect class="here" x={x(Math.max(0, from))} width={Math.max(3, x(Math.min(all, to)) - x(Math.max(0, from)))} y={0} height={height} />
    </svg>
  );
}
