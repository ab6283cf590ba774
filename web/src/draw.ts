// Draws the visible part of a timeline on a canvas.
import { Events, clip } from './data';
import { Span, Track, lowerBound } from './spans';

export const kTrack = 72; // height of a thread: units, their names, locks and waits, events
export const kAxis = 24;

export interface Look {
  from: number; // the index at the left edge; a fraction while zooming
  scale: number; // pixels for one event
  top: number; // pixels scrolled down
  width: number;
  height: number;
}

const cssColour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export interface Palette {
  ink: string;
  soft: string;
  line: string;
  paper: string;
  ground: string;
  accent: string;
  bad: string;
  warn: string;
  threads: string[];
}
export const palette = (): Palette => ({
  ink: cssColour('--ink'), soft: cssColour('--soft'), line: cssColour('--line'), paper: cssColour('--paper'), ground: cssColour('--ground'),
  accent: cssColour('--accent'), bad: cssColour('--bad'), warn: cssColour('--warn'), threads: Array.from({ length: 8 }, (_, i) => cssColour(`--t${i}`)),
});

export function draw(context: CanvasRenderingContext2D, events: Events, tracks: Track[], look: Look, selected: number | null, hits: Set<number>, colours: Palette): void {
  const { width, height } = look;
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, height);
  context.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
  context.textBaseline = 'middle';
  const first = Math.max(0, Math.floor(look.top / kTrack));
  const last = Math.min(tracks.length, Math.ceil((look.top + height) / kTrack));
  for (let i = first; i < last; ++i) {
    const y = kAxis + i * kTrack - look.top;
    drawTrack(context, events, tracks[i], look, y, selected, hits, colours);
    context.fillStyle = colours.line;
    context.fillRect(0, Math.round(y + kTrack) - 1, width, 1);
  }
  drawAxis(context, look, colours);
}

const xOf = (index: number, look: Look) => (index - look.from) * look.scale;

function drawAxis(context: CanvasRenderingContext2D, look: Look, colours: Palette): void {
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, look.width, kAxis);
  const rough = 110 / look.scale;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(rough)));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? rough);
  context.fillStyle = colours.soft;
  for (let index = Math.ceil(Math.max(0, look.from) / step) * step; xOf(index, look) < look.width; index += step) {
    const x = xOf(index, look);
    context.fillRect(Math.round(x), kAxis - 5, 1, 5);
    context.fillText(index.toLocaleString('en'), x + 3, kAxis / 2);
  }
}

function drawTrack(
  context: CanvasRenderingContext2D, events: Events, track: Track, look: Look, y: number, selected: number | null, hits: Set<number>, colours: Palette,
): void {
  const colour = colours.threads[track.thread % 8];
  const end = look.from + look.width / look.scale;
  const lane = (span: Span) => {
    if (span.kind === 'unit') return { top: y + 3 + Math.min(span.depth, 1) * 5, height: 4 };
    const depth = Math.min(span.depth, 3);
    return { top: y + 25 + depth * 3, height: 22 - depth * 3 };
  };
  let filledTo = -1; // pixels of this lane that are full already
  for (const [place, span] of track.spans.entries()) {
    if (span.start > end) break;
    if (span.end + 1 < look.from) continue;
    const x = Math.max(-2, xOf(span.start, look));
    const right = Math.min(look.width + 2, xOf(span.end, look) + Math.min(look.scale * 0.8, 6));
    const width = Math.max(1, right - x);
    if (width <= 1 && span.kind === 'lock' && x < filledTo) continue;
    if (span.kind === 'lock') filledTo = x + 1;
    const { top, height } = lane(span);
    context.globalAlpha = span.kind === 'lock' ? 0.28 : 1;
    context.fillStyle = span.kind === 'lock' ? colours.accent : span.kind === 'wait' ? colours.warn : colours.soft;
    if (span.kind === 'wait') context.globalAlpha = 0.35;
    context.fillRect(x, top, width, height);
    context.globalAlpha = 1;
    if (span.contended && width > 2) {
      context.fillStyle = colours.bad;
      context.fillRect(x, top, 2, height);
    }
    if (width > 46 && (span.kind !== 'unit' || span.depth === 0)) {
      context.fillStyle = colours.soft;
      const name = clip(events.raw.objects[span.object][1], 40);
      const text = span.kind === 'wait' ? `waits: ${name}` : name;
      const inner = span.kind === 'unit' ? undefined : firstInside(track.spans, place);
      const room = inner === undefined ? width : Math.min(width, xOf(inner, look) - x);
      context.fillText(fit(text, room - 8), Math.max(4, x + 4), y + (span.kind === 'unit' ? 18 : 37));
    }
  }
  const begin = lowerBound(track.rows.length, (i) => events.index(track.rows[i]), look.from - 1);
  const detailed = look.scale >= 58;
  let lastX = -10;
  for (let i = begin; i < track.rows.length; ++i) {
    const row = track.rows[i];
    const index = events.index(row);
    if (index > end) break;
    const x = xOf(index, look);
    const special = row === selected || hits.has(row);
    if (!special && x < lastX + 1) continue;
    lastX = x;
    context.fillStyle = row === selected ? colours.bad : hits.has(row) ? colours.warn : colour;
    if (detailed) {
      context.fillRect(x, y + (special ? 12 : 50), 3, special ? 56 : 18);
      context.fillStyle = row === selected ? colours.bad : colours.ink;
      context.fillText(fit(events.text(row), look.scale - 8), x + 6, y + 60);
    } else {
      context.fillRect(x, y + (special ? 14 : 50), Math.max(1, Math.min(3, look.scale * 0.5)), special ? 54 : 16);
    }
  }
}

// Where the first lock or wait inside this one begins: names must not lie on each other.
function firstInside(spans: Span[], place: number): number | undefined {
  for (let i = place + 1; i < spans.length && spans[i].start < spans[place].end; ++i) {
    if (spans[i].kind !== 'unit') return spans[i].start;
  }
  return undefined;
}

// As much of the text as fits, 6.6 pixels a character.
const fit = (text: string, width: number) => (text.length * 6.6 <= width ? text : width < 20 ? '' : `${text.slice(0, Math.max(1, Math.floor(width / 6.6) - 1))}…`);
