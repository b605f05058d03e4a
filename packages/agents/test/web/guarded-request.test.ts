import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type GuardedFetchOptions, guardedFetch } from '../../src/web/guard/guarded-request.ts'
import { type LocalServer, startLocalServer, startTcpServer } from './testing/local-server.ts'

const get = (server: LocalServer, path: string, options: GuardedFetchOptions = {}) =>
  guardedFetch(`${server.url}${path}`, { allowHosts: [server.host], ...options })

const html = { 'content-type': 'text/html' }

test('a page is fetched with its final URL, its type and its bytes', async () => {
  await using server = await startLocalServer((_, response) => response.writeHead(200, html).end('<p>hello'))
  const page = await get(server, '/a?b=c#d')
  expect(page.url).toBe(`${server.url}/a?b=c`)
  expect(page.contentType).toBe('text/html')
  expect(page.body.toString()).toBe('<p>hello')
})

test('a request says who asks and nothing about anyone', async () => {
  await using server = await startLocalServer((_, response) => response.end())
  await get(server, '/')
  expect(server.requests[0]?.headers).toEqual({
    host: server.host,
    'user-agent': 'Throughline (web fetch)',
    accept: 'text/html, application/xhtml+xml, text/plain, application/json, */*;q=0.1',
    'accept-encoding': 'gzip, deflate, br',
    connection: 'close',
  })
})

test('redirects are followed, relative ones and ones in UTF-8 too', async () => {
  const locations = new Map([
    ['/1', '/2'],
    ['/2', '?q=3'],
    ['/2?q=3', '//HOST/4'],
    ['/4', Buffer.from('/wörld', 'utf8').toString('latin1')],
  ])
  await using server = await startLocalServer((request, response) => {
    const location = locations.get(request.url ?? '')?.replace('HOST', server.host)
    if (location === undefined) response.end('arrived')
    else response.writeHead(302, { location }).end()
  })
  const page = await get(server, '/1')
  expect(page.url).toBe(`${server.url}/w%C3%B6rld`)
  expect(page.body.toString()).toBe('arrived')
})

test('five redirects are followed, and a sixth is not', async () => {
  await using server = await startLocalServer((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('arrived')
    else response.writeHead(301, { location: `/${left - 1}` }).end()
  })
  expect((await get(server, '/5')).body.toString()).toBe('arrived')
  await expect(get(server, '/6')).rejects.toMatchObject({ code: 'too-many-redirects' })
  await expect(get(server, '/1', { maxRedirects: 0 })).rejects.toMatchObject({ code: 'too-many-redirects' })
})

test('a request with headers or a body follows no redirect', async () => {
  await using server = await startLocalServer((_, response) =>
    response.writeHead(307, { location: '/x' }).end(),
  )
  const expected = { code: 'too-many-redirects' }
  await expect(get(server, '/', { headers: { authorization: 'Bearer k' } })).rejects.toMatchObject(expected)
  await expect(get(server, '/', { body: '{}' })).rejects.toMatchObject(expected)
  expect(server.requests).toHaveLength(2)
})

test.each([
  ['ftp://example.com/', 'blocked-scheme'],
  ['file:///etc/passwd', 'blocked-scheme'],
  ['http://user:secret@example.com/', 'credentials'],
  ['http://example.com:25/', 'blocked-port'],
  ['http://10.11.12.13/', 'blocked-address'],
  ['http://[', 'invalid-url'],
])('a redirect to %s is refused as %s, without saying where it led', async (location, code) => {
  await using server = await startLocalServer((_, response) => response.writeHead(302, { location }).end())
  const error = await get(server, '/').catch(error => error)
  expect(error).toMatchObject({ name: 'WebAccessError', code })
  expect(error.message).not.toMatch(/secret|passwd|10\.11/)
  expect(error.cause).toBeUndefined()
})

test.each([204, 200])('status %i without a body is an empty page', async status => {
  await using server = await startLocalServer((_, response) => response.writeHead(status).end())
  expect((await get(server, '/')).body).toHaveLength(0)
})

test.each([304, 302, 404, 500])('status %i is an error that says so', async status => {
  await using server = await startLocalServer((_, response) =>
    response.writeHead(status).end('private words'),
  )
  const error = await get(server, '/').catch(error => error)
  expect(error).toMatchObject({
    code: 'http-status',
    status,
    message: `The server responded with status ${status}.`,
  })
})

type Compress = (body: Buffer) => Buffer

// The default quality of brotli would take seconds here.
const brotli: Compress = body => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

test.each<[string, Compress]>([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotli],
  ['identity', body => body],
])('%s is undone', async (encoding, compress) => {
  const text = Buffer.from('words '.repeat(1000))
  await using server = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(text))
  })
  expect((await get(server, '/')).body.equals(text)).toBe(true)
})

test.each<[string, Compress]>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotli],
])('a %s bomb is too large, and is not unpacked further than the limit', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(20_000_000))
  expect(bomb.length).toBeLessThan(60_000)
  await using server = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(bomb)
  })
  const result = await get(server, '/').then(
    () => 'fetched',
    error => error.code,
  )
  expect(result).toBe('too-large')
})

test.each(['zstd', 'gzip, gzip', 'compress'])('the encoding %s is refused', async encoding => {
  await using server = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end('x')
  })
  await expect(get(server, '/')).rejects.toMatchObject({ code: 'unsupported-type' })
})

