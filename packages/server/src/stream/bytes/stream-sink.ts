/** Takes the bytes of one stream to its viewer. There is one for Node's responses and one for web-standard responses. */
export interface StreamSink {
  /** The viewer has left, or the stream was cut. Nothing can be written any more. */
  readonly isClosed: boolean
  /** The viewer has taken everything that was written. */
  readonly isEmpty: boolean
  /**
   * Returns false when the viewer is behind. Then the writer waits for `drained`. Writes must be small, because only a
   * write that was taken as a whole is seen as progress. `sendStream` writes at most 64 KB at once.
   */
  write(bytes: Uint8Array): boolean
  /**
   * Waits until the viewer has taken what was written before, or has left. Cuts the stream when the viewer takes nothing
   * for `maxStallMs` milliseconds. Does not reject.
   */
  drained(maxStallMs: number): Promise<void>
  /** Ends the stream after what was written. */
  end(): void
  /** Ends the stream at once, in such a way that the viewer sees that something is missing. */
  cut(): void
}

/** The sink of a stream that nobody reads. */
export const closedSink: StreamSink = {
  isClosed: true,
  isEmpty: true,
  write: () => true,
  drained: () => Promise.resolve(),
  end: () => undefined,
  cut: () => undefined,
}
