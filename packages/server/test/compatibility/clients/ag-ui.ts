import { HttpAgent } from '@ag-ui/client'
import type { Message, ResumeEntry } from '@ag-ui/core'
import { z } from 'zod'
import { type Client, chatId, question, questionText } from '../client.ts'
import { fetchBrokenAs } from '../fetch-broken-as.ts'
import { Screen } from '../screen.ts'
import { type End, failed, finished, type Item, outputFrom, type Seen, stopped, toldApart } from '../seen.ts'

export const agUi: Client = async ({ url }) => {
  const screen = new Screen<readonly Message[]>()
  const names = new Map<string, string>()
  let end: End = { status: 'broken off' }
  const agent = new HttpAgent({
    url: `${url}/ag-ui`,
    threadId: chatId,
    // Of any other failure the client makes a rejection that nobody can handle, and that ends a Node process.
    fetch: fetchBrokenAs(() => new DOMException('The connection broke.', 'AbortError')),
    initialMessages: [{ id: question.id, role: 'user', content: questionText }],
  })
  agent.subscribe({
    onMessagesChanged: ({ messages }) => screen.show(messages.map(message => ({ ...message }))),
    onSubagentStartedEvent: ({ event }) => void names.set(event.subagentRunId, nameIn(event.metadata)),
    onRunFinishedEvent({ outcome }) {
      end = outcome === 'cancelled' ? stopped : finished
    },
    onRunErrorEvent({ event }) {
      end = failed(event.message)
    },
  })
  // A line that is cut rejects; what has come until then stays in the agent.
  const run = (resume?: ResumeEntry[]) =>
    agent.runAgent(resume === undefined ? {} : { resume }).catch(() => undefined)
  let ended = run()
  return {
    shows: words => screen.shows(words),
    async approve(interruptId) {
      await ended
      ended = run([{ interruptId, status: 'resolved', payload: { approved: true } }])
    },
    async comeBack() {
      await ended
      ended = run()
    },
    async seen() {
      await ended
      return { ...seenOf(agent.messages, names), end }
    },
    [Symbol.asyncDispose]: async () => agent.abortRun(),
  }
}

function seenOf(messages: readonly Message[], names: ReadonlyMap<string, string>): Omit<Seen, 'end'> {
  return toldApart(
    messages.flatMap(message => {
      const name = names.get(message.subagentRunId ?? '')
      return itemsOf(message, messages).map(item => ({ name, item }))
    }),
  )
}

function itemsOf(message: Message, messages: readonly Message[]): readonly Item[] {
  if (message.role === 'reasoning') return [{ reasoning: message.content }]
  if (message.role !== 'assistant') return []
  const { content, toolCalls = [] } = message
  const text = typeof content === 'string' && content !== '' ? [{ text: content }] : []
  return [...text, ...toolCalls.map(call => toolOf(call, messages))]
}

type ToolCall = NonNullable<Extract<Message, { role: 'assistant' }>['toolCalls']>[number]

const failureSchema = z.object({ throughline: z.object({ isError: z.literal(true) }) })
const errorSchema = z.object({ error: z.string() })

function toolOf({ id, function: called }: ToolCall, messages: readonly Message[]): Item {
  const results = messages.filter(message => message.role === 'tool' && message.toolCallId === id)
  if (results.length > 1) throw new Error(`The call ${id} has two results.`)
  const [result] = results
  const isFailed = failureSchema.safeParse(result?.metadata).success
  return {
    tool: called.name,
    input: JSON.parse(called.arguments),
    state: result === undefined ? 'open' : isFailed ? 'failed' : 'done',
    output: typeof result?.content === 'string' ? outputIn(result.content, isFailed) : undefined,
  }
}

function outputIn(content: string, isFailed: boolean): unknown {
  return isFailed ? errorSchema.parse(JSON.parse(content)).error : outputFrom(content)
}

const namedSchema = z.object({ throughline: z.object({ agent: z.object({ displayName: z.string() }) }) })

function nameIn(metadata: unknown): string {
  return namedSchema.parse(metadata).throughline.agent.displayName
}
