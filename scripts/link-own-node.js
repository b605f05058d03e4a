// Runs after every install. npm 10 installs the project's own Node, but leaves it out of node_modules/.bin, which is
// where `npm run` and `npm exec` look first. Then they would use the Node of the machine, whatever that is.
import { existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownNode } from '../apps/cli/bin/own-node.js'

const folder = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url))
const own = ownNode()
if (own !== undefined) {
  mkdirSync(folder, { recursive: true })
  const path = relative(folder, own)
  if (process.platform === 'win32') addCommand(`${folder}node.cmd`, `@"%~dp0\\${path}" %*\r\n`)
  else addLink(`${folder}node`, path)
}

function addLink(link, path) {
  // A link that leads nowhere is there too, but does not "exist".
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync(path, link)
}

function addCommand(file, line) {
  if (!existsSync(file)) writeFileSync(file, line)
}
