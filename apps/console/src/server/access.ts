const key = 'throughline.token'
const eventName = 'throughline.access'

/**
 * Why the page asks the person to sign in:
 * - `token-needed`: no token was sent.
 * - `token-refused`: the server does not know the token that this browser has kept.
 * - `application`: the application knows the people, not this page. They sign in there.
 * - `left`: the person has signed out, here or in another tab.
 */
export type SignInReason = 'token-needed' | 'token-refused' | 'application' | 'left'

/** What happens to the access of this tab. */
type AccessEvent =
  | { readonly type: 'refused'; readonly reason: SignInReason }
  | { readonly type: 'signed-in' }
  | { readonly type: 'forgotten' }

/** Returns the person's token; `null` when there is none. */
export function keptToken(): string | null {
  return localStorage.getItem(key)
}

/** Returns the header with the person's token; empty when there is no token. */
export function accessHeaders(): Record<string, string> {
  const token = keptToken()
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

/** Keeps a token that the server knows, and shows the page again. */
export function signIn(token: string): void {
  localStorage.setItem(key, token)
  tell({ type: 'signed-in' })
}

/** Forgets the token, and everything else that this browser has kept of the person. */
export function signOut(): void {
  localStorage.removeItem(key)
  askForSignIn('left')
}

/** Forgets what this browser has kept of a person without a token, and begins again. */
export function forgetBrowser(): void {
  tell({ type: 'forgotten' })
}

/** Shows the sign-in screen in place of the page. */
export function askForSignIn(reason: SignInReason): void {
  tell({ type: 'refused', reason })
}

/** Calls the listener for each change of access, also when it was made in another tab. Returns a function that ends this. */
export function onAccess(listener: (event: AccessEvent) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  const onChange = (event: Event) => event instanceof CustomEvent && listener(event.detail)
  addEventListener(eventName, onChange, { signal })
  // Browsers send this event to the other tabs only.
  const onStorage = (event: StorageEvent) => {
    if (event.key !== key) return
    listener(event.newValue === null ? { type: 'refused', reason: 'left' } : { type: 'signed-in' })
  }
  addEventListener('storage', onStorage, { signal })
  return () => ended.abort()
}

function tell(detail: AccessEvent): void {
  dispatchEvent(new CustomEvent(eventName, { detail }))
}

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
