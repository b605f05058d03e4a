import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { publishedPackages } from '../published-packages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const versions = z.record(z.string(), z.string()).default({})
const manifest = z.object({ dependencies: versions, devDependencies: versions, peerDependencies: versions })

const peers = publishedPackages.flatMap(({ name, folder }) =>
  Object.entries(read(join(folder, 'package.json')).peerDependencies).map(
    ([peer, range]) => [name, peer, range] as const,
  ),
)

// A caret allows what a library promises not to break. So its lowest version has to be one with which a test runs.
test.each(peers)('%s names %s only in versions that a test runs with: %s', (_, peer, range) => {
  const tested = testedVersions(peer)
  for (const part of range.split(' || ')) {
    expect(part).toMatch(/^\^\d+\.\d+\.\d+$/)
    expect(tested).toContain(part.slice(1))
  }
})

/** The versions that the integrations and the workspaces pin. */
function testedVersions(name: string): readonly string[] {
  const files = globSync(['integrations/*/package.json', '{packages,apps}/*/package.json'], { cwd: root })
  return files.flatMap(file => {
    const { dependencies, devDependencies } = read(file)
    return [dependencies[name], devDependencies[name]].filter(version => version !== undefined)
  })
}

function read(file: string) {
  return manifest.parse(JSON.parse(readFileSync(join(root, file), 'utf8')))
}
