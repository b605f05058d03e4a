import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = markdownFiles()

describe.each(pages)('%s', page => {
  const text = readFileSync(join(root, page), 'utf8')

  test('links only to files and headings that exist', () => {
    const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const local = links.filter(link => !/^[a-z]+:/.test(link))
    expect(local.filter(link => !leadsSomewhere(page, link))).toEqual([])
  })

  test('names only files and folders of the repository that exist', () => {
    const paths = [
      ...prose(text).matchAll(/`((?:packages|apps|bench|docs|examples|integrations|scripts)\/[^`\s*:]+)`/g),
    ]
    expect(paths.map(([, path = '']) => path).filter(path => !existsSync(join(root, path)))).toEqual([])
  })
})

function markdownFiles(): readonly string[] {
  const others = ['node_modules', 'dist', 'data', '.git', '.next']
  return globSync(['**/*.md', '.github/**/*.md'], {
    cwd: root,
    exclude: name => others.includes(basename(name)),
  })
}

/** The text without blocks of code: what stands in them is not about this repository's files. */
function prose(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '')
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? join(root, page) : join(root, dirname(page), path)
  if (!existsSync(target)) return false
  return heading === undefined || headingsIn(readFileSync(target, 'utf8')).includes(heading)
}

/** The anchors that GitHub makes of headings, and those that stand in the text. */
function headingsIn(text: string): readonly string[] {
  const headings = [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}
