import { Writable } from 'node:stream'
import { ChatError, type ChatSnapshot } from '@throughline/client'
import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { Screen } from '../../src/chat/screen.ts'
import { painter } from '../../src/text/look.ts'

const answer: Message = {
  id: 'a',
  role: 'assistant',
  metadata: { senderName: 'Ann', status: 'finished' },
  parts: [{ type: 'text', text: 'Yes.' }],
}

test('an answer that comes in one piece is at its end before the prompt is there again', () => {
  const { change, steps } = shownChat()
  change({ messages: [answer], status: 'ready' })
  expect(steps).toEqual(['hold', 'write "Ann › Yes."', 'write "\\n"', 'release'])
})

test('the prompt is not touched by what changes nothing on the screen', () => {
  const { change, steps } = shownChat()
  change({ messages: [answer], status: 'ready' })
  steps.length = 0
  change({ messages: [{ ...answer }], status: 'ready' })
  expect(steps).toEqual(['release'])
})

test('a trouble is told once, however often it is met', () => {
  const { change, steps } = shownChat()
  change({ connection: 'open' })
  for (let attempt = 0; attempt < 3; attempt += 1)
    change({ connection: 'lost', error: new ChatError('network', 'Nobody answers.') })
  change({ connection: 'open', error: undefined })
  expect(steps.filter(step => step.startsWith('write'))).toEqual([
    'write "The connection is lost. Trying to get it back …\\n"',
    'write "Nobody answers.\\n"',
    'write "Connected again.\\n"',
  ])
})

/** A screen with a chat that the test changes, and a record of what the screen did. */
function shownChat() {
  const steps: string[] = []
  const output = new Writable({
    write(bytes, _encoding, done) {
      steps.push(`write ${JSON.stringify(String(bytes))}`)
      done()
    },
  })
  const terminal = Object.assign(output, { isTTY: true, columns: 80 })
  let listener = () => {}
  let snapshot: ChatSnapshot = {
    messages: [],
    versions: new Map(),
    status: 'ready',
    connection: 'connecting',
    error: undefined,
    unsent: new Map(),
    queued: [],
  }
  new Screen({
    chat: {
      getSnapshot: () => snapshot,
      subscribe(added) {
        listener = added
        return () => {}
      },
      addToolOutput: async () => {},
      approve: async () => {},
    },
    shell: { output: terminal, errors: terminal },
    view: { agents: [], paint: painter(false) },
    reader: {
      answer: async () => undefined,
      decide: async () => undefined,
      write: write => write(),
      hold: () => steps.push('hold'),
      release: () => steps.push('release'),
    },
  })
  return {
    steps,
    change(changes: Partial<ChatSnapshot>) {
      snapshot = { ...snapshot, ...changes }
      listener()
    },
  }
}
