import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
const [, walks = ''] = /^## Walks\n(.*?)^## /ms.exec(page) ?? []
const titles = [...walks.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title)

/** The files of a walk in order. That each of them exists is tested with all other links. */
function filesOf(title: string): readonly string[] {
  const [, list = ''] = walks.split(`### ${title}\n`)
  const [own = ''] = list.split('\n### ')
  return [...own.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = '']) => path)
}

describe('the walks in docs/architecture.md', () => {
  test('are six', () => {
    expect(titles.map(title => title.replace(/^\d\. /, ''))).toEqual([
      'A message to the log',
      'A delta to the page',
      'A sub-agent call',
      'An approval',
      'A reload in mid-answer',
      'A block to Telegram',
    ])
  })

  test.each(titles)('%s: goes through several files, and comes to none of them twice', title => {
    const files = filesOf(title)
    expect(files.length).toBeGreaterThan(9)
    expect(files).toEqual([...new Set(files)])
  })

  test('a block to Telegram goes through at most 15 files', () => {
    expect(filesOf('6. A block to Telegram').length).toBeLessThanOrEqual(15)
  })
})
