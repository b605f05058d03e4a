import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { loadChat, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import type { TestServerOptions } from '@throughline/testing/server/test-server'
import { type Asked, type Client, chatId, type Reading } from './client.ts'
import { type Line, type Return, returnIn, startLine } from './line.ts'
import { Gates, lastWords, type ScenarioName, scenarios, wordsAway, wordsBeforeCall } from './scenarios.ts'
import type { Seen } from './seen.ts'
import { seenIn } from './seen-in-messages.ts'

export interface Played {
  /** What the client shows in the end. */
  readonly seen: Seen
  /** What the server has kept. */
  readonly saved: Seen
  /** How the client came back after the line was cut. */
  readonly returned: Return | undefined
  /** Where the call that waited was allowed. */
  readonly approved: Approval | undefined
}

export type Approval = 'in the client' | 'beside it'

export interface PlayOptions extends Pick<TestServerOptions, 'pageFolder'>, Pick<Asked, 'subAgents'> {}

/** Plays a scenario to a client, on a server of its own. */
export async function play(
  client: Client,
  name: ScenarioName,
  { subAgents, ...options }: PlayOptions = {},
): Promise<Played> {
  const gates = new Gates()
  await using server = await scenarios[name].start(gates, options)
  await using line = await startLine(server.url)
  await using reading = await client({ url: line.url, subAgents })
  gates.begun.resolve()
  if (name === 'stop') {
    await reading.shows(lastWords)
    await (reading.stop?.() ?? stop(line.url, chatId))
  }
  const stage = { line, gates, url: server.url }
  const returned = name === 'resume' ? await cutAndResume(reading, stage) : undefined
  const approved = name === 'approval' ? await approve(reading, stage) : undefined
  const seen = await reading.seen()
  await isAnswered(server.url)
  const { messages } = await loadChat(server.url, chatId)
  return { seen, saved: seenIn(messages), returned, approved }
}

interface Stage {
  readonly line: Line
  readonly gates: Gates
  readonly url: string
}

/** Cuts the line in the middle of the answer. Some of the rest is written before the client is back, some after it. */
async function cutAndResume(reading: Reading, { line, gates, url }: Stage): Promise<Return> {
  await reading.shows(lastWords)
  const asked = line.requests.length
  line.cut()
  gates.left.resolve()
  await isWritten(url, wordsAway)
  await reading.comeBack?.()
  // A client that does not come back has seen all that it will see.
  await Promise.race([reading.shows(wordsAway), reading.seen()])
  gates.returned.resolve()
  await reading.seen()
  return returnIn(line.requests.slice(0, asked), line.requests.slice(asked))
}

async function approve(reading: Reading, { line, url }: Stage): Promise<Approval> {
  await reading.shows(wordsBeforeCall)
  const approvalId = approvalIn(await isWritten(url, '"tool-approval-request"'))
  if (reading.approve === undefined) {
    await decide(line.url, approvalId, { approved: true })
    return 'beside it'
  }
  await reading.approve(approvalId)
  return 'in the client'
}

/** Resolves with the chat's log when it has these words. */
async function isWritten(url: string, words: string): Promise<Buffer> {
  await using log = new SseBytes(await fetch(`${url}/api/chats/${chatId}/log`))
  return await log.until(words)
}

/** Resolves when no answer is being written. */
async function isAnswered(url: string): Promise<void> {
  await (await fetch(`${url}/api/chat/${chatId}/stream?approvals=wait`)).text()
}
