import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { commandFor, scenariosOf } from './mcp-conformance/scenarios.ts'

/** Scenarios that the suite runs but that no version requires, and why Throughline does not take part in them. */
const leftOut: Readonly<Record<string, string>> = {
  'auth/client-credentials-jwt': 'an extension: a program signs in as itself. Here people sign in',
  'auth/client-credentials-basic': 'an extension: a program signs in as itself. Here people sign in',
  'auth/enterprise-managed-authorization': 'an extension: needs the identity provider of a company',
  'auth/dpop': 'an extension: tokens that are bound to a key, which the MCP client of the AI SDK cannot make',
  'auth/dpop-nonce': 'an extension: as auth/dpop',
  'auth/wif-jwt-bearer': 'an extension: a program signs in with the identity of its machine',
}

for (const version of ['2026-07-28', '2025-11-25']) {
  const { required, others } = scenariosOf(version)

  describe.concurrent(`MCP ${version}`, () => {
    test.each(required)('%s', { timeout: 120_000 }, scenario => passes(scenario, version))

    test.each(others.filter(name => leftOut[name] === undefined))(
      '%s, which is not required',
      { timeout: 120_000 },
      scenario => passes(scenario, version),
    )

    test('every other scenario is left out for a reason', () => {
      expect(required.length).toBeGreaterThan(15)
      expect(others.filter(name => leftOut[name] !== undefined)).toEqual(Object.keys(leftOut))
    })
  })
}

async function passes(scenario: string, version: string): Promise<void> {
  const [program = '', ...words] = commandFor(scenario, version)
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [told, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(told + problems).toContain('OVERALL: PASSED')
}
