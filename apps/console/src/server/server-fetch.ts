import { askForSignIn, keptToken, type SignInReason } from './access.ts'

/**
 * `fetch`, for every request of the page to its server. When the server does not know the person, the sign-in screen
 * takes the place of the page, whatever part of it has asked.
 */
export async function serverFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const token = keptToken()
  const response = await fetch(...request)
  if (response.status === 401) {
    const problem = await readText(response.clone())
    // If the token has changed meanwhile, the response says nothing about the new one.
    if (problem !== undefined && keptToken() === token) askForSignIn(reasonOf(token, problem))
  }
  return response
}

/** Returns the body of a response; `undefined` when whoever has asked for it did not wait. */
async function readText(response: Response): Promise<string | undefined> {
  try {
    return await response.text()
  } catch {
    return undefined
  }
}

/** A 401 without our code is not from this server. A proxy of the application may have sent it. */
function reasonOf(token: string | null, problem: string): SignInReason {
  if (!problem.includes('"token-required"')) return 'application'
  return token === null ? 'token-needed' : 'token-refused'
}
