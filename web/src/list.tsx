// The list of errors. Only what is on the screen is in the document.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Finding, clip } from './data';
import { Group } from './report';
import { Badge } from './summary';
import { scrollToRow, useVisible } from './virtual';

const kHeight = 68;

interface Props {
  groups: Group[];
  open: Group | undefined;
  select: (finding: Finding, jump: boolean) => void;
}

export function FindingList({ groups, open, select }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { first, end } = useVisible(box, kHeight, groups.length);
  const current = open ? groups.indexOf(open) : -1;
  useLayoutEffect(() => {
    if (current >= 0) scrollToRow(box.current, current, kHeight);
  }, [current, groups]);

  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? kHeight) / kHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + page, PageUp: current - page, Home: 0, End: groups.length - 1,
    };
    if (event.key === 'Enter' && open) select(open.leader, true);
    else if (event.key in steps && groups.length > 0) {
      select(groups[Math.min(groups.length - 1, Math.max(0, steps[event.key]))].leader, false);
    } else return;
    event.preventDefault();
  };

  if (groups.length === 0) return <p class="empty">Nothing matches these filters.</p>;
  const shown = groups.slice(first, end);
  const active = current >= first && current < end ? `entry-${current}` : undefined;
  return (
    <div
      class="list" ref={box} role="listbox" tabIndex={0} aria-label="Errors; arrow keys choose, Enter goes to the one that is open"
      aria-activedescendant={active} onKeyDown={onKey}
    >
      <div style={{ height: `${groups.length * kHeight}px` }} role="presentation">
        {shown.map((group, i) => {
          const place = first + i;
          const finding = group.leader;
          const more = group.sameError.length + group.samePlaces.length;
          const sites = [...new Set(finding.events.map((e) => e.site?.replace(/^.*\//, '') ?? `event ${e.index}`))].join(' · ');
          return (
            <div
              key={finding.id} id={`entry-${place}`} class={place === current ? 'entry open' : 'entry'} role="option"
              aria-selected={place === current} aria-setsize={groups.length} aria-posinset={place + 1}
              style={{ top: `${place * kHeight}px`, height: `${kHeight}px` }} onClick={() => select(finding, true)}
            >
              <span class="what">{clip(finding.headline, 90)}</span>
              <span class="where">{clip(sites, 120)}</span>
              <span class="line">
                <Badge strength={finding.strength} />
                <span>{finding.analysis}{more > 0 ? ` + ${more} more` : ''}</span>
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
