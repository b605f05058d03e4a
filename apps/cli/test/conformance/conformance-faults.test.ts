import { expect, test } from 'vitest'
import { conformance, startSlowServer, tokens, withTokens } from './conformance-run.ts'
import { type Meddling, startMeddlingProxy } from './meddling-proxy.ts'

const isFifth = (event: string) => /^id: \w+\.5\n/.test(event)
const isRun = (path: string) => path.startsWith('/api/chat') && !path.startsWith('/api/chats')

// A broken proxy, and the checks that must find it. All other checks pass, or are skipped because they need one of these.
const faults: readonly (readonly [string, Meddling, readonly string[]])[] = [
  ['collects a response until it ends', { buffers: 'headers and body' }, ['stream/open', 'stream/steady']],
  ['collects the body of a response', { buffers: 'body' }, ['stream/open', 'stream/steady']],
  [
    'drops an event of a run',
    { event: (event, path) => (isRun(path) && isFifth(event) ? '' : event) },
    ['order/stream'],
  ],
  [
    'drops an entry of the log',
    { event: (event, path) => (!isRun(path) && isFifth(event) ? '' : event) },
    ['order/log'],
  ],
  [
    'repeats an event',
    { event: event => (isFifth(event) ? event + event : event) },
    ['order/stream', 'order/log'],
  ],
  [
    'replaces the ids',
    { event: event => event.replace(/^id: .*$/m, 'id: 7') },
    ['order/stream', 'order/log'],
  ],
  [
    'changes a text',
    { event: (event, path) => (isRun(path) ? event.replace('Word number 3', 'Word number 4') : event) },
    ['order/same'],
  ],
  [
    'changes a text wherever it is streamed',
    { event: event => event.replace('Word number 3', 'Word number 4') },
    ['history/agrees'],
  ],
  [
    'removes the headers of streams',
    { streamHeaders: ({ 'content-type': _type, 'cache-control': _caching, ...headers }) => headers },
    ['stream/headers'],
  ],
  [
    'compresses streams',
    { compresses: true, streamHeaders: headers => ({ ...headers, 'content-encoding': 'gzip' }) },
    ['stream/compression'],
  ],
  [
    'removes Last-Event-ID',
    { requestHeaders: ({ 'last-event-id': _id, ...headers }) => headers },
    ['resume/last-event-id', 'resume/reset'],
  ],
  [
    'removes the position from the query',
    { path: path => path.replace(/([?&])after=[^&]*/, '$1') },
    ['resume/log', 'resume/after', 'resume/reset'],
  ],
  [
    'adds a token of its own',
    { requestHeaders: headers => ({ authorization: 'Bearer ada-secret', ...headers }) },
    ['owner/no-token'],
  ],
  ['removes Origin', { requestHeaders: ({ origin: _origin, ...headers }) => headers }, ['owner/origin']],
  [
    'turns refusals into something else',
    { status: (status, { method }) => (status === 409 && method === 'POST' ? 200 : status) },
    ['submit/other-text'],
  ],
  [
    'takes heartbeats away',
    { event: event => (event.startsWith(': heartbeat') ? '' : event), cutsIdle: true },
    ['heartbeat/idle'],
  ],
]

// The first two wait for their time limit, so the others run beside them.
test.concurrent.each(faults)('a proxy that %s is found', async (_name, meddling, expected) => {
  await using server = await startSlowServer({ tokens })
  await using proxy = await startMeddlingProxy(server.url, meddling)
  const checked = await conformance(proxy.url, '--timeout', '15', ...withTokens)
  expect(checked.names('failed')).toEqual(expected)
  expect(checked.code).toBe(1)
  if (meddling.buffers !== undefined)
    for (const name of expected)
      expect(checked.check(name).advice).toMatch(
        /^Something between here and the server buffers the stream\./,
      )
  for (const { reason = '' } of checked.checks)
    expect(reason).toMatch(/^$|it needs (\S+), which has not passed|plain HTTP/)
})
