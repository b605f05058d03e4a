import { isRecord } from './chunk.ts'
import type { MessageMetadata } from './metadata.ts'

/**
 * Existing then new, deeply; arrays are replaced; the first `createdAt` stays.
 * Answers the existing object itself when nothing differs, so identity says whether anything changed.
 */
export function mergeMetadata(
  existing: MessageMetadata | undefined,
  added: MessageMetadata | undefined,
): MessageMetadata | undefined {
  if (existing === undefined || added === undefined) return added ?? existing
  return merge(existing, { ...added, createdAt: existing.createdAt ?? added.createdAt })
}

function merge<T extends Readonly<Record<string, unknown>>>(
  base: T,
  added: Readonly<Record<string, unknown>>,
): T {
  let merged = base
  for (const [key, value] of Object.entries(added)) {
    if (value === undefined || unsafeKeys.includes(key)) continue
    const before = base[key]
    const after = isRecord(before) && isRecord(value) ? merge(before, value) : value
    const isSame =
      before === after || (Array.isArray(before) && JSON.stringify(before) === JSON.stringify(after))
    if (!isSame) merged = { ...merged, [key]: after }
  }
  return merged
}

const unsafeKeys = ['__proto__', 'constructor', 'prototype']
