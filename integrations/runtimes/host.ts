// A server that is run by Bun, Deno and Node: `host.ts FOLDER handle|fetch`. It prints its address.
import { createServer } from 'node:http'
import type { Agent } from '@throughline/agents'
import { createThroughline } from '@throughline/server'
import { openStore } from '@throughline/store'

const [folder = '', way = 'handle'] = process.argv.slice(2)

const words =
  'Every answer is written down before anybody sees it, so that it can be read again from any place. '

/** Says some sentences, a word at a time, so that the answer takes a few seconds. */
const agent: Agent = {
  name: 'assistant',
  displayName: 'Assistant',
  description: 'Says some sentences.',
  async *run({ signal }) {
    for (const word of words.repeat(4).split(/(?<= )/)) {
      await new Promise(resolve => setTimeout(resolve, 30))
      signal.throwIfAborted()
      yield { type: 'text-delta', text: word }
    }
    yield { type: 'finish', finishReason: 'stop' }
  },
}

const store = await openStore(folder)
const throughline = await createThroughline({ store, agents: [agent] })
const close = way === 'fetch' ? serveFetch() : await serveHandle()

process.once('SIGTERM', async () => {
  await throughline.close()
  await store.close()
  await close()
  console.log('closed')
  process.exit()
})

async function serveHandle() {
  const server = createServer(throughline.handle)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

/** The server that the runtime brings itself. */
function serveFetch() {
  if ('Bun' in globalThis) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: throughline.fetch })
    console.log(`http://127.0.0.1:${server.port}`)
    return () => server.stop(true)
  }
  const onListen = ({ port }: { readonly port: number }) => console.log(`http://127.0.0.1:${port}`)
  const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, throughline.fetch)
  return () => server.shutdown()
}
