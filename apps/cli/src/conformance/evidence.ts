import { type RecordedAnswer, recordAnswer } from './recorded-answer.ts'
import { type RecordedLog, readLog } from './recorded-log.ts'
import type { Session } from './session.ts'
import { type SubmittedTwice, submitTwice } from './submit-twice.ts'

/** What several checks look at. Each piece is fetched once, when the first check needs it: agents cost money. */
export class Evidence {
  readonly #session: Session
  #answer: Promise<RecordedAnswer> | undefined
  #log: Promise<RecordedLog> | undefined
  #twice: Promise<SubmittedTwice> | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** The first answer. */
  answer(): Promise<RecordedAnswer> {
    this.#answer ??= recordAnswer(this.#session)
    return this.#answer
  }

  /** The log of the chat with the first answer, as it was when the answer had ended. */
  log(): Promise<RecordedLog> {
    this.#log ??= this.answer().then(({ chatId }) => readLog(this.#session, chatId))
    return this.#log
  }

  /** The second question, which is sent twice at once. */
  twice(): Promise<SubmittedTwice> {
    this.#twice ??= submitTwice(this.#session)
    return this.#twice
  }
}
