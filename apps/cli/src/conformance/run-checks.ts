import type { Check, Result } from './check.ts'
import { NoResponse, UnexpectedResponse } from './checked-server.ts'
import { Evidence } from './evidence.ts'
import { failed, type Outcome, skipped } from './outcome.ts'
import type { Session } from './session.ts'

/** Makes the checks one after the other, and yields what each has found. Ends early when `signal` is aborted. */
export async function* runChecks(
  session: Session,
  checks: readonly Check[],
  signal: AbortSignal,
): AsyncGenerator<Result, void, undefined> {
  const evidence = new Evidence(session)
  const passedNames = new Set<string>()
  for (const check of checks) {
    const missing = check.needs?.find(name => !passedNames.has(name))
    const outcome =
      missing === undefined
        ? await outcomeOf(check, session, evidence)
        : skipped(`it needs ${missing}, which has not passed`)
    if (signal.aborted) return
    if (outcome.type === 'passed') passedNames.add(check.name)
    yield { check, outcome }
  }
}

/** A server that does not respond, or refuses, fails the check. It must not end the others. */
async function outcomeOf(check: Check, session: Session, evidence: Evidence): Promise<Outcome> {
  try {
    return await check.run(session, evidence)
  } catch (error) {
    if (error instanceof UnexpectedResponse)
      return failed({ expected: `200 for ${error.path}`, came: error.came, advice: lookAdvice })
    if (error instanceof NoResponse)
      return failed({ expected: `a response to ${error.path}`, came: error.why, advice: lookAdvice })
    const came = error instanceof Error ? error.message : String(error)
    return failed({ expected: 'that the check can be made', came, advice: lookAdvice })
  }
}

const lookAdvice =
  'Look into the logs of the server and of the proxies for this request. If it only takes long, use --timeout.'
