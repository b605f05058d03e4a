import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  DecisionResult,
  HookResponse,
  Inbound,
  InboundDecision,
  Inbox,
} from '../../src/ports/channel.ts'
import { sign } from '../../src/webhook/signature.ts'
import { type WebhookOptions, webhookChannel } from '../../src/webhook/webhook-channel.ts'

const secret = 'a-secret-of-enough-length'
const at = new Date('2026-05-01T12:00:00Z')
const inbound = { id: 'm-1', conversation: 'c.1', sender: { id: 'u:7', name: 'Ann' }, text: 'hello' }

interface HookOptions extends Partial<WebhookOptions> {
  readonly signature?: string | undefined
  readonly inbox?: Inbox
  readonly result?: DecisionResult
}

interface Hooked {
  readonly response: HookResponse
  readonly taken: readonly Inbound[]
  readonly decided: readonly InboundDecision[]
}

async function hook(body: Uint8Array | string, options: HookOptions = {}): Promise<Hooked> {
  const { inbox = async () => {}, result = 'decided', signature: given, ...rest } = options
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const signature = 'signature' in options ? given : sign(bytes, { secret, now: at })
  const taken: Inbound[] = []
  const decided: InboundDecision[] = []
  const channel = webhookChannel({ url: 'http://127.0.0.1:9', secret, now: () => at, ...rest })
  const response = await channel.hook?.(
    { headers: { 'x-throughline-signature': signature }, body: bytes },
    async message => {
      await inbox(message)
      taken.push(message)
    },
    async decision => {
      decided.push(decision)
      return result
    },
  )
  if (response === undefined) throw new Error('It takes no requests.')
  return { response, taken, decided }
}

describe('a request to our webhook', () => {
  test('is a message of the sender', async () => {
    expect(await hook(JSON.stringify(inbound))).toEqual({
      response: { status: 202, body: { accepted: 'm-1' } },
      decided: [],
      taken: [
        { id: 'm-1', conversation: 'c.1', target: 'c.1', senderId: 'u:7', senderName: 'Ann', text: 'hello' },
      ],
    })
  })

  test('needs no name: the id is shown instead', async () => {
    const { taken } = await hook(JSON.stringify({ ...inbound, sender: { id: 'u:7' } }))
    expect(taken).toMatchObject([{ senderName: 'u:7' }])
  })

  test('is answered when the message is durable, and not when it is not', async () => {
    const failing = hook(JSON.stringify(inbound), {
      inbox: () => Promise.reject(new Error('The store is down.')),
    })
    await expect(failing).rejects.toThrow('The store is down.')
  })

  test.each([undefined, '', 'v1=00', sign(Buffer.from('something else'), { secret, now: at })])(
    'with the signature %j is refused before it is read',
    async signature => {
      for (const body of [JSON.stringify(inbound), 'no JSON at all']) {
        const { response, taken } = await hook(body, { signature })
        expect(response).toMatchObject({ status: 401, body: { code: 'bad-signature' } })
        expect(taken).toEqual([])
      }
    },
  )

  test('is checked as bytes: the same JSON written differently is not what was signed', async () => {
    const signature = sign(Buffer.from(JSON.stringify(inbound)), { secret, now: at })
    const { response, taken } = await hook(JSON.stringify(inbound, undefined, 1), { signature })
    expect(response.status).toBe(401)
    expect(taken).toEqual([])
  })

  test.each([
    [-301, 401],
    [-300, 202],
    [0, 202],
    [300, 202],
    [301, 401],
  ])('that was recorded is refused later: %i s are %i', async (seconds, status) => {
    const body = JSON.stringify(inbound)
    const signature = sign(Buffer.from(body), { secret, now: new Date(at.getTime() - seconds * 1000) })
    expect((await hook(body, { signature })).response.status).toBe(status)
  })

  test('never takes a message that is not whole, whatever is signed', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.json().map(json => Buffer.from(json)),
      fc
        .record(
          { ...anyField('id'), ...anyField('conversation'), ...anyField('sender') },
          { requiredKeys: [] },
        )
        .map(fields => Buffer.from(JSON.stringify({ text: 'hi', ...fields }))),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async body => {
        const { response, taken } = await hook(body)
        if (response.status === 202)
          expect(taken).toMatchObject([{ id: expect.stringMatching(/^[\w.:-]{1,128}$/) }])
        else expect({ response, taken }).toMatchObject({ response: { status: 400 }, taken: [] })
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    [{ id: 'has space' }, 'id'],
    [{ id: 'x'.repeat(129) }, 'id'],
    [{ conversation: '../other' }, 'conversation'],
    [{ conversation: undefined }, 'conversation'],
    [{ sender: 'u:7' }, 'sender'],
    [{ sender: undefined }, 'sender'],
    [{ sender: { id: '' } }, 'sender.id'],
    [{ text: 5 }, 'text'],
    [{ text: 'x'.repeat(100_001) }, 'text'],
  ])('with %j is a bad request that names the field', async (change, field) => {
    const { response, taken } = await hook(JSON.stringify({ ...inbound, ...change }))
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid-body', detail: expect.stringContaining(`"${field}"`) },
    })
    expect(taken).toEqual([])
  })

  test.each(['', ' \n\t'])('without a text (%j) is a bad request', async text => {
    const { response, taken } = await hook(JSON.stringify({ ...inbound, text }))
    expect(response).toMatchObject({ status: 400, body: { code: 'empty-message' } })
    expect(taken).toEqual([])
  })

  test('is taken from those on the list only, by id and not by name', async () => {
    const allowSenders = ['u:7']
    expect((await hook(JSON.stringify(inbound), { allowSenders })).response.status).toBe(202)
    const mallory = { ...inbound, sender: { id: 'u:8', name: 'u:7' } }
    const { response, taken } = await hook(JSON.stringify(mallory), { allowSenders })
    expect(response).toMatchObject({ status: 403, body: { code: 'sender-not-allowed' } })
    expect(taken).toEqual([])
    expect((await hook(JSON.stringify(inbound), { allowSenders: [] })).response.status).toBe(403)
  })
})

