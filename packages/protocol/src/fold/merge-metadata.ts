import type { MessageMetadata } from '../message/metadata.ts'
import { isRecord } from '../values/fields.ts'

/**
 * Returns metadata with fields added. Objects are merged deeply; arrays and other values are replaced. Only the first
 * `createdAt` stays.
 *
 * Returns the existing object itself when nothing changes, so that `===` tells whether anything did.
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

// Metadata comes from clients. These keys could change the prototype of objects.
const unsafeKeys = ['__proto__', 'constructor', 'prototype']
