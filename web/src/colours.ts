// Threads by colour; the colours themselves are in style.css, for light and dark.
export const threadColour = (thread: number) => `var(--t${thread % 8})`;
