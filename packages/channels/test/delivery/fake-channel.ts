import {
  type ApprovalRequest,
  type Channel,
  ChannelError,
  type OutgoingMessage,
  type SendRequest,
  type ToolApproval,
} from '../../src/ports/channel.ts'
import type { StartTimer } from '../../src/ports/timers.ts'
import { Mortal } from './mortal.ts'

/** How the channel treats one request. */
export type Treatment =
  | 'taken'
  /** Not taken, but it may be tried again. With `busy` after 90 seconds. */
  | 'unavailable'
  | 'busy'
  /** Not taken, and it will never be. */
  | 'refused'
  /** Throws an error that is no `ChannelError`. */
  | 'broken'
  /** Taken, but the confirmation is lost. */
  | 'lost'
  /** Not taken, and no response until the signal aborts. */
  | 'silent'
  /** Not taken, and never a response. */
  | 'deaf'
  /** Taken, and confirmed after 20 seconds, when nobody waits any more. */
  | 'late'

export interface Shown {
  /** The run, and the number of the message in it. */
  readonly key: string
  /** Default: the same. */
  readonly wholeKey?: string
  readonly receipt: string
  readonly target: string
  /** The message as it was sent. `message` is the message after its edits. */
  readonly first: OutgoingMessage
  message: OutgoingMessage
}

/** A channel that shows each key once. The test says how it treats requests. */
export class FakeChannel {
  readonly maxChars: number
  readonly shown: Shown[] = []
  /** Every request, also those that were not taken. */
  readonly requests: SendRequest[] = []
  readonly edits: { readonly receipt: string; readonly text: string }[] = []
  readonly typings: string[] = []
  readonly problems: string[] = []
  readonly #canShowApprovals: boolean
  readonly #treatments: Treatment[]
  readonly #isRefused: (key: string) => boolean
  #underWay = 0
  mostAtOnce = 0

  constructor(
    options: {
      readonly maxChars?: number
      /** How the next requests are treated, in order. All later ones are taken. */
      readonly treatments?: readonly Treatment[]
      readonly isRefused?: (key: string) => boolean
      readonly canShowApprovals?: boolean
    } = {},
  ) {
    const { maxChars = 4_000, treatments = [], isRefused = () => false, canShowApprovals = true } = options
    this.#canShowApprovals = canShowApprovals
    this.maxChars = maxChars
    this.#treatments = [...treatments]
    this.#isRefused = isRefused
  }

  /** The channel as a process sees it. */
  of(startTimer: StartTimer, process = new Mortal()): Channel & Required<Pick<Channel, 'edit' | 'typing'>> {
    const treat = (request: Treated, show: () => string) =>
      process.call(() => this.#treat(request, { show, startTimer }))
    return {
      kind: 'fake',
      maxChars: this.maxChars,
      send: request => {
        this.requests.push(request)
        return treat({ signal: request.signal, key: request.idempotencyKey }, () => this.#show(request))
      },
      edit: async ({ receipt, message, signal }) => {
        await treat({ signal, key: '' }, () => this.#edit(receipt, message))
      },
      ...(this.#canShowApprovals && {
        showApproval: ({ approval, replyTo, receipt, ...request }: ApprovalRequest) =>
          treat({ signal: request.signal, key: request.idempotencyKey }, () =>
            this.#show({ ...request, message: { text: shownApproval(approval, receipt), replyTo } }),
          ),
      }),
      typing: async target => void this.typings.push(target),
    }
  }

  texts(): readonly string[] {
    return this.shown.map(({ message }) => message.text)
  }

  async #treat({ signal, key }: Treated, { show, startTimer }: Treating): Promise<string> {
    this.#underWay += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay)
    try {
      return await this.#respond({ signal, key }, { show, startTimer })
    } finally {
      this.#underWay -= 1
    }
  }

  async #respond({ signal, key }: Treated, { show, startTimer }: Treating): Promise<string> {
    signal.throwIfAborted()
    const treatment = this.#isRefused(numberIn(key)) ? 'refused' : (this.#treatments.shift() ?? 'taken')
    switch (treatment) {
      case 'taken':
        return show()
      case 'unavailable':
        throw new ChannelError('unavailable', 'Come back later.')
      case 'busy':
        throw new ChannelError('unavailable', 'Come back in 90 seconds.', 90_000)
      case 'refused':
        throw new ChannelError('refused', 'Never.')
      case 'broken':
        throw new TypeError('fetch failed')
      case 'lost':
        show()
        throw new ChannelError('unavailable', 'The connection broke.')
      case 'silent':
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      case 'deaf':
        return new Promise(() => {})
      case 'late': {
        const receipt = show()
        await new Promise<void>(resolve => startTimer(resolve, 20_000))
        return receipt
      }
    }
  }

  #show({ target, message, idempotencyKey: wholeKey }: SendRequest): string {
    const known = this.shown.find(shown => (shown.wholeKey ?? shown.key) === wholeKey)
    const key = numberIn(wholeKey)
    if (known !== undefined) {
      if (JSON.stringify(known.first) !== JSON.stringify(message))
        this.problems.push(`The key ${key} has come back with something else.`)
      return known.receipt
    }
    const receipt = `receipt of ${key}`
    this.shown.push({ key, wholeKey, receipt, target, first: message, message })
    return receipt
  }

  #edit(receipt: string, message: OutgoingMessage): string {
    const known = this.shown.find(shown => shown.receipt === receipt)
    if (known === undefined) throw new ChannelError('refused', `There is no message ${receipt}.`)
    known.message = { ...known.message, text: message.text }
    this.edits.push({ receipt, text: message.text })
    return receipt
  }
}

/** Returns what this channel shows for a tool call that waits, or has waited. */
export function shownApproval({ id, outcome }: ToolApproval, receipt: string | undefined): string {
  const asked = receipt === undefined ? 'nobody was asked' : 'asked before'
  return outcome === undefined
    ? `${id} waits`
    : `${id} is ${outcome.approved ? 'approved' : 'denied'}, ${asked}`
}

interface Treated {
  readonly signal: AbortSignal
  readonly key: string
}

interface Treating {
  readonly show: () => string
  readonly startTimer: StartTimer
}

/** Returns an idempotency key without the digest of the text. */
export function numberIn(key: string): string {
  return key.replace(/(\.\d+)\.[0-9a-f]{8}$/, '$1')
}
