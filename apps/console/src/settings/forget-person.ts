/** The settings of the browser itself. They say nothing about a person. */
const kept = new Set(['throughline.language', 'throughline.notifications', 'throughline.theme'])

/** The database with the files of drafts. */
export const draftDatabase = 'throughline.drafts'

/** Forgets everything that this browser has kept of the person: token, drafts, what was read. */
export function forgetPerson(): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of Object.keys(storage)) {
      if (name.startsWith('throughline.') && !kept.has(name)) storage.removeItem(name)
    }
  }
  try {
    indexedDB.deleteDatabase(draftDatabase)
  } catch {
    // The browser allows no database. So there is none.
  }
}
