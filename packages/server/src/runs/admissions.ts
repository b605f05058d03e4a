import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'

/** One submission that is being admitted. */
export interface AdmissionUnderWay {
  /** Resolves when the run is active, or when there will be none. Never rejects. */
  readonly ended: Promise<void>
  isEnded: boolean
}

/** The submissions that are being admitted, in each chat. Their runs may be saved, but are not active yet. */
export class Admissions {
  readonly #byChat = new Map<LogName, Set<AdmissionUnderWay>>()

  /** Returns the admissions that are under way in a chat now. */
  of(chat: ChatKey): readonly AdmissionUnderWay[] {
    return [...(this.#byChat.get(logName(chat)) ?? [])]
  }

  /** Does the work of one admission, and keeps the admission until the work has ended, with success or not. */
  async during<Result>(chat: ChatKey, work: () => Promise<Result>): Promise<Result> {
    const name = logName(chat)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const admission: AdmissionUnderWay = { ended, isEnded: false }
    const inChat = this.#byChat.get(name) ?? new Set()
    this.#byChat.set(name, inChat.add(admission))
    try {
      return await work()
    } finally {
      admission.isEnded = true
      resolve()
      inChat.delete(admission)
      if (inChat.size === 0) this.#byChat.delete(name)
    }
  }
}
