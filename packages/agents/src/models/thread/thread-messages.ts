import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import type { NamedModel } from '../provider-models.ts'
import type { SentError } from './sent-error.ts'

// What the thread of the models and its owner send each other.

/** What the owner sends. */
export type ModelThreadRequest =
  /** Asks a model. The options are in the form of `sentOptions`. */
  | {
      readonly type: 'ask'
      readonly call: number
      readonly model: NamedModel
      readonly options: CallOptions
    }
  /** Parts of the call were read, so that more may come. */
  | { readonly type: 'taken'; readonly call: number; readonly count: number }
  | { readonly type: 'abort'; readonly call: number }

/** What the model is asked. Only the owner has the signal: when it is aborted, the owner sends `abort`. */
export type CallOptions = Omit<LanguageModelV4CallOptions, 'abortSignal'>

/** What the thread sends: everything that has happened in one turn of its event loop, in order. */
export interface ModelThreadReply {
  readonly type: 'events'
  readonly events: readonly CallEvent[]
}

/** What has happened to a call. The answer begins, goes on part by part, and ends or fails. */
export type CallEvent =
  | { readonly call: number; readonly response: LanguageModelV4StreamResult['response'] }
  | { readonly call: number; readonly part: LanguageModelV4StreamPart }
  /** A part whose value is an error. */
  | { readonly call: number; readonly errorPart: SentError }
  | { readonly call: number; readonly failure: SentError }
  | { readonly call: number; readonly isEnd: true }

/** At most this many parts of a call are under way to the owner. Then the thread waits until the owner has read some. */
export const maxPartsUnderWay = 256
