/** A picture of ten megabytes, which is the largest that is kept, is fourteen in JSON. */
export const maxMcpMessageBytes = 32 * 1024 * 1024

/** A server sent one message that is larger than any may be. What it meant to say is lost, and so is its connection. */
export class McpMessageTooLarge extends Error {
  override readonly name = 'McpMessageTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`It sent more than ${sizeOf(maxBytes)} in one message, so it was cut off.`)
    this.maxBytes = maxBytes
  }
}

export function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`
}
