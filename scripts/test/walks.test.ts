import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readEntryPoints } from '../entry-points.ts'
import { importsIn } from '../rooms/imports-of-rooms.ts'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/architecture.md', root), 'utf8')
const [, walks = ''] = /^## Walks\n(.*?)^## /ms.exec(page) ?? []
const entryPoints = readEntryPoints(root)

interface Step {
  readonly path: string
  readonly text: string
}

interface Walk {
  readonly steps: readonly Step[]
  /** The files of the product that the paragraph after the steps names. */
  readonly beside: readonly string[]
}

describe.each([
  ['message', '1. A message to the log'],
  ['delta', '2. A delta to the page'],
  ['subAgent', '3. A sub-agent call'],
  ['approval', '4. An approval'],
  ['reload', '5. A reload in mid-answer'],
  ['telegram', '6. A block to Telegram'],
] as const)('the walk %s of docs/architecture.md', (name, title) => {
  const { steps, beside } = walkOf(title)

  test('has at most ten files', () => {
    expect(steps.length).toBeGreaterThan(5)
    expect(steps.length).toBeLessThanOrEqual(10)
  })

  test('goes through files that run, and so do those beside it', () => {
    const ran = new Set(traced[name])
    const named = [...steps.map(({ path }) => path), ...beside]
    expect(beside.length).toBeGreaterThan(0)
    expect(named.filter(path => !path.startsWith('apps/console/') && !ran.has(path))).toEqual([])
  })

  test('comes to each file by an import, or names the seam', () => {
    const lost = steps.filter((step, index) => {
      const earlier = steps.slice(0, index)
      const isConnected = earlier.some(({ path }) => imports(path, step.path) || imports(step.path, path))
      return index > 0 && !isConnected && !step.text.includes('*Seam: ')
    })
    expect(lost.map(({ path }) => path)).toEqual([])
  })
})

let traced: Readonly<Record<string, readonly string[]>> = {}

beforeAll(async () => {
  const script = fileURLToPath(new URL('scripts/trace-walks.ts', root))
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--json'])
  traced = z.record(z.string(), z.array(z.string())).parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
})

function walkOf(title: string): Walk {
  const [, section = ''] = walks.split(`### ${title}\n`)
  const [own = ''] = section.split('\n### ')
  const [, beside = ''] = /^\*\*Beside it\.\*\*(.*?)^$/ms.exec(own) ?? []
  return {
    steps: [...own.matchAll(/^\d+\. \[[^\]]+\]\(\.\.\/([^)]+)\)(.*)$/gm)].map(([, path = '', text = '']) => ({
      path,
      text,
    })),
    beside: [...beside.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = '']) => path),
  }
}

function imports(from: string, to: string): boolean {
  const module = to.replace(/\.tsx?$/, '').replace(/^packages\/([^/]+)\/src\//, '@throughline/$1/')
  return importsIn(readFileSync(new URL(from, root), 'utf8'), entryPoints).some(({ specifier }) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) === to : specifier === module,
  )
}
