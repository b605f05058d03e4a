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
  const kept = existing.createdAt === undefined ? added : { ...added, createdAt: existing.createdAt }
  return merge(existing, kept)
}

function merge<T extends Readonly<Record<string, unknown>>>(
  base: T,
  added: Readonly<Record<string, unknown>>,
): T {
  let merged = base
  for (const [key, value] of Object.entries(added)) {
    if (value === undefined || unsafeKeys.has(key)) continue
    const before = Object.hasOwn(base, key) ? base[key] : undefined
    const after = isRecord(before) && isRecord(value) ? merge(before, value) : value
    if (!isSame(before, after)) merged = { ...merged, [key]: after }
  }
  return merged
}

const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

function isSame(before: unknown, after: unknown): boolean {
  return before === after || (Array.isArray(before) && JSON.stringify(before) === JSON.stringify(after))
}
