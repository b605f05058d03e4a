import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import type { Environment, NamedModel } from '../provider-models.ts'
import { OpenCall } from './open-call.ts'
import { sentOptions } from './sent-options.ts'
import type { ModelThreadReply, ModelThreadRequest } from './thread-messages.ts'

/**
 * A thread that asks models and reads their answers. The packages of the providers need more time for a delta than the rest
 * of the server: HTTP, decompression, decryption, events, JSON, and about six web streams. In a thread of their own they
 * delay nobody else. The thread starts with the first model, and again when it has broken.
 */
export class ModelThread implements AsyncDisposable {
  readonly #env: Environment
  #thread: Worker | undefined
  readonly #calls = new Map<number, OpenCall>()
  #lastCall = 0

  /** `env` has the settings from which the models are made. */
  constructor(env: Environment) {
    this.#env = env
  }

  /** Returns a model whose streamed answers are read in the thread. `address` is that of the same model. */
  wrap(model: LanguageModelV4, address: NamedModel): LanguageModelV4 {
    this.#start()
    return {
      specificationVersion: model.specificationVersion,
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      // An answer in one piece is not worth the way to the thread.
      doGenerate: options => model.doGenerate(options),
      doStream: options => this.#ask(model, address, options),
    }
  }

  /** Ends the thread. Answers that are under way break off. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate()
  }

  async #ask(
    model: LanguageModelV4,
    address: NamedModel,
    { abortSignal, ...options }: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4StreamResult> {
    abortSignal?.throwIfAborted()
    this.#lastCall += 1
    const id = this.#lastCall
    const thread = this.#start()
    const send = (request: ModelThreadRequest) => thread.postMessage(request)
    try {
      send({ type: 'ask', call: id, model: address, options: sentOptions(options) })
    } catch {
      // The options have something that cannot be sent to a thread, such as a function.
      return model.doStream({ ...options, ...(abortSignal && { abortSignal }) })
    }
    const call = new OpenCall({
      abortSignal,
      tellTaken: count => send({ type: 'taken', call: id, count }),
      onEnd: isLeft => {
        if (isLeft) send({ type: 'abort', call: id })
        this.#forget(id)
      },
    })
    this.#calls.set(id, call)
    thread.ref()
    return call.answer()
  }

  #start(): Worker {
    if (this.#thread !== undefined) return this.#thread
    // The thread is TypeScript in the repository, and JavaScript in the package.
    const thread = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
      workerData: { ...this.#env },
      name: 'models',
    })
    this.#thread = thread
    // A process that has nothing else to do may end.
    thread.unref()
    thread.on('message', (reply: ModelThreadReply) => {
      // Under `node --watch`, Node itself sends other messages from the thread, about the files that it has loaded.
      if (reply.type !== 'events') return
      for (const event of reply.events) this.#calls.get(event.call)?.receive(event)
    })
    thread.on('error', error =>
      this.#breakOff(thread, `The thread that reads from the models broke: ${error.message}`),
    )
    thread.on('exit', () => this.#breakOff(thread, 'The thread that reads from the models has ended.'))
    return thread
  }

  /** Ends all calls. The next one starts a new thread. */
  #breakOff(thread: Worker, message: string): void {
    // A thread that breaks also ends. By then there may be a new one.
    if (this.#thread !== thread) return
    this.#thread = undefined
    for (const call of this.#calls.values()) call.breakOff(new Error(message))
  }

  #forget(id: number): void {
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#thread?.unref()
  }
}
