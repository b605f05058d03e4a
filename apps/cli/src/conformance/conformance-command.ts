import { CommandError, readOptions } from '../shell/command.ts'
import { hasColours, type Shell } from '../shell/shell.ts'
import { pad } from '../text/fit.ts'
import { type Paint, painter } from '../text/look.ts'
import { plainText } from '../text/plain-text.ts'
import { answerChecks, orderChecks } from './checks/answer-checks.ts'
import { historyChecks } from './checks/history-checks.ts'
import { ownerChecks } from './checks/owner-checks.ts'
import { resumeChecks } from './checks/resume-checks.ts'
import { heartbeatChecks, streamChecks } from './checks/stream-checks.ts'
import { stopChecks, submitChecks } from './checks/submit-checks.ts'
import { type Check, failed, type Outcome, type Result, skipped } from './evidence/check.ts'
import { CheckedServer, NoResponse, reachServer, UnexpectedResponse } from './evidence/checked-server.ts'
import { Evidence } from './evidence/evidence.ts'
import { Session } from './evidence/session.ts'

/**
 * Checks a running server from outside. Returns 0 when no check failed, 1 when one did, 2 when there was nothing to
 * check, and 130 after Ctrl-C. Removes the chats that it made, in every case.
 */
export async function conformanceCommand(words: readonly string[], shell: Shell): Promise<number> {
  const { values, positionals } = readOptions('conformance', words, {
    token: { type: 'string' },
    'other-token': { type: 'string' },
    agent: { type: 'string' },
    message: { type: 'string' },
    only: { type: 'string' },
    timeout: { type: 'string' },
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  const checks = chosenChecks(values.only)
  const interrupt = new AbortController()
  const asked = askedFrom(positionals, values, shell.env)
  const server = new CheckedServer({ ...asked, signal: interrupt.signal })
  const reached = await reachServer(server)
  if (reached.type === 'not-reached') {
    shell.errors.write(`${asked.url} cannot be checked: ${reached.why}\n`)
    return 2
  }
  const agent = values.agent ?? reached.agents[0] ?? ''
  const { message } = values
  const session = new Session({ ...asked, server, agent, message, isQuick: values.quick === true })
  const ignore = shell.onInterrupt(() => interrupt.abort())
  try {
    const results = await printed(shell, {
      session,
      checks,
      signal: interrupt.signal,
      isJson: values.json === true,
    })
    if (interrupt.signal.aborted) return 130
    return results.some(({ outcome }) => outcome.type === 'failed') ? 1 : 0
  } finally {
    await cleanUp(session, new CheckedServer({ ...asked, signal: new AbortController().signal }), shell)
    ignore()
  }
}

interface Values {
  readonly token?: string
  readonly 'other-token'?: string
  readonly timeout?: string
}

function askedFrom([url, ...more]: readonly string[], values: Values, env: Shell['env']) {
  if (url === undefined || more.length > 0)
    throw new CommandError(
      'Name one server: throughline conformance URL. See "throughline help conformance".',
    )
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url))
    throw new CommandError(`"${url}" is no address. Use one such as https://chat.example.`)
  const token = values.token || env['THROUGHLINE_TOKEN'] || undefined
  const otherToken = values['other-token'] || env['THROUGHLINE_OTHER_TOKEN'] || undefined
  const seconds = Number(values.timeout ?? '10')
  if (!(seconds > 0 && seconds <= 600))
    throw new CommandError(`--timeout: "${values.timeout}" is not a number of seconds, from 1 to 600.`)
  return {
    url: url.replace(/\/+$/, ''),
    token,
    otherToken,
    hasToken: token !== undefined,
    hasOtherToken: otherToken !== undefined,
    patienceMs: seconds * 1_000,
  }
}

interface Printing {
  readonly session: Session
  readonly checks: readonly Check[]
  readonly signal: AbortSignal
  readonly isJson: boolean
}

