import { tool } from 'ai'
import { z } from 'zod'

/** The longest expression, in characters. */
export const maxExpressionLength = 1000
/** How deep the parentheses of an expression may be nested. */
export const maxExpressionDepth = 100

/** Calculates an arithmetic expression with a parser of our own. Nothing is run as code. */
export const calculatorTool = tool({
  title: 'Calculator',
  description:
    'Works out an arithmetic expression exactly as written and returns the number. Knows + - * / ^ (power), ' +
    '% (remainder), parentheses, signs and decimals. No variables, functions, units or thousands separators. ' +
    'Use it for any arithmetic beyond the trivial.',
  inputSchema: z.object({
    expression: z
      .string()
      .min(1)
      .max(maxExpressionLength)
      .describe('The expression, for example "(17.5 + 4) * 2 ^ 3".'),
  }),
  execute: ({ expression }) => ({ expression, result: evaluateExpression(expression) }),
})

/** What is wrong with an expression. */
export type ExpressionErrorCode =
  | 'too-long'
  | 'too-deep'
  | 'unexpected-character'
  | 'unexpected-end'
  | 'unclosed-parenthesis'
  | 'division-by-zero'
  | 'not-a-number'
  | 'too-large'

/** Thrown for an expression that cannot be evaluated. */
export class ExpressionError extends Error {
  readonly code: ExpressionErrorCode
  /** The position of the first character that is wrong, from 1. */
  readonly position: number

  constructor(code: ExpressionErrorCode, message: string, position: number) {
    super(message)
    this.name = 'ExpressionError'
    this.code = code
    this.position = position
  }
}

/**
 * Returns the value of an expression with + - * / % ^, parentheses and signs. `^` binds tighter than a sign and groups to the
 * right. Throws an `ExpressionError`.
 */
export function evaluateExpression(expression: string): number {
  if (expression.length > maxExpressionLength) {
    const message = `The expression has ${expression.length} characters; ${maxExpressionLength} are allowed. Split it up.`
    throw new ExpressionError('too-long', message, maxExpressionLength + 1)
  }
  const cursor = { expression, index: 0 }
  const value = sum(cursor, 0)
  if (peek(cursor) !== '') throw unexpected(cursor, 'an operator or the end')
  return value + 0 // turns -0 into 0
}

/** The position of the parser. The functions below read at it and move it forward. */
type Cursor = { readonly expression: string; index: number }

function sum(cursor: Cursor, depth: number): number {
  let left = product(cursor, depth)
  for (;;) {
    const operator = peek(cursor)
    if (operator !== '+' && operator !== '-') return left
    const position = take(cursor)
    const right = product(cursor, depth)
    left = finite(operator === '+' ? left + right : left - right, operator, position)
  }
}

function product(cursor: Cursor, depth: number): number {
  let left = signed(cursor, depth)
  for (;;) {
    const operator = peek(cursor)
    if (operator !== '*' && operator !== '/' && operator !== '%') return left
    const position = take(cursor)
    const right = signed(cursor, depth)
    if (operator !== '*' && right === 0) {
      const message = `Division by zero: the right side of "${operator}" at character ${position} is 0.`
      throw new ExpressionError('division-by-zero', message, position)
    }
    const value = operator === '*' ? left * right : operator === '/' ? left / right : left % right
    left = finite(value, operator, position)
  }
}

function signed(cursor: Cursor, depth: number): number {
  checkDepth(cursor, depth)
  const sign = peek(cursor)
  if (sign !== '-' && sign !== '+') return power(cursor, depth)
  take(cursor)
  const value = signed(cursor, depth + 1)
  return sign === '-' ? -value : value
}

function power(cursor: Cursor, depth: number): number {
  const base = atom(cursor, depth)
  if (peek(cursor) !== '^') return base
  const position = take(cursor)
  // `signed` allows 2^-1. It also comes back to `power`, so 2^3^2 is 2^(3^2).
  const exponent = signed(cursor, depth + 1)
  return finite(base ** exponent, '^', position)
}

function atom(cursor: Cursor, depth: number): number {
  if (peek(cursor) !== '(') return number(cursor)
  const position = take(cursor)
  const value = sum(cursor, depth + 1)
  const closer = peek(cursor)
  if (closer === '') {
    const message = `The parenthesis opened at character ${position} is never closed. Add a ")".`
    throw new ExpressionError('unclosed-parenthesis', message, position)
  }
  if (closer !== ')') throw unexpected(cursor, 'an operator or ")"')
  take(cursor)
  return value
}

function number(cursor: Cursor): number {
  if (peek(cursor) === '') {
    const position = cursor.expression.length + 1
    throw new ExpressionError('unexpected-end', 'The expression ends where a number is expected.', position)
  }
  const pattern = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
  pattern.lastIndex = cursor.index
  const digits = pattern.exec(cursor.expression)?.[0]
  if (digits === undefined) throw unexpected(cursor, 'a number or "("')
  const position = cursor.index + 1
  cursor.index += digits.length
  return finite(Number(digits), digits, position)
}

/** Returns the next character that is not a space, or '' at the end. */
function peek(cursor: Cursor): string {
  while (/\s/.test(cursor.expression.charAt(cursor.index))) cursor.index += 1
  return cursor.expression.charAt(cursor.index)
}

/** Steps over one character and returns its position, from 1. */
function take(cursor: Cursor): number {
  cursor.index += 1
  return cursor.index
}

// The parser recurses only at signs, powers and parentheses. Each of them counts as one level.
function checkDepth(cursor: Cursor, depth: number): void {
  if (depth <= maxExpressionDepth) return
  const position = cursor.index + 1
  const message = `Nested more than ${maxExpressionDepth} deep at character ${position}. Use fewer parentheses, signs or powers inside each other.`
  throw new ExpressionError('too-deep', message, position)
}

function finite(value: number, source: string, position: number): number {
  if (Number.isFinite(value)) return value
  if (Number.isNaN(value)) {
    const message = `"${source}" at character ${position} has no real result.`
    throw new ExpressionError('not-a-number', message, position)
  }
  const message = `"${source}" at character ${position} gives a number that is too large or infinite.`
  throw new ExpressionError('too-large', message, position)
}

function unexpected(cursor: Cursor, expected: string): ExpressionError {
  const position = cursor.index + 1
  const found = String.fromCodePoint(cursor.expression.codePointAt(cursor.index) ?? 0)
  const message = `Unexpected "${found}" at character ${position}: expected ${expected}.`
  return new ExpressionError('unexpected-character', message, position)
}
