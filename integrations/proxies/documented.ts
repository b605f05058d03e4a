import { readFile } from 'node:fs/promises'

/** The code blocks of docs/guides/proxies.md in one language: what people copy is what is tested. */
export async function documented(language: string): Promise<string> {
  const page = await readFile(new URL('../../docs/guides/proxies.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const found = blocks.filter(([, name]) => name === language).map(([, , code = '']) => code)
  const [block] = found
  if (block === undefined || found.length > 1)
    throw new Error(`docs/guides/proxies.md has ${found.length} blocks of ${language}.`)
  return block
}
