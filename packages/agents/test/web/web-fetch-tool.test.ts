import { expect, test } from 'vitest'
import { z } from 'zod'
import { webFetchTool } from '../../src/web/web-fetch-tool.ts'
import { startLocalServer } from './testing/local-server.ts'

const page = z.object({ text: z.string() })
const call = { toolCallId: 'call-1', messages: [], context: {} }

test('a page is returned as text with its title, type and final URL', async () => {
  await using server = await startLocalServer((request, response) => {
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end()
    else
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<title>T</title><a href="x">y</a>')
  })
  const fetched = await webFetchTool({ allowHosts: [server.host] }).execute(
    { url: `${server.url}/old` },
    call,
  )
  expect(fetched).toEqual({
    url: `${server.url}/new`,
    title: 'T',
    text: `[y](${server.url}/x)`,
    contentType: 'text/html',
    truncated: false,
  })
})

test('long text is cut with a note, and never within a character', async () => {
  await using server = await startLocalServer((_, response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8').end(`a${'👍'.repeat(30_000)}`)
  })
  const fetchTool = webFetchTool({ allowHosts: [server.host] })
  const usual = await fetchTool.execute({ url: server.url }, call)
  expect(usual).toMatchObject({ truncated: true })
  const [kept = '', note] = page.parse(usual).text.split('\n\n')
  expect(kept.length).toBe(19_999)
  expect(kept.isWellFormed()).toBe(true)
  expect(note).toBe(
    '[Cut here: these are the first 19999 of 60001 characters. For more, fetch it again with a larger maxChars, up to 100000.]',
  )
  const short = await fetchTool.execute({ url: server.url, maxChars: 101 }, call)
  expect(page.parse(short).text).toMatch(/^a(?:👍){50}\n\n\[Cut here: these are the first 101 of 60001/)
  expect(await fetchTool.execute({ url: server.url, maxChars: 100_000 }, call)).toMatchObject({
    truncated: false,
  })
})

test('a host that is not public is refused, and so is content that is no text', async () => {
  await using server = await startLocalServer((_, response) => {
    response.setHeader('content-type', 'application/pdf').end('%PDF')
  })
  const ask = (allowHosts: string[]) => webFetchTool({ allowHosts }).execute({ url: server.url }, call)
  await expect(ask([])).rejects.toMatchObject({ code: 'blocked-address' })
  await expect(ask([server.host])).rejects.toMatchObject({ code: 'unsupported-type' })
  expect(server.requests).toHaveLength(1)
})

test('a stop of the run stops the fetch', async () => {
  const stop = new AbortController()
  await using server = await startLocalServer(() => stop.abort())
  const fetched = webFetchTool({ allowHosts: [server.host] }).execute(
    { url: server.url },
    { ...call, abortSignal: stop.signal },
  )
  await expect(fetched).rejects.toMatchObject({ code: 'aborted' })
})
