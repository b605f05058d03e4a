import { ChannelError } from '../channel.ts'

/** Calls a channel. Throws only `ChannelError`s. Any other error becomes `unavailable`, because it may pass. */
export async function askChannel<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ChannelError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ChannelError('unavailable', `The channel failed: ${reason}`)
  }
}
