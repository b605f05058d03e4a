import { createServerLog } from '@throughline/server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { settingsFromEnv } from '../src/settings/settings.ts'
import { painter } from '../src/text/look.ts'
import { readableLog } from '../src/text/readable-log.ts'
import { startProgram } from './start-program.ts'

test('a line says the time, the level, the chat, what happened, and what else is known', () => {
  const { logger, text } = readable()
  logger.info({ runId: 'run-1', chatId: 'trip', agent: 'support', status: 'finished' }, 'run ended')
  expect(text()).toMatch(
    /^\d\d:\d\d:\d\d info {2}trip run ended runId=run-1 agent=support status=finished\n$/,
  )
})

test('an error stands below its line, with its cause and the place where it was thrown', () => {
  const { logger, text } = readable()
  logger.error({ err: new Error('It broke.', { cause: new TypeError('No disk') }) }, 'a run broke')
  const [line, error, place] = text().split('\n')
  expect(line).toMatch(/ error a run broke$/)
  expect(error).toBe('         Error: It broke.')
  expect(place).toMatch(/^ {11}at .*readable-log\.test\.ts/)
  expect(text()).toContain('         TypeError: No disk\n')
})

test('what a line says cannot control the terminal, and secrets stay covered', () => {
  const { logger, text } = readable({ hide: line => line.replaceAll('sesame', '[secret]') })
  logger.warn({ problem: 'a\u001b[2Jb\r\nc', key: 'sesame' }, 'bad \u009b2J input')
  expect(text()).toContain('bad \\u{9b}2J input')
  expect(text()).toContain('key=[secret]')
  expect(text().trimEnd()).not.toMatch(/\p{Cc}/v)
})

test('with colours, each piece ends its colour, and without them there are none', () => {
  const coloured = readable({ hasColours: true })
  coloured.logger.error('it broke')
  expect(coloured.text()).toContain('\u001b[31merror\u001b[39m it broke')
  const plain = readable()
  plain.logger.error('it broke')
  expect(plain.text()).not.toContain('\u001b')
})

test('a line that is no JSON is shown as it is', () => {
  const lines: string[] = []
  readableLog({ paint: painter(false), output: { write: text => lines.push(text) } }).write('half a li')
  expect(lines).toEqual(['half a li'])
})

test('a misspelled format is an error that names the formats', () => {
  expect(() => settingsFromEnv({ THROUGHLINE_LOG_FORMAT: 'prety' })).toThrow(
    'THROUGHLINE_LOG_FORMAT: "prety" is no format. Use one of auto, pretty, json.',
  )
})

test.each([
  ['json', /^\{"level":40,.*"msg":"THROUGHLINE_TOKEN is for clients/m],
  ['auto', /^\{"level":40,.*"msg":"THROUGHLINE_TOKEN is for clients/m],
  ['pretty', /^\d\d:\d\d:\d\d warn {2}THROUGHLINE_TOKEN is for clients/m],
])('in a pipe, the format %s is', async (format, expected) => {
  await using folder = await temporaryFolder()
  const env = { PORT: '0', THROUGHLINE_TOKEN: 'a-token-for-clients', THROUGHLINE_LOG_FORMAT: format }
  const server = startProgram(['serve'], env, { cwd: folder.path })
  const output = await server.until(' with the model')
  server.signal('SIGTERM')
  await server.ended
  expect(output).toMatch(expected)
})

function readable({ hasColours = false, hide = (line: string) => line } = {}) {
  const pieces: string[] = []
  const destination = readableLog({
    paint: painter(hasColours),
    output: { write: text => pieces.push(text) },
  })
  return { logger: createServerLog({ level: 'info', hide, destination }), text: () => pieces.join('') }
}
