import { once } from 'node:events'
import { createServer } from 'node:net'
import { RunLeft } from '@throughline/agents/internal'
import { logName } from '@throughline/log'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { localChat } from '@throughline/testing/store/left-runs'
import { sharedStore, sharedStores } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
import { startServer } from '../../src/start-server.ts'
import { handNode, untilWritten } from './hand-node.ts'

const logger = pino({ level: 'silent' })
const agents = [scriptedAgent('assistant', [finish])]

test.each(sharedStores)('a node that closes rings for the others, on $name', async ({ sharedStore }) => {
  await using shared = await sharedStore()
  const { store } = shared
  const first = await createThroughline({ store, agents, logger })
  const rung = Promise.withResolvers<void>()
  store.signals.onNodes(rung.resolve)
  await first.close()
  await rung.promise
  expect(await store.nodes.live()).toEqual(new Set())
})

test('a server that cannot listen is no node', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await expect(startServer({ store, agents, logger, port: port ?? 0 })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  expect(await store.nodes.live()).toEqual(new Set())
  taken.close()
})

test('an agent whose run was taken learns that another server goes on, so it settles nothing', async () => {
  await using shared = await sharedStore()
  const { store } = shared
  const taken = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    signals.push(signal)
    yield say('I begin. ')
    await taken.promise
    yield say('I go on. ')
  })
  await using first = await handNode({ store, agents: [agent] })
  await first.send()
  await untilWritten(store, 'I begin.')
  const [active] = first.services.runner.underWay()
  await store.log.acquire(logName(localChat('chat')))
  taken.resolve()
  expect(await active?.ended).toBeUndefined()
  expect(signals[0]?.reason).toBeInstanceOf(RunLeft)
})
