import { loadChat } from '@throughline/testing/http/chat-requests'
import type { Browser } from 'playwright-core'
import { chatId } from '../../packages/server/test/compatibility/client.ts'
import type {
  Conversation,
  Given,
} from '../../packages/server/test/compatibility/conversations/conversation.ts'
import type { Read } from '../../packages/server/test/compatibility/conversations/shown.ts'
import type { Transcript } from '../../packages/server/test/compatibility/conversations/transcript.ts'
import { type Return, startLine } from '../../packages/server/test/compatibility/line.ts'
import { savedInUiMessages } from '../../packages/server/test/compatibility/readers/ui-messages.ts'
import { ClientPage } from './client-page.ts'

/** A client whose page is built. */
export interface BuiltClient {
  readonly browser: Browser
  readonly pageFolder: string
  /** Where the client asks, with the form that it wants. */
  readonly api: string
  readonly read: Read
}

export interface Played {
  /** What the page shows in the end. */
  readonly shown: Transcript
  /** What the server has kept. */
  readonly saved: Transcript
  /** How the client came back after the line was cut. */
  readonly returned: Return | undefined
  /** What the page itself can do, apart from what all pages can. */
  readonly can: Readonly<Record<'resume' | 'approve', boolean>>
  readonly given: Given | undefined
  readonly shouldBeGiven: Given | undefined
}

/** Plays a conversation to a client, on a server and a page of its own. */
export async function play(client: BuiltClient, conversation: Conversation): Promise<Played> {
  const { browser, pageFolder, api, read } = client
  const { server, act, given, shouldBeGiven } = await conversation.start({ pageFolder })
  await using stack = new AsyncDisposableStack()
  stack.use(server)
  const line = stack.use(await startLine(server.url))
  const context = await browser.newContext()
  stack.defer(() => context.close())
  const page = new ClientPage(await context.newPage(), { url: line.url, chatId, api, read })
  await page.load()
  const returned = await act(page, line)
  const shown = await page.transcript()
  await isAnswered(server.url)
  const { messages } = await loadChat(server.url, chatId)
  const can = { resume: await page.can('resume'), approve: await page.can('approve') }
  return { shown, saved: savedInUiMessages(messages), returned, can, given, shouldBeGiven }
}

/** Resolves when no answer is being written. */
async function isAnswered(url: string): Promise<void> {
  await (await fetch(`${url}/api/chat/${chatId}/stream`)).text()
}
