import type { Agent } from '@throughline/agents'
import { titleFromModel } from '@throughline/agents/internal'
import { type Message, textOf } from '@throughline/protocol'
import { limitConcurrency } from '@throughline/protocol/internal'
import { type Run, type Store, withPatience } from '@throughline/store'
import type { Logger } from 'pino'
import type { Answered } from '../engine/runner-options.ts'
import type { AgentSystem } from '../who/agent-system.ts'
import { modelOf } from '../who/asked-agent.ts'

/** What titles need. */
export interface TitleOptions {
  readonly store: Pick<Store, 'chats' | 'messages' | 'maxWaitMs'>
  readonly system: Pick<AgentSystem, 'defaultModel'>
  readonly logger: Logger
  /** Aborts when the server shuts down. */
  readonly closing: AbortSignal
}

/** How long the model may take, in milliseconds. */
const maxMs = 20_000
/** How many titles are made at once, and how many wait. Answers matter more: further chats keep their first words. */
const maxAtOnce = 2
const maxWaiting = 100

/**
 * Gives a chat a title that a model makes, once, after its first answer. Until then, and when anything fails, the chat is
 * called by the first words of its first message. A title that a person or an application gave is never replaced.
 */
export class ChatTitles {
  readonly #options: TitleOptions
  readonly #inTurn = limitConcurrency(maxAtOnce)
  #waiting = 0

  constructor(options: TitleOptions) {
    this.#options = options
  }

  /** To be called when an answer is saved. Does not wait for the title, and never throws. */
  onAnswer(run: Run, { agent, status }: Answered): void {
    const isFirst = run.afterSeq === 0 && run.kind === 'answer'
    if (!isFirst || status !== 'finished' || this.#waiting === maxWaiting) return
    const { store, logger, closing } = this.#options
    this.#waiting += 1
    const patience = { maxWaitMs: store.maxWaitMs, signal: closing }
    this.#inTurn(() => withPatience(patience, () => this.#give(run, agent)))
      .catch(error => {
        if (!closing.aborted)
          logger.warn({ err: error, chatId: run.chatId }, 'a chat got no title from the model')
      })
      .finally(() => {
        this.#waiting -= 1
      })
  }

  async #give(run: Run, agent: Agent): Promise<void> {
    const { store, system, closing } = this.#options
    if (closing.aborted) return
    // What people say to an agent with another model is not sent to ours.
    const model = modelOf(agent, system)
    const question = await store.messages.find(run, run.userMessageId)
    const answer = await store.messages.find(run, run.answerId)
    if (model === undefined || question === undefined || answer === undefined) return
    const firstWords = titleOf(question)
    if ((await store.chats.get(run))?.title !== firstWords) return
    const said = { question: textOf(question), answer: textOf(answer) }
    const signal = AbortSignal.any([closing, AbortSignal.timeout(maxMs)])
    const title = titleFrom(await titleFromModel(model, said, signal))
    if (title !== '') await store.chats.retitle(run, { from: firstWords, to: title })
  }
}

const maxTitleLength = 80

/** Returns the first title of a chat: the beginning of its first message, or the name of a file in it. */
export function titleOf(message: Message): string {
  return titleFrom(textOf(message) || fileNameIn(message))
}

/** Returns the beginning of a text, on one line. */
export function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= maxTitleLength ? line : `${characters.slice(0, maxTitleLength - 1).join('')}…`
}

/** Returns the name of the first file that has one, for a message without text. */
function fileNameIn({ parts }: Message): string {
  return parts.flatMap(part => (part.type === 'file' ? (part.filename ?? []) : []))[0] ?? ''
}
