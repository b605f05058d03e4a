import { Chat } from '@ai-sdk/react'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import type { Answer } from './answers.ts'
import { chunksPerFrame, draw, type PartContent } from './draw.ts'

/** How long a reader took for the timed part of an answer, and the parts that it made. */
export interface Reading {
  readonly ms: number
  readonly parts: readonly PartContent[]
}

export async function readWithReadUIMessageStream(answer: Answer): Promise<Reading> {
  const source = timedStream(answer)
  let message: UIMessage | undefined
  const drawn = oncePerFrame(() => draw(message?.parts))
  for await (const snapshot of readUIMessageStream({ stream: source.stream })) {
    message = snapshot
    drawn()
  }
  return { ms: source.elapsedMs(), parts: partsOf(message) }
}

export async function readWithChat(answer: Answer): Promise<Reading> {
  const source = timedStream(answer)
  const chat = new Chat<UIMessage>({
    transport: { sendMessages: async () => source.stream, reconnectToStream: async () => null },
  })
  chat['~registerMessagesCallback'](oncePerFrame(() => draw(chat.lastMessage?.parts)))
  await chat.sendMessage({ text: 'Answer.' })
  if (chat.error !== undefined) throw chat.error
  return { ms: source.elapsedMs(), parts: partsOf(chat.lastMessage) }
}

/** Returns a stream that gives one chunk per pull. The clock starts with the first timed chunk. */
function timedStream({ chunks, from }: Answer) {
  let next = 0
  let startedAt = 0
  const stream = new ReadableStream<UIMessageChunk>(
    {
      pull(controller) {
        if (next === from) startedAt = performance.now()
        const chunk = chunks[next]
        next += 1
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, elapsedMs: () => performance.now() - startedAt }
}

function oncePerFrame(drawFrame: () => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count % chunksPerFrame === 0) drawFrame()
  }
}

function partsOf(message: UIMessage | undefined): readonly PartContent[] {
  if (message?.role === 'assistant') return message.parts
  throw new Error('The reader ended without an answer: its measurement means nothing.')
}
