import { stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { chatId, questionText } from '../../packages/server/test/compatibility/client.ts'
import type { ClientInUse } from '../../packages/server/test/compatibility/conversations/client-in-use.ts'
import type { Conversation } from '../../packages/server/test/compatibility/conversations/conversation.ts'
import { oneTurn } from '../../packages/server/test/compatibility/conversations/transcript.ts'
import { type Line, type Return, returnIn } from '../../packages/server/test/compatibility/line.ts'
import {
  Gates,
  lastWords,
  type ScenarioName,
  scenarios,
  wordsAway,
} from '../../packages/server/test/compatibility/scenarios.ts'

/** Approvals are played in a conversation of their own. */
type AnswerName = Exclude<ScenarioName, 'approval'>

/** One question and one answer, of every kind. */
export const answers = {
  text: oneAnswer('text'),
  'text-tool-text': oneAnswer('text-tool-text'),
  reasoning: oneAnswer('reasoning'),
  'parallel tools': oneAnswer('parallel tools'),
  'sub-agents': oneAnswer('sub-agents'),
  error: oneAnswer('error'),
  stop: oneAnswer('stop'),
  resume: oneAnswer('resume'),
} as const satisfies Readonly<Record<AnswerName, Conversation>>

function oneAnswer(name: AnswerName): Conversation {
  return {
    whole: oneTurn(questionText, scenarios[name].whole),
    async start(options) {
      const gates = new Gates()
      const server = await scenarios[name].start(gates, options)
      return {
        server,
        async act(page, line) {
          gates.begun.resolve()
          await page.do('send', questionText)
          if (name === 'stop') await stopBeside(page, line)
          const returned =
            name === 'resume' ? await cutAndResume(page, { line, gates, url: server.url }) : undefined
          await isAnswered(page)
          return returned
        },
      }
    },
  }
}

async function isAnswered(page: ClientInUse): Promise<void> {
  await page.until(
    ({ messages }, { isBusy }) => !isBusy && messages.some(message => 'answer' in message),
    'the end of the answer',
  )
}

/** Somebody else stops the answer: most clients can only leave. */
async function stopBeside(page: ClientInUse, line: Line): Promise<void> {
  await page.shows(lastWords)
  await stop(line.url, chatId)
}

interface Cut {
  readonly line: Line
  readonly gates: Gates
  readonly url: string
}

/** Cuts the line in the middle of the answer. Some of the rest is written before the client is back, some after it. */
async function cutAndResume(page: ClientInUse, { line, gates, url }: Cut): Promise<Return> {
  await page.shows(lastWords)
  const asked = line.requests.length
  line.cut()
  gates.left.resolve()
  await isWritten(url, wordsAway)
  const isBack = () => returnIn(line.requests.slice(0, asked), line.requests.slice(asked)) !== 'gives up'
  if (await page.can('resume')) {
    await page.until((_, { isBusy }) => !isBusy || isBack(), 'the page idle, or back by itself')
    if (!isBack()) await page.do('resume')
  } else await page.load()
  await page.shows(wordsAway)
  gates.returned.resolve()
  await isAnswered(page)
  return returnIn(line.requests.slice(0, asked), line.requests.slice(asked))
}

/** Resolves when the chat's log has these words. */
async function isWritten(url: string, words: string): Promise<void> {
  await using log = new SseBytes(await fetch(`${url}/api/chats/${chatId}/log`))
  await log.until(words)
}
