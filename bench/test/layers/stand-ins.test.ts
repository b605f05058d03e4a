import { describe, expect, expectTypeOf, test } from 'vitest'
import { layers } from '../../src/layers/layers.ts'
import { layersOptionsFrom } from '../../src/layers/layers-options.ts'
import { assertModules, assertReplaced } from '../../src/layers/server-env.ts'
import type { PublicOf } from './public-of.ts'

const root = new URL('../../../', import.meta.url)
const standIns = new URL('../../src/layers/stand-ins/', import.meta.url)

describe.each(layers)('$name', layer => {
  test('its modules are where the table says, and each stand-in exports what its module exports', async () => {
    expect(() => assertModules(layer)).not.toThrow()
    for (const [module, standIn] of Object.entries(layer.modules))
      expect(await exportsOf(new URL(standIn, standIns))).toEqual(await exportsOf(new URL(module, root)))
  })
})

test('each stand-in has the type of its module', () => {
  expectTypeOf<typeof import('../../src/layers/stand-ins/delta-bypass.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/agents/src/ai-sdk/bypass/delta-bypass.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/model-thread.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/agents/src/models/thread/model-thread.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/ring-payload.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/store/src/postgres/log/ring-payload.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/encrypted-notifications.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/store/src/postgres/notifications/encrypted-notifications.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/stream-bytes.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/server/src/stream/bytes/stream-bytes.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/response-sink.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/server/src/stream/bytes/response-sink.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/write-pace.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/server/src/engine/write-pace.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/commit-delay.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/store/src/database/commit-delay.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/give-memory-back.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/store/src/memory/give-memory-back.ts')>
  >()
  expectTypeOf<typeof import('../../src/layers/stand-ins/recent-entries.ts')>().toExtend<
    PublicOf<typeof import('../../../packages/log/src/recent-entries.ts')>
  >()
})

test('a module that has moved is told in one sentence', () => {
  const moved = { name: 'some-layer', modules: { 'packages/log/src/moved.ts': 'write-pace.ts' } }
  expect(() => assertModules(moved)).toThrow(
    'The layer "some-layer" has the module packages/log/src/moved.ts, which is not there. Mend bench/src/layers/layers.ts.',
  )
  const lost = { name: 'some-layer', modules: { 'packages/log/src/follow.ts': 'lost.ts' } }
  expect(() => assertModules(lost)).toThrow('the stand-in lost.ts, which is not there.')
})

test('a server that has replaced nothing is an error', async () => {
  const layer = { name: 'some-layer', modules: { 'packages/log/src/follow.ts': 'follow.ts' } }
  await expect(assertReplaced(layer, '/nowhere')).rejects.toThrow(
    'The server without "some-layer" never loaded packages/log/src/follow.ts, so nothing was left out.',
  )
})

test('figures of smaller loads are not recorded', () => {
  expect(() => layersOptionsFrom(['write-pace', '--record', '--runs', '2'])).toThrow('Leave out --runs')
  expect(layersOptionsFrom(['write-pace', '--rounds', '3', '--record'])).toMatchObject({
    names: ['write-pace'],
    rounds: 3,
    isRecorded: true,
  })
})

async function exportsOf(module: URL): Promise<readonly string[]> {
  const exports: object = await import(module.href)
  return Object.keys(exports).toSorted()
}
