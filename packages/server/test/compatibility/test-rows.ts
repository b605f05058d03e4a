import type { TestServerOptions } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import type { Client } from './client.ts'
import type { Cell, Row } from './matrix.ts'
import { namesOf } from './names-of.ts'
import { play } from './play.ts'
import { type ScenarioName, scenarios } from './scenarios.ts'
import type { Seen } from './seen.ts'
import { type Meaning, words } from './words.ts'

/** A test for each cell of these rows that is one answer. */
export function testRows<Name extends string>(
  rows: Readonly<Record<Name, Row>>,
  clients: Readonly<Record<NoInfer<Name>, Client>>,
  options: () => Pick<TestServerOptions, 'pageFolder'> = () => ({}),
): void {
  describe.each(namesOf(rows))('%s', name => {
    const { cells } = rows[name]
    const facts = namesOf(scenarios).map(scenario => [scenario, factOf(cells[scenario])] as const)
    test.concurrent.each(facts)('%s: %s', async scenario => {
      await checkCell(clients[name], { scenario, cell: cells[scenario], options: options() })
    })
  })
}

interface Check {
  readonly scenario: ScenarioName
  readonly cell: Cell
  readonly options: Pick<TestServerOptions, 'pageFolder'>
}

async function checkCell(client: Client, { scenario, cell, options }: Check): Promise<void> {
  const { whole } = scenarios[scenario]
  const meanings: readonly Meaning[] = cell.map(word => words[word])
  const shows = meanings.map(each => each.shows)
  const { seen, saved, returned, approved } = await play(client, scenario, options)
  expect(saved).toEqual(whole)
  expect(seen).toEqual(applied(shows, whole))
  expect(returned).toBe(meanings.find(({ returns }) => returns !== undefined)?.returns)
  expect(approved).toBe(meanings.find(({ approves }) => approves !== undefined)?.approves)
  const inline = meanings.map(each => each.inline)
  if (inline.every(each => each === undefined)) return
  const asked = await play(client, scenario, { ...options, subAgents: 'inline' })
  expect(asked.seen).toEqual(applied(inline, whole))
}

type Change = ((seen: Seen) => Seen) | undefined

function applied(changes: readonly Change[], whole: Seen): Seen {
  return changes.reduce<Seen>((seen, change) => change?.(seen) ?? seen, whole)
}

function factOf(cell: Cell): string {
  return cell.map(word => words[word].means).join('; ')
}
