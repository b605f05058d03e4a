import { MasterAgent } from '@throughline/agents'
import { mcpTools } from '@throughline/agents/internal'
import { agentSystem } from '@throughline/server'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startAskingMcpServer } from '@throughline/testing/mcp/asking-mcp-server'
import { startAuthorizationServer } from '@throughline/testing/mcp/authorization-server'
import { startMcpHttpServer } from '@throughline/testing/mcp/mcp-servers'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a person connects to a server on the settings page, comes back to it, and disconnects', async () => {
  await using authorization = await startAuthorizationServer()
  await using mcp = await startMcpHttpServer({ authorizedBy: authorization })
  const fixture = await temporaryStore()
  const servers = { tickets: { url: mcp.url, oauth: true as const, tools: ['whoami'] } }
  const { tools, signIns, close } = await mcpTools(servers, { signIns: fixture.store.mcpSignIns })
  await using started = new AsyncDisposableStack()
  started.defer(close)
  await using opened = await openConsole(chromium, {
    openStore: async () => fixture,
    system: agentSystem({ tools, connections: signIns }),
  })
  const { page, server } = opened
  await page.goto(`${server.url}/settings`)
  await page.getByText('Not connected').waitFor()
  await page.getByRole('button', { name: 'Connect tickets' }).click()
  await page.getByText('You are connected to tickets.').waitFor()
  // Neither the address nor the history has the code.
  expect(page.url()).toBe(`${server.url}/settings`)
  await page.reload()
  await page.getByText('Connected', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Disconnect tickets' }).click()
  await page.getByText('Not connected').waitFor()
  await page.goto(`${server.url}/connected/tickets?state=forged&code=forged`)
  await page.getByText('You have not begun to sign in at "tickets"').waitFor()
})

test('a question of an MCP server is a form, and its values go to the server', async () => {
  await using mcp = await startAskingMcpServer()
  await using started = new AsyncDisposableStack()
  const { tools, close } = await mcpTools({ asker: { url: mcp.url, tools: ['*'] } })
  started.defer(close)
  const question = {
    message: 'How do you want to travel?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name' },
        seats: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        class: { type: 'string', oneOf: [{ const: '1', title: 'First' }] },
        window: { type: 'boolean' },
        extras: { type: 'array', items: { type: 'string', enum: ['meal', 'bicycle'] } },
      },
      required: ['name'],
    },
  }
  const model = scriptedModel({ master: [[calling('asker_book', question)], [saying('Booked.')]] })
  await using opened = await openConsole(chromium, {
    agents: [new MasterAgent({ instructions: 'You are master.', model })],
    system: agentSystem({ tools }),
  })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Book a seat.')
  const form = page.getByRole('form', { name: 'asker asks you' })
  await form.getByText('How do you want to travel?').waitFor()
  await form.getByLabel('Your name').fill('Ada')
  await form.getByLabel('class').selectOption('First')
  await form.getByLabel('window').check()
  await form.getByLabel('bicycle').check()
  await form.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('region', { name: 'Messages' }).getByText('Booked.').waitFor()
  expect(toolResultsOf(model, 'master').replaceAll('\\', '')).toContain(
    '{"action":"accept","content":{"name":"Ada","seats":2,"class":"1","window":true,"extras":["bicycle"]}}',
  )
})
