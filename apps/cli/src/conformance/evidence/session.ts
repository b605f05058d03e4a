import { type ChatId, createId, isChatId } from '@throughline/protocol'
import type { CheckedServer } from './checked-server.ts'

export interface CheckingOptions {
  readonly server: CheckedServer
  /** The address of the server, without a slash at its end. */
  readonly url: string
  readonly hasToken: boolean
  readonly hasOtherToken: boolean
  /** The agent to ask; `undefined` for the server's first one. */
  readonly agent?: string | undefined
  /** What to ask; `undefined` for the built-in questions. */
  readonly message?: string | undefined
  /** Whether to leave out the checks that only wait. */
  readonly isQuick: boolean
  /** How long something that the server has already may take to arrive, in milliseconds. */
  readonly patienceMs: number
}

/** One pass over a server: whom the checks ask, and the chats that they made. */
export class Session {
  readonly options: CheckingOptions
  readonly server: CheckedServer
  /** How long an agent may write nothing, in milliseconds. A model may think for a while. */
  readonly agentMs: number
  readonly #chats = new Set<ChatId>()

  constructor(options: CheckingOptions) {
    this.options = options
    this.server = options.server
    this.agentMs = Math.max(120_000, options.patienceMs)
  }

  /** Returns the id of a new chat. It is removed at the end, if it exists then. */
  newChat(): ChatId {
    const id = createId(isChatId, 'conformance')
    this.#chats.add(id)
    return id
  }

  /** Stops and deletes the chats that the checks have made. Returns those that could not be deleted. */
  async removeChats(server: CheckedServer): Promise<readonly ChatId[]> {
    const left = await Promise.all(
      [...this.#chats].map(async id => {
        // Whatever the server says to these two, the chat is gone, or it is one of those that are left.
        await server.request(`/api/chat/${id}/stop`, { body: {} }).catch(() => undefined)
        const reply = await server.request(`/api/chats/${id}`, { method: 'DELETE' }).catch(() => undefined)
        return reply?.status === 204 || reply?.status === 404 ? [] : [id]
      }),
    )
    return left.flat()
  }
}
