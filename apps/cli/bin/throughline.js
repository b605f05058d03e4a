#!/usr/bin/env node
// Plain JavaScript, so that an old Node can read far enough to find a newer one.
import { fileURLToPath } from 'node:url'
import { isNewEnough, ownNode, runAgain, wasStartedAgain } from './own-node.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const own = wasStartedAgain() ? undefined : ownNode()

if (isNewEnough(process.versions.node)) await start()
else if (own !== undefined) runAgain(own, fileURLToPath(import.meta.url))
else
  fail(
    `Throughline needs Node 24.15 or newer, and this is ${process.versions.node}. ` +
      `Run "npm ci" in ${repository}, which brings one on Linux and Windows, or install it.`,
  )

async function start() {
  try {
    const { main } = await import('../src/main.ts')
    await main(process.argv.slice(2), process.env)
  } catch (error) {
    const missing = missingPackage(error)
    if (missing === undefined) throw error
    fail(`Throughline needs the package "${missing}", which is not installed. Run "npm ci" in ${repository}.`)
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
