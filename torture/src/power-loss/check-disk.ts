import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isRecord } from '@throughline/protocol'
import type { Violation } from '@throughline/protocol/history'
import type { WebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { HttpClient } from '@throughline/testing/http/http-client'
import type { ChatReading } from '@throughline/testing/http/read-chat'
import { type CheckedChat, checkChat } from '../scenarios/check-chat.ts'
import { addTallies, emptyTally, type Tally } from '../scenarios/tally.ts'
import { checkChannel } from './check-channel.ts'
import { hashOf, type Known, type KnownChat } from './known-chats.ts'
import { type RecordedServer, startRecordedServer } from './recorded-server.ts'

/** How long a run may go on after the restart before it counts as left running. */
const patienceMs = 20_000

/**
 * Starts a server on a data folder, or on a backup, and compares everything in it with what people know. With a receiver,
 * the server also brings to it what the channel has not delivered yet.
 */
export async function checkDisk(folder: string, known: Known, receiver?: WebhookReceiver): Promise<Tally> {
  let server: RecordedServer
  try {
    server = await startRecordedServer(folder, receiver?.url)
  } catch (error) {
    return found({
      kind: 'lost',
      invariant: 'A8',
      chatId: 'all',
      detail: `The server does not start: ${error}`,
    })
  }
  using client = new HttpClient(server.url)
  const tallies: Tally[] = []
  try {
    const options = { client, patienceMs }
    for (const chat of known.chats) {
      if (chat.removal === 'done') tallies.push(await checkRemoved(chat, client))
      else {
        tallies.push((await checkChat(checkedChat(chat), options)) ?? found(gone(chat)))
        tallies.push(await checkTitle(chat, client))
        // A backup may lack the files of a chat that was deleted meanwhile.
        if (receiver !== undefined || chat.removal === 'none')
          tallies.push(await checkFiles(chat, known, server.url))
      }
    }
    if (receiver !== undefined) tallies.push(await checkChannel(known, { client, receiver }))
  } finally {
    await server[Symbol.asyncDispose]()
  }
  return addTallies([...tallies, checkDatabase(folder, known)])
}

function found(violation: Violation): Tally {
  return { ...emptyTally, violations: [violation] }
}

function gone({ id }: KnownChat): Violation {
  return { kind: 'other', invariant: 'E4', chatId: id, detail: 'The server does not respond.' }
}

/**
 * Returns a chat for the checks of all scenarios. The folder is a copy, and a copy may be another generation of the store:
 * the epochs of its logs may differ. Entries are compared under their numbers.
 */
function checkedChat(chat: KnownChat): CheckedChat {
  return {
    id: chat.id,
    isKnown: chat.removal === 'none' && chat.submissions.some(({ accepted }) => accepted.length > 0),
    history: (reading, isRunning) => ({
      chatId: chat.id,
      saved: { log: reading.log, messages: reading.messages, isRunning },
      submissions: chat.submissions,
      viewers: chat.sightings.map(({ after, bytes }) => {
        const sighting = {
          after: `${epochOf(reading)}.${after.slice(after.lastIndexOf('.') + 1)}`,
          bytes: bytes.replaceAll(/^id: \S+\.(?=\d+$)/gm, `id: ${epochOf(reading)}.`),
        }
        return { sightings: [sighting], hasStayed: false }
      }),
      stops: chat.stops,
    }),
    settle: () => undefined,
  }
}

function epochOf({ position }: Extract<ChatReading, { type: 'chat' }>): string {
  return position.slice(0, position.lastIndexOf('.'))
}

async function checkRemoved({ id }: KnownChat, client: HttpClient): Promise<Tally> {
  const reply = await client.get(`/api/chats/${id}/messages`)
  if (reply.type === 'response' && reply.status === 404) return emptyTally
  return found({ kind: 'other', invariant: 'E4', chatId: id, detail: 'The chat was deleted, and is there.' })
}

async function checkTitle({ id, titles }: KnownChat, client: HttpClient): Promise<Tally> {
  if (titles.length === 0) return emptyTally
  const reply = await client.get(`/api/chats/${id}`)
  if (reply.type !== 'response' || reply.status !== 200) return emptyTally
  const chat: unknown = JSON.parse(reply.body)
  const title = isRecord(chat) ? String(chat['title']) : ''
  if (titles.includes(title)) return emptyTally
  const detail = `The chat was named ${titles.join(' or ')}, and its name is ${title}.`
  return found({ kind: 'lost', invariant: 'C2', chatId: id, detail })
}

/** Every file that a message names is there, with the bytes that somebody has brought. */
async function checkFiles({ id }: KnownChat, { fileHashes }: Known, url: string): Promise<Tally> {
  const messages = await (await fetch(`${url}/api/chats/${id}/messages?branches=all`)).text()
  const addresses = new Set(messages.match(/\/api\/chats\/[^"/]+\/files\/[^"/]+/g))
  const tallies: Tally[] = []
  for (const address of addresses) {
    const response = await fetch(`${url}${address}`)
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (response.status === 200 && fileHashes.has(hashOf(bytes))) continue
    const detail = `The file ${address} is ${response.status}, with ${bytes.length} bytes that nobody has brought.`
    tallies.push(found({ kind: 'lost', invariant: 'C3', chatId: id, detail }))
  }
  return addTallies([...tallies, { ...emptyTally, notes: { files: addresses.size } }])
}

function checkDatabase(folder: string, { approved }: Known): Tally {
  using database = new DatabaseSync(`${folder}/throughline.sqlite`)
  const result = database.prepare('pragma integrity_check').get()?.['integrity_check']
  if (result !== 'ok')
    return found({ kind: 'wrong-bytes', invariant: 'A8', chatId: 'all', detail: `The database: ${result}` })
  const status = database.prepare('select status from approvals where id = ?')
  const lost = approved.find(id => status.get(id)?.['status'] !== 'approved')
  if (lost === undefined) return emptyTally
  return found({
    kind: 'lost',
    invariant: 'F5',
    chatId: 'all',
    detail: `Nobody knows that ${lost} was approved.`,
  })
}

/**
 * A file has a row, or a note that it has no row yet, or else nobody would ever delete it. Only for the folder of a server
 * that was checked: it has finished the removals that were under way. A backup may have files that came during the copy.
 */
export async function checkLeftFiles(folder: string): Promise<Tally> {
  using database = new DatabaseSync(`${folder}/throughline.sqlite`, { readOnly: true })
  const rows = database.prepare('select id from files union select id from unsaved_files').all()
  const known = new Set(rows.map(({ id }) => String(id)))
  const removed = database.prepare('select id from chats where removed_at is not null').all()
  const names = await readdir(`${folder}/files`, { recursive: true }).catch(() => [])
  const left = names.find(name => /file_\w+$/.test(name) && !known.has(basename(name)))
  if (left === undefined || removed.length > 0) return emptyTally
  return found({ kind: 'other', invariant: 'E2', chatId: 'all', detail: `Nobody knows of the file ${left}.` })
}
