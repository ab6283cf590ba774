// What holds at the current step: locks, values, what comes next.
import { useMemo } from 'preact/hooks';
import { Events, Finding, ReportData, clip } from './data';
import { Schedule, stateAfter } from './schedule';
import { threadColour } from './colours';

interface Props {
  events: Events;
  finding: Finding;
  data: ReportData;
  one: Schedule;
  done: number; // rows
  now: number | null;
  atEnd: boolean;
  locations: Set<number>;
}

export function StatePanel({ events, finding, data, one, done, now, atEnd, locations }: Props) {
  const state = useMemo(() => stateAfter(events, one, done, locations), [events, one, done, locations]);
  const site = now === null ? '' : events.site(now);
  const source = site === '' ? undefined : data.sources[site];
  const line = source && source[1][Math.floor(source[1].length / 2)];
  const colourOf = (name: string) => threadColour(Math.max(0, events.raw.threads.indexOf(name)));
  return (
    <aside class="state" aria-label="What holds at this step">
      {atEnd && finding.strength !== 'predicted' && <p class="error">{verdict(finding)}</p>}
      <div>
      <h4>This step</h4>
      {now === null ? <p class="quiet">–</p> : (
        <p>
          <span class="dot" style={{ '--thread': threadColour(events.thread(now)) }} />
          {events.sentence(now)}
          {site !== '' && <><br /><code>{clip(site, 80)}</code></>}
          {line !== undefined && <code class="source">{line.trim()}</code>}
        </p>
      )}
      </div>
      <div>
      <h4>Locks held</h4>
      {state.held.length === 0 ? <p class="quiet">none</p> : (
        <ul>
          {state.held.map((held) => (
            <li key={`${held.thread} ${held.lock}`}>
              <span class="dot" style={{ '--thread': colourOf(held.thread) }} />
              <b>{clip(held.lock, 40)}</b> by thread {clip(held.thread, 20)}{held.shared ? ' (for reading)' : ''}
            </li>
          ))}
        </ul>
      )}
      </div>
      <div>
      <h4>Values</h4>
      {state.values.length === 0 ? <p class="quiet">nothing written yet</p> : (
        <ul>
          {state.values.map((value) => (
            <li key={value.location} title={value.writer}><b>{clip(value.location, 40)}</b> {value.value === 'written' ? `written by ${clip(value.writer, 40)}` : `= ${value.value}`}</li>
          ))}
        </ul>
      )}
      </div>
    </aside>
  );
}

function verdict(finding: Finding): string {
  const who = finding.events.map((e) => `thread ${clip(e.thread, 20)}`);
  switch (finding.kind) {
    case 'data-race':
      return `Here ${who[0]} and ${who[1]} access ${clip(finding.variable ?? 'it', 60)} with nothing between them: a data race.`;
    case 'deadlock':
      return `Here ${[...new Set(who)].join(' and ')} wait for each other, for ever.`;
    case 'nondeterministic-read':
      return 'Here the read sees another write than it did in the observed run.';
    default:
      return `Here the ${finding.kind.replace(/-/g, ' ')} is complete.`;
  }
}
