import { expect, test } from 'vitest'
import { ProblemError } from '../../src/wire/problem.ts'

test('a problem has its facts beside the fields of RFC 9457, and no fact replaces one of those', () => {
  const error = new ProblemError(409, 'chat-busy', 'Wait for run r or stop it.', { runId: 'r', status: 200 })
  expect(error.toProblem()).toEqual({
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'chat-busy',
    detail: 'Wait for run r or stop it.',
    runId: 'r',
  })
  expect(JSON.stringify(error.toProblem())).not.toContain('stack')
})

test('a status without a name is still a problem', () => {
  expect(new ProblemError(418, 'internal', 'Use a cup.').toProblem()).toMatchObject({
    title: 'Error',
    status: 418,
  })
})
