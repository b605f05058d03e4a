import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { browserUser } from '../../src/browser/browser-user.ts'
import { installChromium } from '../../src/browser/install-chromium.ts'
import { chromiumLauncher, findChromium } from '../../src/browser/launch-chromium.ts'

test('a browser never runs as root where there is another user, and works', async () => {
  const warnings: string[] = []
  const launch = chromiumLauncher(process.env, { warn: message => warnings.push(message) })
  // Earlier test files of this process have left one, which other files will use.
  const before = await usersOfBrowsers()
  const [first, second] = [await launch(), await launch()]
  const page = await first.newPage()
  await page.setContent('<title>Hello</title>')
  expect(await page.title()).toBe('Hello')
  expect((await page.screenshot()).length).toBeGreaterThan(100)
  const users = await usersOfBrowsers()
  const uids = new Set([...users].filter(([pid]) => !before.has(pid)).map(([, uid]) => uid))
  await Promise.all([first.close(), second.close()])
  expect(uids.size).toBe(1)
  expect([...uids][0]).toBe(browserUser()?.uid ?? process.getuid?.())
  // What it lacks is said once, however often it is started.
  expect(warnings.length).toBeLessThanOrEqual(1)
  for (const warning of warnings) expect(warning).toContain('sandbox')
})

test('a browser that no other user may start is started as the server itself, with a warning', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'chrome')
  const real = findChromium(process.env) ?? (await installChromium(process.env))
  await writeFile(path, `#!/bin/sh\nexec '${real}' "$@"\n`, { mode: 0o700 })
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const launch = chromiumLauncher({ ...process.env, CHROME_PATH: path }, { warn })
  for (const browser of [await launch(), await launch()]) await browser.close()
  const isRoot = process.getuid?.() === 0
  expect(warnings).toEqual(isRoot ? [expect.stringContaining('runs as root and without a sandbox')] : [])
})

/** The users of all browsers that this process has started, by the ids of the processes. */
async function usersOfBrowsers(): Promise<ReadonlyMap<number, number>> {
  const processes = await allProcesses()
  const isOurs = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent
    return parent !== undefined && parent > 1 && (parent === process.pid || isOurs(parent))
  }
  const browsers = [...processes].filter(([pid, { words }]) => {
    return isOurs(pid) && words.includes('--remote-debugging-pipe') && !words.includes('start-as-user')
  })
  return new Map(browsers.map(([pid, { uid }]) => [pid, uid]))
}

interface Process {
  readonly parent: number
  readonly uid: number
  readonly words: string
}

async function allProcesses(): Promise<ReadonlyMap<number, Process>> {
  const { stdout } = await promisify(execFile)('ps', ['-Awwo', 'pid=,ppid=,uid=,args='], { maxBuffer: 1e7 })
  return new Map(
    stdout.split('\n').flatMap(line => {
      const [, pid, parent, uid, words = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return pid === undefined
        ? []
        : [[Number(pid), { parent: Number(parent), uid: Number(uid), words }] as const]
    }),
  )
}
