import { seededRandom } from '@throughline/agents/testing'
import { expect, test } from 'vitest'
import { Disk, type NameRules } from '../../src/power-loss/disk.ts'
import type { DiskImage } from '../../src/power-loss/disk-image.ts'
import type { Operation } from '../../src/power-loss/trace.ts'

const folder: Operation = { type: 'make-folder', path: '/data', inode: 1 }
const file: Operation = { type: 'create', path: '/data/a', inode: 2 }
const write = (text: string, at = 0): Operation => ({ type: 'write', inode: 2, at, bytes: Buffer.from(text) })
const sync = (inode: number): readonly Operation[] => [begin(inode), end(inode)]
const begin = (inode: number): Operation => ({ type: 'sync-begin', inode, sync: `sync-${inode}` })
const end = (inode: number): Operation => ({ type: 'sync-end', sync: `sync-${inode}` })
/** The traced folder itself. */
const root = 0
const safeFolder = [folder, ...sync(root)]
const safeFile = [...safeFolder, file, ...sync(1)]

function diskAfter(operations: readonly Operation[], rules: NameRules = 'by-folder'): Disk {
  const disk = new Disk(rules)
  for (const operation of operations) disk.apply(operation)
  return disk
}

/** What is left when nothing survives that need not. */
function worst(operations: readonly Operation[], rules?: NameRules): DiskImage {
  return diskAfter(operations, rules).afterPowerLoss({ random: seededRandom(1), share: 0 })
}

/** What is left in many power losses. */
function many(operations: readonly Operation[], rules?: NameRules): readonly DiskImage[] {
  const disk = diskAfter(operations, rules)
  return Array.from({ length: 300 }, (_, seed) =>
    disk.afterPowerLoss({ random: seededRandom(seed), share: [0, 0.3, 0.7, 1][seed % 4] ?? 0 }),
  )
}

function textOf({ files }: DiskImage, path = '/data/a'): string | undefined {
  return files.get(path)?.toString()
}

test('what was synced, with its name and its folder, is there after every power loss', () => {
  const operations = [...safeFile, write('one'), ...sync(2), write('never synced')]
  for (const image of many([...safeFile, write('one'), ...sync(2)])) expect(textOf(image)).toBe('one')
  expect(textOf(worst(operations))).toBe('one')
})

test('nothing of an unsynced write may be there, or all of it', () => {
  const found = new Set(many([...safeFile, write('one')]).map(image => textOf(image)))
  expect(found).toContain('')
  expect(found).toContain('one')
})

test('a sector has its old or its new bytes, whatever the other sectors have', () => {
  const [old, next] = ['a', 'b'].map(letter => letter.repeat(2_048))
  const operations = [...safeFile, write(old ?? ''), ...sync(2), write(next ?? '')]
  const found = new Set(
    many(operations).map(image =>
      textOf(image)
        ?.match(/(a{512}|b{512})/g)
        ?.map(each => each[0])
        .join(''),
    ),
  )
  expect(found).toContain('aaaa')
  expect(found).toContain('bbbb')
  expect(found).toContain('abab')
  expect(found.size).toBe(16)
})

test('a sector that was written twice never has the second write without the first one', () => {
  const operations = [...safeFile, write('....'), ...sync(2), write('1', 0), write('2', 2)]
  const found = new Set(many(operations).map(image => textOf(image)))
  expect(found).toEqual(new Set(['....', '1...', '1.2.']))
})

test('what is written while a sync goes on is not safe, and what was written before is safe only at its end', () => {
  const begun = [...safeFile, write('one'), begin(2), write('two', 3)]
  expect(textOf(worst(begun))).toBe('')
  expect(textOf(worst([...begun, end(2)]))).toBe('one')
})

test('a file that has grown may have the new size without the new bytes', () => {
  const long = 'x'.repeat(1_024)
  const sizes = many([...safeFile, write(long)]).map(image => textOf(image))
  expect(sizes.some(text => text?.length === 1_024 && text !== long)).toBe(true)
})

test('a file that was cut off may be long again', () => {
  const cut: Operation = { type: 'resize', inode: 2, size: 1 }
  const found = new Set(many([...safeFile, write('long'), ...sync(2), cut]).map(image => textOf(image)))
  expect(found).toContain('long')
  expect(found).toContain('l')
})

test('by folders, a new name is safe after a sync of its folder, and of nothing else', () => {
  const written = [...safeFolder, file, write('one'), ...sync(2)]
  expect(worst(written).files.size).toBe(0)
  expect(textOf(worst([...written, ...sync(1)]))).toBe('one')
})

test('by folders, everything in a folder is lost with the name of the folder', () => {
  const written = [folder, file, write('one'), ...sync(2), ...sync(1)]
  expect(worst(written)).toEqual({ folders: [''], files: new Map() })
})

test('in order, a sync of any file keeps all names before it', () => {
  expect(textOf(worst([folder, file, write('one'), ...sync(2)], 'in-order'))).toBe('one')
})

test('in order, no name survives without those before it', () => {
  const other: Operation = { type: 'create', path: '/data/b', inode: 3 }
  const found = new Set(
    many([...safeFolder, file, other], 'in-order').map(({ files }) => [...files.keys()].join()),
  )
  expect(found).toEqual(new Set(['', '/data/a', '/data/a,/data/b']))
})

test('a renamed file has its old or its new name, and never both or none', () => {
  const rename: Operation = { type: 'rename', from: '/data/a', to: '/data/b' }
  const operations = [...safeFile, write('one'), ...sync(2), rename]
  const found = new Set(many(operations).map(({ files }) => [...files.keys()].join()))
  expect(found).toEqual(new Set(['/data/a', '/data/b']))
  expect([...worst([...operations, ...sync(1)]).files.keys()]).toEqual(['/data/b'])
})

test('a removed file may be back, until its folder is synced', () => {
  const removed: Operation = { type: 'remove', path: '/data/a' }
  const operations = [...safeFile, write('one'), ...sync(2), removed]
  expect(textOf(worst(operations))).toBe('one')
  expect(textOf(worst([...operations, ...sync(1)]))).toBeUndefined()
})

test('the inode of a removed file may be used again', () => {
  const again: readonly Operation[] = [
    { type: 'remove', path: '/data/a' },
    { type: 'create', path: '/data/b', inode: 2 },
  ]
  const operations = [...safeFile, write('old'), ...sync(2), ...again, write('new'), ...sync(2)]
  expect(textOf(worst(operations))).toBe('old')
  expect(textOf(worst([...operations, ...sync(1)]), '/data/b')).toBe('new')
})

test('without a power loss, the disk is as programs see it', () => {
  const operations = [
    ...safeFile,
    write('one'),
    ...sync(2),
    write('two', 2),
    { type: 'resize', inode: 2, size: 4 } as const,
  ]
  expect(textOf(diskAfter(operations).image())).toBe('ontw')
  for (const rules of ['in-order', 'by-folder'] as const) {
    const disk = diskAfter(operations, rules)
    expect(disk.afterPowerLoss({ random: seededRandom(1), share: 1 })).toEqual(disk.image())
  }
})
