import { expect, test } from 'vitest'
import { commandsFor } from '../../src/compose/commands.ts'
import { kindOf } from '../../src/compose/file-kinds.ts'

const agents = [
  { name: 'assistant', displayName: 'The assistant' },
  { name: 'writer', displayName: '作家' },
]

test.each([
  ['/', ['/new', '/agent', '/stop', '/export', '/export json', '/inspect', '/help']],
  ['/EX', ['/export', '/export json']],
  ['/export json', ['/export json']],
  ['/agent ', ['/agent assistant', '/agent writer']],
  ['/agent 作', ['/agent writer']],
])('%j begins these commands: %j', (text, commands) => {
  expect(commandsFor(text, agents).map(each => each.text)).toEqual(commands)
})

test.each(['', '//', '// a comment', '/etc/hosts', '/stop it', '/agent nobody', '/new\nline', ' /new'])(
  '%j is a message',
  text => {
    expect(commandsFor(text, agents)).toEqual([])
  },
)

test.each([
  ['beach.png', 'image/png', 'image/png'],
  ['paper.pdf', 'application/pdf', 'application/pdf'],
  ['notes.md', '', 'text/markdown'],
  ['table.csv', 'application/vnd.ms-excel', 'text/csv'],
  ['data.json', 'application/json', 'application/json'],
  // Browsers take it for a video.
  ['main.ts', 'video/mp2t', 'text/plain'],
  ['main.py', 'text/x-python', 'text/plain'],
])('%s of the type %j is sent as %s', (name, type, mediaType) => {
  expect(kindOf({ name, type })?.mediaType).toBe(mediaType)
})

test.each([
  ['page.html', 'text/html'],
  ['drawing.svg', 'image/svg+xml'],
  ['program.exe', 'application/x-msdownload'],
  ['nothing', ''],
])('%s cannot be sent', (name, type) => {
  expect(kindOf({ name, type })).toBeUndefined()
})
