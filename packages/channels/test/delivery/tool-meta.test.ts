import { expect, test } from 'vitest'
import { inferToolMeta } from '../../src/delivery/tool-start.ts'

test('R61: what a call is about is told from known arguments only, in one short line', () => {
  const about = (args: unknown) => inferToolMeta({ toolCallId: '1', toolName: 'tool', args }, 1).summary
  expect(about({ query: ' the   weather\nin Bern ' })).toBe('tool: the weather in Bern')
  expect(about({ password: 'secret', path: '/tmp/a' })).toBe('tool: /tmp/a')
  expect(about({ url: 'https://user:pass@example.com/?token=secret' })).toBe('tool: example.com')
  expect(about({ url: 'no address' })).toBe('tool: no address')
  expect(about({ query: '😀'.repeat(60) })).toBe(`tool: ${'😀'.repeat(39)}…`)
  for (const args of [undefined, null, 'text', 5, [], {}, { path: '' }, { path: 5 }])
    expect(about(args)).toBe('tool')
})
