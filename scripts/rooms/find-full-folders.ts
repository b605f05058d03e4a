import { posix } from 'node:path'

const maxFiles = 20

/** Returns one text per folder that directly holds more files than a person looks through. */
export function findFullFolders(paths: readonly string[]): readonly string[] {
  const folders = Map.groupBy(paths, path => posix.dirname(path))
  return [...folders]
    .filter(([, files]) => files.length > maxFiles)
    .map(
      ([folder, files]) =>
        `${folder}: ${files.length} files in one folder. Find the rooms in it: at most ${maxFiles}.`,
    )
    .toSorted()
}
