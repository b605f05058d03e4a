import { tool } from 'ai'
import { z } from 'zod'
import { evaluateExpression, maxExpressionLength } from './evaluate-expression.ts'

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
