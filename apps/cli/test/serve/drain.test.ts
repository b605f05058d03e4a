import { loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { startChildServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { settingsFromEnv } from '../../src/settings/settings.ts'
import { startProgram } from '../start-program.ts'

test.each(['SIGTERM', 'SIGINT'] as const)(
  'after a signal the server takes messages for a while, and a second %s ends that time at once',
  async signal => {
    await using folder = await temporaryFolder()
    await using server = await startChildServer(folder.path, { THROUGHLINE_DRAIN_SECONDS: '600' })
    const first = server.end(signal)
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(503)
    const response = await submit(server.url)
    expect([response.status, response.headers.get('connection')]).toEqual([202, 'close'])
    expect((await loadChat(server.url)).messages).not.toEqual([])
    await sendJson(`${server.url}/api/chat/chat/stop`, {})
    expect(await server.end(signal)).toBe(0)
    await first
  },
)

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a server that gets %s while it starts, and has taken runs over already, ends cleanly',
  async signal => {
    await using folder = await temporaryFolder()
    const env = {
      PORT: '0',
      HOST: 'localhost',
      THROUGHLINE_DATA: folder.path,
      THROUGHLINE_LOG: 'silent',
      THROUGHLINE_MODEL: 'demo',
    }
    const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(listensLate)}`]
    const server = startProgram(['serve'], env, { nodeOptions })
    await server.until('almost listens')
    server.signal(signal)
    expect(await server.ended).toMatchObject({ code: 0, signal: null, errors: '' })
  },
)

/** What servers have taken over is under way before they listen. */
const listensLate = `import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (...words) {
  if (words[1] !== 'localhost') return listen.apply(this, words)
  console.log('almost listens')
  setTimeout(() => listen.apply(this, words), 500)
  return this
}`

test('times of the shutdown are seconds', () => {
  expect(settingsFromEnv({})).toMatchObject({ drainMs: undefined, finishMs: undefined })
  const env = { THROUGHLINE_DRAIN_SECONDS: '1.5', THROUGHLINE_FINISH_SECONDS: '0' }
  expect(settingsFromEnv(env)).toMatchObject({ drainMs: 1_500, finishMs: 0 })
  for (const text of ['5s', '-1', '601'])
    expect(() => settingsFromEnv({ THROUGHLINE_DRAIN_SECONDS: text })).toThrow(
      'Use a number of seconds from 0 to 600.',
    )
})
