import { asSchema } from 'ai'
import { expect, test } from 'vitest'
import { calculatorTool } from '../../src/tools/calculator.ts'

const call = { toolCallId: 'call-1', messages: [], context: {} }

test('the result comes with the expression it belongs to', async () => {
  const answer = await calculatorTool.execute({ expression: '(17 + 4) * 2 ^ 3' }, call)
  expect(answer).toEqual({ expression: '(17 + 4) * 2 ^ 3', result: 168 })
})

test('a malformed expression fails with the position', () => {
  expect(() => calculatorTool.execute({ expression: '2 + two' }, call)).toThrow('"t" at character 5')
})

test('the input schema refuses an expression that is empty or too long', async () => {
  const validate = asSchema(calculatorTool.inputSchema).validate
  expect(await validate?.({ expression: '' })).toMatchObject({ success: false })
  expect(await validate?.({ expression: '1'.repeat(1001) })).toMatchObject({ success: false })
  expect(await validate?.({ expression: '1'.repeat(1000) })).toMatchObject({ success: true })
})
