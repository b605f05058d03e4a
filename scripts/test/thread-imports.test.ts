import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// In a clone of the repository, `throughline` lets its main thread find the sources of the packages, and no other thread.
const threads = [
  '../../packages/store/src/sqlite/thread.ts',
  '../../packages/agents/src/models/thread/thread.ts',
  '../../packages/agents/src/databases/serve-sqlite-job.ts',
]

test.each(threads)('%s loads no other package of ours', path => {
  const entry = new URL(path, import.meta.url)
  const files = new Map<string, readonly string[]>()
  const open = [entry.href]
  for (let href = open.pop(); href !== undefined; href = open.pop()) {
    if (files.has(href)) continue
    const specifiers = importsIn(readFileSync(fileURLToPath(href), 'utf8'))
    files.set(href, specifiers)
    for (const each of specifiers) if (each.startsWith('.')) open.push(new URL(each, href).href)
  }
  expect(files.size).toBeGreaterThan(1)
  const ours = [...files].filter(([, specifiers]) =>
    specifiers.some(each => each.startsWith('@throughline/')),
  )
  expect(ours.map(([href]) => href)).toEqual([])
})

/** Returns what a file loads when it runs: not what it imports for types only. */
function importsIn(text: string): readonly string[] {
  const imports = text.matchAll(/^(?:import|export) (?!type )(?:[^'"`;]*? from )?'([^']+)'/gm)
  return [...imports].filter(([whole]) => !isOnlyTypes(whole)).map(([, specifier = '']) => specifier)
}

function isOnlyTypes(whole: string): boolean {
  const [, names] = /\{([^}]*)\}/.exec(whole) ?? []
  return names?.split(',').every(name => /^\s*(?:type |$)/.test(name)) ?? false
}
