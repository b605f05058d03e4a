#!/usr/bin/env node
// `throughline-node server.ts`: runs a program with a Node that Throughline can use. That is the Node of this machine, or,
// if it is too old, the one that was installed with Throughline.
import { isNewEnough, needsNewerNode, ownNode, runNode } from './own-node.js'

const node = isNewEnough(process.versions.node) ? process.execPath : ownNode()
if (node === undefined) {
  console.error(needsNewerNode())
  process.exitCode = 1
} else runNode(node, process.argv.slice(2))
