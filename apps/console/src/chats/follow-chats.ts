import { receiveChats } from '@throughline/client'
import { type ChatListEvent, isChatListEvent, type ListedChat } from '@throughline/protocol'
import { basePath } from '../base-path.ts'
import { serverFetch } from '../server-fetch.ts'
import { accessHeaders } from '../settings/access.ts'
import { foldChats } from './fold-chats.ts'

type OnEvent = (event: ChatListEvent) => void

/** After a refusal it is tried again so soon, in milliseconds: the person may have signed in. */
const retryMs = 3_000

/**
 * Follows the list of chats until the signal aborts. All tabs of a browser share one connection: a browser opens only six
 * to a server at a time, and each tab needs some for its chat. The tab that has the lock has the connection, and tells
 * the others. When it is closed, the next one gets the lock.
 */
export function followChats(onEvent: OnEvent, signal: AbortSignal): void {
  // Browsers have locks only for pages that came over HTTPS or from this machine.
  if (navigator.locks === undefined) void followWhileVisible(onEvent, signal)
  else void followTogether(onEvent, signal)
}

async function followTogether(onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  const name = `throughline.chats ${basePath}`
  const channel = new BroadcastChannel(name)
  signal.addEventListener('abort', () => channel.close())
  let list: readonly ListedChat[] | undefined
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isChatListEvent(data)) onEvent(data)
    // A new tab asks. Only the tab with the connection has the list.
    else if (list !== undefined) channel.postMessage({ type: 'list', chats: list })
  })
  channel.postMessage('ask')
  const lead = () =>
    receiveUntil(signal, event => {
      list = foldChats(list ?? [], event)
      channel.postMessage(event)
      onEvent(event)
    })
  await navigator.locks.request(name, { signal }, lead).catch(() => undefined)
}

/** For browsers without locks: every tab has its own connection, but only while a person sees it. */
async function followWhileVisible(onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const changed = new AbortController()
    document.addEventListener('visibilitychange', () => changed.abort(), { once: true, signal })
    const both = AbortSignal.any([signal, changed.signal])
    if (document.visibilityState === 'visible') await receiveUntil(both, onEvent)
    else await untilAborted(both)
  }
}

async function receiveUntil(signal: AbortSignal, onEvent: OnEvent): Promise<void> {
  while (!signal.aborted) {
    try {
      const options = { url: basePath, headers: accessHeaders, fetch: serverFetch, signal }
      for await (const event of receiveChats(options)) onEvent(event)
    } catch {
      // The chat beside the list says what is wrong. `serverFetch` asks for a token if one is needed.
    }
    await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(retryMs)]))
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}
