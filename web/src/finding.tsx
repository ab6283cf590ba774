// One finding: the sentence, the accesses with their source, what orders them.
import { Diagram } from './diagrams';
import { Events, Finding, FindingEvent, ReportData, clip, fileOf } from './data';
import { Group } from './report';
import { ScheduleView } from './scheduleview';
import { Badge } from './summary';
import { threadColour } from './colours';

interface Props {
  data: ReportData;
  events: Events | null;
  group: Group;
  finding: Finding;
  select: (finding: Finding, jump: boolean) => void;
  paper?: boolean;
}

export function FindingView({ data, events, group, finding, select, paper }: Props) {
  const kind = data.kinds[finding.kind];
  const ofSource = data.trace.lines > 0; // there is no trace
  const threads = [...new Set(finding.events.map((e) => e.thread))];
  // As in the schedule, whose threads are numbered for the whole trace.
  const numbered = events ? events.raw.threads : threads;
  const colour = (thread: string) => threadColour(Math.max(0, numbered.indexOf(thread)));
  const trace = data.trace.file ? shellWord(data.trace.file) : 'TRACE';
  const also = [group.leader, ...group.sameError].filter((f) => f !== finding);
  return (
    <article class="finding">
      <h2>{clip(finding.headline, 200)}</h2>
      <p class="meta">
        <Badge strength={finding.strength} /> by <b>{finding.analysis}</b> <code class="id">{finding.id}</code>
      </p>
      <p class="message">{ended(clip(finding.message, 600))}</p>
      {finding.reason !== '' && <p>{clip(finding.reason, 800)}</p>}
      {finding.decision && <p class="decision">{finding.decision}</p>}
      {finding.folded && <p class="note">{finding.folded}</p>}

      <h3>{finding.events.length === 2 && finding.kind === 'data-race' ? 'The two accesses' : 'The events'}</h3>
      <div class="events">
        {finding.events.map((event, i) => (
          <EventCard key={i} event={event} data={data} colour={colour(event.thread)} />
        ))}
      </div>

      <Diagram finding={finding} colours={colour} />

      {!ofSource && <h3>The schedule</h3>}
      {events ? <ScheduleView events={events} finding={finding} data={data} paper={paper} /> : !ofSource && (
        <p class="note">
          {finding.events.length === 0 ? 'This finding has no events.' : 'The trace was not at hand when this report was written, so its schedule cannot be drawn.'}
        </p>
      )}

      {kind && (
        <section class="help">
          <h3>What it means, and what to do</h3>
          <p>{kind.meaning} {kind.remedy}</p>
        </section>
      )}
      {also.length > 0 && (
        <section>
          <h3>The same error, seen by other analyses</h3>
          <ul>{also.map((f) => <li key={f.id}><Link finding={f} select={select} /></li>)}</ul>
        </section>
      )}
      {group.samePlaces.length > 0 && (
        <section>
          <h3>From the same places in the source</h3>
          <ul>
            {group.samePlaces.slice(0, 20).map((f) => <li key={f.id}><Link finding={f} select={select} /></li>)}
            {group.samePlaces.length > 20 && <li>and {group.samePlaces.length - 20} more; search for their id or variable</li>}
          </ul>
        </section>
      )}
      {!paper && (
        <details class="commands">
          <summary>Commands for this finding</summary>
          {ofSource ? (
            <>
              <p>A comment in the source, in the line or above it, that says it is meant:</p>
              <pre tabIndex={0}>// foretrace: ignore({finding.kind})</pre>
            </>
          ) : (
            <>
              {!data.trace.file && <p>TRACE is the trace in a file: <code>foretrace run --keep TRACE</code> writes one.</p>}
              <p>Its schedule as a trace of its own:</p>
              <pre tabIndex={0}>foretrace analyze {trace} --finding {finding.id} --witness schedule.tiddle</pre>
              <p>The smallest trace that still has it:</p>
              <pre tabIndex={0}>foretrace reduce {trace} --keep {finding.id}</pre>
            </>
          )}
          <p>A line for a file of suppressions (<code>--suppress</code>):</p>
          <pre tabIndex={0}>id={finding.id}</pre>
        </details>
      )}
    </article>
  );
}

// It may begin with a name of the program, which stays as it is.
const ended = (text: string) => (text === '' || text.endsWith('.') ? text : text + '.');
const shellWord = (word: string) => (/^[\w./+-]+$/.test(word) ? word : `'${clip(word, 300).replace(/'/g, `'\\''`)}'`);

function Link({ finding, select }: { finding: Finding; select: Props['select'] }) {
  return (
    <a href={`#${encodeURIComponent(finding.id)}`} onClick={(e) => { e.preventDefault(); select(finding, true); }}>
      {clip(finding.headline, 120)} ({finding.strength} by {finding.analysis})
    </a>
  );
}

function EventCard({ event, data, colour }: { event: FindingEvent; data: ReportData; colour: string }) {
  const source = event.site ? data.sources[event.site] : undefined;
  const line = Number((event.site ?? '').slice(fileOf(event.site).length).split(':')[1]);
  return (
    <section class="event" style={{ '--thread': colour }}>
      <h4>{`Thread ${clip(event.thread, 40)} ${event.verb} ${clip(event.object, 120)}`}</h4>
      <p class="place">
        {event.site && <code>{clip(event.site, 200)}</code>}
        {event.function && <> in <code>{clip(event.function, 200)}</code></>}
        {event.index !== null && <>{event.site || event.function ? ', ' : ''}event {event.index}</>}
      </p>
      <p class="locks">
        {event.held === null ? 'Locks held: not known' : (event.held ?? []).length === 0 ? 'Holds no lock' : 'Holds '}
        {(event.held ?? []).map((held) => <span class="lock" key={held.lock}>{clip(held.lock, 60)}{held.shared ? ' (for reading)' : ''}</span>)}
        {event.role && <span class="role">{clip(event.role, 100)}</span>}
      </p>
      {source && (
        <pre class="code" tabIndex={0} aria-label={`Source around ${clip(event.site!, 200)}`}>
          {source[1].map((text, i) => {
            const n = source[0] + i;
            return <span key={n} class={n === line ? 'row here' : 'row'}><span class="n">{n}</span>{text || ' '}{'\n'}</span>;
          })}
        </pre>
      )}
      {event.calls && (
        <ol class="stack">
          {event.calls.map((call, i) => (
            <li key={i}>called by {clip(call.function, 200)}{call.site && <> at <code>{clip(call.site, 200)}</code></>}</li>
          ))}
        </ol>
      )}
      {event.started && <p class="started">The thread was started {clip(event.started, 200)}.</p>}
    </section>
  );
}
