// Plain JavaScript, so that an old Node can read it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname } from 'node:path'

/** The oldest Node that this project runs on: older ones have a SQLite that can damage its file. */
const oldest = [24, 15]

/** @param {string} version as in `process.versions.node` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
}

/** The Node that `npm ci` installed as a dependency of this project. There is none on macOS. */
export function ownNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  try {
    const path = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/bin/${program}`)
    return existsSync(path) ? path : undefined
  } catch {
    // No such package: either nothing is installed yet, or there is none for this machine.
    return undefined
  }
}

/** Set for the process that `runAgain` starts. */
const mark = 'THROUGHLINE_STARTED_AGAIN'

/**
 * Runs a program again with another Node, as if it had been started with that one: the same words, the same input and
 * output, the same signals, and the same end.
 * @param {string} node
 * @param {string} program
 */
export function runAgain(node, program) {
  passOn(
    spawn(node, [program, ...process.argv.slice(2)], {
      // The fourth is a channel on which nothing is said. It closes when this process dies, however it dies.
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [mark]: '1' },
    }),
    node,
  )
}

/**
 * Runs Node with these words, in the place of this process. What that program starts finds the same Node first.
 * @param {string} node
 * @param {readonly string[]} words
 */
export function runNode(node, words) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  passOn(spawn(node, words, { stdio: 'inherit', env }), node)
}

/** Gives the signals of this process to a child, and ends as the child ends. */
function passOn(child, node) {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT']
  const pass = signal => {
    // A terminal sends Ctrl-C to both processes, so the other one has it already. A second one would end it at once.
    if (signal !== 'SIGINT' || !hasTerminal()) child.kill(signal)
  }
  for (const signal of signals) process.on(signal, pass)
  child.on('error', error => {
    console.error(`Throughline cannot start the Node in ${node}: ${error.message}. Run "npm ci" again.`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const each of signals) process.off(each, pass)
    if (signal === null) process.exitCode = code ?? 1
    else process.kill(process.pid, signal)
  })
}

/** Says which Node is needed, and what to do. */
export function needsNewerNode() {
  return (
    `Throughline needs Node 24.15 or newer, and this is ${process.versions.node}. ` +
    'Install it from https://nodejs.org. On Linux and Windows, an installation with optional dependencies brings one.'
  )
}

/**
 * The other side of `runAgain`: whether it has started this process. If so, this one ends when the process that waits
 * for it is gone.
 */
export function wasStartedAgain() {
  if (process.env[mark] === undefined) return false
  delete process.env[mark]
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return true
}

function hasTerminal() {
  return process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true
}
