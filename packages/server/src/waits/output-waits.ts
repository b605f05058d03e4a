import type { GivenOutput, OutputDesk } from '@throughline/agents/internal'
import { type ChatId, type OwnerId, randomHex } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { FoundApproval, Run } from '@throughline/store'
import { z } from 'zod'
import { type CallWaits, type CallWaitsOptions, inputHash } from './call-waits.ts'

/**
 * What became of an output. `given`: the call goes on with it; the same output again has the same result. `other`: the call
 * has got another one before. `over`: nobody waits for it any more.
 */
export type GiveResult = 'given' | 'other' | 'over' | 'too-large' | 'not-found'

/** Which call gets an output. */
export interface GivenTo {
  readonly ownerId: OwnerId
  /** The id of the request. */
  readonly id: string
  /** If given, the call must be of this chat. */
  readonly chatId?: ChatId
  /** What brought the output, such as the id of a message of a channel. It is kept with it. */
  readonly by?: string
}

/** What waiting for outputs needs. */
export interface OutputOptions extends CallWaitsOptions {
  readonly waits: CallWaits
  /** How large an output may be, in bytes of JSON. */
  readonly maxBytes: number
}

/**
 * The tool calls that wait for their outputs from outside: from the program that shows the chat, or from a person. An
 * output may be taken by any process that shares the store.
 */
export class OutputWaits {
  readonly #options: OutputOptions

  constructor(options: OutputOptions) {
    this.#options = options
  }

  /** Returns what the calls of one run use to ask for their outputs. */
  deskOf(run: Run): OutputDesk {
    const { store, now, waits } = this.#options
    return {
      open: async ({ input, from, ...call }) => {
        const hash = inputHash(input)
        const [earlier] = await store.approvals.outputsOfCall({ ...call, ...keyOf(run) })
        // The process that made the request has died. Somebody may have answered since.
        if (earlier?.runId === run.id && earlier.inputHash === hash && !isOver(earlier))
          return { id: earlier.id, given: waits.waitAgain(run, earlier.id).then(givenOf) }
        // Clients of OpenAI use it as the id of the call.
        const id = `call_${randomHex(16)}`
        const createdAt = now().toISOString()
        await store.approvals.open({
          ...call,
          ...keyOf(run),
          kind: from === 'person' ? 'question' : 'output',
          id,
          runId: run.id,
          inputHash: hash,
          createdAt,
        })
        store.signals.ring(run)
        return { id, given: waits.wait(run, id).then(givenOf) }
      },
      withdraw: async id => {
        const found = await waits.withdraw(run, id)
        return found?.status === 'answered' ? givenOf(found) : undefined
      },
    }
  }

  /** Takes the output of a call. It is saved before the call goes on. With a `chatId`, a call of another chat is not found. */
  async give({ ownerId, id, chatId, by }: GivenTo, given: GivenOutput): Promise<GiveResult> {
    const { store, now, waits, maxBytes } = this.#options
    const found = await store.approvals.find(ownerId, id)
    if (found === undefined || found.kind === 'approval') return 'not-found'
    if (found.chatId !== (chatId ?? found.chatId)) return 'not-found'
    const answer = answerText(given)
    if (Buffer.byteLength(answer) > maxBytes) return 'too-large'
    const at = now().toISOString()
    if (await store.approvals.settle(ownerId, id, { status: 'answered', answer, reason: by, at })) {
      await waits.tell({ ownerId, chatId: found.chatId }, id)
      return 'given'
    }
    const settled = await store.approvals.find(ownerId, id)
    if (settled?.status !== 'answered') return 'over'
    return settled.answer === answer ? 'given' : 'other'
  }
}

/** Returns an output as its record has it. Equal outputs have equal texts. */
export function answerText(given: GivenOutput): string {
  return JSON.stringify(given.type === 'error' ? given : { type: given.type, output: given.output ?? null })
}

function keyOf({ ownerId, chatId }: Run) {
  return { ownerId, chatId }
}

function isOver({ status }: FoundApproval): boolean {
  return status === 'expired' || status === 'void'
}

const givenSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('output'), output: z.unknown() }),
  z.object({ type: z.literal('error'), errorText: z.string() }),
])

function givenOf({ answer = '' }: FoundApproval): GivenOutput {
  const { data } = givenSchema.safeParse(parseJson(answer))
  if (data === undefined) return { type: 'error', errorText: 'The output could not be read.' }
  return data.type === 'output' ? { type: 'output', output: data.output } : data
}
