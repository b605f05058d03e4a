import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExpressionError, evaluateExpression, maxExpressionDepth } from '../../src/tools/calculator.ts'

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['100 / 10 / 5', 2],
  ['7 % 4 * 2', 6],
  ['-7 % 4', -3],
  ['2 ^ 3 ^ 2', 512],
  ['-2 ^ 2', -4],
  ['(-2) ^ 2', 4],
  ['2 ^ -1', 0.5],
  ['2 * -3', -6],
  ['--5 - +5', 0],
  ['.5 + 5. + 1.25', 6.75],
  ['1.5e3 + 2E-1', 1500.2],
  ['0 * -1', 0],
  ['\t( ( 4 ) )\n', 4],
])('%s is %d', (expression, value) => {
  expect(evaluateExpression(expression)).toBe(value)
})

test.each([
  ['', 'unexpected-end', 1],
  ['   ', 'unexpected-end', 4],
  ['1 +', 'unexpected-end', 4],
  ['1 2', 'unexpected-character', 3],
  ['1,000', 'unexpected-character', 2],
  ['2 * two', 'unexpected-character', 5],
  ['1)', 'unexpected-character', 2],
  ['()', 'unexpected-character', 2],
  ['(1 2)', 'unexpected-character', 4],
  ['3 * (1 + 2', 'unclosed-parenthesis', 5],
  ['1 + 😀', 'unexpected-character', 5],
  ['1 / (2 - 2)', 'division-by-zero', 3],
  ['5 % 0', 'division-by-zero', 3],
  ['(-8) ^ .5', 'not-a-number', 6],
  ['0 ^ -1', 'too-large', 3],
  ['9 ^ 9 ^ 9', 'too-large', 3],
  ['1e999', 'too-large', 1],
  ['process.exit()', 'unexpected-character', 1],
])('"%s" fails with %s at character %d', (expression, code, position) => {
  expect(() => evaluateExpression(expression)).toThrow(expect.objectContaining({ code, position }))
})

test('a message names the whole character it stumbled over', () => {
  expect(() => evaluateExpression('1 + 😀')).toThrow(
    'Unexpected "😀" at character 5: expected a number or "(".',
  )
})

test('1001 characters are refused, 1000 are not', () => {
  expect(evaluateExpression(`${'1+'.repeat(499)}10`)).toBe(509)
  expect(() => evaluateExpression('1'.repeat(1001))).toThrow(expect.objectContaining({ code: 'too-long' }))
})

test.each([
  ['parentheses', (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`],
  ['signs', (depth: number) => `${'+'.repeat(depth)}1`],
  ['powers', (depth: number) => `1${'^1'.repeat(depth)}`],
])('%s may nest as deep as the limit and no deeper', (_, nest) => {
  expect(evaluateExpression(nest(maxExpressionDepth))).toBe(1)
  const tooDeep = expect.objectContaining({ code: 'too-deep' })
  expect(() => evaluateExpression(nest(maxExpressionDepth + 1))).toThrow(tooDeep)
})

test('any string gives a finite number or an ExpressionError with a position inside it', () => {
  const symbols = fc.constantFrom('0', '7', '.', 'e', '+', '-', '*', '/', '%', '^', '(', ')', ' ', 'x')
  const almostExpression = fc.string({ unit: symbols, maxLength: 1100 })
  fc.assert(
    fc.property(fc.oneof(almostExpression, fc.string({ unit: 'binary' })), expression => {
      const outcome = attempt(expression)
      if (outcome instanceof ExpressionError) {
        expect(outcome.position).toBeGreaterThanOrEqual(1)
        expect(outcome.position).toBeLessThanOrEqual(expression.length + 1)
      } else {
        expect(Number.isFinite(outcome)).toBe(true)
      }
    }),
    { numRuns: 1000 },
  )
})

type Tree =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'minus'; readonly of: Tree }
  | { readonly type: Operator; readonly left: Tree; readonly right: Tree }

type Operator = '+' | '-' | '*' | '/' | '%' | '^'

test('a written-out tree evaluates to what the tree evaluates to, with as few parentheses as precedence allows', () => {
  fc.assert(
    fc.property(trees(), fc.boolean(), (tree, isSpaced) => {
      const text = write(tree, isSpaced ? ' ' : '')
      fc.pre(text.length <= 1000)
      const expected = reference(tree)
      if (expected === undefined) expect(() => evaluateExpression(text)).toThrow(ExpressionError)
      else expect(evaluateExpression(text)).toBe(expected + 0)
    }),
    { numRuns: 2000 },
  )
})

function attempt(expression: string): number | ExpressionError {
  try {
    return evaluateExpression(expression)
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
}

function trees(): fc.Arbitrary<Tree> {
  const value = fc.oneof(fc.nat(12), fc.double({ min: 0, max: 1e6, noNaN: true }))
  const operator = fc.constantFrom<Operator>('+', '-', '*', '/', '%', '^')
  return fc.letrec<{ tree: Tree }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      fc.record({ type: fc.constant('number' as const), value }),
      fc.record({ type: fc.constant('minus' as const), of: tie('tree') }),
      fc.record({ type: operator, left: tie('tree'), right: tie('tree') }),
      fc.record({ type: operator, left: tie('tree'), right: tie('tree') }),
    ),
  })).tree
}

/** The value of the tree, or undefined as soon as any part of it has no finite one. */
function reference(tree: Tree): number | undefined {
  if (tree.type === 'number') return tree.value
  if (tree.type === 'minus') {
    const value = reference(tree.of)
    return value === undefined ? undefined : -value
  }
  const left = reference(tree.left)
  const right = reference(tree.right)
  if (left === undefined || right === undefined) return undefined
  const value = compute[tree.type](left, right)
  return Number.isFinite(value) ? value : undefined
}

const compute: Record<Operator, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': (left, right) => left ** right,
}

const precedence = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, minus: 3, '^': 4, number: 5 } as const

function write(tree: Tree, space: string): string {
  const inside = (child: Tree, isGrouped: boolean) => {
    const text = write(child, space)
    return isGrouped ? `(${space}${text}${space})` : text
  }
  if (tree.type === 'number') return String(tree.value)
  if (tree.type === 'minus') return `-${inside(tree.of, precedence[tree.of.type] < precedence.minus)}`
  const own = precedence[tree.type]
  const [left, right] = [precedence[tree.left.type], precedence[tree.right.type]]
  if (tree.type === '^') {
    // A sign may follow "^" without parentheses: 2^-1.
    return `${inside(tree.left, left <= own)}${space}^${space}${inside(tree.right, right < precedence.minus)}`
  }
  return `${inside(tree.left, left < own)}${space}${tree.type}${space}${inside(tree.right, right <= own)}`
}
