import { readFileSync, statfsSync } from 'node:fs'

const folder = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/**
 * Returns a folder in memory for temporary files, or `undefined` where there is none. It must have room, and programs
 * must be allowed to start there: containers often have a small one without that.
 */
export function memoryFolder(): string | undefined {
  try {
    const [, , , options = ''] = mountOf(folder) ?? []
    if (options === '' || options.split(',').includes('noexec')) return undefined
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= neededBytes ? folder : undefined
  } catch {
    // Not Linux.
    return undefined
  }
}

/** Returns the fields of a line in Linux's list of mounts: device, folder, type, options. */
function mountOf(path: string): readonly string[] | undefined {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
  return mounts.findLast(fields => fields[1] === path)
}
