import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LineEditor } from '../../src/chat/line-editor.ts'

test('what is written while a long line is typed takes the place of all its rows', async () => {
  const { input, output, raw } = narrowTerminal()
  using editor = new LineEditor({ input, output }, { onInterrupt: () => {} })
  const line = editor.readLine('> ')
  input.write('a line of more than twenty columns')
  const before = raw().length
  editor.write(() => output.write('Something else.\n'))
  const [erased = '', drawn = ''] = raw().slice(before).split('Something else.\n')
  // The cursor goes one row up and to the first column, and everything below is cleared.
  expect(erased).toBe('\u001b[1A\u001b[1G\u001b[0J')
  expect(drawn).toContain('> ')
  expect(drawn).toContain('a line of more than twenty columns')
  expect(drawn).not.toContain('\u001b[1A')
  input.write('!\r')
  expect(await line).toBe('a line of more than twenty columns!')
})

test('lines that come at once are read one by one', async () => {
  const { input, output } = narrowTerminal()
  using editor = new LineEditor({ input, output }, { onInterrupt: () => {} })
  const first = editor.readLine('> ')
  input.write('one\rtwo\r')
  expect([await first, await editor.readLine('> ')]).toEqual(['one', 'two'])
})

test('nothing of what is typed is seen while the line is held back', async () => {
  const { input, output, raw } = narrowTerminal()
  using editor = new LineEditor({ input, output }, { onInterrupt: () => {} })
  const line = editor.readLine('> ')
  editor.hold()
  const before = raw().length
  input.write('early')
  expect(raw().length).toBe(before)
  editor.release()
  expect(raw().slice(before)).toContain('early')
  input.write('\r')
  expect(await line).toBe('early')
})

test('the end of the input is the end of everything that is asked', async () => {
  const { input, output } = narrowTerminal()
  const ended = Promise.withResolvers<void>()
  const editor = new LineEditor({ input, output }, { onInterrupt: () => {}, onEnd: ended.resolve })
  const line = editor.readLine('> ')
  const answer = editor.ask('Sure? ', new AbortController().signal)
  input.end()
  expect(await Promise.all([answer, line])).toEqual([undefined, undefined])
  await ended.promise
  expect(await editor.readLine('> ')).toBeUndefined()
})

function narrowTerminal() {
  let text = ''
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 20 })
  output.on('data', bytes => {
    text += String(bytes)
  })
  return { input: Object.assign(new PassThrough(), { isTTY: true }), output, raw: () => text }
}
