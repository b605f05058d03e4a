import { open, stat, truncate } from 'node:fs/promises'
import type { SeededRandom } from '@throughline/agents/testing'

/** How a store is damaged. `at` is a fraction of the file, from 0 to 1. */
export interface Damage {
  /** What it is, in words. */
  readonly name: string
  readonly file: 'throughline.sqlite' | 'throughline.sqlite-wal'
  readonly type: 'flip' | 'noise' | 'zeros' | 'truncate'
  readonly at: number
  /** Which bits are flipped, or the first of the random bytes. */
  readonly pattern: number
}

/** Chooses a damage: in the database or in its journal, of one bit, of some bytes, of a page, or of the rest. */
export function planDamage(random: SeededRandom): Damage {
  const file = random.pick(['throughline.sqlite', 'throughline.sqlite-wal'] as const)
  const type = random.pick(['flip', 'noise', 'zeros', 'truncate'] as const)
  const at = random.next()
  return { name: `${type} at ${at.toFixed(4)} of ${file}`, file, type, at, pattern: 1 + random.below(255) }
}

export async function damageFile(folder: string, { file, type, at, pattern }: Damage): Promise<void> {
  const path = `${folder}/${file}`
  const { size } = await stat(path)
  const offset = Math.floor(size * at)
  if (type === 'truncate') return truncate(path, offset)
  await using handle = await open(path, 'r+')
  const bytes = Buffer.alloc(lengths[type])
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset)
  const changed = bytes.subarray(0, bytesRead).map((byte, index) => changes[type](byte, pattern + index))
  await handle.write(changed, 0, bytesRead, offset)
}

const lengths = { flip: 1, noise: 64, zeros: 4_096 }

const changes: Readonly<
  Record<Exclude<Damage['type'], 'truncate'>, (byte: number, pattern: number) => number>
> = {
  flip: (byte, pattern) => byte ^ (1 << (pattern % 8)),
  noise: (byte, pattern) => byte ^ ((pattern * 167) % 255 || 1),
  zeros: () => 0,
}