test('a damaged or cut gzip body is a network error', async () => {
  const whole = gzipSync('words '.repeat(1000))
  for (const body of [whole.subarray(0, 20), Buffer.from('no gzip')]) {
    await using server = await startLocalServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(body)
    })
    await expect(get(server, '/')).rejects.toMatchObject({ code: 'network' })
  }
})

test('a body of exactly the limit is taken, and one byte more is not', async () => {
  await using server = await startLocalServer((request, response) => {
    response.end(Buffer.alloc(Number(request.url?.slice(1))))
  })
  expect((await get(server, '/1000', { maxBytes: 1000 })).body).toHaveLength(1000)
  await expect(get(server, '/1001', { maxBytes: 1000 })).rejects.toMatchObject({ code: 'too-large' })
})

test('an endless body is left as soon as it passes the limit', async () => {
  const left = Promise.withResolvers<void>()
  await using server = await startLocalServer((_, response) => {
    response.on('close', () => left.resolve())
    pour(response)
  })
  await expect(get(server, '/', { maxBytes: 100_000 })).rejects.toMatchObject({ code: 'too-large' })
  await left.promise
})

test('a server that sends nothing, never ends its headers or never ends its body runs into the time limit', async () => {
  await using silent = await startTcpServer(() => {})
  await using dripping = await startTcpServer(socket => socket.write('HTTP/1.1 200 OK\r\nX-Wait: '))
  await using slow = await startLocalServer((_, response) => response.writeHead(200, html).write('<p>begins'))
  for (const server of [silent, dripping, slow]) {
    await expect(get(server, '/', { timeoutMs: 60 })).rejects.toMatchObject({
      code: 'timeout',
      message: 'The server did not answer completely within 0.06 seconds.',
    })
  }
})

test('the time limit holds for all redirects together, and for a resolver that hangs', async () => {
  await using server = await startLocalServer((_, response) => {
    response.writeHead(302, { location: 'http://slow.example/' }).end()
  })
  const resolve = () => new Promise<never>(() => {})
  await expect(get(server, '/', { timeoutMs: 60, resolve })).rejects.toMatchObject({ code: 'timeout' })
})

test('a stop ends a request in the middle of its body, and closes the connection', async () => {
  const begun = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  await using server = await startLocalServer((_, response) => {
    response.on('close', () => left.resolve())
    response.writeHead(200, html).write('<p>begins', () => begun.resolve())
  })
  const stop = new AbortController()
  const fetched = get(server, '/', { signal: stop.signal })
  await begun.promise
  stop.abort()
  await expect(fetched).rejects.toMatchObject({ name: 'WebAccessError', code: 'aborted' })
  await left.promise
})

test('a request that is stopped before it begins resolves no name and opens no connection', async () => {
  const calls: string[] = []
  const resolve = async () => {
    calls.push('resolve')
    return ['127.0.0.1']
  }
  const options = { resolve, signal: AbortSignal.abort(), allowHosts: ['a.example'] }
  await expect(guardedFetch('http://a.example/', options)).rejects.toMatchObject({ code: 'aborted' })
  expect(calls).toEqual([])
})

test('nothing of a finished request stays on the signal', async () => {
  await using server = await startLocalServer((_, response) => response.end('x'))
  const stop = new AbortController()
  const open = new Set<unknown>()
  const { signal } = stop
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    open.add(listener)
    add(type, listener)
  }
  signal.removeEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    open.delete(listener)
    remove(type, listener)
  }
  await get(server, '/', { signal })
  expect(open.size).toBe(0)
})

test.each([
  ['closes at once', ''],
  ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ['closes within its headers', 'HTTP/1.1 200 OK\r\nContent-'],
  ['closes within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
  ['sends two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['sends endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
])('a server that %s is a network error', async (_, bytes) => {
  await using server = await startTcpServer(socket => socket.end(bytes))
  await expect(get(server, '/')).rejects.toMatchObject({ name: 'WebAccessError', code: 'network' })
})

test('a refused connection is a network error that names no address', async () => {
  const server = await startTcpServer(() => {})
  await server[Symbol.asyncDispose]()
  const error = await get(server, '/').catch(error => error)
  expect(error).toMatchObject({ code: 'network' })
  expect(error.message).toBe('The connection to the server failed (ECONNREFUSED).')
})

test.each([
  ['rejects', () => Promise.reject(new Error('getaddrinfo ENOTFOUND db.internal'))],
  ['finds nothing', async () => []],
  ['returns a name', async () => ['db.internal']],
])('a resolver that %s is a DNS error, also for a named host', async (_, resolve) => {
  for (const allowHosts of [[], ['db.internal']]) {
    const error = await guardedFetch('http://db.internal/', { resolve, allowHosts }).catch(error => error)
    expect(error).toMatchObject({ code: 'dns' })
    expect(error.message).not.toContain('db.internal')
  }
})

test('a proxy in the environment is not used', async () => {
  await using server = await startLocalServer((_, response) => response.end('direct'))
  await using proxy = await startLocalServer((_, response) => response.end('proxied'))
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, proxy.url)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  expect((await get(server, '/')).body.toString()).toBe('direct')
  expect(proxy.requests).toHaveLength(0)
})

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(16_384)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