describe('a decision about a tool call that waits', () => {
  const decision = { type: 'approval', approvalId: 'approval_1', approved: true, sender: { id: 'u:7' } }

  test('is passed on, and answered when it is durable', async () => {
    const { response, taken, decided } = await hook(JSON.stringify({ ...decision, reason: 'Fine.' }))
    expect(response).toEqual({ status: 200, body: { decided: 'approval_1' } })
    expect(decided).toEqual([{ approvalId: 'approval_1', approved: true, reason: 'Fine.', senderId: 'u:7' }])
    expect(taken).toEqual([])
  })

  test('names its conversation if it likes', async () => {
    const { decided } = await hook(JSON.stringify({ ...decision, conversation: 'c.1' }))
    expect(decided).toMatchObject([{ conversation: 'c.1' }])
  })

  test.each([
    ['not-waiting', 409, 'approval-not-waiting'],
    ['not-found', 404, 'approval-not-found'],
    ['not-allowed', 403, 'approver-not-allowed'],
  ] as const)('that is %s is answered with %i', async (result, status, code) => {
    const { response } = await hook(JSON.stringify(decision), { result })
    expect(response).toMatchObject({ status, body: { code } })
  })

  test('that is not signed is refused before it is read', async () => {
    const { response, decided } = await hook(JSON.stringify(decision), { signature: '' })
    expect(response.status).toBe(401)
    expect(decided).toEqual([])
  })

  test.each([
    [{ approvalId: '' }, 'approvalId'],
    [{ approvalId: 7 }, 'approvalId'],
    [{ approved: 'yes' }, 'approved'],
    [{ reason: 'x'.repeat(1_001) }, 'reason'],
    [{ conversation: '../other' }, 'conversation'],
    [{ sender: 'u:7' }, 'sender'],
  ])('with %j is a bad request that names the field', async (change, field) => {
    const { response, decided } = await hook(JSON.stringify({ ...decision, ...change }))
    expect(response).toMatchObject({ status: 400, body: { detail: expect.stringContaining(`"${field}"`) } })
    expect(decided).toEqual([])
  })
})

function anyField<Name extends string>(name: Name) {
  const values = fc.oneof(
    fc.constantFrom('ok', '.', '..', '', 'a/b', 'é', 'x'.repeat(128), 'x'.repeat(129)),
    fc.jsonValue(),
    fc.record({ id: fc.constantFrom('u1', '', 5) }),
  )
  return { [name]: values }
}

test('signatures are compared with the clock that all nodes share, wherever the clock of the machine stands', async () => {
  const channel = webhookChannel({ url: 'http://127.0.0.1:9', secret })
  const body = Buffer.from(JSON.stringify(inbound))
  const headers = { 'x-throughline-signature': sign(body, { secret, now: at }) }
  expect(channel.refuseHook?.(headers)?.status).toBe(401)
  channel.setClock?.(() => at)
  expect(channel.refuseHook?.(headers)).toBeUndefined()
  const taken: Inbound[] = []
  const inbox: Inbox = async message => void taken.push(message)
  const response = await channel.hook?.({ headers, body }, inbox, async () => 'decided')
  expect(response?.status).toBe(202)
  expect(taken).toHaveLength(1)
})
