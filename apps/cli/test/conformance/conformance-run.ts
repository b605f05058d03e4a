import { setTimeout as pause } from 'node:timers/promises'
import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ownerIdOf, startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { z } from 'zod'
import { run } from '../../src/main.ts'
import { fakeTerminal } from '../fake-terminal.ts'

// Test only: `throughline conformance` against a real server, and its results by name.

const report = z.object({
  questions: z.number(),
  checks: z.array(
    z.object({
      name: z.string(),
      result: z.enum(['passed', 'failed', 'skipped']),
      saw: z.string().optional(),
      came: z.string().optional(),
      advice: z.string().optional(),
      reason: z.string().optional(),
    }),
  ),
})

export type Checked = z.infer<typeof report>['checks'][number]

export interface Conformance {
  readonly code: number
  readonly questions: number
  readonly checks: readonly Checked[]
  /** The names of the checks with a result. */
  names(result: Checked['result']): readonly string[]
  /** Returns one check. Throws when it was not made. */
  check(name: string): Checked
}

/** The tokens of two users. */
export const tokens = new Map([
  ['ada-secret', ownerIdOf('ada')],
  ['bob-secret', ownerIdOf('bob')],
])

export const withTokens = ['--token', 'ada-secret', '--other-token', 'bob-secret']

/** Starts a server whose agent writes as slowly as a model does. It writes a long text until somebody stops it. */
export function startSlowServer(options: TestServerOptions = {}) {
  const agent = scriptedAgent('assistant', async function* ({ messages, signal }) {
    const question = messages.at(-1)
    const isLong = question !== undefined && textOf(question).includes('long text')
    for (let word = 0; word < (isLong ? 10_000 : 20); word += 1) {
      await pause(40, undefined, { signal })
      yield say(`Word number ${word}. `)
    }
    yield finish
  })
  return startTestServer({ agents: [agent], heartbeatMs: 300, ...options })
}

/** Checks a server, and returns the results. */
export async function conformance(url: string, ...words: readonly string[]): Promise<Conformance> {
  const terminal = fakeTerminal()
  const code = await run(['conformance', url, '--json', ...words], terminal.shell)
  const { checks, questions } = report.parse(JSON.parse(terminal.text))
  return {
    code,
    checks,
    questions,
    names: result => checks.filter(check => check.result === result).map(({ name }) => name),
    check(name) {
      const found = checks.find(check => check.name === name)
      if (found === undefined) throw new Error(`The check ${name} was not made.`)
      return found
    },
  }
}
