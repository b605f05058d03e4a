import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseChatModelCallOptions } from '@langchain/core/language_models/chat_models'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type AIMessageChunkFields, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'

type ChunkFields = Pick<AIMessageChunkFields, 'content' | 'tool_call_chunks'>

/** One call of the model: chunks, or a generator that yields chunks and may wait for the test or throw. */
export type Turn = readonly ChunkFields[] | (() => AsyncIterable<ChunkFields>)

/** A chat model that streams what it is told to. It reads from the conversation which of its turns comes next. */
export class ScriptedChatModel extends BaseChatModel {
  /** What the model was asked, call by call. */
  readonly prompts: (readonly BaseMessage[])[] = []
  readonly signals: (AbortSignal | undefined)[] = []
  readonly #turns: readonly Turn[]

  constructor(turns: readonly Turn[], { isStreaming = true } = {}) {
    super({ disableStreaming: !isStreaming })
    this.#turns = turns
  }

  _llmType(): string {
    return 'scripted'
  }

  override getLsParams() {
    return { ls_model_type: 'chat', ls_provider: 'test', ls_model_name: 'scripted' } as const
  }

  override bindTools(): this {
    return this
  }

  async _generate(messages: BaseMessage[], options: BaseChatModelCallOptions): Promise<ChatResult> {
    const chunks = await Array.fromAsync(this._streamResponseChunks(messages, options))
    const { text, message } = chunks.reduce((whole, chunk) => whole.concat(chunk))
    return { generations: [{ text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: BaseChatModelCallOptions,
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.prompts.push(messages)
    this.signals.push(options.signal)
    const question = messages.findLastIndex(message => message.getType() === 'human')
    const step = messages.slice(question).filter(message => message.getType() === 'ai').length
    const turn = this.#turns[step]
    if (turn === undefined) throw new Error(`There is no turn ${step}.`)
    for await (const fields of typeof turn === 'function' ? turn() : turn) {
      const chunk = new ChatGenerationChunk({
        text: typeof fields.content === 'string' ? fields.content : '',
        message: new AIMessageChunk(fields),
      })
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
    const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    const last = Object.assign(new AIMessageChunk({ content: '' }), { usage_metadata })
    yield new ChatGenerationChunk({ text: '', message: last })
  }
}

export function saying(text: string): ChunkFields {
  return { content: text }
}

/** The provider's own form of reasoning. */
export function thinking(reasoning: string): ChunkFields {
  return { content: [{ type: 'reasoning', reasoning, index: 0 }] }
}

/** The input of a call comes in pieces, as from a real provider. */
export function calling(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { id = `call-${name}`, index = 0 } = {},
): readonly ChunkFields[] {
  const text = JSON.stringify(args)
  const half = Math.floor(text.length / 2)
  return [
    { content: '', tool_call_chunks: [{ type: 'tool_call_chunk', id, name, args: '', index }] },
    { content: '', tool_call_chunks: [{ type: 'tool_call_chunk', args: text.slice(0, half), index }] },
    { content: '', tool_call_chunks: [{ type: 'tool_call_chunk', args: text.slice(half), index }] },
  ]
}
