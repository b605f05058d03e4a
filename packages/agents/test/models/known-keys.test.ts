import { expect, test } from 'vitest'
import { knownKeys } from '../../src/model-from-env.ts'

test('which keys are set is told, and never a part of a key', () => {
  const keys = knownKeys({ OPENAI_API_KEY: 'sk-123456', TAVILY_API_KEY: '  ', HOME: '/root' })
  expect(keys.filter(({ isSet }) => isSet)).toEqual([{ name: 'OPENAI_API_KEY', isSet: true }])
  expect(keys.find(({ name }) => name === 'TAVILY_API_KEY')).toEqual({ name: 'TAVILY_API_KEY', isSet: false })
  expect(JSON.stringify(keys)).not.toContain('123')
})
