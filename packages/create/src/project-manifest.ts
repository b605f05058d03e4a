import { readFile } from 'node:fs/promises'

export interface ManifestOptions {
  readonly name: string
  readonly packages: Readonly<Record<string, string>> | undefined
}

/**
 * Returns the text of a project's package.json: that of the template with the project's name, and with the packages of
 * Throughline. In a template their version is `*`.
 */
export async function projectManifest(
  template: string,
  { name, packages }: ManifestOptions,
): Promise<string> {
  const manifest = JSON.parse(await readFile(template, 'utf8'))
  const version = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')).version
  const needed = Object.entries<string>(manifest.dependencies)
  const released = needed.filter(([, range]) => range === '*').map(([each]) => [each, version])
  const dependencies = { ...manifest.dependencies, ...(packages ?? Object.fromEntries(released)) }
  const sorted = Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify({ ...manifest, name, dependencies: sorted }, null, 2)}\n`
}
