import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { BrowserSubAgent } from '../../src/browser/browser-sub-agent.ts'
import { browserToolKeys } from '../../src/browser/browser-tools.ts'
import { MasterAgent } from '../../src/delegation/base-agent.ts'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { startDemoPage } from '../../src/demo/demo-page.ts'
import { demoPageLine } from '../../src/demo/read-scene.ts'
import { toolFactory } from '../../src/run/tool-factory-registry.ts'

const pageUrl = 'http://127.0.0.1:8123/'

test.each(['browser', '浏览器'])(
  '"%s" sends the browser agent through the form, step by step',
  async question => {
    const { calls, texts } = await browse(question)
    expect(calls.map(([key]) => key)).toEqual([
      'browser_navigate',
      'browser_type',
      'browser_click',
      'browser_screenshot',
    ])
    expect(calls[0]).toEqual(['browser_navigate', { url: pageUrl }])
    expect(calls[1]?.[1]).toMatchObject({ selector: 'input[name=name]' })
    expect(texts.join('\n')).toMatch(/screenshot is in its message|真正的浏览器/)
  },
)

test('a browser that cannot be started is told about, and nothing else is tried', async () => {
  const { calls, texts } = await browse('browser', 'browser_navigate')
  expect(calls).toHaveLength(1)
  expect(texts.join('\n')).toContain('did not get to the end, and says why')
  expect(texts.join('\n')).toContain(
    'The tool `browser_navigate` failed. It said: "Error: There is no browser here."',
  )
})

test('the demo page has a form, and greets whoever fills it in without trusting the name', async () => {
  const page = await startDemoPage()
  try {
    expect(await (await fetch(page.url)).text()).toContain('<input name="name"')
    const answer = await fetch(`${page.url}?name=${encodeURIComponent('<script>Ada</script>')}`)
    expect(await answer.text()).toContain('Hello, &#60;script&#62;Ada&#60;/script&#62;!')
    expect(page.url).toBe(`http://${page.host}/`)
  } finally {
    await page.close()
  }
})

/** Plays the scenario with the real agent, and tools that only write down what they were asked. */
async function browse(question: string, brokenKey?: string) {
  const calls: [key: string, input: unknown][] = []
  const tools = browserToolKeys.map(key =>
    toolFactory(
      key,
      tool({
        inputSchema: z.looseObject({}),
        execute: input => {
          calls.push([key, input])
          if (key === brokenKey) throw new Error('There is no browser here.')
          return { ok: true }
        },
      }),
    ),
  )
  const model = createDemoModel({ wait: async () => {} })
  const { system } = defaultInstallation(model, { tools, subAgents: [new BrowserSubAgent()] })
  const master = new MasterAgent({ model, instructions: demoPageLine(pageUrl) })
  await using server = await startTestServer({ agents: [master], system })
  await (await ask(server.url, { text: question })).text()
  const { messages } = await loadChat(server.url)
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === 'text' ? [part.text] : [])),
  )
  return { calls, texts }
}
