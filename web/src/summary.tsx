// What was run, what was found, how sure it is, what was left open.
import { useState } from 'preact/hooks';
import { ReportData, Strength, counted, number } from './data';
import { Group } from './report';

export const strengths: { name: Strength; mark: string; meaning: string }[] = [
  { name: 'observed', mark: '●', meaning: 'it happened: the trace itself shows it' },
  { name: 'certified', mark: '◆', meaning: 'a checked schedule of the same run shows it' },
  { name: 'predicted', mark: '○', meaning: 'an analysis says so; no schedule was found' },
];

export function Badge({ strength }: { strength: Strength }) {
  const { mark, meaning } = strengths.find((s) => s.name === strength)!;
  return (
    <span class={`badge ${strength}`} title={meaning}>
      <span aria-hidden="true">{mark}</span> {strength}
    </span>
  );
}

export function Summary({ data, groups, paper }: { data: ReportData; groups: Group[]; paper: boolean }) {
  const [unfolded, setUnfolded] = useState(false);
  const kinds = Object.keys(data.kinds);
  const count = (kind: string, strength: Strength) =>
    groups.filter((g) => g.leader.kind === kind && g.leader.strength === strength).length;
  const { trace } = data;
  return (
    <div class="summary">
      <p class="facts">
        {[trace.lines > 0 ? `${counted(trace.lines, 'line')} of source` : counted(trace.events, 'event'), counted(trace.threads, 'thread'), counted(trace.locations, 'location'), counted(trace.locks, 'lock')].join(' · ')}
      </p>
      {data.caveats.length > 0 && (
        <ul class="caveats" aria-label="What to know about this report">
          {data.caveats.map((line) => <li key={line}>{line}</li>)}
        </ul>
      )}
      <div class="tables">
        {kinds.length > 0 && (
          <table class="counts">
            <caption>Errors by kind and strength</caption>
            <thead>
              <tr>
                <th scope="col">kind</th>
                {strengths.map((s) => <th scope="col" key={s.name} title={s.meaning}>{s.name}</th>)}
              </tr>
            </thead>
            <tbody>
              {kinds.map((kind) => (
                <tr key={kind}>
                  <th scope="row">{data.kinds[kind].title}</th>
                  {strengths.map((s) => {
                    const n = count(kind, s.name);
                    return <td key={s.name} class={n === 0 ? 'none' : s.name}>{n === 0 ? '–' : number(n)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <details class="coverage" open={paper || unfolded} onToggle={(e) => paper || setUnfolded(e.currentTarget.open)}>
          <summary>{counted(data.analyses.length, 'analysis').replace('analysiss', 'analyses')} ran: what each did</summary>
          <div class="wide" tabIndex={0} role="region" aria-label="What each analysis did">
            <table>
              <thead>
                <tr>
                  <th scope="col">analysis</th>
                  <th scope="col">what it finds</th>
                  <th scope="col">findings</th>
                  <th scope="col">certified</th>
                  <th scope="col">infeasible</th>
                  <th scope="col">undecided</th>
                  <th scope="col">seconds</th>
                </tr>
              </thead>
              <tbody>
                {data.analyses.map((run) => (
                  <tr key={run.name}>
                    <th scope="row">{run.name}</th>
                    <td class="words">{run.summary}</td>
                    <td>{number(data.findings.filter((f) => f.analysis === run.name).length)}</td>
                    <td>{number(run.certified)}</td>
                    <td>{number(run.infeasible)}</td>
                    <td>{number(run.undecided)}</td>
                    <td>{run.seconds.toFixed(3)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      </div>
    </div>
  );
}
