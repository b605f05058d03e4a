import type { Agent, AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { AgUiReader } from './ag-ui-reader.ts'
import { AiSdkReader } from './ai-sdk-reader.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import type { FormReader, ReaderOptions } from './form-reader.ts'
import { OpenAiReader } from './openai-reader.ts'
import { readStream } from './read-stream.ts'
import { type RemoteService, remoteService } from './remote-service.ts'
import { agUiBody, aiSdkBody, openAiBody, type RequestBody } from './request-bodies.ts'
import { serviceBytes } from './service-bytes.ts'
import { type SseMessage, sseMessages } from './sse-messages.ts'
import { throughlineMessages } from './throughline-messages.ts'

/** The options of `remoteAgent`. `name`, `url` and `form` are needed. */
export interface RemoteAgentOptions {
  /** Unique, and part of what is saved: letters, digits, `_`, `.`, `:` and `-`. */
  readonly name: string
  /** The name that people read; `name` by default. */
  readonly displayName?: string | undefined
  /** What it can do. People read it, and so do models that choose an agent to delegate to. */
  readonly description?: string | undefined
  /** What a person could ask first. Pages offer these. */
  readonly examples?: readonly string[] | undefined
  /** Where the service takes a question. Private addresses are allowed. */
  readonly url: string
  /** What the service speaks. */
  readonly form: RemoteFormName
  /** Sent with every request. May have secrets: they are in no error and in no log. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** More fields of the request's body, such as `{ model: '…' }`. A field here replaces ours of the same name. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** How long the service may send nothing, in milliseconds, up to 300,000; 120,000 by default. */
  readonly maxSilenceMs?: number | undefined
  /** For `throughline`: how long to try to continue a broken connection, in milliseconds; 15,000 by default. */
  readonly reconnectMs?: number | undefined
}

/**
 * What a service speaks: UI-message chunks of the AI SDK, chat completions of OpenAI, AG-UI, or `/api/chat` of another
 * Throughline.
 */
export type RemoteFormName = 'ai-sdk' | 'openai' | 'ag-ui' | 'throughline'

/**
 * Returns an agent whose answers a service writes. The service runs its own tools, and their calls are shown. When the
 * service breaks off, the answer ends as failed, and the text so far is kept. Throws a `TypeError` when an option cannot
 * work.
 *
 * @public
 */
export function remoteAgent({ form, ...options }: RemoteAgentOptions): Agent {
  const { name, description, examples } = options
  const displayName = options.displayName || name
  const service = remoteService({ ...options, displayName })
  if (!Object.hasOwn(forms, form))
    throw new TypeError(`remoteAgent "${name}": form must be one of ${Object.keys(forms).join(', ')}.`)
  const run = (request: AgentRequest) => runRemote(service, forms[form], request)
  return { name, displayName, description, examples, run }
}

async function* runRemote(
  service: RemoteService,
  { open, createReader }: RemoteForm,
  { messages, signal, countUsage }: AgentRequest,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { errors, name } = service
  const stream = open(service, conversationOf(name, messages), signal)
  for await (const event of readStream(stream, createReader({ errors, provider: name }), errors)) {
    if (event.type === 'usage') countUsage?.(event.model, event.counts)
    else yield event
  }
}

interface RemoteForm {
  readonly open: (
    service: RemoteService,
    conversation: Conversation,
    signal: AbortSignal,
  ) => AsyncIterable<SseMessage>
  readonly createReader: (options: ReaderOptions) => FormReader
}

const forms: Readonly<Record<RemoteFormName, RemoteForm>> = {
  'ai-sdk': { open: posting(aiSdkBody), createReader: options => new AiSdkReader(options) },
  openai: { open: posting(openAiBody), createReader: options => new OpenAiReader(options) },
  'ag-ui': { open: posting(agUiBody), createReader: options => new AgUiReader(options) },
  throughline: {
    open: throughlineMessages,
    createReader: options => new AiSdkReader({ ...options, isModelText: false }),
  },
}

function posting(bodyOf: (conversation: Conversation) => RequestBody): RemoteForm['open'] {
  return (service, conversation, signal) => {
    const body = { ...bodyOf(conversation), ...service.body }
    const bytes = serviceBytes(service, { method: 'POST', url: service.url, body, signal })
    return sseMessages(bytes, service.errors)
  }
}
