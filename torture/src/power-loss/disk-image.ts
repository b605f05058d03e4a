import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** What is on a disk: the folders, and the bytes of each file, by their paths. They begin with a slash; the disk itself is empty. */
export interface DiskImage {
  readonly folders: readonly string[]
  readonly files: ReadonlyMap<string, Buffer>
}

/** Writes what is on a disk to a folder. */
export async function writeImage({ folders, files }: DiskImage, folder: string): Promise<void> {
  for (const path of folders) await mkdir(`${folder}${path}`, { recursive: true })
  for (const [path, bytes] of files) await writeFile(`${folder}${path}`, bytes)
}

/** Reads what is in a folder. */
export async function readImage(folder: string): Promise<DiskImage> {
  const folders = ['']
  const files = new Map<string, Buffer>()
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name)
    const name = `/${relative(folder, path)}`
    if (found.isDirectory()) folders.push(name)
    else if (found.isFile()) files.set(name, await readFile(path))
  }
  return { folders, files }
}

/** Returns a path at which two disks differ; `undefined` when they are equal. */
export function firstDifference(one: DiskImage, other: DiskImage): string | undefined {
  const paths = new Set([...one.folders, ...other.folders, ...one.files.keys(), ...other.files.keys()])
  return [...paths].find(path => {
    if (one.folders.includes(path) !== other.folders.includes(path)) return true
    const bytes = one.files.get(path)
    const others = other.files.get(path)
    return bytes === undefined || others === undefined ? bytes !== others : !bytes.equals(others)
  })
}
