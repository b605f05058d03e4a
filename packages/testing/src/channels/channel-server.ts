import { type DeliveryOptions, sign, webhookChannel } from '@throughline/channels'
import { isOwnerId } from '@throughline/protocol'
import type { InstalledChannel } from '@throughline/server'
import { idOf } from '../log/id-of.ts'

const secret = 'a secret of the tests'

/** Returns a webhook channel called `hook` that posts to an address. */
export function hookChannels(
  url: string,
  delivery: DeliveryOptions = {},
): ReadonlyMap<string, InstalledChannel> {
  const channel = webhookChannel({ url, secret, approvers: ['ada'] })
  return new Map([['hook', { channel, ownerId: idOf(isOwnerId, 'local'), delivery }]])
}

export interface HookMessage {
  readonly id?: string
  readonly conversation?: string
  readonly text?: string
  readonly sender?: { readonly id: string; readonly name?: string }
}

/** Sends a message to the channel as its platform does. */
export function writeToHook(serverUrl: string, message: HookMessage = {}): Promise<Response> {
  const { id = 'm1', conversation = 'room', text = 'How is the weather?', sender = { id: 'ada' } } = message
  return signedPost({ id, conversation, text, sender })(serverUrl)
}

/** Returns a function that posts a signed request to the channel: the same bytes each time. */
export function signedPost(fields: unknown, channel = 'hook'): (serverUrl: string) => Promise<Response> {
  const body = Buffer.from(JSON.stringify(fields))
  const headers = {
    'content-type': 'application/json',
    'x-throughline-signature': sign(body, { secret, now: new Date() }),
  }
  return serverUrl => fetch(`${serverUrl}/api/channels/${channel}`, { method: 'POST', headers, body })
}
