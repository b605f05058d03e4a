/**
 * A list that is never changed: `push` and `set` make a new one that shares all but a few nodes with the
 * old. Their cost does not grow with the length (it does with its logarithm to base 32), where copying an
 * array would cost its length on every delta. The last items stand beside the tree: they change most.
 */
export interface List<T> {
  readonly size: number
  /** All items but those in the tail, in leaves of 32. */
  readonly root: Node<T> | undefined
  readonly tail: readonly T[]
}

type Node<T> = Leaf<T> | { readonly height: number; readonly nodes: readonly Node<T>[] }

interface Leaf<T> {
  readonly height: 0
  readonly items: readonly T[]
}

const width = 32

export function emptyList<T>(): List<T> {
  return { size: 0, root: undefined, tail: [] }
}

export function listFrom<T>(items: Iterable<T>): List<T> {
  const all = [...items]
  const leaves = groups(all)
  const tail = leaves.pop() ?? []
  let level: Node<T>[] = leaves.map(group => ({ height: 0, items: group }))
  for (let height = 1; level.length > 1; height += 1) {
    level = groups(level).map(nodes => ({ height, nodes }))
  }
  return { size: all.length, root: level[0], tail }
}

export function listGet<T>({ size, root, tail }: List<T>, index: number): T | undefined {
  if (index < 0 || index >= size) return undefined
  const inTail = index - (size - tail.length)
  if (inTail >= 0) return tail[inTail]
  let node = root
  while (node !== undefined) {
    if ('items' in node) return node.items[index % width]
    node = node.nodes[slot(node.height, index)]
  }
  return undefined
}

export function listPush<T>({ size, root, tail }: List<T>, item: T): List<T> {
  if (tail.length < width) return { size: size + 1, root, tail: [...tail, item] }
  return { size: size + 1, root: pushLeaf(root, { height: 0, items: tail }, size - width), tail: [item] }
}

export function listSet<T>({ size, root, tail }: List<T>, index: number, item: T): List<T> {
  if (index < 0 || index >= size) throw new RangeError(`No item ${index} in a list of ${size}.`)
  const inTail = index - (size - tail.length)
  if (inTail >= 0) return { size, root, tail: tail.with(inTail, item) }
  return { size, root: setIn(root, index, item), tail }
}

export function listToArray<T>({ root, tail }: List<T>): T[] {
  const items: T[] = []
  if (root !== undefined) collect(root, items)
  items.push(...tail)
  return items
}

function setIn<T>(node: Node<T> | undefined, index: number, item: T): Node<T> {
  if (node === undefined) throw new RangeError(`No node for item ${index}.`)
  if ('items' in node) return { height: 0, items: node.items.with(index % width, item) }
  const at = slot(node.height, index)
  return { height: node.height, nodes: node.nodes.with(at, setIn(node.nodes[at], index, item)) }
}

/** Adds a full leaf whose first item has the index `start`. */
function pushLeaf<T>(root: Node<T> | undefined, leaf: Leaf<T>, start: number): Node<T> {
  if (root === undefined) return leaf
  if (start === width ** (root.height + 1)) {
    return { height: root.height + 1, nodes: [root, branch(root.height, leaf)] }
  }
  return pushInto(root, leaf, start)
}

function pushInto<T>(node: Node<T>, leaf: Leaf<T>, start: number): Node<T> {
  if ('items' in node) return leaf
  const child = node.nodes[slot(node.height, start)]
  if (child === undefined) {
    return { height: node.height, nodes: [...node.nodes, branch(node.height - 1, leaf)] }
  }
  return { height: node.height, nodes: [...node.nodes.slice(0, -1), pushInto(child, leaf, start)] }
}

function branch<T>(height: number, leaf: Leaf<T>): Node<T> {
  return height === 0 ? leaf : { height, nodes: [branch(height - 1, leaf)] }
}

function slot(height: number, index: number): number {
  return Math.floor(index / width ** height) % width
}

function collect<T>(node: Node<T>, into: T[]): void {
  if ('items' in node) into.push(...node.items)
  else for (const child of node.nodes) collect(child, into)
}

function groups<T>(items: readonly T[]): T[][] {
  const grouped: T[][] = []
  for (let start = 0; start < items.length; start += width) grouped.push(items.slice(start, start + width))
  return grouped
}