/** Makes the checks, and prints each as soon as it is made, or all of them as JSON at the end. */
async function printed(
  shell: Shell,
  { session, checks, signal, isJson }: Printing,
): Promise<readonly Result[]> {
  const { url, agent } = session.options
  const questions = checks.filter(({ asksAgent }) => asksAgent === true).length
  const paint = painter(hasColours(shell))
  const print = (line: string) => shell.output.write(`${line}\n`)
  if (!isJson)
    print(
      `${counted(checks.length, 'check')} of ${url}, with ${counted(questions, 'question')} to the agent "${agent}".\n`,
    )
  const results: Result[] = []
  for await (const result of runChecks(session, checks, signal)) {
    results.push(result)
    if (!isJson) print(resultLines(result, paint))
  }
  const totals = totalsOf(results)
  if (isJson)
    print(JSON.stringify({ url, agent, questions, ...totals, checks: results.map(resultJson) }, undefined, 2))
  else print(`\n${totalsLine(totals, paint)}${signal.aborted ? ' Stopped by Ctrl-C.' : ''}`)
  return results
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

async function cleanUp(session: Session, server: CheckedServer, { errors }: Shell): Promise<void> {
  const left = await session.removeChats(server)
  if (left.length > 0)
    errors.write(
      `These chats of the checks could not be deleted: ${left.join(', ')}. Delete them in the page.\n`,
    )
}

/** Returns the lines for one check: what it is about, and what it has found. */
function resultLines({ check, outcome }: Result, paint: Paint): string {
  const head = `${pad(check.name, 20)} ${check.title}`
  switch (outcome.type) {
    case 'passed':
      return `${paint('good', '✓')} ${head} ${paint('faint', `(${plainText(outcome.saw)})`)}`
    case 'skipped':
      return `${paint('warning', '–')} ${head}\n    not checked: ${plainText(outcome.reason)}`
    case 'failed':
      return [
        `${paint('bad', '✗')} ${head}`,
        `    expected  ${plainText(outcome.expected)}`,
        `    came      ${plainText(outcome.came)}`,
        `    to do     ${outcome.advice}`,
      ].join('\n')
  }
}

/** How many checks passed, failed and were skipped. */
interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

function totalsOf(results: readonly Result[]): Totals {
  const count = (type: string) => results.filter(({ outcome }) => outcome.type === type).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

/** Returns the last line. */
function totalsLine({ passed, failed, skipped }: Totals, paint: Paint): string {
  const parts = [
    paint('good', `${passed} passed`),
    failed > 0 ? paint('bad', `${failed} failed`) : '0 failed',
    skipped > 0 ? paint('warning', `${skipped} not checked`) : '0 not checked',
  ]
  return `${parts.join(', ')}.`
}

/** Returns a result for machines. */
function resultJson({ check: { name, title }, outcome: { type, ...found } }: Result) {
  return { name, title, result: type, ...found }
}

/** All checks, in the order in which they are made. A check comes after those that it needs; the last one deletes. */
const allChecks: readonly Check[] = [
  ...answerChecks,
  ...streamChecks,
  ...orderChecks,
  ...resumeChecks,
  ...submitChecks,
  ...stopChecks,
  ...ownerChecks,
  ...heartbeatChecks,
  ...historyChecks,
]

/**
 * Returns the checks to make: all of them, or those of one name or group, with what they need. Throws a `CommandError`
 * for an unknown name.
 */
export function chosenChecks(only: string | undefined): readonly Check[] {
  if (only === undefined) return allChecks
  const chosen = allChecks.filter(({ name }) => name === only || name.startsWith(`${only}/`))
  if (chosen.length === 0)
    throw new CommandError(
      `--only: there is no check "${only}". There are ${allChecks.map(({ name }) => name).join(', ')}.`,
    )
  const names = new Set(chosen.map(({ name }) => name))
  // From the last to the first: a check comes after those that it needs.
  for (const { name, needs = [] } of allChecks.toReversed())
    if (names.has(name)) for (const needed of needs) names.add(needed)
  return allChecks.filter(({ name }) => names.has(name))
}

/** Makes the checks one after the other, and yields what each has found. Ends early when `signal` is aborted. */
async function* runChecks(
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
