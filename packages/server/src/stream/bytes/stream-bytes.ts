/**
 * The size of a slab, in bytes. It is small, so that a slab is full and done with soon. A slab that is in use for longer
 * becomes old, and V8 collects old objects rarely.
 */
const slabBytes = 8 * 1024

/** More bytes than this get memory of their own. */
const maxPooledBytes = slabBytes / 2

/** The most bytes of UTF-8 that one character of a string becomes. */
const maxBytesPerChar = 3

let slab = Buffer.allocUnsafeSlow(slabBytes)
let usedBytes = 0

/**
 * Returns uninitialised memory for bytes of a stream. Many small ones share one slab.
 *
 * Node has such a pool too, for all its users, with slabs of 64 KB. A slab stays in memory for as long as any of its bytes are
 * in use. The bytes of a stream are written and then done with, but the body of a request may live for seconds. So in
 * Node's pool, a few bytes of a request keep 64 KB that streams have used.
 */
export function allocateStreamBytes(size: number): Buffer {
  if (size > maxPooledBytes) return Buffer.allocUnsafeSlow(size)
  makeRoom(size)
  return take(size)
}

/** Returns a text as bytes of a stream, in UTF-8. */
export function streamBytes(text: string): Buffer {
  const maxBytes = text.length * maxBytesPerChar
  if (maxBytes <= maxPooledBytes) {
    // To count the bytes first would cost as much as to write them.
    makeRoom(maxBytes)
    return take(slab.write(text, usedBytes))
  }
  const bytes = allocateStreamBytes(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

function makeRoom(size: number): void {
  if (usedBytes + size <= slabBytes) return
  slab = Buffer.allocUnsafeSlow(slabBytes)
  usedBytes = 0
}

function take(size: number): Buffer {
  const start = usedBytes
  usedBytes += size
  return slab.subarray(start, usedBytes)
}
