import { expect, test } from 'vitest'
import { assertNode } from '../../src/sqlite/assert-node.ts'

test.each(['24.15.0', '24.21.0', '25.0.0', '26.1.2'])('Node %s can keep a store', version => {
  expect(() => assertNode(version)).not.toThrow()
})

test.each(['18.20.0', '20.20.2', '22.22.1', '24.14.9'])(
  'Node %s is refused in one clear sentence',
  version => {
    expect(() => assertNode(version)).toThrow(
      `Throughline needs Node 24.15 or newer, and this is ${version}.`,
    )
  },
)
