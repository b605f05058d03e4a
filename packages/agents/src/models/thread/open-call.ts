import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from '@ai-sdk/provider'
import { receivedError } from './sent-error.ts'
import { type CallEvent, maxPartsUnderWay } from './thread-messages.ts'

interface OpenCallOptions {
  readonly abortSignal: AbortSignal | undefined
  /** Tells the thread that parts were read. */
  readonly tellTaken: (count: number) => void
  /** Is called once, when the call is over. `isLeft` is true when the thread does not know it yet. */
  readonly onEnd: (isLeft: boolean) => void
}

/** A call of a model, for those who wait for its answer. The thread of the models tells what happens to it. */
export class OpenCall {
  readonly #options: OpenCallOptions
  readonly #response = Promise.withResolvers<LanguageModelV4StreamResult['response']>()
  readonly #stream: ReadableStream<LanguageModelV4StreamPart>
  #controller: ReadableStreamDefaultController<LanguageModelV4StreamPart> | undefined
  #received = 0
  #reported = 0
  #isOver = false
  readonly #leave = () => this.#fail(this.#options.abortSignal?.reason, true)

  constructor(options: OpenCallOptions) {
    this.#options = options
    this.#stream = new ReadableStream<LanguageModelV4StreamPart>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: controller => this.#tellTaken(controller),
        cancel: () => this.#over(true),
      },
      { highWaterMark: maxPartsUnderWay },
    )
    options.abortSignal?.addEventListener('abort', this.#leave, { once: true })
  }

  /** Resolves when the answer begins. Rejects when the model cannot be asked. */
  async answer(): Promise<LanguageModelV4StreamResult> {
    const response = await this.#response.promise
    return { stream: this.#stream, ...(response && { response }) }
  }

  /** Takes what the thread says. */
  receive(event: CallEvent): void {
    if (this.#isOver) return
    if ('part' in event) return this.#put(event.part)
    if ('errorPart' in event) return this.#put({ type: 'error', error: receivedError(event.errorPart) })
    if ('response' in event) return this.#response.resolve(event.response)
    if ('failure' in event) return this.#fail(receivedError(event.failure), false)
    this.#controller?.close()
    this.#over(false)
  }

  /** The thread has ended. */
  breakOff(error: Error): void {
    this.#fail(error, false)
  }

  #put(part: LanguageModelV4StreamPart): void {
    this.#received += 1
    this.#controller?.enqueue(part)
  }

  /** Is called by the stream whenever a part was read. The thread is told now and then: each message costs a wake-up. */
  #tellTaken(controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): void {
    const unread = maxPartsUnderWay - (controller.desiredSize ?? 0)
    const taken = this.#received - unread - this.#reported
    if (taken < maxPartsUnderWay / 2 || this.#isOver) return
    this.#reported += taken
    this.#options.tellTaken(taken)
  }

  #fail(error: unknown, isLeft: boolean): void {
    if (this.#isOver) return
    this.#response.reject(error)
    this.#controller?.error(error)
    this.#over(isLeft)
  }

  #over(isLeft: boolean): void {
    this.#isOver = true
    this.#options.abortSignal?.removeEventListener('abort', this.#leave)
    this.#options.onEnd(isLeft)
  }
}
