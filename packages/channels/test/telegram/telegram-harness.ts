import { inspect } from 'node:util'
import { alice, privateChatOf } from '@throughline/testing/telegram/telegram-messages'
import { startTelegramServer, type TelegramServer } from '@throughline/testing/telegram/telegram-server'
import { expect } from 'vitest'
import {
  type Channel,
  ChannelError,
  type Decide,
  type Inbound,
  type Inbox,
  type OutgoingMessage,
} from '../../src/ports/channel.ts'
import { type TelegramOptions, telegramChannel } from '../../src/telegram/telegram-channel.ts'

export const secret = 'a-secret-for-webhooks'
export const alicesTarget = JSON.stringify({ chatId: privateChatOf(alice).id })

export interface Harness extends AsyncDisposable {
  readonly server: TelegramServer
  readonly channel: Channel
  readonly problems: readonly string[]
}

/** A channel and the Bot API that it talks to. Alice has written to the bot before. */
export async function startHarness(options: Partial<TelegramOptions> = {}): Promise<Harness> {
  const server = await startTelegramServer()
  server.write('hello')
  const problems: string[] = []
  const { token, apiRoot } = server
  const onProblem = (error: unknown, what: string) => void problems.push(`${what}: ${error}`)
  return {
    server,
    channel: telegramChannel({
      token,
      apiRoot,
      onProblem,
      allowUsers: 'everybody',
      approvers: [alice.id],
      ...options,
    }),
    problems,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export interface SendOptions extends Partial<OutgoingMessage> {
  readonly target?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

export function send(channel: Channel, text: string, options: SendOptions = {}): Promise<string> {
  const { target = alicesTarget, key = 'run.0', signal = new AbortController().signal, ...message } = options
  return channel.send({ target, message: { text, ...message }, idempotencyKey: key, signal })
}

/** Returns the error of a promise. It must be a `ChannelError` and must not contain the token. */
export async function channelError(
  promise: Promise<unknown>,
  { token }: TelegramServer,
): Promise<ChannelError> {
  const error: unknown = await promise.then(
    () => undefined,
    reason => reason,
  )
  const [, secretHalf = ''] = token.split(':')
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secretHalf)
  if (!(error instanceof ChannelError)) throw new Error(`This is no ChannelError: ${inspect(error)}`)
  return error
}

/** For tests in which nobody presses a button. */
export const nobodyDecides: Decide = async () => {
  throw new Error('Somebody has decided something.')
}

/** Polls until all updates, including those that come meanwhile, are taken and confirmed. */
export async function takeAll(
  { server, channel }: Harness,
  decide: Decide = nobodyDecides,
): Promise<readonly Inbound[]> {
  const taken: Inbound[] = []
  const stopping = new AbortController()
  const inbox: Inbox = async inbound => void taken.push(inbound)
  const polling = channel.poll?.(inbox, stopping.signal, decide)
  await Promise.race([server.until(() => server.pending.length === 0), polling])
  stopping.abort()
  await polling
  return taken
}
