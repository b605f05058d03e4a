import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { SearchConfig } from '../../src/web/search-backend.ts'
import { SearchSettingError, webSearchFromEnv, webSearchTool } from '../../src/web/web-search-tool.ts'
import { startLocalServer } from './testing/local-server.ts'

const call = { toolCallId: 'call-1', messages: [], context: {} }
const key = 'sk-very-secret-key'

const found = { title: 'T &amp; <b>U</b>', url: 'https://a.example/', content: 'Some <strong>words</strong>' }
const shown = { title: 'T & U', url: 'https://a.example/', snippet: 'Some words' }

function configs(baseUrl: string): readonly SearchConfig[] {
  return [
    { provider: 'searxng', baseUrl },
    { provider: 'brave', apiKey: key, baseUrl },
    { provider: 'tavily', apiKey: key, baseUrl },
  ]
}

const failureOf = async (config: SearchConfig): Promise<unknown> => {
  try {
    return await webSearchTool(config).execute({ query: 'q' }, call)
  } catch (error) {
    return error
  }
}

/** The body of an engine's response with these results. */
const responseBody = (provider: SearchConfig['provider'], results: readonly unknown[]) =>
  JSON.stringify(provider === 'brave' ? { type: 'search', web: { results } } : { query: 'q', results })

test('SearXNG is asked for JSON at its base URL', async () => {
  await using server = await startLocalServer((_, response) => response.end(responseBody('searxng', [found])))
  const search = webSearchTool({ provider: 'searxng', baseUrl: `${server.url}/searx` })
  expect(await search.execute({ query: 'a & b?' }, call)).toEqual({ query: 'a & b?', results: [shown] })
  expect(server.requests[0]?.url).toBe('/searx/search?q=a+%26+b%3F&format=json')
})

test('Brave gets its key in a header', async () => {
  const { content: description, ...rest } = found
  await using server = await startLocalServer((_, response) => {
    response.end(responseBody('brave', [{ ...rest, description }]))
  })
  const search = webSearchTool({ provider: 'brave', apiKey: key, baseUrl: `${server.url}/res/v1/` })
  expect(await search.execute({ query: 'q', count: 3 }, call)).toEqual({ query: 'q', results: [shown] })
  expect(server.requests[0]).toMatchObject({
    method: 'GET',
    url: '/res/v1/web/search?q=q&count=3&text_decorations=false',
    headers: { 'x-subscription-token': key },
  })
})

test('Brave without a hit finds nothing', async () => {
  await using server = await startLocalServer((_, response) => response.end('{"type":"search"}'))
  const search = webSearchTool({ provider: 'brave', apiKey: key, baseUrl: server.url })
  expect(await search.execute({ query: 'q' }, call)).toEqual({ query: 'q', results: [] })
})

test('Tavily gets a POST with a bearer key', async () => {
  const bodies: string[] = []
  await using server = await startLocalServer(async (request, response) => {
    bodies.push(await text(request))
    response.end(responseBody('tavily', [found]))
  })
  const search = webSearchTool({ provider: 'tavily', apiKey: key, baseUrl: server.url })
  expect(await search.execute({ query: 'q' }, call)).toEqual({ query: 'q', results: [shown] })
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    url: '/search',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  expect(bodies).toEqual([JSON.stringify({ query: 'q', max_results: 5 })])
})

test('results are limited, and those without a web URL are left out', async () => {
  const results = [
    { ...found, url: 'javascript:alert(1)' },
    { ...found, url: 'ftp://a.example/' },
    { ...found, url: 'https://user:secret@a.example/' },
    { ...found, url: `https://a.example/${'a'.repeat(3000)}` },
    { ...found, url: 7 },
    { title: 'no URL' },
    null,
    'text',
    { url: 'https://b.example/x' },
    { title: 'x'.repeat(1000), url: 'https://c.example/', content: 'y'.repeat(10_000), description: null },
    found,
    found,
  ]
  for (const provider of ['searxng', 'brave', 'tavily'] as const) {
    await using server = await startLocalServer((_, response) =>
      response.end(responseBody(provider, results)),
    )
    const config = configs(server.url).find(each => each.provider === provider)
    if (config === undefined) throw new Error('There is no such engine.')
    const output = await webSearchTool(config).execute({ query: 'q', count: 3 }, call)
    const kept = [
      { title: 'b.example', url: 'https://b.example/x', snippet: '' },
      { title: `${'x'.repeat(199)}…`, url: 'https://c.example/', snippet: `${'y'.repeat(499)}…` },
      shown,
    ]
    expect(output).toEqual({ query: 'q', results: kept })
  }
})

