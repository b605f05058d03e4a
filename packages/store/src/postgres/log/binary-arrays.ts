// Arrays as Postgres itself writes them in its binary format. `pg` would write them as text, with every quote of the JSON
// in them escaped, and the server would have to read that again: half of what an append costs this process.

const textType = 25
const bigintType = 20
const headerBytes = 20

/** Returns texts as a parameter of the type `text[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = headerBytes
  for (const value of values) bytes += 4 + (value === null ? 0 : Buffer.byteLength(value))
  const array = Buffer.allocUnsafe(bytes)
  let end = writeHeader(array, { type: textType, length: values.length, hasNull: values.includes(null) })
  for (const value of values) {
    const size = value === null ? -1 : array.write(value, end + 4)
    array.writeInt32BE(size, end)
    end += 4 + Math.max(0, size)
  }
  return array
}

/** Returns safe integers as a parameter of the type `bigint[]`. */
export function bigintArray(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + values.length * 12)
  let end = writeHeader(array, { type: bigintType, length: values.length, hasNull: false })
  for (const value of values) {
    array.writeInt32BE(8, end)
    array.writeInt32BE(Math.floor(value / 2 ** 32), end + 4)
    array.writeUInt32BE(value >>> 0, end + 8)
    end += 12
  }
  return array
}

/** Writes the header of an array with one dimension, whose first element has the number 1. Returns where it ends. */
function writeHeader(
  array: Buffer,
  { type, length, hasNull }: { readonly type: number; readonly length: number; readonly hasNull: boolean },
): number {
  const fields = [1, hasNull ? 1 : 0, type, length, 1]
  for (const [index, field] of fields.entries()) array.writeInt32BE(field, index * 4)
  return headerBytes
}
