import type { Browser } from 'playwright-core'
import type { WebpFrame } from './animated-webp.ts'

/** A picture of a page, and how long it is shown. */
export interface Shot {
  readonly png: Uint8Array
  readonly durationMs: number
}

/**
 * Turns pictures of equal size into the frames of an animation: each has only what has changed since the picture before.
 * The browser decodes and encodes the pictures. Equal pictures become one frame.
 */
export async function encodeFrames(browser: Browser, shots: readonly Shot[]): Promise<readonly WebpFrame[]> {
  const page = await browser.newPage()
  const frames: WebpFrame[] = []
  for (const { png, durationMs } of shots) {
    const changed = await page.evaluate(changedSinceLast, Buffer.from(png).toString('base64'))
    const last = frames.at(-1)
    if (changed !== undefined) {
      const { base64, ...place } = changed
      frames.push({ ...place, file: Buffer.from(base64, 'base64'), durationMs })
    } else if (last !== undefined) {
      frames[frames.length - 1] = { ...last, durationMs: last.durationMs + durationMs }
    }
  }
  await page.close()
  return frames
}

interface Changed extends Pick<WebpFrame, 'x' | 'y' | 'width' | 'height'> {
  readonly base64: string
}

/** Runs in the page, which keeps the last picture. Returns `undefined` when nothing has changed. */
async function changedSinceLast(png: string): Promise<Changed | undefined> {
  const decoded = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const { width, height } = decoded
  const canvas = new OffscreenCanvas(width, height).getContext('2d')
  if (canvas === null) throw new Error('The browser has no canvas.')
  canvas.drawImage(decoded, 0, 0)
  const picture = canvas.getImageData(0, 0, width, height)
  const pixels = new Uint32Array(picture.data.buffer)
  // Five bits for each colour: nobody sees the difference, and the file is much smaller.
  for (let index = 0; index < pixels.length; index += 1) pixels[index] = (pixels[index] ?? 0) | 0x07070707
  const store: { last?: Uint32Array } = Object(globalThis)
  const last = store.last
  store.last = pixels.slice()
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let index = 0; index < pixels.length; index += 1) {
    if (pixels[index] === last?.[index]) {
      pixels[index] = 0
      continue
    }
    const [x, y] = [index % width, Math.floor(index / width)]
    ;[left, top] = [Math.min(left, x), Math.min(top, y)]
    ;[right, bottom] = [Math.max(right, x), Math.max(bottom, y)]
  }
  if (right === -1) return undefined
  const [x, y] = [left - (left % 2), top - (top % 2)]
  const size = { width: right + 1 - x, height: bottom + 1 - y }
  const cut = new OffscreenCanvas(size.width, size.height)
  cut.getContext('2d')?.putImageData(picture, -x, -y)
  // With this quality the browser loses nothing: letters stay sharp.
  const blob = await cut.convertToBlob({ type: 'image/webp', quality: 1 })
  let binary = ''
  for (const byte of new Uint8Array(await blob.arrayBuffer())) binary += String.fromCharCode(byte)
  return { x, y, ...size, base64: btoa(binary) }
}
