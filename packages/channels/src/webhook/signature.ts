import { createHmac, timingSafeEqual } from 'node:crypto'

/** How old a signed request may be, and how far two clocks may differ. A recorded request is useless after that. */
const maxAgeSeconds = 300

/** Signs bytes together with the time. Returns `t=SECONDS,v1=HEX`. The HMAC is over `SECONDS.` and the body. */
export function sign(
  body: Uint8Array,
  { secret, now }: { readonly secret: string; readonly now: Date },
): string {
  const seconds = Math.floor(now.getTime() / 1000)
  return `t=${seconds},v1=${digestOf(body, secret, `${seconds}`)}`
}

/** Whether a signature fits these bytes and this secret, and is recent. */
export function isSigned(
  body: Uint8Array,
  signature: string,
  { secret, now }: { readonly secret: string; readonly now: Date },
): boolean {
  const [, seconds, given] = signatureForm.exec(signature) ?? []
  if (seconds === undefined || given === undefined || !isRecent(signature, now)) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(digestOf(body, secret, seconds)))
}

/** Whether this is a signature, and is recent. Whether it fits is not checked. */
export function isRecent(signature: string, now: Date): boolean {
  const [, seconds] = signatureForm.exec(signature) ?? []
  return seconds !== undefined && Math.abs(now.getTime() / 1000 - Number(seconds)) <= maxAgeSeconds
}

const signatureForm = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

function digestOf(body: Uint8Array, secret: string, seconds: string): string {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
}
