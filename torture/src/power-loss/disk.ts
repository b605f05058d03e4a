import { DiskFile, pickOne, type Survival } from './disk-file.ts'
import type { DiskImage } from './disk-image.ts'
import type { Operation } from './trace.ts'

/**
 * How a file system keeps names:
 * - `in-order`: in a journal. A sync of anything makes all changes of names before it safe. Of the others, the first ones
 *   survive.
 * - `by-folder`: as POSIX promises. A change of a name is safe after a sync of its folder. Each of the others survives or not.
 */
export type NameRules = 'in-order' | 'by-folder'

type Node = DiskFile | DiskFolder

class DiskFolder {
  readonly type = 'folder'
  /** As programs see it. */
  readonly now = new Map<string, Node>()
  /** After a power loss, at least. */
  readonly safe = new Map<string, Node>()
}

interface NameChange {
  readonly order: number
  readonly names: readonly {
    readonly folder: DiskFolder
    readonly name: string
    readonly node: Node | undefined
  }[]
}

/** A disk that forgets what is not synced. It gets the operations of a trace, one by one. */
export class Disk {
  readonly #rules: NameRules
  readonly #root = new DiskFolder()
  readonly #nodes = new Map<number, Node>()
  readonly #syncs = new Map<string, { readonly node: Node; readonly order: number }>()
  #unsynced: NameChange[] = []
  #order = 0

  constructor(rules: NameRules) {
    this.#rules = rules
  }

  apply(operation: Operation): void {
    this.#order += 1
    switch (operation.type) {
      case 'create':
        return this.#make(operation, new DiskFile())
      case 'make-folder':
        return this.#make(operation, new DiskFolder())
      case 'rename':
        return this.#rename(operation.from, operation.to)
      case 'remove':
        return this.#change([{ ...this.#place(operation.path), node: undefined }])
      case 'write':
        return this.#file(operation.inode).write(this.#order, operation.at, operation.bytes)
      case 'resize':
        return this.#file(operation.inode).resize(this.#order, operation.size)
      case 'sync-begin': {
        // Inode 0 is nobody's: the traced folder itself was there before.
        const node = this.#nodes.get(operation.inode) ?? this.#root
        this.#syncs.set(operation.sync, { node, order: this.#order })
        return
      }
      case 'sync-end':
        return this.#sync(operation.sync)
      case 'send':
      case 'note':
        return
      default:
        operation satisfies never
    }
  }

  /** What programs see. */
  image(): DiskImage {
    return imageOf(this.#root, {
      namesIn: folder => folder.now,
      bytesOf: file => file.contents(),
    })
  }

  /** What is there after a power loss now. */
  afterPowerLoss(survival: Survival): DiskImage {
    const names = new Map<DiskFolder, Map<string, Node>>()
    const namesIn = (folder: DiskFolder) => {
      const found = names.get(folder) ?? new Map(folder.safe)
      names.set(folder, found)
      return found
    }
    for (const { names: changes } of this.#survivors(survival))
      for (const { folder, name, node } of changes) setName(namesIn(folder), name, node)
    return imageOf(this.#root, { namesIn, bytesOf: file => file.afterPowerLoss(survival) })
  }

  #survivors({ random, share }: Survival): readonly NameChange[] {
    if (this.#rules === 'by-folder') return this.#unsynced.filter(() => pickOne(random, share, [false, true]))
    return this.#unsynced.slice(
      0,
      pickOne(random, share, [0, ...this.#unsynced.map((_, index) => index + 1)]),
    )
  }

  #make({ path, inode }: { readonly path: string; readonly inode: number }, node: Node): void {
    this.#nodes.set(inode, node)
    this.#change([{ ...this.#place(path), node }])
  }

  #rename(from: string, to: string): void {
    const place = this.#place(from)
    const node = place.folder.now.get(place.name)
    if (node === undefined) throw new TypeError(`The trace renames ${from}, which nobody has made.`)
    // A rename happens whole or not at all.
    this.#change([
      { ...place, node: undefined },
      { ...this.#place(to), node },
    ])
  }

  #change(names: NameChange['names']): void {
    for (const { folder, name, node } of names) setName(folder.now, name, node)
    this.#unsynced.push({ order: this.#order, names })
  }

  #sync(sync: string): void {
    const begun = this.#syncs.get(sync)
    if (begun === undefined) throw new TypeError(`The sync ${sync} has ended, and never begun.`)
    this.#syncs.delete(sync)
    const { node, order } = begun
    if (node.type === 'file') node.sync(order)
    const isSafe = (change: NameChange) =>
      change.order < order &&
      (this.#rules === 'in-order' || change.names.some(({ folder }) => folder === node))
    for (const change of this.#unsynced.filter(isSafe))
      for (const { folder, name, node } of change.names) setName(folder.safe, name, node)
    this.#unsynced = this.#unsynced.filter(change => !isSafe(change))
  }

  #file(inode: number): DiskFile {
    const node = this.#nodes.get(inode)
    if (node?.type === 'file') return node
    throw new TypeError(`The trace writes to the file ${inode}, which nobody has made.`)
  }

  #place(path: string): { readonly folder: DiskFolder; readonly name: string } {
    const names = path.split('/').slice(1)
    const name = names.pop() ?? ''
    let folder = this.#root
    for (const each of names) {
      const next = folder.now.get(each)
      if (next?.type !== 'folder')
        throw new TypeError(`The trace names ${path}, whose folder nobody has made.`)
      folder = next
    }
    return { folder, name }
  }
}

function setName(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) names.delete(name)
  else names.set(name, node)
}

interface View {
  readonly namesIn: (folder: DiskFolder) => ReadonlyMap<string, Node>
  readonly bytesOf: (file: DiskFile) => Buffer
}

function imageOf(root: DiskFolder, { namesIn, bytesOf }: View): DiskImage {
  const folders: string[] = []
  const files = new Map<string, Buffer>()
  const waiting: { readonly path: string; readonly folder: DiskFolder }[] = [{ path: '', folder: root }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    folders.push(next.path)
    for (const [name, node] of namesIn(next.folder)) {
      const path = `${next.path}/${name}`
      if (node.type === 'folder') waiting.push({ path, folder: node })
      else files.set(path, bytesOf(node))
    }
  }
  return { folders, files }
}
