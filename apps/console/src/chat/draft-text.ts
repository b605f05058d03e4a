// The text of a draft is kept twice. In `localStorage` it outlives its tab, but all tabs share it: the one that has written
// last wins. In `sessionStorage` each tab has its own, so that a reload brings back what was typed in this tab.

/** Returns the text of a draft: what was typed in this tab, or else what another tab has left. */
export function draftText(name: string): string {
  const key = keyOf(name)
  return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? ''
}

/** Keeps the text of a draft. `before` is what it was. An empty text removes it, but not what another tab has written. */
export function keepDraftText(
  name: string,
  { text, before }: { readonly text: string; readonly before: string },
): void {
  const key = keyOf(name)
  if (text !== '') {
    sessionStorage.setItem(key, text)
    localStorage.setItem(key, text)
    return
  }
  sessionStorage.removeItem(key)
  if (localStorage.getItem(key) === before) localStorage.removeItem(key)
}

function keyOf(name: string): string {
  return `throughline.draft.${name}`
}
