import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The official conformance suite of the Model Context Protocol. */
const suite = fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const client = fileURLToPath(new URL('client.ts', import.meta.url))

/** The client scenarios of a version of the specification. */
export interface Scenarios {
  /** Those that the version requires of a client. */
  readonly required: readonly string[]
  /** Those that the suite runs, too, without counting them. */
  readonly others: readonly string[]
}

/** Asks the suite for its list, so that no scenario can be forgotten. */
export function scenariosOf(version: string): Scenarios {
  const list = execFileSync(process.execPath, [suite, 'list', '--client', '--requirements', version], {
    encoding: 'utf8',
  })
  const [, clients = ''] = list.split('Client scenarios (test against a client):')
  const [required = '', others = ''] = clients.split('Run and reported, but never scored:')
  return {
    required: [...required.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name),
    others: [...others.matchAll(/- (\S+) \[client\]/g)].map(([, name = '']) => name),
  }
}

/** Returns the command that runs one scenario with our client. */
export function commandFor(scenario: string, version: string): readonly string[] {
  const words = ['client', '--command', `${process.execPath} ${client}`, '--scenario', scenario]
  return [process.execPath, suite, ...words, '--spec-version', version, '--timeout', '50000']
}
