import { ask } from '@throughline/testing/http/chat-requests'
import { startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { startChildServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { z } from 'zod'

// What the demo model plays with: invented weather and a report that is never sent.
const inventedKeys = ['weather', 'send_report']

test('a real model is not given the invented tools of the demo', async () => {
  await using folder = await temporaryFolder()
  await using provider = await startRecordedProvider([
    { type: 'recording', name: 'openai-chat.parallel-tools.2', style: 'openai' },
  ])
  await using server = await startChildServer(folder.path, {
    THROUGHLINE_MODEL: 'openai-compatible:recorded',
    OPENAI_COMPATIBLE_BASE_URL: provider.url,
  })
  await (await ask(server.url)).text()
  const [request] = provider.requests
  const { tools } = z
    .object({ tools: z.array(z.object({ function: z.object({ name: z.string() }) })) })
    .parse(request)
  const given = tools.map(each => each.function.name)
  expect(given).toContain('calculator')
  for (const key of inventedKeys) expect(given).not.toContain(key)
  const keys = await toolKeys(server.url)
  for (const key of inventedKeys) expect(keys).not.toContain(key)
})

test('the demo model has its invented tools', async () => {
  await using folder = await temporaryFolder()
  await using server = await startChildServer(folder.path)
  expect(await toolKeys(server.url)).toEqual(expect.arrayContaining(inventedKeys))
})

async function toolKeys(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/tools`)
  const { tools } = z.object({ tools: z.array(z.object({ key: z.string() })) }).parse(await response.json())
  return tools.map(({ key }) => key)
}
