/** Why a server was not started as it was asked to: something that whoever starts it can put right. */
export class StartError extends Error {
  override readonly name = 'StartError'
  /** What is wrong: the host, the agents or their tools, or how answers are streamed. */
  readonly code: 'host' | 'agents' | 'stream'

  constructor(code: StartError['code'], message: string) {
    super(message)
    this.code = code
  }
}
