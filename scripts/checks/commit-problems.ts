/** A commit that is going to be merged. */
export interface Commit {
  readonly subject: string
  /** The lines after the subject. */
  readonly body: string
}

const maxSubjectLength = 72

/** Returns one text per subject that is too long to be read in a list, and one if a changeset is missing. */
export function commitProblems(
  commits: readonly Commit[],
  changedPaths: readonly string[],
): readonly string[] {
  const long = commits
    .filter(({ subject }) => subject.length > maxSubjectLength)
    .map(
      ({ subject }) =>
        `The subject has ${subject.length} characters. Write at most ${maxSubjectLength}, and the reason into the body: ${subject}`,
    )
  return needsChangeset(commits, changedPaths)
    ? [
        ...long,
        'Code of the product has changed, and no changeset says what people notice: "npm run changeset". If they notice nothing, end the body of a commit with the line "Changeset: none".',
      ]
    : long
}

function needsChangeset(commits: readonly Commit[], changedPaths: readonly string[]): boolean {
  const isProduct = (path: string) =>
    /^(?:packages|apps)\/[^/]+\/src\//.test(path) && !path.startsWith('packages/testing/')
  const isChangeset = (path: string) => /^\.changeset\/.+\.md$/.test(path)
  const isWaived = ({ body }: Commit) => /^Changeset: none\b/m.test(body)
  return changedPaths.some(isProduct) && !changedPaths.some(isChangeset) && !commits.some(isWaived)
}
