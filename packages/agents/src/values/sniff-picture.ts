/** What a picture's own bytes say about it. */
export interface PictureFacts {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  readonly width: number
  readonly height: number
}

/** In pixels. Browsers do not show larger pictures, and even a small file can claim any size. */
const maxSide = 16_384

/**
 * Returns the kind and size of a picture: PNG, JPEG, WebP or GIF. Returns `undefined` when the bytes are none of these. Only
 * the bytes count, not a name or a media type. SVG is not accepted, because it can contain scripts.
 */
export function sniffPicture(bytes: Uint8Array): PictureFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const facts = png(view) ?? jpeg(view) ?? webp(view) ?? gif(view)
    return facts !== undefined && isPossible(facts) ? facts : undefined
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function isPossible({ width, height }: PictureFacts): boolean {
  return width > 0 && height > 0 && width <= maxSide && height <= maxSide
}

function png(view: DataView): PictureFacts | undefined {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return undefined
  if (textAt(view, 12) !== 'IHDR') return undefined
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

function gif(view: DataView): PictureFacts | undefined {
  if (textAt(view, 0) !== 'GIF8') return undefined
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

// A sequence of segments, each with its length. The segment that begins the image ("start of frame") has the size.
function jpeg(view: DataView): PictureFacts | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (isFrameStart(marker)) {
      return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    // Any number of 0xff bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
}

function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function webp(view: DataView): PictureFacts | undefined {
  if (textAt(view, 0) !== 'RIFF' || textAt(view, 8) !== 'WEBP') return undefined
  const mediaType = 'image/webp'
  switch (textAt(view, 12)) {
    case 'VP8 ':
      return {
        mediaType,
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { mediaType, width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
    }
    case 'VP8X':
      return { mediaType, width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
    default:
      return undefined
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(
    view.getUint8(at),
    view.getUint8(at + 1),
    view.getUint8(at + 2),
    view.getUint8(at + 3),
  )
}
