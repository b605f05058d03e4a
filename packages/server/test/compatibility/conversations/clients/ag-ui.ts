import { randomUUID } from 'node:crypto'
import { HttpAgent } from '@ag-ui/client'
import type { Message } from '@ag-ui/core'
import {
  agUiMessagesFrom,
  type SavedMessage,
} from '../../../../../../integrations/player/ag-ui-messages-from.ts'
import { chatId } from '../../client.ts'
import { fetchBrokenAs } from '../../fetch-broken-as.ts'
import { readAgUi } from '../../readers/ag-ui-messages.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { savedMessages } from './saved-messages.ts'

export const agUiTalker: Talker = {
  open: async place => new AgUi(place, []),
  async openAgain(place) {
    const saved = await savedMessages<SavedMessage>(place.url)
    const talk = new AgUi(place, agUiMessagesFrom(saved))
    // A question without an answer: it is being written. Asked again, the same answer comes from its beginning.
    if (saved.at(-1)?.role === 'user') talk.resume()
    return talk
  },
}

class AgUi implements Talk {
  readonly screen = new Screen<TalkState>()
  readonly #agent: HttpAgent
  #outcome: string | undefined

  constructor({ url }: Place, initialMessages: Message[]) {
    this.#agent = new HttpAgent({
      // AG-UI messages do not say the name of a sub-agent, so the page could not show it after it is loaded again.
      url: `${url}/ag-ui?subAgents=hidden`,
      threadId: chatId,
      // Of any other failure the client makes a rejection that nobody can handle, and that ends a Node process.
      fetch: fetchBrokenAs(() => new DOMException('The connection broke.', 'AbortError')),
      initialMessages,
    })
    this.#agent.subscribe({
      onMessagesChanged: () => this.#show(),
      onRunFinishedEvent: ({ outcome }) => {
        this.#outcome = outcome
      },
    })
    this.#show()
  }

  send(text: string): void {
    this.#run([...this.#agent.messages, question(text)])
  }

  edit(number: number, text: string): void {
    this.#run([...this.#agent.messages.slice(0, this.#questions()[number]), question(text)])
  }

  regenerate(): void {
    const last = this.#questions().at(-1) ?? 0
    this.#run(this.#agent.messages.slice(0, last + 1), { throughline: { trigger: 'regenerate-message' } })
  }

  stop(): void {
    this.#agent.abortRun()
  }

  resume(): void {
    this.#run(this.#agent.messages)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.abortRun()
  }

  /** Where the questions stand among the messages. */
  #questions(): readonly number[] {
    return this.#agent.messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  }

  #run(messages: readonly Message[], forwardedProps: Record<string, unknown> = {}): void {
    this.#outcome = undefined
    this.#agent.setMessages([...messages])
    const ended = this.#agent.runAgent({ forwardedProps })
    this.#show()
    // A person who leaves makes the run reject. What has come until then stays in the agent.
    void ended.catch(() => undefined).finally(() => this.#show())
  }

  #show(): void {
    const { messages, isRunning: isBusy } = this.#agent
    const transcript = readAgUi({ messages, isBusy, more: { outcome: this.#outcome } })
    this.screen.show({ transcript, isBusy })
  }
}

function question(content: string): Message {
  return { id: randomUUID(), role: 'user', content }
}
