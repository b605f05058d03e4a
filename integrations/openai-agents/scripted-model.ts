import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  type StreamEventResponseCompleted,
  Usage,
} from '@openai/agents'

/** One thing that a model does in a call. */
export type Beat =
  | { readonly type: 'say'; readonly text: string }
  /** Thinks. A model that streams tells it at once; otherwise it comes with the whole response. */
  | { readonly type: 'think'; readonly text: string; readonly isStreamed: boolean }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'refuse'; readonly text: string }
  /** Something else that the provider has done. */
  | { readonly type: 'item'; readonly item: OutputItem }
  | { readonly type: 'break'; readonly error: Error }
  /** Says nothing more until it is stopped. */
  | { readonly type: 'hang' }

/** What the model used in each call. */
export const usagePerCall = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  inputTokensDetails: { cached_tokens: 2 },
  outputTokensDetails: { reasoning_tokens: 1 },
}

/** A model of the SDK that plays one turn for each call. It streams as the SDK's own models do. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = []
  readonly #turns: readonly (readonly Beat[])[]

  constructor(...turns: readonly (readonly Beat[])[]) {
    this.#turns = turns
  }

  /** Agents that work as tools are not streamed. */
  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    for await (const event of this.getStreamedResponse(request)) {
      if (event.type !== 'response_done') continue
      return { usage: new Usage(usagePerCall), output: event.response.output }
    }
    throw new Error('The script has no response.')
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const turn = this.#turns[this.requests.length]
    this.requests.push(request)
    if (turn === undefined) throw new Error(`The script has no turn ${this.requests.length}.`)
    yield { type: 'response_started' }
    for (const beat of turn) {
      if (beat.type === 'break') throw beat.error
      if (beat.type === 'hang') await untilStopped(request.signal)
      if (beat.type === 'say')
        for (const delta of beat.text.split(/(?<= )/)) yield { type: 'output_text_delta', delta }
      if (beat.type === 'think' && beat.isStreamed)
        yield {
          type: 'model',
          event: { type: 'response.reasoning_summary_text.delta', delta: beat.text },
        }
    }
    yield {
      type: 'response_done',
      response: { id: `response-${this.requests.length}`, usage: usagePerCall, output: outputOf(turn) },
    }
  }
}

export function say(text: string): Beat {
  return { type: 'say', text }
}

export function call(name: string, input: unknown, id = `call-${name}`): Beat {
  return { type: 'call', id, name, input }
}

type OutputItem = StreamEventResponseCompleted['response']['output'][number]

function outputOf(turn: readonly Beat[]): OutputItem[] {
  return turn.flatMap(itemsOf)
}

function itemsOf(beat: Beat): readonly OutputItem[] {
  switch (beat.type) {
    case 'say':
      return [messageOf({ type: 'output_text', text: beat.text })]
    case 'refuse':
      return [messageOf({ type: 'refusal', refusal: beat.text })]
    case 'think':
      return [{ type: 'reasoning', content: [{ type: 'input_text', text: beat.text }] }]
    case 'call': {
      const { id: callId, name, input } = beat
      return [{ type: 'function_call', callId, name, arguments: JSON.stringify(input), status: 'completed' }]
    }
    case 'item':
      return [beat.item]
    case 'break':
    case 'hang':
      return []
  }
}

type Message = Extract<OutputItem, { role: 'assistant' }>

function messageOf(content: Message['content'][number]): Message {
  return { type: 'message', role: 'assistant', status: 'completed', content: [content] }
}

function untilStopped(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
