import { ProblemError } from '@throughline/protocol'

/** For a model that is not the name of an agent. */
export const modelNotFound = (model: string, known: Iterable<string>) =>
  new ProblemError(
    404,
    'model_not_found',
    `There is no agent ${JSON.stringify(model.slice(0, 100))}. Send the name of an agent as "model": ${[...known].join(', ')}.`,
  )

/** For a response that does not exist, was deleted, or belongs to somebody else. */
export const responseNotFound = (id: string) =>
  new ProblemError(404, 'response_not_found', `There is no response ${JSON.stringify(id.slice(0, 128))}.`)

/** For a value that the server cannot respect. `detail` says what to send instead. */
export function unsupported(detail: string): ProblemError {
  return new ProblemError(400, 'unsupported_value', detail)
}
