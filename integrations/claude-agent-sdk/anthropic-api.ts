import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

/** One response of the API: what the model says, an error, or words after which nothing more comes. */
export type Turn =
  | readonly Block[]
  | { readonly status: number; readonly type: string }
  | { readonly hangsAfter: readonly Block[]; readonly hasLeft?: () => void }

export interface AnthropicApi extends AsyncDisposable {
  readonly url: string
  /** The bodies of the requests for messages, as JSON texts. */
  readonly requests: readonly string[]
}

/** Starts an API of Anthropic on a real socket. Its model does this in its calls, one after the other. */
export async function startAnthropicApi(turns: readonly Turn[]): Promise<AnthropicApi> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    // Claude Code asks for other things, too, and does without them.
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? '')) {
      response.writeHead(404).end('{}')
      return
    }
    const body: unknown = await json(request)
    const turn = turns[requests.length] ?? { status: 400, type: 'invalid_request_error' }
    requests.push(JSON.stringify(body))
    respond(response, turn, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function respond(response: ServerResponse, turn: Turn, count: number): void {
  if ('status' in turn) {
    response.writeHead(turn.status, { 'content-type': 'application/json', 'x-should-retry': 'false' })
    response.end(JSON.stringify({ type: 'error', error: { type: turn.type, message: 'Refused.' } }))
    return
  }
  const hangs = 'hangsAfter' in turn
  const blocks = hangs ? turn.hangsAfter : turn
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = [messageStart(count), ...blocks.flatMap(blockEvents), ...(hangs ? [] : messageEnd(blocks))]
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  if (hangs) response.on('close', () => turn.hasLeft?.())
  else response.end()
}

function messageStart(count: number) {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 4,
    output_tokens: 1,
  }
  const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' }
  return {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
  }
}

function blockEvents(block: Block, index: number) {
  return [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block).map(delta => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function emptied(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'tool_use':
      return { ...block, input: {} }
  }
}

function deltasOf(block: Block): readonly object[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text_delta', text: block.text }]
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  }
}

function messageEnd(blocks: readonly Block[]) {
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
  return [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
}
