import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { patientFetch } from '../../src/faults/patient-fetch.ts'

const silence = new Error('silent')
const isSilence = (reason: unknown) => reason === silence

test('a request that was given up gets more time every time, until its response comes', async () => {
  await using server = await startServer({ isSlow: true })
  const fetch = patientFetch(isSilence)
  const giveUp = () => fetch(server.url, { signal: AbortSignal.abort(silence) }).catch(() => undefined)
  let response = await giveUp()
  while (response === undefined) response = await giveUp()
  expect(await response.text()).toBe('late')
})

test('a request that was given up is aborted when nothing comes', async () => {
  await using server = await startServer()
  const fetch = patientFetch(isSilence)
  await expect(fetch(server.url, { signal: AbortSignal.abort(silence) })).rejects.toBe(silence)
})

test('every other abort is passed on at once', async () => {
  await using server = await startServer()
  const fetch = patientFetch(isSilence)
  const left = new Error('left')
  const leaving = new AbortController()
  const response = fetch(server.url, { signal: leaving.signal })
  leaving.abort(left)
  await expect(response).rejects.toBe(left)
  await expect(fetch(server.url, { signal: AbortSignal.abort(left) })).rejects.toBe(left)
})

/** Starts a server that responds late, or never. */
async function startServer({ isSlow = false } = {}) {
  const server = createServer((_, response) => {
    if (isSlow) setTimeout(() => response.end('late'), 50)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
