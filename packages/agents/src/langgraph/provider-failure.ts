import { APICallError } from 'ai'

// LangChain's codes for errors of model providers, and the HTTP statuses that they stand for.
const statuses: ReadonlyMap<unknown, number> = new Map([
  ['MODEL_AUTHENTICATION', 401],
  ['MODEL_RATE_LIMIT', 429],
])

/**
 * Returns an error of a graph so that people are told what a model provider refuses. Other errors are returned as they
 * are: a status alone does not say that it comes from a model provider.
 */
export function providerFailure(error: unknown): unknown {
  const statusCode = statuses.get(langChainCode(error))
  if (statusCode === undefined || !(error instanceof Error)) return error
  return new APICallError({
    message: error.message,
    cause: error,
    statusCode,
    url: '',
    requestBodyValues: {},
  })
}

/** Returns the code that LangChain gives an error, such as `GRAPH_RECURSION_LIMIT`. */
export function langChainCode(error: unknown): unknown {
  return error instanceof Error && 'lc_error_code' in error ? error.lc_error_code : undefined
}
