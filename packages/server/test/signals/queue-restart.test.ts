import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, loadChat, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { type ChildServer, startBundledServer } from '@throughline/testing/server/child-server'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'
import { z } from 'zod'

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'messages that wait survive %s: the next process answers each once, in order',
  async signal => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'throughline-'))
    // Otherwise the long answer goes on after the restart, and the others wait for it.
    await writeFile(join(folder.path, 'throughline.config.ts'), 'export default { continue: false }\n')
    const ids = ['second', 'third', 'fourth']
    {
      await using server = await startBundledServer(folder.path, {}, folder.path)
      await using stream = new SseBytes(await ask(server.url, { text: 'Tell me something long.' }))
      await stream.until('"type":"text-delta"')
      const sent: Promise<unknown>[] = []
      for (const [index, messageId] of ids.entries()) {
        sent.push(
          submit(server.url, { messageId, text: 'Hello', fields: { onBusy: 'queue' } }).catch(() => 'cut'),
        )
        await until(async () => (await queueOf(server)).length === index + 1)
      }
      await server.end(signal)
      await Promise.all(sent)
    }
    await using server = await startBundledServer(folder.path, {}, folder.path)
    // A client that was cut off sends its message again, and gets the run of the first time.
    const again = await submit(server.url, { messageId: 'third', text: 'Hello', fields: { onBusy: 'queue' } })
    expect(again.status).toBe(202)
    await until(
      async () =>
        (await loadChat(server.url)).messages.at(-1)?.metadata?.status === 'finished' &&
        (await queueOf(server)).length === 0,
    )
    const { messages } = await loadChat(server.url)
    expect(messages.flatMap(({ role, id }) => (role === 'user' ? [id] : []))).toEqual(['question', ...ids])
    expect(messages.map(({ role }) => role)).toEqual(
      Array.from({ length: 4 }, () => ['user', 'assistant']).flat(),
    )
  },
  60_000,
)

const queueBody = z.object({ queue: z.array(z.object({ id: z.string() })) })

async function queueOf({ url }: ChildServer): Promise<readonly { readonly id: string }[]> {
  return queueBody.parse(await (await fetch(`${url}/api/chats/chat/queue`)).json()).queue
}
