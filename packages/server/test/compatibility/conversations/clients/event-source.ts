import { emptyChat, fold, messagesOf, parseEntry } from '@throughline/protocol'
import { submit } from '@throughline/testing/http/chat-requests'
import { readAsStock } from '@throughline/testing/http/read-chunks'
import { z } from 'zod'
import { chatId } from '../../client.ts'
import { type OpenSource, toldIn } from '../../event-source-client.ts'
import { readUiMessages, savedInUiMessages } from '../../readers/ui-messages.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'

/** Follows the log of the chat from its beginning. */
export function logTalker(open: OpenSource): Talker {
  const path = `/api/chats/${chatId}/log`
  return sourceTalker({ open, path: () => path, read: async events => stateOfLog(events) })
}

/** Follows one run, to its `[DONE]`: the one of the question, or the one that is going on. */
export function streamTalker(open: OpenSource): Talker {
  const path = `/api/chat/${chatId}/stream?subAgents=separate&approvals=wait`
  return sourceTalker({
    open,
    path: position => (position === undefined ? path : `${path}&after=${position}`),
    read: stateOfRun,
  })
}

interface Source {
  readonly open: OpenSource
  /** Where to read, after the position that a question was given. */
  readonly path: (position?: string) => string
  readonly read: (events: readonly string[]) => Promise<TalkState>
}

function sourceTalker(source: Source): Talker {
  return {
    open: async place => new SourceTalk(source, place),
    async openAgain(place) {
      const talk = new SourceTalk(source, place)
      await talk.follow()
      return talk
    },
  }
}

const acceptedSchema = z.object({ position: z.string() })

class SourceTalk implements Talk {
  readonly screen = new Screen<TalkState>()
  readonly #source: Source
  readonly #place: Place
  #sending: Promise<void> | undefined
  #close: (() => Promise<void>) | undefined

  constructor(source: Source, place: Place) {
    this.#source = source
    this.#place = place
  }

  /** An `EventSource` cannot send: the question is a request beside it. */
  send(text: string): void {
    this.#sending = this.#send(text)
  }

  async follow(position?: string): Promise<void> {
    await this.#close?.()
    let events: readonly string[] = []
    this.#close = await this.#source.open(`${this.#place.url}${this.#source.path(position)}`, data => {
      events = [...events, data]
      const shown = events
      void this.#source.read(shown).then(state => {
        // Reading takes a while, and more may have come.
        if (shown === events) this.screen.show(state)
      })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A conversation can be over before the source is open: only then is there something to close.
    await this.#sending
    await this.#close?.()
  }

  async #send(text: string): Promise<void> {
    const accepted = await submit(this.#place.url, { chatId, messageId: crypto.randomUUID(), text })
    const { position } = acceptedSchema.parse(await accepted.json())
    await this.follow(position)
  }
}

function stateOfLog(events: readonly string[]): TalkState {
  const entries = events.map(data => {
    const parsed = parseEntry(data)
    if (parsed.type === 'invalid') throw new Error(parsed.problem)
    return parsed.entry
  })
  const messages = messagesOf(entries.reduce(fold, emptyChat()))
  return {
    transcript: savedInUiMessages(messages),
    isBusy: messages.some(({ metadata }) => metadata?.status === 'streaming'),
  }
}

async function stateOfRun(events: readonly string[]): Promise<TalkState> {
  const told = events.filter(data => data !== '[DONE]').map(toldIn)
  const answer = told.filter(({ messageId }) => messageId === 'answer').map(({ chunk }) => chunk)
  const { message } = await readAsStock(answer)
  const isBusy = told.length === events.length
  return { transcript: readUiMessages({ messages: message === undefined ? [] : [message], isBusy }), isBusy }
}
