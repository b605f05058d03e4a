/** Takes bytes of streams from Node's pool, as everybody else does. */
export function allocateStreamBytes(size: number): Buffer {
  return Buffer.allocUnsafe(size)
}

export function streamBytes(text: string): Buffer {
  return Buffer.from(text)
}
