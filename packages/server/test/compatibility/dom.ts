import { Window } from 'happy-dom'

// Just enough of a page for React, imported before it: with a whole environment Node's own `URL` and `fetch` would be
// gone, and a real server cannot do without them.
const window = new Window()
Object.assign(globalThis, { window, document: window.document })

/** Frames as fast as the event loop turns: nothing is painted. */
export function onFrame(callback: () => void): void {
  setImmediate(callback)
}
