import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isChatId } from '@throughline/protocol'
import { pagePaths } from '@throughline/server/testing'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import {
  chatRoute,
  newAgentRoute,
  newChatRoute,
  type PageRoute,
  pathOf,
  routeFrom,
} from '../src/navigation/route.ts'

/** Every kind of address that the page has. A new kind of page does not compile without a line here. */
const routes: Readonly<Record<Exclude<PageRoute['page'], 'unknown'>, readonly PageRoute[]>> = {
  chat: [newChatRoute(), chatRoute(idOf(isChatId, 'trip'))],
  agents: [
    { page: 'agents' },
    newAgentRoute,
    { page: 'agents', name: 'reader' },
    { page: 'agents', workspaceId: 'team', name: 'reader' },
    { page: 'agents', workspaceId: 'a:b', name: '司仪' },
  ],
  settings: [{ page: 'settings' }, { page: 'settings', connected: 'tickets' }],
  status: [{ page: 'status' }],
}

test('every address of the page survives a reload: the server serves the page there', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'index.html'), '<!doctype html><title>The page</title>')
  await using server = await startTestServer({ pageFolder: folder.path })
  const paths = Object.values(routes).flat().map(pathOf)
  for (const path of [...paths, '/shared/a-key']) {
    const response = await fetch(server.url + path)
    expect([path, response.status, await response.text()]).toEqual([
      path,
      200,
      expect.stringContaining('The page'),
    ])
  }
})

test('the page knows every address at which the server serves it', () => {
  const samples = pagePaths.map(path => path.replaceAll(/:\w+/g, 'some-name'))
  expect(samples.filter(path => routeFrom(path).page === 'unknown')).toEqual([])
  const known = Object.values(routes).flat().map(pathOf)
  // As many levels, and the same first one: nothing is served that no page leads to.
  const shapeOf = (path: string) => [path.split('/')[1], path.split('/').length].join(' ')
  expect([...new Set(pagePaths.map(shapeOf))].toSorted()).toEqual([...new Set(known.map(shapeOf))].toSorted())
})

test('the name of an agent comes back from its address, in any script', () => {
  for (const route of routes.agents)
    expect(routeFrom(new URL(pathOf(route), 'http://host').pathname)).toEqual(route)
})
