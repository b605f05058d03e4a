import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { chatMarkdown } from '../src/chats/export/chat-markdown.ts'
import { firstWordsInEnglish } from '../src/words/first/en.ts'

test('a chat becomes Markdown: who said what, files and tools, without thinking, and no value ends its own block', () => {
  const messages: readonly Message[] = [
    {
      id: 'question',
      role: 'user',
      parts: [
        { type: 'text', text: 'How is\nit?' },
        { type: 'file', mediaType: 'text/csv', url: '/api/chats/c/files/f (1)', filename: 'a\nb.csv' },
      ],
      metadata: { createdAt: '2026-01-01T00:00:00.000Z' },
    },
    {
      id: 'answer',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Secretly thinking' },
        {
          type: 'tool-look',
          toolCallId: 'call',
          state: 'output-available',
          input: { city: 'Lisbon' },
          output: 'a ```` fence',
        },
        { type: 'text', text: 'Sunny.' },
      ],
      metadata: { senderName: 'Master' },
    },
  ]
  expect(chatMarkdown({ title: 'A\ntitle', messages }, firstWordsInEnglish)).toBe(
    [
      '# A title',
      '## You',
      '*2026-01-01T00:00:00.000Z*',
      'How is\nit?',
      '[a b.csv](</api/chats/c/files/f%20(1)>)',
      '## Master',
      '**look**',
      '```json\n{\n  "city": "Lisbon"\n}\n```',
      '`````\na ```` fence\n`````',
      'Sunny.\n',
    ].join('\n\n'),
  )
})
