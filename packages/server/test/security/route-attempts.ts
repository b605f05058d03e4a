import { defaultAgents, type TestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { createServices } from '../../src/create-services.ts'
import { createApp } from '../../src/http/app.ts'
import { TokenTable } from '../../src/http/sign-in/token-table.ts'

/** A request for one route. */
export interface Attempt {
  readonly path: string
  readonly body?: unknown
}

/** What has no name that a client chooses. */
export interface Ids {
  readonly fileId: string
  readonly runId: string
  readonly shareKey: string
}

export const unknownIds: Ids = {
  fileId: `file_${'0'.repeat(32)}`,
  runId: `run_${'0'.repeat(32)}`,
  shareKey: '0'.repeat(40),
}

/**
 * Every route that exists, with a request that names a chat, or what else has that name. A new route fails the tests of
 * owners and of silence until it is here.
 */
export const attempts: Readonly<Record<string, (chatId: string, ids: Ids) => Attempt>> = {
  'GET /health': () => ({ path: '/health' }),
  'GET /ready': () => ({ path: '/ready' }),
  'GET /api/status': () => ({ path: '/api/status' }),
  'GET /api/usage': () => ({ path: '/api/usage' }),
  'GET /api/agents': () => ({ path: '/api/agents' }),
  'GET /api/agents/:name': name => ({ path: `/api/agents/${name}` }),
  'PUT /api/agents/:name': name => ({ path: `/api/agents/${name}`, body: definition('Mine.') }),
  'DELETE /api/agents/:name': name => ({ path: `/api/agents/${name}` }),
  'GET /api/tools': () => ({ path: '/api/tools' }),
  'GET /api/connections': () => ({ path: '/api/connections' }),
  'POST /api/connections/:name/sign-in': name => ({
    path: `/api/connections/${name}/sign-in`,
    body: { redirectUrl: 'http://localhost/connected/x' },
  }),
  'POST /api/connections/:name/finish': name => ({
    path: `/api/connections/${name}/finish`,
    body: { state: 'x' },
  }),
  'DELETE /api/connections/:name': name => ({ path: `/api/connections/${name}` }),
  'POST /api/approvals/:id': id => ({ path: `/api/approvals/${id}`, body: { approved: true } }),
  'POST /api/outputs/:id': id => ({ path: `/api/outputs/${id}`, body: { output: 'mine' } }),
  'POST /api/chat': chatId => ({ path: '/api/chat', body: question(chatId) }),
  'POST /api/v1/console/playground/agent/stream': chatId => ({
    path: '/api/v1/console/playground/agent/stream',
    body: question(chatId),
  }),
  'GET /api/chat': chatId => ({ path: `/api/chat?chatId=${chatId}` }),
  'GET /api/chat/:id/stream': chatId => ({ path: `/api/chat/${chatId}/stream` }),
  'POST /api/chat/:id/stop': chatId => ({ path: `/api/chat/${chatId}/stop`, body: {} }),
  'GET /api/chats': () => ({ path: '/api/chats' }),
  'GET /api/chats-stream': () => ({ path: '/api/chats-stream' }),
  'POST /api/chats': chatId => ({ path: '/api/chats', body: { id: chatId, title: 'Mine' } }),
  'GET /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}` }),
  'PATCH /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}`, body: { title: 'Taken over' } }),
  'DELETE /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}` }),
  'GET /api/chats/:id/messages': chatId => ({ path: `/api/chats/${chatId}/messages` }),
  'POST /api/chats/:id/messages': chatId => ({
    path: `/api/chats/${chatId}/messages`,
    body: { message: question(chatId).messages[0] },
  }),
  'PATCH /api/chats/:id/messages': chatId => ({
    path: `/api/chats/${chatId}/messages`,
    body: { messages: [{ id: 'question', metadata: { colour: 'blue' } }] },
  }),
  'DELETE /api/chats/:id/messages/:messageId': chatId => ({ path: `/api/chats/${chatId}/messages/question` }),
  'POST /api/chats/:id/messages/:messageId/move': chatId => ({
    path: `/api/chats/${chatId}/messages/question/move`,
    body: { after: '' },
  }),
  'POST /api/chats/:id/answers': chatId => ({
    path: `/api/chats/${chatId}/answers`,
    body: { messageId: 'question' },
  }),
  'GET /api/chats/:id/branches': chatId => ({ path: `/api/chats/${chatId}/branches` }),
  'GET /api/chats/:id/queue': chatId => ({ path: `/api/chats/${chatId}/queue` }),
  'PATCH /api/chats/:id/queue/:messageId': chatId => ({
    path: `/api/chats/${chatId}/queue/waiting`,
    body: { text: 'Mine' },
  }),
  'DELETE /api/chats/:id/queue/:messageId': chatId => ({ path: `/api/chats/${chatId}/queue/waiting` }),
  'GET /api/chats/:id/files/:fileId': (chatId, { fileId }) => ({
    path: `/api/chats/${chatId}/files/${fileId}`,
  }),
  'GET /api/chats/:id/share': chatId => ({ path: `/api/chats/${chatId}/share` }),
  'POST /api/chats/:id/share': chatId => ({ path: `/api/chats/${chatId}/share`, body: {} }),
  'DELETE /api/chats/:id/share/:key': (chatId, { shareKey }) => ({
    path: `/api/chats/${chatId}/share/${shareKey}`,
  }),
  // Nobody knows the key but her. What somebody with the key can read is in shared.test.ts.
  'GET /api/shared/:key': chatId => ({ path: `/api/shared/${chatId}` }),
  'GET /api/shared/:key/files/:fileId': (chatId, { fileId }) => ({
    path: `/api/shared/${chatId}/files/${fileId}`,
  }),
  'GET /api/chats/:id/log': chatId => ({ path: `/api/chats/${chatId}/log` }),
  'POST /agent/query-stream-delta': chatId => ({ path: '/agent/query-stream-delta', body: query(chatId) }),
  'POST /agent/query-stream': chatId => ({ path: '/agent/query-stream', body: query(chatId) }),
  'POST /agent/query': chatId => ({ path: '/agent/query', body: query(chatId) }),
  'POST /ag-ui': chatId => ({ path: '/ag-ui', body: agUiInput(chatId) }),
  'GET /ag-ui/capabilities': () => ({ path: '/ag-ui/capabilities' }),
  'GET /v1/models': () => ({ path: '/v1/models' }),
  'GET /v1/models/:id': name => ({ path: `/v1/models/${name}` }),
  'POST /v1/chat/completions': chatId => ({ path: '/v1/chat/completions', body: completion(chatId) }),
  'POST /v1/responses': conversation => ({
    path: '/v1/responses',
    body: { model: 'assistant', input: 'Tell me.', conversation },
  }),
  'GET /v1/responses/:id': (_, { runId }) => ({ path: `/v1/responses/${runId}` }),
  'DELETE /v1/responses/:id': (_, { runId }) => ({ path: `/v1/responses/${runId}` }),
  'GET /v1/responses/:id/input_items': (_, { runId }) => ({ path: `/v1/responses/${runId}/input_items` }),
  'POST /v1/responses/:id/cancel': (_, { runId }) => ({ path: `/v1/responses/${runId}/cancel`, body: {} }),
  'POST /api/tickets': chatId => ({ path: '/api/tickets', body: { chatId } }),
  'GET /sessions': () => ({ path: '/sessions' }),
  'POST /sessions': chatId => ({ path: '/sessions', body: { session_id: chatId, title: 'Mine' } }),
  'GET /sessions/:id': chatId => ({ path: `/sessions/${chatId}` }),
  'POST /sessions/:id/outputs/:requestId': id => ({
    path: `/sessions/${id}/outputs/${id}`,
    body: { output: 'mine' },
  }),
  'POST /sessions/:id/approvals/:approvalId': id => ({
    path: `/sessions/${id}/approvals/${id}`,
    body: { approved: true },
  }),
  'POST /sessions/:id/clear': chatId => ({ path: `/sessions/${chatId}/clear`, body: {} }),
  'POST /api/channels/:name': () => ({ path: '/api/channels/hook', body: {} }),
  'POST /api/chats/:id/take-over': chatId => ({ path: `/api/chats/${chatId}/take-over`, body: { on: true } }),
  'POST /api/chats/:id/reply': chatId => ({ path: `/api/chats/${chatId}/reply`, body: { text: 'Hi.' } }),
  'DELETE /sessions/:id': chatId => ({ path: `/sessions/${chatId}` }),
}
/** Returns the routes of the app. */
export function routesOf({ store }: TestServer): readonly string[] {
  const logger = pino({ level: 'silent' })
  const { signal: closing } = new AbortController()
  const services = createServices(
    { store, agents: defaultAgents(), logger, heartbeatMs: 1_000 },
    { closing, over: closing },
  )
  const app = createApp(services, { hosts: [], tokens: new TokenTable(new Map()), isForAll: true }, [])
  return app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
}

/** The body of a definition. */
export function definition(description: string) {
  return { description, systemPrompt: `You keep: ${description}` }
}

function agUiInput(threadId: string) {
  return { threadId, runId: 'run', messages: [{ id: 'mine', role: 'user', content: 'Hello' }] }
}

function question(chatId: string) {
  return {
    id: chatId,
    messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Tell me.' }] }],
  }
}

function completion(chat_id: string) {
  return { model: 'assistant', messages: [{ role: 'user', content: 'Tell me.' }], metadata: { chat_id } }
}

function query(chatId: string) {
  return { message: 'Tell me.', session_id: chatId }
}
