// Which of many rows of one height are on the screen.
import { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

const kMargin = 12; // rows drawn beyond the edge

export interface Window {
  first: number;
  end: number; // exclusive
}

// `box` is the element that scrolls. `all` turns it off, for paper.
export function useVisible(box: RefObject<HTMLElement>, rowHeight: number, count: number, all = false): Window {
  const [place, setPlace] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () =>
      setPlace((old) =>
        old.top === element.scrollTop && old.height === element.clientHeight
          ? old
          : { top: element.scrollTop, height: element.clientHeight },
      );
    look();
    element.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [box, count]);
  if (all) return { first: 0, end: count };
  const first = Math.max(0, Math.floor(place.top / rowHeight) - kMargin);
  return { first, end: Math.min(count, Math.ceil((place.top + place.height) / rowHeight) + kMargin) };
}

// Scrolls `box` so that the row is well inside it.
export function scrollToRow(box: HTMLElement | null, row: number, rowHeight: number, below = 0): void {
  if (!box) return;
  const top = row * rowHeight;
  const room = box.clientHeight - below;
  if (top < box.scrollTop + rowHeight) box.scrollTop = Math.max(0, top - rowHeight * 2);
  else if (top + rowHeight * 2 > box.scrollTop + room) box.scrollTop = top + rowHeight * 3 - room;
}
