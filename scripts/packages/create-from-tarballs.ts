import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedProject, createProject } from '../../packages/create/src/create-project.ts'
import { publishedPackages } from '../published-packages.ts'

const root = new URL('../../', import.meta.url)

export interface TarballOptions {
  readonly folder: string
  readonly template?: string | undefined
  /** Where `npm run pack:packages` has put the packages. */
  readonly tarballs: string
}

/**
 * Makes a project as `create-throughline` does, but with the packages of this clone: their tarballs are copied into the
 * project, and its package.json names them. So npm needs no registry for them. Throws a `CreateError` as `createProject`.
 */
export async function createFromTarballs({
  folder,
  template,
  tarballs,
}: TarballOptions): Promise<CreatedProject> {
  const files = await Promise.all(neededPackages.map(fileOf))
  const packages = Object.fromEntries(files.map(([name, file]) => [name, `file:${place}/${file}`]))
  const project = await createProject({ folder, template, packages })
  const target = join(project.folder, place)
  await mkdir(target)
  for (const [, file] of files) await cp(join(tarballs, file), join(target, file))
  await writeFile(join(target, 'README.md'), note)
  return project
}

/** The folder in the project. */
const place = 'throughline-packages'

const neededPackages = publishedPackages.filter(({ name }) => name !== 'create-throughline')

/** Returns the name of a package, and that of the file that `npm pack` makes of it. */
async function fileOf({ name, folder }: { readonly name: string; readonly folder: string }) {
  const path = fileURLToPath(new URL(`${folder}/package.json`, root))
  const { version } = JSON.parse(await readFile(path, 'utf8'))
  return [name, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`] as const
}

const note = `# Packages of Throughline

These packages were made from a clone of Throughline (\`npm run create\`). They are on no registry, so this project brings
them along: \`package.json\` names each of these files. Commit them. To use newer ones, make a new project and copy this
folder and the lines in \`package.json\`.
`
