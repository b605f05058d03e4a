import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'

const manifestSchema = z.object({
  name: z.string(),
  description: z.string(),
  exports: z.record(z.string(), z.unknown()),
})

/**
 * Returns the text of llms.txt for a package: its README, and the names that each entry point exports. Programs that
 * write code read this file.
 */
export async function llmsText(folder: string): Promise<string> {
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
    sourceOf(target).map(source => ({ path, source })),
  )
  const sections = await Promise.all(
    entries.map(async ({ path, source }) => {
      const names = exportedNames(await readFile(join(folder, source), 'utf8'))
      return `### ${path === '.' ? manifest.name : `${manifest.name}/${basename(path)}`}\n\n${names.join(', ')}\n`
    }),
  )
  const [, ...body] = readme.split('\n')
  return [
    `# ${manifest.name}\n\n> ${manifest.description}`,
    body.join('\n').trim(),
    `## Entry points\n\n${sections.join('\n')}`,
  ].join('\n\n')
}

/** Returns the source of a named entry point. `./*` and `./package.json` are none. */
function sourceOf(target: unknown): readonly string[] {
  const { success, data } = z
    .object({ 'throughline-source': z.string(), types: z.string() })
    .safeParse(target)
  return success ? [data['throughline-source']] : []
}

function exportedNames(source: string): readonly string[] {
  return [...source.matchAll(/^export (?:type )?(?:\{([^}]*)\}|\*) from '([^']+)'/gm)].flatMap(
    ([, names, from]) =>
      names === undefined
        ? [`everything from ${from}`]
        : names
            .split(',')
            .map(name => name.trim().replace(/^type /, ''))
            .filter(name => name !== ''),
  )
}