test.each(['', 'no json', '[]', '{}x', '{"results":{}}', '{"web":{"results":7}}', 'null'])(
  'the response %j is refused without being repeated',
  async body => {
    await using server = await startLocalServer((_, response) => response.end(body))
    for (const config of configs(server.url)) {
      const error = await failureOf(config)
      // A response of Brave without "web" has no hits, which is fine.
      if (config.provider === 'brave' && body === '{"results":{}}') continue
      expect(error, config.provider).toMatchObject({ name: 'WebAccessError', code: 'invalid-answer' })
    }
  },
)

test.each([401, 403, 429, 500, 302])('status %i names the engine and never the key', async status => {
  await using server = await startLocalServer((request, response) => {
    // The server sends the headers of the request back, and so the key.
    response.writeHead(status, { location: '/elsewhere' }).end(JSON.stringify(request.headers))
  })
  for (const config of configs(server.url)) {
    const error: unknown = await failureOf(config)
    const code = status === 302 ? 'too-many-redirects' : 'http-status'
    expect(error).toMatchObject({ name: 'WebAccessError', code })
    expect(String(error)).toMatch(/SearXNG|Brave|Tavily/)
    expect(
      JSON.stringify(error) + String(error) + String(error instanceof Error && error.stack),
    ).not.toContain(key)
  }
})

test('a search is stopped with its run', async () => {
  const stop = new AbortController()
  await using server = await startLocalServer(() => stop.abort())
  const searching = webSearchTool({ provider: 'searxng', baseUrl: server.url }).execute(
    { query: 'q' },
    { ...call, abortSignal: stop.signal },
  )
  await expect(searching).rejects.toMatchObject({ code: 'aborted' })
})

test('only a configured base URL is allowed by name: the usual hosts are checked like any other', async () => {
  const resolve = async () => ['10.0.0.1']
  for (const provider of ['brave', 'tavily'] as const) {
    const searching = webSearchTool({ provider, apiKey: key }, { resolve }).execute({ query: 'q' }, call)
    await expect(searching).rejects.toMatchObject({ code: 'blocked-address' })
  }
})

test('without a setting there is no search', () => {
  expect(webSearchFromEnv({})).toBeUndefined()
  expect(
    webSearchFromEnv({ SEARXNG_URL: ' ', BRAVE_SEARCH_API_KEY: '', TAVILY_API_KEY: undefined }),
  ).toBeUndefined()
  expect(webSearchFromEnv({ TAVILY_BASE_URL: 'http://a.example' })).toBeUndefined()
})

test('the first engine that is set is asked: SearXNG, Brave, Tavily', async () => {
  await using server = await startLocalServer((_, response) => response.end('{"results":[]}'))
  const tavily = { TAVILY_API_KEY: key, TAVILY_BASE_URL: `${server.url}/tavily` }
  const brave = { ...tavily, BRAVE_SEARCH_API_KEY: key, BRAVE_SEARCH_BASE_URL: `${server.url}/brave` }
  for (const env of [tavily, brave, { ...brave, SEARXNG_URL: `${server.url}/searxng` }]) {
    expect(await webSearchFromEnv(env)?.execute({ query: 'q' }, call)).toMatchObject({ results: [] })
  }
  expect(server.requests.map(request => request.url?.split(/[?]|\/search/)[0])).toEqual([
    '/tavily',
    '/brave/web',
    '/searxng',
  ])
})

test.each([
  { SEARXNG_URL: key },
  { SEARXNG_URL: `ftp://${key}` },
  { SEARXNG_URL: `https://user:${key}@a.example` },
  { SEARXNG_URL: `https://a.example/?key=${key}` },
  { BRAVE_SEARCH_API_KEY: `${key} "` },
  { BRAVE_SEARCH_API_KEY: `${key}\nx` },
  { TAVILY_API_KEY: key, TAVILY_BASE_URL: key },
])('a setting that cannot work is refused at the start by its name, without its value: %o', env => {
  let error: unknown
  try {
    webSearchFromEnv(env)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(SearchSettingError)
  expect(String(error)).toContain(Object.keys(env).at(-1))
  expect(String(error)).not.toContain(key)
})
