import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { localChat } from '@throughline/testing/store/left-runs'
import { pino } from 'pino'
import { createServices } from '../../src/create-services.ts'
import { sendMessage } from '../../src/embed/send-message.ts'
import type { ThroughlineOptions } from '../../src/throughline-options.ts'

interface HandNodeOptions extends Partial<Omit<ThroughlineOptions, 'store'>> {
  readonly store: Store
  /** The clock of the process. Default: a real one. */
  readonly clock?: () => number
}

/** A node that beats and sweeps only when the test says so. One that does not beat any more seems to be dead. */
export async function handNode(options: HandNodeOptions) {
  const closing = new AbortController()
  const logger = pino({ level: 'silent' })
  const services = createServices(
    { agents: [], ...options, logger, heartbeatMs: 15_000 },
    { closing: closing.signal, over: closing.signal },
  )
  const { node } = services
  if (node === undefined) throw new TypeError('The store of a node has to be shared.')
  await node.beat()
  return {
    services,
    node,
    send: (chatId = 'chat') => sendMessage(services, { ownerId: 'local', chatId, text: 'Hello?' }),
    async [Symbol.asyncDispose]() {
      await services.runner.close()
      await services.channels.close()
      await node.close()
    },
  }
}

/** Returns all entries of a chat's log. */
export async function entriesOf(log: LogStore, chatId = 'chat'): Promise<readonly Entry[]> {
  const name = logName(localChat(chatId))
  const { epoch, seq } = await log.open(name)
  return (await Array.fromAsync(readBetween(log, name, { after: { epoch, seq: 0 }, upTo: seq }))).flat()
}

/** Resolves when a log has an entry with this text. */
export async function untilWritten({ log }: Store, text: string, chatId = 'chat'): Promise<void> {
  while (!JSON.stringify(await entriesOf(log, chatId)).includes(text));
}
