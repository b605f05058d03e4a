import { CommandError } from '../command-error.ts'
import { readOptions } from '../options.ts'
import { hasColours, type Shell } from '../shell.ts'
import { painter } from '../text/look.ts'
import { chosenChecks } from './all-checks.ts'
import type { Check, Result } from './check.ts'
import { CheckedServer } from './checked-server.ts'
import { reachServer } from './reach-server.ts'
import { resultJson, resultLines, totalsLine, totalsOf } from './report.ts'
import { runChecks } from './run-checks.ts'
import { Session } from './session.ts'

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
