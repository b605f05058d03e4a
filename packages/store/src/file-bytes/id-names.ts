import { createHash } from 'node:crypto'

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns the name of a folder for an id, also for the folders of a bucket. Some file systems refuse some ids, or take
 * `A` and `a` for the same name. Such an id becomes a hash. The hash begins with `~`, which no id contains.
 */
export function nameOf(id: string): string {
  if (/^[a-z0-9_-]+$/.test(id) && !reserved.test(id)) return id
  return `~${createHash('sha256').update(id).digest('hex')}`
}
