import { type ChatId, createId, isChatId, isRecord } from '@throughline/protocol'
import { type Check, failed, type Outcome, passed, skipped } from '../evidence/check.ts'
import { type Asked, describeResponse, type Reply } from '../evidence/checked-server.ts'
import { readMessages } from '../evidence/evidence.ts'
import type { Session } from '../evidence/session.ts'

/** Whether chats are shown only to their owner. */
export const ownerChecks: readonly Check[] = [
  {
    name: 'owner/no-token',
    title: 'Without a token, every chat route is refused',
    needs: ['answer/complete'],
    async run(session, evidence) {
      if (!session.options.hasToken)
        return skipped('no --token was given. Without tokens, everybody who reaches the server is one owner')
      const { chatId, message } = await evidence.answer()
      const requests = [
        ...chatRequests(chatId, message.id),
        { path: '/api/chats' },
        // Without a message, so that the agent is not asked if this is not refused.
        { path: '/api/chat', body: {} },
        { path: '/api/tickets', body: { chatId } },
      ]
      return refusedOutcome(session, { requests, as: 'nobody', status: 401, advice: tokenAdvice })
    },
  },
  {
    name: 'owner/other-token',
    title: 'For another user, the chat is like one that does not exist',
    needs: ['answer/complete'],
    async run(session, evidence) {
      if (!session.options.hasOtherToken) return skipped('no --other-token was given')
      const { chatId, message } = await evidence.answer()
      return hiddenOutcome(session, chatId, message.id)
    },
  },
  {
    name: 'owner/origin',
    title: 'Pages of other origins are refused',
    needs: ['answer/complete'],
    async run(session, evidence) {
      const { chatId } = await evidence.answer()
      const headers = { origin: 'https://conformance.invalid' }
      const requests = [
        { path: '/api/chats', headers },
        { path: `/api/chats/${chatId}/messages`, headers },
        { path: `/api/chats/${chatId}/log`, headers },
        { path: '/api/chat', body: {}, headers },
      ]
      return refusedOutcome(session, { requests, as: 'owner', status: 403, advice: originAdvice })
    },
  },
]

const tokenAdvice =
  'Set THROUGHLINE_TOKENS, or let authenticate refuse requests without a session. Check that no proxy adds a token of its own (docs/guides/users.md).'

const originAdvice =
  'Any page that a user opens could use the server in their name. Check that no proxy removes or replaces the header Origin, or writes it into Host (docs/guides/proxies.md).'

interface Refusal {
  readonly requests: readonly ({ readonly path: string } & Asked)[]
  readonly as: 'owner' | 'nobody'
  readonly status: 401 | 403
  readonly advice: string
}

async function refusedOutcome(
  { server }: Session,
  { requests, as, status, advice }: Refusal,
): Promise<Outcome> {
  for (const { path, ...asked } of requests) {
    const reply = await server.request(path, { ...asked, as })
    if (reply.status !== status)
      return failed({
        expected: `${status} for ${nameOf({ path, ...asked })}`,
        came: describeResponse(reply.status, reply.text),
        advice,
      })
  }
  return passed(`${requests.length} requests`)
}

/** Sends each request as the other user: for the owner's chat, and for one that does not exist. */
async function hiddenOutcome(session: Session, chatId: ChatId, messageId: string): Promise<Outcome> {
  const unknownId = createId(isChatId, 'conformance')
  const unknown = chatRequests(unknownId, messageId)
  for (const [index, foreign] of chatRequests(chatId, messageId).entries()) {
    const came = await sendAsOther(session, foreign, chatId)
    const expected = await sendAsOther(session, unknown[index] ?? foreign, unknownId)
    if (came !== expected)
      return failed({ expected: `${nameOf(foreign)}: ${expected}`, came, advice: otherAdvice })
  }
  const list = await session.server.request('/api/chats', { as: 'other' })
  if (list.status !== 200 || list.text.includes(chatId))
    return failed({
      expected: "a list of the other user's chats, without this one",
      came: describeResponse(list.status, list.text.includes(chatId) ? `with ${chatId}` : list.text),
      advice: otherAdvice,
    })
  // Renaming, deleting and stopping were refused. So the chat must be as it was.
  const { messages } = await readMessages(session, chatId)
  if (messages.some(message => isRecord(message) && message['id'] === messageId))
    return passed(`${unknown.length} requests, and the list`)
  return failed({ expected: 'the chat is as before', came: 'its message is gone', advice: otherAdvice })
}

const otherAdvice =
  'Check that the two tokens belong to two users. If they do, this is a hole: do not let others use this server, and report it (SECURITY.md).'

/** Returns the response to the other user as text, without the id of the chat. */
async function sendAsOther(
  { server }: Session,
  { path, ...asked }: ChatRequest,
  chatId: ChatId,
): Promise<string> {
  const { status, text }: Reply = await server.request(path, { ...asked, as: 'other' })
  return describeResponse(status, text).replaceAll(chatId, 'ID')
}

function nameOf({ path, body, method = body === undefined ? 'GET' : 'POST' }: ChatRequest): string {
  return `${method} ${path}`
}

type ChatRequest = { readonly path: string } & Asked

/**
 * Returns a request to each route of a chat. None of them asks an agent if it is not refused. Those that change most come
 * last.
 */
function chatRequests(chatId: string, messageId: string): readonly ChatRequest[] {
  const chat = `/api/chats/${chatId}`
  const message = `${chat}/messages/${messageId}`
  return [
    { path: chat },
    { path: `${chat}/messages` },
    { path: `${chat}/branches` },
    { path: `${chat}/log` },
    { path: `${chat}/files/none` },
    { path: `/api/chat/${chatId}/stream` },
    { path: `/api/chat/${chatId}/stream?after=ffffffffffffffff.1` },
    { path: `/api/chat/${chatId}/stop`, body: {} },
    { path: chat, method: 'PATCH', body: { title: 'Conformance' } },
    {
      path: `${chat}/messages`,
      method: 'PATCH',
      body: { messages: [{ id: messageId, metadata: { seen: true } }] },
    },
    { path: `${message}/move`, body: { after: '' } },
    { path: message, method: 'DELETE' },
    { path: chat, method: 'DELETE' },
  ]
}
