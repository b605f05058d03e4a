#!/usr/bin/env node
// Plain JavaScript, so that an old Node can read far enough to find a newer one.
import { fileURLToPath } from 'node:url'
import { isNewEnough, needsNewerNode, ownNode, runAgain, wasStartedAgain } from './own-node.js'

const own = wasStartedAgain() ? undefined : ownNode()

if (isNewEnough(process.versions.node)) await start()
else if (own !== undefined) runAgain(own, fileURLToPath(import.meta.url))
else fail(needsNewerNode())

async function start() {
  try {
    // Imported here: an old Node cannot load it.
    const { useSources } = await import('./own-sources.js')
    const { main } = await (useSources() ? import('../src/main.ts') : import('../dist/main.js'))
    await main(process.argv.slice(2), process.env)
  } catch (error) {
    const missing = missingPackage(error)
    if (missing === undefined) throw error
    fail(
      `Throughline needs the package "${missing}", which is not installed. Run "npm ci" or "npm install" again.`,
    )
  }
}

/** The package that an import did not find. */
function missingPackage(error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') return undefined
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
}

function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}
