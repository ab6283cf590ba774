// What of the list is shown.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ReportData } from './data';
import { Group } from './report';
import { strengths } from './summary';

export interface Filter {
  text: string;
  kind: string;
  strength: string;
  file: string;
}
export const noFilter: Filter = { text: '', kind: '', strength: '', file: '' };

interface Props {
  data: ReportData;
  groups: Group[];
  filter: Filter;
  set: (filter: Filter) => void;
}

export function Filters({ data, groups, filter, set }: Props) {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as HTMLElement).tagName)) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const files = [...new Set(groups.flatMap((g) => g.files))].sort();
  const present = strengths.filter((s) => groups.some((g) => g.leader.strength === s.name));
  const choice = (label: string, key: 'kind' | 'strength' | 'file', options: [string, string][]) =>
    options.length > 0 && (
      <label>
        <span>{label}</span>
        <select value={filter[key]} onChange={(e) => set({ ...filter, [key]: e.currentTarget.value })}>
          <option value="">any</option>
          {options.map(([value, text]) => <option key={value} value={value}>{text.slice(0, 80)}</option>)}
        </select>
      </label>
    );
  return (
    <form class="filters" role="search" aria-label="Filter the findings" onSubmit={(e) => e.preventDefault()}>
      <label class="text">
        <span>Search</span>
        <input
          ref={box}
          type="search"
          placeholder="variable, function, file, id"
          value={filter.text}
          onInput={(e) => set({ ...filter, text: e.currentTarget.value })}
        />
      </label>
      {choice('Kind', 'kind', Object.entries(data.kinds).map(([kind, help]) => [kind, help.title]))}
      {choice('Strength', 'strength', present.map((s) => [s.name, s.name]))}
      {choice('File', 'file', files.map((f) => [f, f]))}
    </form>
  );
}
