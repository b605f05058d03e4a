/** Thrown when a server cannot be started with the given options. Whoever starts it can correct them. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /**
   * Which options are wrong: the host, the base path, the origins, the agents or their tools, how answers are
   * streamed, or where the metrics are served.
   */
  readonly code: 'host' | 'basePath' | 'origins' | 'agents' | 'stream' | 'metrics'

  constructor(code: StartError['code'], message: string) {
    super(message)
    this.code = code
  }
}
