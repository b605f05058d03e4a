import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { loadConfig } from '../../src/config/load-config.ts'
import { installedAgents } from '../../src/serve/installed-agents.ts'

// A program of its own: asks a server with the configuration of this folder, whose model calls one tool, and prints the
// answer's parts. It runs without a bundler, as a user's server does.
const [toolName = '', input = '{}'] = process.argv.slice(2)
const model = scriptedModel({ master: [[calling(toolName, JSON.parse(input))], [saying('Done.')]] })
const config = { ...(await loadConfig(process.cwd())), master: { model, instructions: 'You are master.' } }
const surroundings = {
  env: {},
  ownData: { folder: 'data', url: undefined },
  hideSecrets: (text: string) => text,
  report: () => undefined,
  note: () => undefined,
  warn: () => undefined,
}
const { closeTools, ...installation } = await installedAgents(config, { name: 'test', model }, surroundings)
const server = await startTestServer(installation)
const context = {
  workspaceId: 'shop',
  tabs: [{ id: 'tab', title: 'Orders', url: 'https://shop.example/orders' }],
  activeTabId: 'tab',
}
await (await ask(server.url, { fields: { context } })).text()
console.log(JSON.stringify((await loadAnswer(server.url)).parts))
await server[Symbol.asyncDispose]()
await closeTools()
