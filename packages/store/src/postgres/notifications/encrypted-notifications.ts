import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { Notifications } from './notifications.ts'

/** What all processes that share the tables know, and nobody else. */
export interface NotificationSecret {
  /** 32 bytes. */
  readonly key: Buffer
  /** The schema of the tables. A copy of them in another schema of the same database has the same key. */
  readonly schema: string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** The largest text that fits into a payload of 7,999 bytes, after nonce, tag and base64. */
export const maxPlaintextBytes = Math.floor(7_999 / 4) * 3 - nonceBytes - tagBytes

/**
 * Returns notifications that only processes with the secret can read and make. Everybody who may connect to the database
 * can listen to its notifications and send some, even without a right to any table.
 *
 * A payload that was not encrypted with this key, for this channel, is ignored. But whoever has heard a payload can send
 * it again. So a notification must do no harm when it is heard twice, or late.
 */
export function encryptNotifications(plain: Notifications, secret: NotificationSecret): Notifications {
  const key = createSecretKey(secret.key)
  return {
    listen(name, hear) {
      const channel = channelOf(name, secret)
      return plain.listen(channel, payload => {
        const text = decrypt(payload, { key, channel })
        if (text !== undefined) hear(text)
      })
    },
    send(notifications) {
      return plain.send(
        notifications.map(({ channel: name, payload: text }) => {
          const channel = channelOf(name, secret)
          return { channel, payload: encrypt(text, { key, channel }) }
        }),
      )
    },
    onReconnect: heal => plain.onReconnect(heal),
    check: () => plain.check(),
    close: () => plain.close(),
  }
}

/** Returns the channel of this name for the tables of one schema. A schema may have any name, so a hash stands for it. */
export function channelOf(name: string, { schema }: Pick<NotificationSecret, 'schema'>): string {
  return `${name}_${hash('sha256', schema, 'hex').slice(0, 16)}`
}

interface Use {
  readonly key: KeyObject
  /** Is authenticated with the text, so that nobody can pass a payload on to another channel. */
  readonly channel: string
}

/** Returns the nonce, the tag and the encrypted text, in base64. */
function encrypt(text: string, { key, channel }: Use): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(channel))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')
}

/** Returns the text of a payload, or `undefined` when it was not encrypted with this key for this channel. */
function decrypt(payload: string, { key, channel }: Use): string | undefined {
  const bytes = Buffer.from(payload, 'base64')
  const start = nonceBytes + tagBytes
  if (bytes.length < start) return undefined
  const nonce = bytes.subarray(0, nonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(channel))
  decipher.setAuthTag(bytes.subarray(nonceBytes, start))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString('utf8')
  } catch {
    // Somebody else has sent it, or it was damaged.
    return undefined
  }
}
