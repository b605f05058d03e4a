import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { EventBatch } from './event-batch.ts'
import { sentError } from './sent-error.ts'
import { receivedOptions } from './sent-options.ts'
import { type CallOptions, maxPartsUnderWay } from './thread-messages.ts'

/** A call of a model, in the thread of the models. */
export class ServedCall {
  readonly #call: number
  readonly #batch: EventBatch
  readonly #end = new AbortController()
  #underWay = 0
  /** Set while the call waits until its owner has read some parts. */
  #room: PromiseWithResolvers<void> | undefined

  constructor(call: number, batch: EventBatch) {
    this.#call = call
    this.#batch = batch
  }

  /** Asks the model, and sends its answer to the owner. Never rejects. */
  async run(model: () => LanguageModelV4, options: CallOptions): Promise<void> {
    const call = this.#call
    try {
      const abortSignal = this.#end.signal
      const { stream, response } = await model().doStream({ ...receivedOptions(options), abortSignal })
      // Not the request: it is as long as the chat, and nobody asks for it.
      this.#batch.add({ call, response })
      await this.#sendParts(stream.getReader())
      this.#batch.add({ call, isEnd: true })
    } catch (error) {
      this.#batch.add({ call, failure: sentError(error) })
    }
  }

  /** The owner has read some parts. */
  taken(count: number): void {
    this.#underWay -= count
    this.#room?.resolve()
    this.#room = undefined
  }

  abort(): void {
    this.#end.abort()
    this.#room?.resolve()
  }

  async #sendParts(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>): Promise<void> {
    const call = this.#call
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const isError = value.type === 'error'
      this.#batch.add(isError ? { call, errorPart: sentError(value.error) } : { call, part: value })
      this.#underWay += 1
      while (this.#underWay >= maxPartsUnderWay && !this.#end.signal.aborted) await this.#untilRoom()
      if (this.#end.signal.aborted) return reader.cancel()
    }
  }

  #untilRoom(): Promise<void> {
    this.#room = Promise.withResolvers()
    return this.#room.promise
  }
}
