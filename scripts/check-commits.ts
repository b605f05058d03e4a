// `npm run check:commits -- BASE`: looks at the commits since this branch left BASE (default: origin/main): whether their subjects are
// short, and whether a changeset says what people will notice.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { commitProblems } from './checks/commit-problems.ts'

const [base = 'origin/main'] = process.argv.slice(2)
const start = await git('merge-base', base, 'HEAD')
const log = await git('log', '--no-merges', '--format=%s%x00%b%x01', `${start}..HEAD`)
const commits = log
  .split('\x01')
  .map(commit => commit.trim().split('\0'))
  .filter(([subject]) => subject !== '')
  .map(([subject = '', body = '']) => ({ subject, body }))
const changed = await git('diff', '--name-only', '--diff-filter=d', start, 'HEAD')

const problems = commitProblems(commits, changed.split('\n'))
for (const problem of problems) console.error(problem)
console.log(`${commits.length} commits since ${base}, ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1

async function git(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', words, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}
