import type { HouseRules, RoomGraph } from './imports-of-rooms.ts'
import { layersOf } from './layers.ts'

/** Returns one text per two rooms that import each other. If there are none, one for a longer circle, if there is one. */
export function findKnots(graph: RoomGraph): readonly string[] {
  const { knotted } = layersOf(graph)
  const mutual = knotted.flatMap(room =>
    [...(graph.get(room) ?? [])]
      .filter(([target]) => room < target && graph.get(target)?.has(room) === true)
      .map(([target]) => [room, target]),
  )
  const circles = mutual.length > 0 ? mutual : knotted.length > 0 ? [circleIn(graph, knotted)] : []
  return circles.map(
    circle =>
      `${circle.join(' and ')} import each other. Move what they share into a room below them.${sites(graph, circle)}`,
  )
}

/** Returns what the table says, in the form of what the files do. */
export function tableGraph({ rooms }: Pick<HouseRules, 'rooms'>): RoomGraph {
  const all = Object.keys(rooms)
  return new Map(
    all.map(room => [
      room,
      new Map(
        (rooms[room] ?? [])
          .filter(target => all.includes(target))
          .map(target => [target, 'scripts/rooms.ts']),
      ),
    ]),
  )
}

/** Every knotted room imports another one, so whoever goes from one to the next comes to one again. */
function circleIn(graph: RoomGraph, knotted: readonly string[]): readonly string[] {
  const way: string[] = []
  let room = knotted[0]
  while (room !== undefined && !way.includes(room)) {
    way.push(room)
    room = [...(graph.get(room)?.keys() ?? [])].find(target => knotted.includes(target))
  }
  return room === undefined ? way : way.slice(way.indexOf(room))
}

function sites(graph: RoomGraph, circle: readonly string[]): string {
  return circle
    .map((room, index) => {
      const next = circle[(index + 1) % circle.length] ?? room
      return `\n  ${graph.get(room)?.get(next)} imports from ${next}`
    })
    .join('')
}
