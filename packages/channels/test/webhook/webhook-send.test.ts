import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ChannelError, type OutgoingMessage, type ToolApproval } from '../../src/ports/channel.ts'
import { isSigned } from '../../src/webhook/signature.ts'
import { webhookChannel } from '../../src/webhook/webhook-channel.ts'
import { startReceiver } from './webhook-receiver.ts'

const secret = 'a-secret-of-enough-length'
const now = () => new Date('2026-05-01T12:00:00Z')

interface SendOptions extends Partial<OutgoingMessage> {
  readonly key?: string
  readonly signal?: AbortSignal
}

function send(
  url: string,
  { key = 'run.0', signal = new AbortController().signal, ...message }: SendOptions = {},
) {
  return webhookChannel({ url, secret, now }).send({
    target: 'conversation-1',
    message: { text: 'hello', ...message },
    idempotencyKey: key,
    signal,
  })
}

async function errorOf(promise: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await promise.then(
    () => undefined,
    reason => reason,
  )
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret)
  if (!(error instanceof ChannelError)) throw new Error(`This is no ChannelError: ${inspect(error)}`)
  return error
}

describe('a message to a webhook', () => {
  test('is posted as JSON, signed as it is, with a key that is the receipt', async () => {
    await using receiver = await startReceiver()
    const receipt = await send(receiver.url, { text: 'Grüße 😀', replyTo: 'm1', key: 'run_1.3' })
    expect(receipt).toBe('run_1.3')
    const [received] = receiver.received
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'run_1.3',
    })
    expect(JSON.parse(`${received?.body}`)).toEqual({
      id: 'run_1.3',
      conversation: 'conversation-1',
      text: 'Grüße 😀',
      replyTo: 'm1',
    })
    const signature = `${received?.headers['x-throughline-signature']}`
    const body = received?.body ?? Buffer.of()
    expect(isSigned(body, signature, { secret, now: now() })).toBe(true)
    expect(isSigned(Buffer.concat([body, Buffer.from(' ')]), signature, { secret, now: now() })).toBe(false)
  })

  test('carries a medium, byte for byte', async () => {
    await using receiver = await startReceiver()
    const bytes = new Uint8Array([0, 255, 10, 13, 128])
    await send(receiver.url, { medium: { bytes, mediaType: 'image/png', fileName: 'a "b".png' } })
    const { media } = JSON.parse(`${receiver.received[0]?.body}`)
    expect(media).toEqual({
      mediaType: 'image/png',
      fileName: 'a "b".png',
      base64: Buffer.from(bytes).toString('base64'),
    })
  })

  test.each([200, 201, 202, 204])('is confirmed by a %i', async status => {
    await using receiver = await startReceiver(response => response.writeHead(status).end())
    expect(await send(receiver.url)).toBe('run.0')
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('may be taken later after a %i', async status => {
    await using receiver = await startReceiver(response => response.writeHead(status).end('no'))
    expect(await errorOf(send(receiver.url))).toMatchObject({
      code: 'unavailable',
      retryAfterMs: undefined,
      message: expect.stringContaining(`${status}`),
    })
  })

  test.each([400, 401, 403, 404, 410, 413, 422])('will never be taken after a %i', async status => {
    await using receiver = await startReceiver(response => response.writeHead(status).end('no'))
    expect(await errorOf(send(receiver.url))).toMatchObject({ code: 'refused' })
  })

  test.each([
    ['7', 7_000],
    ['0', 0],
    ['0.5', 500],
    ['-1', undefined],
    ['soon', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('is tried again when the receiver says so: retry-after %s', async (value, retryAfterMs) => {
    await using receiver = await startReceiver(response =>
      response.writeHead(429, { 'retry-after': value }).end(),
    )
    const error = await errorOf(send(receiver.url))
    expect(error.retryAfterMs).toBe(retryAfterMs)
  })

  test.each([301, 302, 303, 307, 308])('does not follow a %i to another address', async status => {
    await using elsewhere = await startReceiver()
    await using receiver = await startReceiver(response =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    )
    expect(await errorOf(send(receiver.url))).toMatchObject({
      code: 'refused',
      message: expect.stringContaining(`${status}`),
    })
    expect(elsewhere.received).toEqual([])
  })

  test('may be taken later when nobody is there', async () => {
    const receiver = await startReceiver()
    await receiver[Symbol.asyncDispose]()
    expect(await errorOf(send(receiver.url))).toMatchObject({
      code: 'unavailable',
      message: 'The webhook cannot be reached: ECONNREFUSED.',
    })
  })

  test('may be taken later when the connection breaks', async () => {
    await using receiver = await startReceiver(response => response.destroy())
    expect(await errorOf(send(receiver.url))).toMatchObject({ code: 'unavailable' })
  })

  test('is given up when the signal aborts', async () => {
    const stopping = new AbortController()
    await using receiver = await startReceiver(() => stopping.abort())
    expect(await errorOf(send(receiver.url, { signal: stopping.signal }))).toMatchObject({
      code: 'unavailable',
    })
  })

  test('whose confirmation is lost has the same key when it is sent again, so it is shown once', async () => {
    const shown = new Map<string, string>()
    await using receiver = await startReceiver((response, { headers, body }) => {
      const isFirst = shown.size === 0
      shown.set(`${headers['idempotency-key']}`, JSON.parse(`${body}`).text)
      if (isFirst) response.destroy()
      else response.end()
    })
    expect(await errorOf(send(receiver.url))).toMatchObject({ code: 'unavailable' })
    expect(await send(receiver.url)).toBe('run.0')
    expect(receiver.received.length).toBe(2)
    expect([...shown]).toEqual([['run.0', 'hello']])
  })

  test('has 4000 characters at most, unless another number is asked for', () => {
    const url = 'http://127.0.0.1:9'
    expect(webhookChannel({ url, secret }).maxChars).toBe(4_000)
    expect(webhookChannel({ url, secret, maxChars: 100 }).maxChars).toBe(100)
  })

  test('has no approvers who may not talk to the agent', () => {
    const options = { url: 'http://127.0.0.1:9', secret, allowSenders: ['ada'] }
    expect(() => webhookChannel({ ...options, approvers: ['bob'] })).toThrow(
      'approvers has "bob", who may not talk to the agent. Add it to allowSenders, too.',
    )
    expect(webhookChannel({ ...options, approvers: ['ada'] }).approvers).toEqual(new Set(['ada']))
  })

  test('needs a secret that cannot be guessed', () => {
    expect(() => webhookChannel({ url: 'http://127.0.0.1:9', secret: 'x'.repeat(15) })).toThrow(
      'at least 16 characters',
    )
  })
})

describe('a tool call that waits, to a webhook', () => {
  const approval: ToolApproval = {
    id: 'approval_1',
    toolName: 'remove',
    input: '{"what":"all"}',
    isInputCut: false,
    isAskedHere: true,
  }

  async function show(url: string, shown: ToolApproval, replyTo?: string) {
    const { signal } = new AbortController()
    const request = { target: 'conversation-1', idempotencyKey: 'run_1.3', replyTo, signal, approval: shown }
    return webhookChannel({ url, secret, now }).showApproval?.(request)
  }

  test('is a signed event with all that is needed to decide', async () => {
    await using receiver = await startReceiver()
    expect(await show(receiver.url, { ...approval, agent: 'The cleaner' }, 'm1')).toBe('run_1.3')
    const [received] = receiver.received
    const body = received?.body ?? Buffer.of()
    expect(JSON.parse(`${body}`)).toEqual({
      id: 'run_1.3',
      type: 'approval_request',
      conversation: 'conversation-1',
      approvalId: 'approval_1',
      tool: 'remove',
      approvers: [],
      arguments: { what: 'all' },
      agent: 'The cleaner',
      text: expect.stringContaining('remove (The cleaner) waits for approval'),
      replyTo: 'm1',
    })
    const signature = `${received?.headers['x-throughline-signature']}`
    expect(isSigned(body, signature, { secret, now: now() })).toBe(true)
    expect(received?.headers['idempotency-key']).toBe('run_1.3')
  })

  test('is followed by what became of it', async () => {
    await using receiver = await startReceiver()
    await show(receiver.url, { ...approval, outcome: { approved: false, reason: 'No.' } })
    expect(JSON.parse(`${receiver.received[0]?.body}`)).toEqual({
      id: 'run_1.3',
      type: 'approval_settled',
      conversation: 'conversation-1',
      approvalId: 'approval_1',
      tool: 'remove',
      approved: false,
      reason: 'No.',
      text: 'remove: ❌ not approved: No.',
    })
  })

  test('has the beginning of its arguments as a text when there is too much of them', async () => {
    await using receiver = await startReceiver()
    await show(receiver.url, { ...approval, input: '{"what":"al', isInputCut: true })
    expect(JSON.parse(`${receiver.received[0]?.body}`)).toMatchObject({ arguments: '{"what":"al…' })
  })
})
