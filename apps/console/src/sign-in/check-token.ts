import { addressOf } from '../base-path.ts'

/** Asks the server whether it knows a token. Not through `serverFetch`: a wrong one is said beside its field. */
export async function checkToken(token: string): Promise<'known' | 'wrong' | 'unchecked'> {
  // No header can carry other characters, and no token has a space.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'wrong'
  try {
    const headers = { authorization: `Bearer ${token}` }
    const { ok, status } = await fetch(addressOf('/api/agents'), { headers })
    return ok ? 'known' : status === 401 ? 'wrong' : 'unchecked'
  } catch {
    return 'unchecked'
  }
}
