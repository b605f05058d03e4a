import { settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { BlockChunker } from '../../src/cutting/block-chunker.ts'
import type { Block } from '../../src/cutting/blocks.ts'
import { type AnswerEvent, messageIndexOf, noReply, updateReply } from '../../src/reading/reply-state.ts'
import { finalPayloads, type ReplyPayload } from '../../src/sending/payloads.ts'
import { createReplyPipeline, type ReplyPipeline } from '../../src/sending/reply-pipeline.ts'
import { startTool } from '../../src/sending/tool-start.ts'

/** The units put together as a channel would. */
class Reply {
  state = noReply
  readonly #pipeline: ReplyPipeline
  readonly #chunker = new BlockChunker({ minChars: 20, maxChars: 60 })
  readonly events: unknown[] = []
  #blockCount = 0

  constructor(send: (payload: ReplyPayload) => Promise<void>) {
    this.#pipeline = createReplyPipeline({ send, coalesce: { minChars: 20, maxChars: 60 } })
  }

  update(...events: readonly AnswerEvent[]): void {
    for (const event of events) {
      const { state, added } = updateReply(this.state, event)
      this.state = state
      this.#chunker.append(added)
      this.#drain(event.type === 'message-end')
    }
  }

  startTool(toolCallId: string): Promise<void> {
    const { state, told } = startTool(
      this.state,
      { toolCallId, toolName: 'clock', args: {} },
      {
        runId: 'run',
        onBlockReplyFlush: () => {
          this.#drain(true)
          return this.#pipeline.flush({ force: true })
        },
        showSummary: ({ summary: text }) => this.#pipeline.enqueue({ text, isStatus: true, id: toolCallId }),
        emit: event => this.events.push(event),
      },
    )
    this.state = state
    return told
  }

  async finals(): Promise<ReplyPayload[]> {
    await this.#pipeline.stop()
    return finalPayloads({ assistantTexts: this.state.assistantTexts, pipeline: this.#pipeline })
  }

  #drain(force: boolean): void {
    const messageIndex = messageIndexOf(this.state)
    const emit = (block: Block) => {
      this.#blockCount += 1
      this.#pipeline.enqueue({ ...block, messageIndex, id: `${this.#blockCount}` })
    }
    this.#chunker.drain({ force, emit })
  }
}

const start = { type: 'message-start' } as const
const end = { type: 'message-end' } as const
const delta = (text: string) => ({ type: 'text-delta', delta: text }) as const

test('text before a tool arrives before the tool’s notice, and the page hears of the tool after that', async () => {
  const held = Promise.withResolvers<void>()
  const begun: (string | undefined)[] = []
  const reply = new Reply(async ({ text }) => {
    begun.push(text)
    if (begun.length === 1) await held.promise
  })
  reply.update(start, delta('I will look it up.'))
  const told = reply.startTool('call-1')
  await settle()
  expect(begun).toEqual(['I will look it up.'])
  expect(reply.events).toEqual([])
  held.resolve()
  await told
  expect(reply.events).toHaveLength(1)
  reply.update(delta(' It is five.'), { type: 'text-end', content: 'I will look it up. It is five.' }, end)
  expect(await reply.finals()).toEqual([])
  expect(begun).toEqual(['I will look it up.', 'clock', 'It is five.'])
})

test('the texts of a run are all there at its end, and only the final payloads leave out what was sent', async () => {
  const reply = new Reply(async ({ text }) => {
    if (text?.startsWith('Broken')) throw new Error('refused')
  })
  reply.update(start, delta('One message.'), end, { type: 'text-end', content: 'One message.' })
  await reply.startTool('call-1')
  reply.update(start, delta('Broken by the channel. '), delta('And more.'), end)
  expect(await reply.finals()).toMatchObject([{ text: 'Broken by the channel. And more.', messageIndex: 1 }])
  expect(reply.state.assistantTexts).toEqual(['One message.', 'Broken by the channel. And more.'])
})
