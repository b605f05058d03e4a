import { createHash } from 'node:crypto'
import { isRecord } from '@throughline/protocol'
import type { SentSubmission, Sighting, Stop } from '@throughline/protocol/history'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { orderIn, wordsOf } from '../server/order.ts'
import { readResponse, type SeenResponse } from './responses.ts'
import type { Operation } from './trace.ts'

/** What people know of a chat at some moment: what they asked for, and what the server has said and shown. */
export interface KnownChat {
  readonly id: string
  readonly submissions: readonly SentSubmission[]
  readonly sightings: readonly Sighting[]
  readonly stops: readonly Stop[]
  /** The names that the chat may have: the last one that the server has confirmed or shown, and those that were asked for later. */
  readonly titles: readonly string[]
  /** All names that were asked for, in their order. */
  readonly askedTitles: readonly string[]
  readonly removal: 'none' | 'asked' | 'done'
}

/** What people know at some moment. */
export interface Known {
  readonly chats: readonly KnownChat[]
  /** The ids of the approvals that were given. */
  readonly approved: readonly string[]
  /** The ids of the messages that the channel has taken. */
  readonly channelMessages: readonly string[]
  /** What the receiver of the channel has got, each key once. */
  readonly blocks: readonly { readonly key: string; readonly text: string }[]
  /** SHA-256 of the files that messages and tools brought. */
  readonly fileHashes: ReadonlySet<string>
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly response: SeenResponse | undefined
}

/** Returns what people know after the first operations of a trace. */
export function knownAfter(operations: readonly Operation[]): Known {
  const requests = requestsIn(operations)
  const chatOf = ({ path }: Request) => /^\/api\/chats?\/([^/?]+)/.exec(path)?.[1]
  const ofChats = Map.groupBy(requests, chatOf)
  const confirmed = requests.filter(isConfirmed)
  return {
    chats: [...ofChats].flatMap(([id, own]) => (id === undefined ? [] : [knownChat(id, own)])),
    approved: confirmed.flatMap(({ path }) => /^\/api\/approvals\/(.+)$/.exec(path)?.[1] ?? []),
    channelMessages: confirmed.flatMap(({ path, body }) =>
      path === '/api/channels/hook' && isRecord(body) ? [`in_${body['id']}`] : [],
    ),
    blocks: blocksIn(operations),
    fileHashes: new Set([hashOf(pictureBytes), ...requests.flatMap(({ body }) => filesIn(body).map(hashOf))]),
  }
}

function blocksIn(operations: readonly Operation[]): Known['blocks'] {
  const texts = new Map<string, string>()
  for (const operation of operations) {
    if (operation.type !== 'note' || operation.note['type'] !== 'block') continue
    const { key, text } = operation.note
    if (!texts.has(String(key))) texts.set(String(key), String(text))
  }
  return [...texts].map(([key, text]) => ({ key, text }))
}

function requestsIn(operations: readonly Operation[]): readonly Request[] {
  const sent: { readonly note: Readonly<Record<string, unknown>>; readonly pieces: Uint8Array[] }[] = []
  // A port may be used again, after its connection has ended.
  const open = new Map<number, Uint8Array[]>()
  for (const operation of operations) {
    if (operation.type === 'send') open.get(operation.port)?.push(operation.bytes)
    if (operation.type !== 'note' || operation.note['type'] !== 'request') continue
    const pieces: Uint8Array[] = []
    open.set(Number(operation.note['port']), pieces)
    sent.push({ note: operation.note, pieces })
  }
  return sent.map(({ note, pieces }) => {
    const text = String(note['body'])
    return {
      method: String(note['method']),
      path: String(note['path']),
      body: text === '' ? undefined : JSON.parse(text),
      response: readResponse(Buffer.concat(pieces).toString('latin1')),
    }
  })
}

function knownChat(id: string, requests: readonly Request[]): KnownChat {
  const submissions = requests.flatMap(request => submissionOf(request) ?? [])
  const removals = requests.filter(({ method }) => method === 'DELETE')
  return {
    id,
    submissions,
    sightings: requests.flatMap(({ path, response }) => {
      const after = /\/log\?after=(.+)$/.exec(path)?.[1]
      return after === undefined || response?.status !== 200 ? [] : [{ after, bytes: response.body }]
    }),
    stops: stopsIn(requests),
    titles: titlesIn(requests),
    askedTitles: requests.flatMap(({ method, body }) =>
      method === 'PATCH' && isRecord(body) ? [String(body['title'])] : [],
    ),
    removal: removals.length === 0 ? 'none' : removals.some(isConfirmed) ? 'done' : 'asked',
  }
}

function isConfirmed({ response }: Request): boolean {
  return response?.isWhole === true && response.status >= 200 && response.status < 300
}

function replyTo({ response }: Request): Readonly<Record<string, unknown>> {
  const body: unknown = JSON.parse(Buffer.from(response?.body ?? '{}', 'latin1').toString())
  return isRecord(body) ? body : {}
}

function submissionOf(request: Request): SentSubmission | undefined {
  const { method, path, body } = request
  if (method !== 'POST' || !path.endsWith('/messages') || !isRecord(body)) return undefined
  const { message, agent } = body
  if (!isRecord(message)) return undefined
  const text = partsOf(message)
    .map(({ text = '' }) => text)
    .join('')
  const reply = isConfirmed(request) ? replyTo(request) : undefined
  const accepted =
    reply === undefined
      ? []
      : [{ runId: String(reply['runId']), responseMessageId: String(reply['responseMessageId']) }]
  const said = agent === 'script' ? wordsOf(orderIn(text)).join('') : undefined
  return { messageId: String(message['id']), text, said, accepted }
}

/** A message is accepted when its run begins. So a stop is one of the run of the message before. */
function stopsIn(requests: readonly Request[]): readonly Stop[] {
  return requests.flatMap((request, index): readonly Stop[] => {
    if (!request.path.endsWith('/stop') || !isConfirmed(request)) return []
    const messageId = requests
      .slice(0, index)
      .flatMap(before => submissionOf(before) ?? [])
      .at(-1)?.messageId
    return messageId === undefined ? [] : [{ messageId, result: String(replyTo(request)['result']), ms: 0 }]
  })
}

function titlesIn(requests: readonly Request[]): readonly string[] {
  const titles = requests.flatMap((request): readonly { title: string; isKnown: boolean }[] => {
    const { method, path, body } = request
    if (method === 'PATCH' && isRecord(body))
      return [{ title: String(body['title']), isKnown: isConfirmed(request) }]
    const isShown = method === 'GET' && /^\/api\/chats\/[^/]+$/.test(path) && isConfirmed(request)
    return isShown ? [{ title: String(replyTo(request)['title']), isKnown: true }] : []
  })
  const last = titles.findLastIndex(({ isKnown }) => isKnown)
  return last === -1 ? [] : titles.slice(last).map(({ title }) => title)
}

function partsOf(
  message: Readonly<Record<string, unknown>>,
): readonly { readonly text?: string; readonly url?: string }[] {
  return Array.isArray(message['parts']) ? message['parts'] : []
}

function filesIn(body: unknown): readonly Buffer[] {
  if (!isRecord(body) || !isRecord(body['message'])) return []
  return partsOf(body['message']).flatMap(({ url }) =>
    url === undefined ? [] : [Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')],
  )
}

/** Returns the SHA-256 of bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
