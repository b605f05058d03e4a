import OpenAI from 'openai'

/** Returns the stock client, as its documentation says for a server of one's own. A test sees each failure at once. */
export function openAi(url: string, { apiKey = 'any', maxRetries = 0 } = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries })
}

/** Returns the error that a request ends with. Throws when it does not fail, or not with an error of the API. */
export async function apiErrorOf(
  request: PromiseLike<unknown>,
): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await request
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  throw new Error('The request did not fail.')
}
