// The report: a summary, filters, the list of errors and the one that is open.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { flushSync } from 'preact/compat';
import { Events, Finding, ReportData, clip, counted, fileOf, number } from './data';
import { Filters, Filter, noFilter } from './filters';
import { FindingList } from './list';
import { FindingView } from './finding';
import { Summary } from './summary';

// One error: the finding that is shown for it, and those that say the same.
export interface Group {
  leader: Finding;
  sameError: Finding[];
  samePlaces: Finding[];
  text: string; // what the text filter looks in, in lower case
  files: string[];
}

function groupsOf(data: ReportData): Group[] {
  const at = (places: number[]) => places.map((i) => data.findings[i]);
  return data.groups.map(([leader, sameError, samePlaces]) => {
    const finding = data.findings[leader];
    const members = [finding, ...at(sameError), ...at(samePlaces)];
    const words = members.flatMap((f) => [
      f.id, f.analysis, f.variable ?? '', f.lock ?? '', ...f.labels,
      ...f.events.flatMap((e) => [e.site ?? '', e.function ?? '', e.object]),
    ]);
    return {
      leader: finding,
      sameError: at(sameError),
      samePlaces: at(samePlaces),
      text: [finding.headline, finding.message, ...words].map((w) => w.slice(0, 2000)).join('\n').toLowerCase(),
      files: [...new Set(finding.events.map((e) => fileOf(e.site)).filter((f) => f !== ''))],
    };
  });
}

function matches(group: Group, filter: Filter): boolean {
  return (
    (filter.kind === '' || group.leader.kind === filter.kind) &&
    (filter.strength === '' || group.leader.strength === filter.strength) &&
    (filter.file === '' || group.files.includes(filter.file)) &&
    filter.text.toLowerCase().split(/\s+/).every((word) => group.text.includes(word))
  );
}

const kPrinted = 50; // errors; more would be a book

export function Report({ data }: { data: ReportData }) {
  const groups = useMemo(() => groupsOf(data), [data]);
  const events = useMemo(() => (data.events ? new Events(data.events) : null), [data]);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const shown = useMemo(() => groups.filter((group) => matches(group, filter)), [groups, filter]);
  const fromAddress = () => decodeURIComponent(location.hash.slice(1));
  const [id, setId] = useState(fromAddress());
  const [printing, setPrinting] = useState(false);
  const detail = useRef<HTMLElement>(null);

  const find = (wanted: string) => data.findings.find((f) => f.id === wanted);
  const open = find(id) ?? shown[0]?.leader;
  const openGroup = open && groups.find((g) => g.leader === open || g.sameError.includes(open) || g.samePlaces.includes(open));

  useLayoutEffect(() => {
    const address = () => setId(fromAddress());
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    addEventListener('hashchange', address);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('hashchange', address);
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);

  const select = (finding: Finding, jump: boolean) => {
    setId(finding.id);
    history.replaceState(null, '', `#${encodeURIComponent(finding.id)}`);
    if (!jump) return;
    // At once: the next key is already meant for the finding. Where it is can be seen only when it is drawn.
    detail.current?.focus({ preventScroll: true });
    requestAnimationFrame(() => {
      if (matchMedia('(max-width: 60rem)').matches) detail.current?.scrollIntoView();
    });
  };

  return (
    <div class={printing ? 'page printing' : 'page'}>
      {groups.length > 0 && (
        <a class="skip" href="#detail" onClick={(e) => { e.preventDefault(); detail.current?.focus(); }}>
          To the finding that is open
        </a>
      )}
      <header class="top">
        <p class="brand">Foretrace</p>
        <h1>{headline(data, groups)}</h1>
        <p class="source">{clip(data.trace.source, 200)}</p>
        <Summary data={data} groups={groups} paper={printing} />
      </header>
      {groups.length === 0 ? (
        <main class="nothing">
          <p>No analysis found anything to report in this trace.</p>
        </main>
      ) : (
        <div class="split">
          <nav class="side" aria-label="Findings">
            <Filters data={data} groups={groups} filter={filter} set={setFilter} />
            <p class="found" role="status">
              {shown.length === groups.length ? counted(groups.length, 'error') : `${number(shown.length)} of ${counted(groups.length, 'error')}`}
            </p>
            <FindingList groups={shown} open={openGroup} select={select} />
          </nav>
          <main class="detail" id="detail" tabIndex={-1} ref={detail} aria-label="The finding that is open">
            {printing
              ? shown.slice(0, kPrinted).map((group) => (
                  <FindingView key={group.leader.id} data={data} events={events} group={group} finding={group.leader} select={select} paper />
                ))
              : open && openGroup && (
                  <FindingView key={open.id} data={data} events={events} group={openGroup} finding={open} select={select} />
                )}
            {printing && shown.length > kPrinted && <p>{counted(shown.length - kPrinted, 'more error')} not printed; filters choose which.</p>}
          </main>
        </div>
      )}
      <footer>
        Foretrace {data.version}. This file needs no network and sends nothing.
        <span class="keys"> Keys: <kbd>/</kbd> filter, <kbd>↑</kbd> <kbd>↓</kbd> in the list, <kbd>Enter</kbd> open, <kbd>←</kbd> <kbd>→</kbd> step in a schedule.</span>
      </footer>
    </div>
  );
}

function headline(data: ReportData, groups: Group[]): string {
  if (groups.length === 0) return 'No findings';
  const proven = groups.filter((g) => g.leader.strength !== 'predicted').length;
  const all = counted(groups.length, 'error');
  if (proven === groups.length) return `${all}, ${proven === 1 ? 'proven by a schedule' : 'each proven by a schedule'}`;
  if (proven === 0) return `${counted(groups.length, 'possible error')}${data.partial ? ' so far' : ''}`;
  return `${all}, ${number(proven)} proven by a schedule`;
}
