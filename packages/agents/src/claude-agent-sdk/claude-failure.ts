import { APICallError } from 'ai'

/** What the SDK calls the errors of the API, and the HTTP status of each. */
const statuses: Readonly<Record<string, number>> = {
  authentication_failed: 401,
  oauth_org_not_allowed: 403,
  account_on_hold: 403,
  verification_required: 403,
  cloud_credential_error: 401,
  billing_error: 402,
  rate_limit: 429,
  overloaded: 529,
  invalid_request: 400,
  model_not_found: 404,
  server_error: 500,
}

/**
 * Returns the error of a query that has failed. An error of the API becomes the one that the AI SDK would have thrown, so
 * that people are told the same. The texts are for the log.
 */
export function failureOf(result: Readonly<Record<string, unknown>>, errorKind: unknown): Error {
  const { errors, result: text, subtype, api_error_status: given } = result
  const said = Array.isArray(errors) && errors.length > 0 ? errors.join('\n') : text
  const message =
    typeof said === 'string' && said !== '' ? said : `Claude Code has failed: ${String(subtype)}.`
  const statusCode = typeof given === 'number' ? given : statuses[String(errorKind)]
  if (statusCode === undefined) return new Error(message)
  return new APICallError({ message, url: '', requestBodyValues: {}, statusCode })
}
