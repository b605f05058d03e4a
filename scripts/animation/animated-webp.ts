/** One picture of an animation. It changes a rectangle of the picture before it. */
export interface WebpFrame {
  /** A WebP file with the rectangle. What has not changed is transparent. */
  readonly file: Uint8Array
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly durationMs: number
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Returns an animated WebP file that repeats for ever. The place of a frame must be even in both directions: the format
 * has room for half of it only. See https://developers.google.com/speed/webp/docs/riff_container.
 */
export function animatedWebp({ width, height }: Size, frames: readonly WebpFrame[]): Uint8Array {
  const hasAnimationAndAlpha = 0b0001_0010
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', [bytes(hasAnimationAndAlpha, 4), bytes(width - 1, 3), bytes(height - 1, 3)]),
    // A white background, and no end of the repetitions.
    chunk('ANIM', [bytes(0xffff_ffff, 4), bytes(0, 2)]),
    ...frames.map(frameChunk),
  ])
  return Buffer.concat([Buffer.from('RIFF'), bytes(body.length, 4), body])
}

function frameChunk({ file, x, y, width, height, durationMs }: WebpFrame): Buffer {
  if (x % 2 !== 0 || y % 2 !== 0)
    throw new RangeError(`A frame cannot begin at ${x}, ${y}: use even numbers.`)
  const head = [x / 2, y / 2, width - 1, height - 1, durationMs].map(value => bytes(value, 3))
  const blends = bytes(0, 1)
  return chunk('ANMF', [...head, blends, ...picturesIn(file)])
}

/** Returns the chunks of a WebP file that have its pixels. */
function picturesIn(file: Uint8Array): readonly Buffer[] {
  const source = Buffer.from(file)
  const found: Buffer[] = []
  let at = 'RIFF....WEBP'.length
  while (at < source.length) {
    const size = source.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    const name = source.toString('latin1', at, at + 4)
    if (['ALPH', 'VP8 ', 'VP8L'].includes(name)) found.push(source.subarray(at, end))
    at = end
  }
  return found
}

/** A chunk has an even number of bytes. The one that is added does not count for its size. */
function chunk(name: string, parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(name), bytes(data.length, 4), data, Buffer.alloc(data.length % 2)])
}

function bytes(value: number, count: number): Buffer {
  const buffer = Buffer.alloc(count)
  buffer.writeUIntLE(value, 0, count)
  return buffer
}
