import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MasterAgent } from '@throughline/agents'
import { BrowserSubAgent, browserTools } from '@throughline/agents/browser'
import { defaultTools } from '@throughline/agents/internal'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { agentSystem } from '../../src/who/agent-system.ts'

const form = `<!doctype html><title>Search</title><form action="/found">
  <label>What <input name="what"></label><button>Find</button></form>`

async function startSite() {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (url.pathname !== '/found') response.end(form)
    else response.end(`<title>Found</title><p>Found ${url.searchParams.get('what')}.</p>`)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    host: `127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const output = z.object({
  type: z.literal('tool-browser_screenshot'),
  output: z.object({ screenshot: z.string(), width: z.number(), height: z.number(), title: z.string() }),
})

test('the browser agent sends a form and shows a screenshot, which the owner can load', async () => {
  using site = await startSite()
  // The browser agent has a model of its own here; its instructions name nobody.
  const model = scriptedModel({
    '': [
      [calling('browser_navigate', { url: `http://${site.host}/` })],
      [calling('browser_type', { selector: 'input', text: 'tea', submit: true })],
      [calling('browser_extract', {}), calling('browser_screenshot', {})],
      [saying(`Tea was found (http://${site.host}/found).`)],
    ],
  })
  const master = scriptedModel({ master: [[asking('browser')], [saying('See above.')]] })
  await using server = await startTestServer({
    agents: [new MasterAgent({ name: 'master', instructions: 'You are master.', model: master })],
    system: agentSystem({
      tools: [...defaultTools(), ...browserTools({ allowHosts: [site.host] })],
      subAgents: [new BrowserSubAgent({ model })],
    }),
  })
  await (await ask(server.url)).text()
  const { messages } = await loadChat(server.url)
  const child = messages.find(({ metadata }) => metadata?.agent?.name === 'browser')
  expect(child?.metadata).toMatchObject({ status: 'finished', senderName: 'Browser' })
  const shot = child?.parts.flatMap(part => output.safeParse(part).data?.output ?? [])[0]
  expect(shot).toMatchObject({ title: 'Found', width: 1280, height: 800 })
  const file = await fetch(server.url + shot?.screenshot)
  expect(file.headers.get('content-type')).toBe('image/png')
  const bytes = Buffer.from(await file.arrayBuffer())
  expect([bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
    'PNG',
    1280,
    800,
  ])
  const told = toolResultsOf(model, '')
  expect(told).toContain('Found tea.')
  expect(told).toContain('1280 by 800 pixels, is shown to the user')
  expect(told).not.toContain('/files/')
})
