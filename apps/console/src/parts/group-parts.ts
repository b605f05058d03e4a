import { isContinued, isDataPart, isToolPart, isUnreadable, type Part } from '@throughline/protocol'
import { isDelegation } from './stage.ts'

/** A part, and where it stands in its message. */
export interface PlacedPart {
  readonly part: Part
  readonly index: number
}

/** A run of tool calls is folded from this many calls on. */
const manyCalls = 4

/**
 * Groups the parts of a message for the screen, in order. Many tool calls in a row are one group, together with the
 * thoughts between them. Every other part is a group of its own.
 */
export function groupParts(parts: readonly Part[]): readonly (readonly PlacedPart[])[] {
  const groups: (readonly PlacedPart[])[] = []
  let run: PlacedPart[] = []
  // Parts after the last call of the run. They belong to it if another call follows.
  let after: PlacedPart[] = []
  const endRun = () => {
    const isLong = run.filter(({ part }) => isToolPart(part)).length >= manyCalls
    if (isLong) groups.push(run)
    for (const each of isLong ? after : [...run, ...after]) groups.push([each])
    run = []
    after = []
  }
  parts.forEach((part, index) => {
    if (isToolPart(part) && !isDelegation(part)) {
      run.push(...after, { part, index })
      after = []
    } else if (run.length > 0 && isQuiet(part)) {
      after.push({ part, index })
    } else {
      endRun()
      groups.push([{ part, index }])
    }
  })
  endRun()
  return groups
}

/** Returns whether a part does not end a run of calls: it draws nothing, or it is a thought that has ended. */
function isQuiet(part: Part): boolean {
  if (part.type === 'text') return part.text.trim() === ''
  if (part.type === 'reasoning') return part.state !== 'streaming'
  return part.type === 'step-start' || (isDataPart(part) && !isContinued(part) && !isUnreadable(part))
}
