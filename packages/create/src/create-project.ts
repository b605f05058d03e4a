import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateError } from './create-error.ts'
import { foldersOf } from './templates.ts'

export interface ProjectOptions {
  /** Where the project goes. The folder must be empty, or not exist. Its name is the name of the project. */
  readonly folder: string
  /** `react`, `next` or `express`. Default: `react`. */
  readonly template?: string | undefined
  /** Where the packages of Throughline come from, by name. Default: the version of this package, from the registry. */
  readonly packages?: Readonly<Record<string, string>> | undefined
}

export interface CreatedProject {
  readonly name: string
  /** The absolute path. */
  readonly folder: string
  readonly template: string
}

/**
 * Writes the files of a new project. Installs nothing. Throws a `CreateError` when the folder is not empty, or when the
 * name or the template cannot be used; then nothing was written.
 */
export async function createProject({
  folder,
  template = 'react',
  packages,
}: ProjectOptions): Promise<CreatedProject> {
  const name = await checkProject({ folder, template })
  const target = resolve(folder)
  const manifest = await projectManifest(join(templatesFolder, template, 'package.json'), { name, packages })
  for (const each of foldersOf(template)) await copyTemplate(join(templatesFolder, each), { target, name })
  await writeFile(join(target, 'package.json'), manifest)
  return { name, folder: target, template }
}

/** Returns the name of a project that can be made. Otherwise throws a `CreateError`, as `createProject` does. */
export async function checkProject({ folder, template = 'react' }: ProjectOptions): Promise<string> {
  foldersOf(template)
  const name = projectName(folder)
  await assertEmpty(resolve(folder), folder)
  return name
}

// Both the sources and the built files are one folder below the package.
const templatesFolder = fileURLToPath(new URL('../templates', import.meta.url))

/** A fresh repository is empty, too. */
const harmless: ReadonlySet<string> = new Set(['.git', '.DS_Store'])

async function assertEmpty(target: string, typed: string): Promise<void> {
  if (!existsSync(target)) return
  if (!(await stat(target)).isDirectory())
    throw new CreateError(`${typed} is a file. Choose another name for the project.`)
  const [first] = (await readdir(target)).filter(name => !harmless.has(name))
  if (first === undefined) return
  throw new CreateError(
    `The folder ${typed} is not empty: it has "${first}". Choose another name, or empty it first.`,
  )
}

interface Destination {
  readonly target: string
  readonly name: string
}

/** All files are text. */
async function copyTemplate(source: string, { target, name }: Destination): Promise<void> {
  for (const path of await readdir(source, { recursive: true })) {
    const from = join(source, path)
    if ((await stat(from)).isDirectory()) continue
    const to = join(target, dirname(path), visibleNames.get(basename(path)) ?? basename(path))
    const text = await readFile(from, 'utf8')
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, text.replaceAll('__NAME__', name))
  }
}

// npm leaves files of these names out of a package, or treats them as its own. So they have other names in the templates.
const visibleNames: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['env.example', '.env.example'],
])

/** Returns the name of the project in a folder. Throws a `CreateError` when npm would not take it as the name of a package. */
function projectName(folder: string): string {
  const name = basename(resolve(folder))
  if (/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name) && !reserved.has(name)) return name
  throw new CreateError(
    `"${name}" cannot be the name of a package. Use lower-case letters, digits, "-", "_" and ".", ` +
      `and begin with a letter or a digit. For example: ${suggestion(name)}`,
  )
}

// A package of this name could not install what it depends on, or anything at all.
const reserved: ReadonlySet<string> = new Set(['node_modules', 'throughline', 'react', 'next', 'express'])

function suggestion(name: string): string {
  const allowed = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
  return allowed === '' || reserved.has(allowed) ? 'my-app' : allowed
}

interface ManifestOptions {
  readonly name: string
  readonly packages: Readonly<Record<string, string>> | undefined
}

/**
 * Returns the text of a project's package.json: that of the template with the project's name, and with the packages of
 * Throughline. In a template their version is `*`.
 */
async function projectManifest(template: string, { name, packages }: ManifestOptions): Promise<string> {
  const manifest = JSON.parse(await readFile(template, 'utf8'))
  const version = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')).version
  const needed = Object.entries<string>(manifest.dependencies)
  const released = needed.filter(([, range]) => range === '*').map(([each]) => [each, version])
  const dependencies = { ...manifest.dependencies, ...(packages ?? Object.fromEntries(released)) }
  const sorted = Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify({ ...manifest, name, dependencies: sorted }, null, 2)}\n`
}
