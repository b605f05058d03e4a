import type { MovedStore, MoveProgress } from '@throughline/store'
import { bytesText } from '../text/bytes.ts'

/** Returns in words what was done. */
export function progressText(step: MoveProgress): string {
  switch (step.type) {
    case 'restarted':
      return 'An earlier attempt was cut off. What it had written was deleted. This one begins anew.'
    case 'copied':
      return `copied    ${step.table}: ${count(step.rows)}`
    case 'compared':
      return `compared  ${step.table}: ${count(step.rows)}`
    case 'files-copied':
      return 'copied    the contents of files'
  }
}

/** Returns what was moved, for the operator. */
export function reportText(
  { tables, files }: MovedStore,
  {
    folder,
    place,
    files: location,
  }: { readonly folder: string; readonly place: string; readonly files: string },
): string {
  const width = Math.max(...tables.map(({ name }) => name.length))
  const rows = tables.map(({ name, rows, checksum }) => {
    return `  ${name.padEnd(width)}  ${count(rows).padStart(13)}  sha256 ${checksum.slice(0, 16)}`
  })
  return [
    '',
    'Rows on both sides, compared one by one:',
    ...rows,
    `Files: ${count(files.files)}, ${bytesText(files.bytes)}, compared byte by byte. They are in ${location}.`,
    ...missingText(files.missing),
    '',
    `Done: everything in ${folder} is in ${place}. Set DATABASE_URL, and start the server.`,
    `${folder} was not changed. Keep it as a backup, and start no server on it any more.`,
  ].join('\n')
}

function missingText(missing: readonly string[]): readonly string[] {
  if (missing.length === 0) return []
  return [`Files whose contents were missing before: ${missing.join(', ')}`]
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
