import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { alignHistory } from '../../src/http/submit/content-submission.ts'

const chat: readonly Message[] = [
  message('q1', 'user', 'One?'),
  message('a1', 'assistant', 'First.'),
  message('q2', 'user', 'Two?'),
  message('a2', 'assistant', 'Second.'),
  message('a1b', 'assistant', 'Another first.', 'q1'),
  message('q2b', 'user', 'Two?', 'a1b'),
]

test.each<[string, readonly string[], string | undefined, string | undefined]>([
  ['nothing', ['New?'], '', undefined],
  ['the first question', ['One?'], '', 'q1'],
  ['the older answer', ['One?', 'First.', 'Two?'], 'a1', 'q2'],
  ['the newer answer', ['One?', 'Another first.', 'Two?'], 'a1b', 'q2b'],
  ['an answer that was cut off', ['One?', 'Anoth', 'New?'], 'a1b', undefined],
  ['an answer with other spaces in it', ['One?', ' First. \n', 'New?'], 'a1', undefined],
  ['a question without its answer', ['One?', '', 'New?'], 'a1b', undefined],
  ['a question that nobody knows', ['Zero?', 'Hm.', 'New?'], undefined, undefined],
])('a page that shows %s', (_, page, after, same) => {
  const shown = page.map((text, index) => ({
    id: undefined,
    role: index % 2 === 0 ? 'user' : 'assistant',
    text,
  }))
  const aligned = alignHistory(chat, shown)
  expect({ ...aligned, same: aligned.same?.id }).toEqual({ after, same })
})

test('messages that are neither questions nor answers are passed by', () => {
  const shown = [
    { id: undefined, role: 'system', text: 'Be brief.' },
    { id: undefined, role: 'assistant', text: 'Hello!' },
    { id: undefined, role: 'user', text: 'One?' },
    { id: undefined, role: 'assistant', text: 'First.' },
    { id: undefined, role: 'tool', text: '' },
    { id: undefined, role: 'assistant', text: 'Something else.' },
    { id: undefined, role: 'user', text: 'New?' },
  ]
  expect(alignHistory(chat, shown)).toEqual({ after: 'a1', same: undefined })
})

function message(id: string, role: Message['role'], text: string, previousMessageId?: string): Message {
  const parts = [{ type: 'text' as const, text }]
  return { id, role, parts, ...(previousMessageId === undefined ? {} : { metadata: { previousMessageId } }) }
}
