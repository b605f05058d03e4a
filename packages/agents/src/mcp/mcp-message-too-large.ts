/** The largest picture that is kept has ten megabytes. In JSON it has fourteen. */
export const maxMcpMessageBytes = 32 * 1024 * 1024

/** A server has sent a message that is too large. The message and the connection are lost. */
export class McpMessageTooLarge extends Error {
  override readonly name = 'McpMessageTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`It sent more than ${sizeOf(maxBytes)} in one message, so it was cut off.`)
    this.maxBytes = maxBytes
  }
}

/** Returns a size as text for a person. */
export function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${bytes / 1024 / 1024} MB`
}
