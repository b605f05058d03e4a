import type { Actions } from '../../packages/server/test/compatibility/conversations/client-in-use.ts'
import type { Shown } from '../../packages/server/test/compatibility/conversations/shown.ts'

/**
 * What every page here lets the test do, in the way a person would do it on that page. The page keeps the newest one
 * on `window`, and the test finds it there.
 */
export interface PageClient extends Actions {
  /** What the page shows, as plain data. */
  readonly shown: Shown
}

const key = 'throughlineTest'

/** Called by a page whenever it shows something else. */
export function present(client: PageClient): void {
  // A copy: clients may change their messages in place, and must not change what was shown.
  Reflect.set(window, key, { ...client, shown: JSON.parse(JSON.stringify(client.shown)) })
}

/** How a page is told what to do: in its address. */
export interface PageSettings {
  readonly chatId: string
  /** The address of the chat's stream, with its form. */
  readonly api: string
}

export function settingsOfPage(): PageSettings {
  const asked = new URLSearchParams(location.search)
  return { chatId: asked.get('chat') ?? '', api: asked.get('api') ?? '' }
}

/**
 * The chat as the server has it, for a page that is loaded, in the form that the page also asks the stream for. Without
 * the answer that is being written: the page reads that one from its beginning. A chat that is not there yet is empty.
 */
export async function loadHistory<Message>(): Promise<Message[]> {
  const { chatId, api } = settingsOfPage()
  const asked = new URL(api, location.href).searchParams
  const form = new URLSearchParams({
    subAgents: asked.get('subAgents') ?? 'hidden',
    inProgress: 'false',
    ...(asked.has('sdk') && { sdk: asked.get('sdk') ?? '' }),
  })
  const response = await fetch(`/api/chats/${chatId}/messages?${form}`)
  return response.ok ? (await response.json()).messages : []
}

/** Where a page puts itself. */
export function pageRoot(): HTMLElement {
  const root = document.getElementById('page')
  if (root === null) throw new Error('index.html has no element "page".')
  return root
}
