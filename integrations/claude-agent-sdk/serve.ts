import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSdkMcpServer, type Options, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { namedAgent } from '@throughline/agents'
import { fromClaudeAgentSdk } from '@throughline/agents/claude-agent-sdk'
import type { Message } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { z } from 'zod'
import { startAnthropicApi, type Turn } from './anthropic-api.ts'

/** What Claude Code gets in place of this process's environment: its own home, and the API of the test. */
export function claudeEnv(home: string, apiUrl: string) {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: apiUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    DISABLE_AUTOUPDATER: '1',
  }
}

export async function temporaryHome() {
  const parent = fileURLToPath(new URL('.tmp', import.meta.url))
  await mkdir(parent, { recursive: true })
  const path = await mkdtemp(join(parent, 'home-'))
  // Claude Code may still write when its process ends.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5 })
  return { path, [Symbol.asyncDispose]: remove }
}

export interface Served {
  readonly maxSteps?: number
  readonly options?: Options
  readonly removed?: string[]
}

/** Starts a real server with an agent of the real SDK and the real Claude Code. Only the model is scripted. */
export async function serve(turns: readonly Turn[], { maxSteps, options, removed = [] }: Served = {}) {
  const api = await startAnthropicApi(turns)
  const home = await temporaryHome()
  const agent = fromClaudeAgentSdk(query, {
    ...(maxSteps !== undefined && { maxSteps }),
    options: () => ({
      cwd: home.path,
      settingSources: [],
      tools: [],
      model: 'claude-sonnet-4-5',
      systemPrompt: 'You are support.',
      mcpServers: { shop: shop(removed) },
      allowedTools: ['mcp__shop__weather'],
      ...options,
      env: { ...claudeEnv(home.path, api.url), ...options?.env },
    }),
  })
  const server = await startTestServer({ agents: [namedAgent('support', agent)] })
  return {
    url: server.url,
    requests: api.requests,
    home: home.path,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** Asks the agent on a server, and returns what the server has saved. */
export async function answerOf(turns: readonly Turn[], served?: Served): Promise<Message> {
  await using server = await serve(turns, served)
  await (await ask(server.url)).text()
  return await loadAnswer(server.url)
}

function shop(removed: string[]) {
  const says = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  const weather = tool('weather', 'Tells the weather.', { city: z.string() }, async ({ city }) => {
    if (city === 'Atlantis') throw new Error('There is no such city.')
    return says(`Clear in ${city}.`)
  })
  const remove = tool('remove', 'Removes something.', { what: z.string() }, async ({ what }) => {
    removed.push(what)
    return says('Removed.')
  })
  return createSdkMcpServer({ name: 'shop', tools: [weather, remove] })
}

export function saying(text: string) {
  return { type: 'text', text } as const
}

export function calling(name: string, input: object, id = `toolu_${name}`) {
  return { type: 'tool_use', id, name: `mcp__shop__${name}`, input } as const
}
