import { matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longTests } from './test-groups.ts'

/**
 * The order of the test files. Vitest takes the largest files first when it does not know how long they take. Small files that
 * take long come before those, because one that begins last runs alone at the end.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)))
  }
}

const root = fileURLToPath(new URL('..', import.meta.url))

function isLong({ moduleId }: TestSpecification): boolean {
  const path = relative(root, moduleId)
  return longTests.some(glob => matchesGlob(path, glob))
}
