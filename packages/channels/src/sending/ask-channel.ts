import { ChannelError } from '../channel.ts'

/** Asks a channel for something; only `ChannelError`s come out. Of anything else nobody knows that it is final. */
export async function askChannel<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ChannelError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ChannelError('unavailable', `The channel failed: ${reason}`)
  }
}
